/** Prompts: text, messages with blocks, typed arguments, and completion that knows what was chosen. */
// #region prompts
import { Arg, Content, Mcp, Prompt } from "@treadle/server"
import * as Schema from "effect/Schema"

const bill: Readonly<Record<string, ReadonlyArray<string>>> = {
  Oslo: ["Evening bill", "Late bill"],
  Paris: ["Matinée"]
}

export const evening = Mcp.make({ name: "evening", version: "1.0.0" })
  .prompt("greet", { description: "Opens the conversation" }, async () => "Ask me where I am, and what I like.")
  .prompt(
    "plan_evening",
    {
      description: "Plans an evening out",
      arguments: {
        city: Schema.String.annotate({ description: "Where" }),
        show: Schema.String,
        seats: Arg.withDefault(Schema.FiniteFromString, "2", "How many")
      },
      complete: {
        city: (typed) => Object.keys(bill).filter((city) => city.startsWith(typed)),
        show: (typed, { city }) => (bill[city ?? ""] ?? []).filter((show) => show.startsWith(typed))
      }
    },
    async ({ city, show, seats }) => [
      Prompt.user(`Plan an evening in ${city} around "${show}", for ${seats}.`),
      Prompt.user(Content.link("box-office://board", "The board of tonight")),
      Prompt.assistant("Shall I start with dinner?")
    ]
  )
// #endregion
