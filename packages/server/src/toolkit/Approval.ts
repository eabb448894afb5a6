/**
 * Tools that need approval: a person is asked by the client before the handler runs, and a tool that nobody can approve
 * does not run.
 */
import * as IdGenerator from "effect/ai/IdGenerator"
import type * as Tool from "effect/ai/Tool"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Ask } from "../Ask.ts"
import type { AskFailed } from "../AskFailed.ts"
import type { CurrentCallService } from "../CurrentCall.ts"
import { ToolFailed } from "../ToolError.ts"

const key = "effect/ai/approval"

/** Arguments beyond this are cut in the question. */
const longestShown = 2000

const json = (input: unknown): string => {
  try {
    return JSON.stringify(input, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value)) ?? ""
  } catch {
    return "(they cannot be shown)"
  }
}

const shown = (input: unknown): string => {
  const text = json(input)
  return text.length > longestShown ? `${text.slice(0, longestShown)}…` : text
}

const question = (name: string, input: unknown) =>
  Ask.form({
    message: `May the tool ${name} run with these arguments? ${shown(input)}`,
    fields: { approve: Schema.Boolean.annotate({ title: "Approve", description: `Let ${name} run` }) }
  })

/** What the functions of authors get. A call of a client is no part of a conversation that the server knows. */
const isNeeded = (
  { needsApproval }: Tool.Any,
  input: unknown,
  current: CurrentCallService
): boolean | Effect.Effect<boolean> => {
  if (typeof needsApproval !== "function") return needsApproval === true
  return Effect.flatMap(
    // The same in every run of a call that asks.
    current.stepOf(`${key}/id`, IdGenerator.defaultIdGenerator.generateId()),
    (toolCallId) => {
      const needed = needsApproval(input, { toolCallId, messages: [] })
      return Effect.isEffect(needed) ? needed : Effect.succeed(needed)
    }
  )
}

const unasked = (name: string) => (error: AskFailed) =>
  Effect.fail(
    new ToolFailed(`${name} did not run: a person has to approve it, and nobody could be asked. ${error.message}`)
  )

const approved = (name: string, input: unknown, current: CurrentCallService): Effect.Effect<void, ToolFailed> =>
  Effect.flatMap(Effect.catch(current.askFor(key, question(name, input)), unasked(name)), (answer) =>
    answer.action === "accept" && answer.content.approve
      ? Effect.void
      : Effect.fail(new ToolFailed(`${name} did not run: the person who was asked did not approve it.`))
  )

/**
 * Succeeds when the handler of a tool may run, and fails with a sentence for the model where it may not.
 *
 * @param tool one with `needsApproval`
 * @param input decoded
 */
export const approval = (
  tool: Tool.Any,
  input: unknown,
  current: CurrentCallService
): Effect.Effect<void, ToolFailed> => {
  const needed = isNeeded(tool, input, current)
  if (typeof needed === "boolean") return needed ? approved(tool.name, input, current) : Effect.void
  return Effect.flatMap(needed, (needs) => (needs ? approved(tool.name, input, current) : Effect.void))
}
