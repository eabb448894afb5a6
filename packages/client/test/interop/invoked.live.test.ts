/**
 * One operation as a tool and behind a catalog, called by its contract: a client sees no difference.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Logger from "effect/Logger"
import * as Schema from "effect/Schema"
import { Endpoint } from "@treadle/protocol"
import { Mcp, type Call } from "@treadle/server"
import { McpHttp } from "@treadle/server/http"
import { McpClient } from "../../src/index.ts"

class Refused extends Schema.TaggedError<Refused>()("Refused", { at: Schema.Int }) {}

const Ask = Schema.Struct({
  text: Schema.String,
  list: Schema.Array(Schema.Int),
  at: Schema.optionalKey(Schema.Int),
  ends: Schema.Literals(["with a value", "with nothing", "with an error", "in words", "with a bug"])
})

const answers = Endpoint.make("answers", {
  description: "Tested",
  input: Ask,
  output: Schema.NullOr(Schema.Struct({ text: Schema.String, list: Schema.Array(Schema.Int) })),
  errors: Refused
})

const invokeAnswers = Endpoint.make("invoke", {
  description: "Tested",
  input: { name: Schema.Literal("answers"), arguments: answers.def.input },
  output: answers.def.output,
  errors: answers.def.errors
})

const answer = ({ at = 0, ends, list, text }: typeof Ask.Type, { fail }: Pick<Call<{}, Refused>, "fail">) => {
  switch (ends) {
    case "with a value":
      return Effect.succeed({ text, list })
    case "with nothing":
      return Effect.succeed(null)
    case "with an error":
      return Effect.fail(new Refused({ at }))
    case "in words":
      return fail(`No: ${text}`)
    case "with a bug":
      return Effect.die(new Error("a bug"))
  }
}

const empty = Mcp.make({ name: "suite", version: "1.0.0" })
const asTool = empty.tool(answers, answer)
const asOperation = empty.operation(answers, answer).catalog({ allow: ["answers"] })

/** What a call came to, without what tells one call from another. */
const told = (exit: Exit.Exit<unknown, { readonly _tag: string; readonly message: string }>): string =>
  JSON.stringify(Exit.isSuccess(exit) ? exit.value : Exit.findErrorOption(exit))
    .replaceAll(/reference \w+/g, "reference")
    .replaceAll('"invoke"', '"answers"')
    .replaceAll('\\"invoke\\"', '\\"answers\\"')

/** Each door, and what is left out there: a plain door logs bugs to its own console. */
const doors = [
  ["in process", undefined, (mcp: Mcp<never>) => McpClient.direct(mcp)],
  [
    "over HTTP",
    "with a bug",
    (mcp: Mcp<never>) =>
      Effect.flatMap(
        Effect.acquireRelease(
          Effect.sync(() => McpHttp.fetch(mcp)),
          (door) => Effect.promise(() => door.close())
        ),
        (door) => McpClient.http("http://localhost/mcp", { fetch: door })
      )
  ]
] as const

describe.each(doors)("an operation %s", (_, without, open) => {
  it.live("D3 D4 D5: gives through invoke what it gives as a tool, value, error, words and bug alike", () =>
    Effect.gen(function* () {
      const tool = yield* open(asTool)
      const operation = yield* open(asOperation)
      const checked = yield* Arbitrary.checkEffect(
        Arbitrary.schema(Ask),
        (input) =>
          Effect.gen(function* () {
            if (input.ends === without) return true
            const direct = yield* Effect.exit(tool.call(answers)(input))
            const invoked = yield* Effect.exit(operation.call(invokeAnswers)({ name: "answers", arguments: input }))
            assert.strictEqual(told(invoked), told(direct))
            return Exit.isSuccess(direct) === (input.ends === "with a value" || input.ends === "with nothing")
          }),
        { runs: 100 }
      )
      assert.strictEqual(checked._tag, "Passed", Arbitrary.formatCheckFailure(checked))
    }).pipe(Effect.provide(Logger.layer([])))
  )
})
