/**
 * A toolkit with a tool of each kind, and its handlers.
 */
import * as AiError from "effect/ai/AiError"
import * as Prompt from "effect/ai/Prompt"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

export class Seats extends Context.Service<Seats, { readonly left: number }>()("test/Seats") {}

export class SoldOut extends Schema.TaggedError<SoldOut>()("SoldOut", { left: Schema.Int }) {
  override get message() {
    return `Only ${this.left} seats left.`
  }
}

const book = {
  parameters: Schema.Struct({ seats: Schema.Int, day: Schema.Date }),
  success: Schema.Struct({ booked: Schema.Int, day: Schema.Date }),
  failure: SoldOut,
  dependencies: [Seats] as [typeof Seats]
}

export const toolkit = Toolkit.make(
  Tool.make("book", { ...book, description: "Books seats" })
    .annotate(Tool.Title, "Booking")
    .annotate(Tool.Destructive, false)
    .annotate(Tool.Readonly, false)
    .annotate(Tool.Meta, { "com.example/group": "seats" }),
  Tool.make("book_returning", { ...book, description: "Books seats", failureMode: "return" }),
  Tool.make("refuse", { description: "Says no", failure: Schema.String, success: Schema.Int }),
  Tool.make("ask_model", { description: "Asks a model", failureMode: "return" }),
  Tool.make("ask_model_plainly", { description: "Asks a model" }),
  Tool.make("board", {
    description: "The bills",
    success: Schema.Array(Schema.String),
    toModelOutput: (lines) => [
      Prompt.textPart({ text: `${lines.length} lines` }),
      Prompt.filePart({ mediaType: "image/png", data: new Uint8Array([1, 2, 3]) })
    ]
  }),
  Tool.make("count", { description: "Counts", success: Schema.String }),
  Tool.dynamic("echo", {
    description: "Gives back what it gets",
    parameters: { type: "object", properties: { n: { type: "integer", minimum: 1 } }, required: ["n"] }
  }),
  Tool.dynamic("anything", { description: "Takes anything" })
)

const overloaded = new AiError.UnknownError({ description: "the model is overloaded" })

const booking = ({ day, seats }: { readonly seats: number; readonly day: Date }) =>
  Effect.flatMap(Seats, ({ left }) =>
    seats > left ? Effect.fail(new SoldOut({ left })) : Effect.succeed({ booked: seats, day })
  )

export const handlers = toolkit.toLayer({
  book: booking,
  book_returning: booking,
  refuse: () => Effect.fail("Not on Mondays"),
  ask_model: () => Effect.fail(overloaded),
  ask_model_plainly: () => Effect.fail(overloaded),
  board: () => Effect.succeed(["Evening bill", "Late bill"]),
  count: (_, { preliminary }) => Effect.as(Effect.andThen(preliminary("one"), preliminary("two")), "three"),
  echo: (args) => Effect.succeed(args),
  anything: () => Effect.void
})
