/**
 * Tools whose calls become tasks. The suite asserts their names, and what comes of each; `greet` is the one that does not.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Arg, Ask, CurrentCall, Mcp, ToolFailed } from "@treadle/server"

const confirmation = Ask.form({ message: "Delete it?", fields: { confirm: Schema.Boolean } })
const name = Ask.form({ message: "What is your name?", fields: { name: Schema.String } })

export const taskTools = Mcp.make({ name: "task-tools", version: "1.0.0" })
  .tool("greet", { description: "Greets", input: { name: Schema.String } }, async (input) => `Hello, ${input.name}!`)
  .tool(
    "slow_compute",
    {
      description: "Takes its time",
      input: { seconds: Schema.Finite, label: Arg.optional(Schema.String) },
      task: { pollInterval: 200 }
    },
    ({ label, seconds }) => Effect.as(Effect.sleep(seconds * 1_000), `Computed ${label ?? "it"} in ${seconds} s.`)
  )
  .tool("failing_job", { description: "Says that it failed", task: "required" }, () =>
    Effect.andThen(Effect.sleep(1_000), Effect.fail(new ToolFailed("The job failed.")))
  )
  .tool("protocol_error_job", { description: "Breaks", task: "optional" }, () =>
    Effect.andThen(Effect.sleep(100), Effect.die(new Error("The job broke.")))
  )
  .tool(
    "confirm_delete",
    { description: "Asks before it deletes", input: { filename: Schema.String }, task: "optional" },
    ({ filename }) =>
      Effect.map(CurrentCall.ask("confirm", confirmation), (answer) =>
        answer.action === "accept" && answer.content.confirm ? `Deleted ${filename}.` : `Kept ${filename}.`
      )
  )
  .tool("multi_input", { description: "Asks two things at once", task: "optional" }, () =>
    Effect.map(
      Effect.all([CurrentCall.ask("name", name), CurrentCall.ask("confirm", confirmation)], {
        concurrency: "unbounded"
      }),
      ([first, second]) => `${first.action}, ${second.action}`
    )
  )
  .tool(
    "test_tool_with_task",
    { description: "Asks, then takes its time", task: { required: true, begins: "later" } },
    () =>
      Effect.gen(function* () {
        const answer = yield* CurrentCall.ask("user_name", name)
        yield* CurrentCall.startTask
        yield* Effect.sleep(100)
        return answer.action === "accept" ? `Hello, ${answer.content.name}!` : "Nobody was named."
      })
  )
