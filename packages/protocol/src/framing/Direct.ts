/**
 * What a client needs of a server in the same process. The server's own value implements it, so neither package imports
 * the other.
 */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Message, Request, Notification } from "../rpc/index.ts"

/** Where the messages of one request arrive: notifications in order, then one answer. */
export interface DirectSink {
  readonly notify: (notification: Notification) => void
  /** @param cause what a handler died of, where it did: in process nothing is withheld */
  readonly answer: (answer: Message, cause?: unknown) => void
}

/** A served thing without a transport. */
export interface DirectPeer {
  /**
   * Serves one request.
   *
   * @returns cancels it
   */
  readonly request: (request: Request, sink: DirectSink) => () => void
}

/** A value that can be served in process, once it is given the context its handlers ask for. */
export interface DirectServer<in Ctx, out E, out R> {
  readonly "~treadle/direct": (context: Ctx) => Effect.Effect<DirectPeer, E, R | Scope.Scope>
}
