/**
 * An event stream, as whoever writes to it sees it: the connection itself, or a stream of a session that outlives its
 * connections.
 */
import type * as Effect from "effect/Effect"
import type { SseFields } from "@treadle/protocol/framing"

export interface EventFields extends SseFields {
  /** Whether the reader cannot do without it. */
  readonly needed?: boolean
}

export interface Events {
  /** Sends one event. @returns `false` when the peer reads too slowly */
  readonly send: (text: string, fields?: EventFields) => boolean
  /** Ends the stream, after one more event where there is one. */
  readonly end: (text?: string, fields?: SseFields) => void
  /** Sends what means nothing, so that nobody takes the connection for dead. */
  readonly comment: () => void
  /** Closes the connection; its reader comes back for the rest. @param retry after how many milliseconds */
  readonly pause: (retry: number) => void
  /** Whether the connection has gone, so that nobody reads what is sent. */
  readonly gone: () => boolean
  /** Bytes that the peer has not read yet. */
  readonly unread: () => number
  /** Completes when the peer has caught up, or is gone. */
  readonly drained: Effect.Effect<void>
}
