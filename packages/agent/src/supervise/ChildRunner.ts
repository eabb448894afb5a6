/**
 * How a supervisor runs what it starts. It knows who may start what; the runner knows agents.
 */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Json } from "@treadle/protocol/json"
import type { AgentError } from "../AgentError.ts"
import type { AgentEventBody } from "../AgentEvent.ts"
import type { StopSignal } from "../loop/StopSignal.ts"
import type { OutcomeFields } from "../Outcome.ts"
import type { SpawnRequest, Supervisor } from "../Supervisor.ts"
import type { Tag } from "../Tag.ts"
import type { ToolScope } from "../ToolScope.ts"
import type { Ledger } from "./Ledger.ts"

/** A place in a tree. */
export interface RunPlace {
  /** The path of its parent and its number. */
  readonly path: string
  readonly depth: number
  readonly scope: ToolScope
}

/** A child as its supervisor made it: nothing of it is the caller's to say but the request. */
export interface ChildSpec extends RunPlace {
  readonly handle: string
  readonly request: SpawnRequest
  /** The account of its tree. */
  readonly ledger: Ledger
  /** The supervisor as this child has it, over what runs its own children. It is made once. */
  readonly below: (runner: ChildRunner) => Supervisor
}

/** How a child ended, its answer as JSON. */
export type ChildOutcome = Pick<OutcomeFields<Json>, "status" | "partial" | "answer" | "text" | "error" | "abandoned">

/** A warm child between its turns. */
export interface WarmChild {
  /** One turn, with budgets of its own. */
  readonly turn: (message: string, stop: StopSignal) => Effect.Effect<ChildOutcome, AgentError>
}

export interface ChildRunner {
  /** The servers of the agent, with what they can do. */
  readonly servers: ReadonlyArray<{ readonly name: string; readonly tags: ReadonlyArray<Tag> }>
  /** Whether a child may have all three tags together. */
  readonly allowTrifecta: boolean
  readonly run: (spec: ChildSpec, stop: StopSignal) => Effect.Effect<ChildOutcome, AgentError>
  readonly open: (spec: ChildSpec) => Effect.Effect<WarmChild, AgentError, Scope.Scope>
  /** Tells of something that happened to the caller at a place. */
  readonly emit: (place: RunPlace, event: AgentEventBody) => void
}
