/**
 * The contract of every transport: it carries one request to the server and what belongs to that request back. It knows
 * sockets, lines, headers and statuses, and no method.
 *
 * It works by callbacks, so that a call costs no fiber; the engine makes Effects of it.
 */
import type { ErrorMessage, Notification, Request, ResultMessage } from "@treadle/protocol/rpc"
import type { McpReason } from "../McpError.ts"

/** A request to be sent. Where it asks for progress, its token is its id. */
export interface Outgoing {
  readonly request: Request
  /** Headers that repeat arguments (XHDR-06); only HTTP sends them. */
  readonly mirrored: ReadonlyArray<readonly [string, string]>
}

/** What came back, and what the transport saw beside it. */
export interface Answer {
  readonly message: ResultMessage | ErrorMessage
  /** The HTTP status. */
  readonly status?: number
  /** What a handler in the same process died of. */
  readonly cause?: unknown
}

/** Where the messages of one request go: notifications in order, then one answer or one failure. */
export interface ExchangeSink {
  readonly notify: (notification: Notification) => void
  readonly answer: (answer: Answer) => void
  readonly fail: (reason: McpReason) => void
}

/** A way to one server. */
export interface Transport {
  readonly kind: "http" | "pipe" | "direct"
  /** What messages of errors call the server; without credentials. */
  readonly server: string
  /**
   * Sends a request.
   *
   * @returns gives up in the transport's own way (CANCEL-02); called at most once, and not after the answer
   */
  readonly exchange: (outgoing: Outgoing, sink: ExchangeSink) => (why?: string) => void
}
