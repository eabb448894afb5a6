/**
 * A server that is played, whose calls become a task.
 */
import { result, rpcError } from "./fixtures.ts"
import { play, type Part } from "./played.ts"

export const extension = "io.modelcontextprotocol/tasks"
export const facts = {
  taskId: "t-1",
  createdAt: "2026-12-01T10:00:00Z",
  lastUpdatedAt: "2026-12-01T10:00:00Z",
  ttlMs: null
}
export const working = (more: object = {}) => ({ ...facts, status: "working", pollIntervalMs: 2000, ...more })
export const completed = (body: object) => ({ ...facts, status: "completed", result: body })
const form = {
  method: "elicitation/create",
  params: { message: "?", requestedSchema: { type: "object", properties: {} } }
}
export const asks = (...keys: ReadonlyArray<string>) => ({
  ...facts,
  status: "input_required",
  pollIntervalMs: 2000,
  inputRequests: Object.fromEntries(keys.map((key) => [key, form]))
})

/** A server whose calls become a task, which stands so each time that it is asked; the last state stays. */
export const tasking =
  (begun: object, ...states: ReadonlyArray<object>): NonNullable<Part["answer"]> =>
  ({ id, method }) => {
    if (method === "tools/call") return result(id, { resultType: "task", ...begun })
    if (method !== "tasks/get") return result(id, { resultType: "complete" })
    const state = states.length > 1 ? states[0] : states.at(-1)
    if (states.length > 1) states = states.slice(1)
    return state !== undefined && "code" in state
      ? rpcError(id, Number(state.code), "no such task")
      : result(id, { resultType: "complete", ...state })
  }

export const native = (answer: NonNullable<Part["answer"]>, more: Partial<Part> = {}) =>
  play({ era: "native", over: "pipe", answer, ...more })
