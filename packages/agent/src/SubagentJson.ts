/**
 * How a subagent stands, as JSON: the same for a model in its loop, for the tools that an agent serves, and for its
 * resources.
 */
import type { Json, JsonObject } from "@treadle/protocol/json"
import type { SubagentState } from "./Supervisor.ts"

const jsonOf = (value: unknown): Json => (value === undefined ? null : (value as Json))

const warmJson = ({ age, awaiting, done, handle, lastIsError = false, result, turns }: SubagentState): JsonObject => ({
  handle,
  warm: true,
  alive: !done,
  done,
  busy: awaiting > 0,
  turns,
  last_result: jsonOf(result),
  last_is_error: lastIsError,
  age_ms: age
})

/** The JSON of a state. */
export const subagentJson = (state: SubagentState): JsonObject => {
  const { abandoned, age, done, error, handle, mode, partial = false, result, status } = state
  if (mode === "warm") return warmJson(state)
  const head = { handle, status, done, ...(abandoned === undefined ? {} : { abandoned }) }
  if (status === "running") return { ...head, age_ms: age }
  if (status === "cancelled") return head
  return status === "failed" ? { ...head, error: error ?? "" } : { ...head, partial, result: jsonOf(result) }
}
