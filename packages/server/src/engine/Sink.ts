/**
 * Where the messages of one request go: notifications, then exactly one answer. A transport implements it; the engine
 * calls it.
 */
import type * as Effect from "effect/Effect"
import type { RpcError } from "@treadle/protocol/rpc"
import type { Rung } from "../envelope/Refusal.ts"
import type { Events } from "./sessions/Events.ts"

/** The one answer of a request. */
export interface Answer {
  /** The JSON-RPC message, printed; empty where a challenge is all that is said. */
  readonly text: string
  /** The check that refused the request, where it was not admitted. */
  readonly refused?: Rung | undefined
  /** How to be authorized, as HTTP's `WWW-Authenticate` says it. */
  readonly challenge?: string | undefined
  /** The error inside the text, where it is one. */
  readonly error?: RpcError | undefined
  /** Whether it is the result of a tool that says that it failed. */
  readonly isError?: true | undefined
  /** The compat session that the answer opens. */
  readonly session?: string | undefined
  /** What a handler died of. Only a caller in the same process may see it. */
  readonly cause?: unknown
}

export interface Sink {
  /**
   * Sends one printed notification ahead of the answer.
   *
   * @param needed whether the client cannot do without it, as without a question
   * @returns `false` when the peer reads too slowly: wait for `room` before the next one
   */
  readonly post: (text: string, needed?: boolean) => boolean
  /** Whether what need not arrive should be left out, because the peer reads too slowly. */
  readonly full: () => boolean
  /** Completes when there is room for more. */
  readonly room: Effect.Effect<void>
  /** Whether nothing that must be answered can be sent ahead of the answer. */
  readonly mute?: boolean
  readonly answer: (answer: Answer) => void
  /** Lets events pass through something that keeps them, before any is sent. Only HTTP has events. */
  readonly keep?: (through: (connection: Events) => Events) => void
  /** Lets the client wait without a connection, where it comes back by itself. @param retry milliseconds */
  readonly pause?: (retry: number) => void
  /**
   * Hears that a question of the call was asked or is settled. Where it is present the questions are for it to put, and
   * the call waits for their answers.
   */
  readonly asked?: () => void
  /** Takes in words how far the call is. */
  readonly told?: (message: string) => void
  /** The request was cancelled by its sender: nothing more is said about it. */
  readonly abandon: () => void
  /** Time passes while the request runs. @param now milliseconds @param since when the request came */
  readonly tick: (now: number, since: number) => void
}
