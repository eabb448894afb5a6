/**
 * How a supervisor runs what it starts. It knows who may start what; the runner knows agents.
 */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { AgentError } from "../AgentError.ts"
import type { StopSignal } from "../loop/StopSignal.ts"
import type { Outcome } from "../Outcome.ts"
import type { SpawnRequest, Supervisor } from "../Supervisor.ts"
import type { ToolScope } from "../ToolScope.ts"

/** A child as its supervisor made it: nothing of it is the caller's to say but the request. */
export interface ChildSpec {
  readonly handle: string
  /** Where it stands in its tree: the path of its parent and its number. */
  readonly path: string
  readonly depth: number
  readonly scope: ToolScope
  readonly request: SpawnRequest
  /** The supervisor as this child has it. */
  readonly supervisor: Supervisor
}

/** A warm child between its turns. */
export interface WarmChild {
  /** One turn, with budgets of its own. */
  readonly turn: (message: string, stop: StopSignal) => Effect.Effect<Outcome<unknown>, AgentError>
}

export interface ChildRunner {
  /** The servers of the agent, with what they can do. */
  readonly servers: ReadonlyArray<{ readonly name: string; readonly tags: ReadonlyArray<string> }>
  readonly run: (spec: ChildSpec, stop: StopSignal) => Effect.Effect<Outcome<unknown>, AgentError>
  readonly open: (spec: ChildSpec) => Effect.Effect<WarmChild, AgentError, Scope.Scope>
}
