/**
 * What a method's row gives for a request: a result that is printed already, an error, or something that runs.
 */
import type * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { RpcError } from "@treadle/protocol/rpc"
import type { CurrentCall } from "../../CurrentCall.ts"
import type { Admitted } from "../../envelope/Admitted.ts"
import type { Refusal } from "../../envelope/Refusal.ts"
import type { SessionFacts } from "../../envelope/SessionFacts.ts"
import type { NeutralResult } from "../../reply/NeutralResult.ts"
import type { Lease } from "../offer/ListTable.ts"
import type { RunningCall } from "../RunningCall.ts"

/** Something that runs. */
export interface Running {
  /** What a report calls it. */
  readonly name: string
  /** What it fails with is the error that the request is answered with. */
  readonly effect: (call: RunningCall) => Effect.Effect<NeutralResult, RpcError, CurrentCall>
  /** A call counts against `limits.runningCalls`, a listener against `limits.listeners`. */
  readonly kind?: RunningCall["kind"]
  readonly services: Context.Context<never>
  /** What keeps its services, where anything has to. */
  readonly lease?: Lease | undefined
  /** Milliseconds. */
  readonly timeout: number | undefined
  /** Whether each state of it may be presented once only. */
  readonly once?: boolean | undefined
  /** What the caller is told when it dies. */
  readonly died: (reference: string, call: RunningCall) => NeutralResult | RpcError
  /** What it ends with when the server stops; an error, where nothing is said. */
  readonly stopped?: NeutralResult
}

/** A session that a handshake opened, and the printed result that says so. */
export interface Opened {
  readonly session: SessionFacts
  readonly text: string
}

/** The printed result, the error, what runs, what was opened, or why nothing of it is admitted. */
export type Answered = string | RpcError | Running | Opened | Refusal

export type Row = (request: Admitted) => Answered
