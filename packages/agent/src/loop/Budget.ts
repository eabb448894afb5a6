/**
 * Whether a run may go on: its limits, what it has used, and the time. Pure.
 */
import type { Limits } from "../Limits.ts"
import type { RunStatus } from "../Outcome.ts"

/** What a run or a turn has used. */
export interface Spent {
  readonly steps: number
  readonly tokens: number
  /** Milliseconds since it began. */
  readonly time: number
}

/** The ends that budgets make. */
export type Exhausted = Extract<RunStatus, "deadline" | "exhausted_steps" | "exhausted_tokens">

/**
 * Looked at before each call of the model, in this order; so tokens may be overshot by one call.
 *
 * @param shared whether the tokens that are shared with other runs are used up
 */
export const exhausted = (limits: Limits, spent: Spent, shared: boolean): Exhausted | undefined => {
  if (spent.time >= limits.deadline) return "deadline"
  if (spent.steps >= limits.steps) return "exhausted_steps"
  if (spent.tokens >= limits.tokens || shared) return "exhausted_tokens"
  return undefined
}
