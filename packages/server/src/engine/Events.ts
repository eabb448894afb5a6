/**
 * An event stream, as whoever writes to it sees it: the connection itself, or a stream of a session that outlives its
 * connections.
 */
import type * as Effect from "effect/Effect"

export interface Events {
  /**
   * Sends one event.
   *
   * @param id names it, for a reader that loses the connection
   * @returns `false` when the peer reads too slowly
   */
  readonly send: (text: string, id?: string) => boolean
  /** Ends the stream, after one more event where there is one. */
  readonly end: (text?: string, id?: string) => void
  /** Sends what means nothing, so that nobody takes the connection for dead. */
  readonly comment: () => void
  /** Closes the connection; its reader comes back for the rest. @param retry after how many milliseconds */
  readonly pause: (retry: number) => void
  /** Bytes that the peer has not read yet. */
  readonly unread: () => number
  /** Completes when the peer has caught up, or is gone. */
  readonly drained: Effect.Effect<void>
}
