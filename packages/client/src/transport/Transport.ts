/**
 * The contract of every transport: it carries one request to the server and what belongs to that request back, and it
 * hands over what the server says by itself. It knows sockets, lines, headers and statuses, and no method.
 *
 * It works by callbacks, so that a call costs no fiber; the engine makes Effects of it.
 */
import type { ErrorMessage, Notification, Request, ResultMessage } from "@treadle/protocol/rpc"
import type { McpReason } from "../McpError.ts"

/** A compat session as HTTP headers repeat it (CHTTP-15, CHTTP-20). */
export interface CompatSession {
  readonly version: string
  /** Where the server gave one. */
  readonly id?: string
}

/** A request to be sent. Where it asks for progress, its token is its id. */
export interface Outgoing {
  readonly request: Request
  /** Headers that repeat arguments (XHDR-06); only HTTP sends them. */
  readonly mirrored: ReadonlyArray<readonly [string, string]>
  /** The compat session it belongs to. A native request has none, and neither has `initialize`. */
  readonly session: CompatSession | undefined
  /** Whether the server is told when it is given up; `initialize` is only abandoned (INIT-10). */
  readonly cancellable: boolean
}

/** What came back, and what the transport saw beside it. */
export interface Answer {
  readonly message: ResultMessage | ErrorMessage
  /** The HTTP status. */
  readonly status?: number
  /** The id that a new compat session was given. */
  readonly session?: string
  /** What a handler in the same process died of. */
  readonly cause?: unknown
}

/** Where the messages of one request go: what comes on the way in order, then one answer or one failure. */
export interface ExchangeSink {
  readonly notify: (notification: Notification) => void
  /** A request of the server's own, on the stream of this request (CHTTP-02). */
  readonly request: (request: Request) => void
  readonly answer: (answer: Answer) => void
  readonly fail: (reason: McpReason) => void
  /** Something was heard of the server, if only a comment. */
  readonly heard: () => void
}

/** Where messages go that belong to no request. */
export interface Receiver {
  readonly notify: (notification: Notification) => void
  readonly request: (request: Request) => void
  /** An answer came to a request that was given up before (CANCEL-06). */
  readonly late: (message: Answer["message"]) => void
  /** Nothing more will come. */
  readonly ended: (reason: McpReason) => void
}

/** How the server's own stream ended. */
export interface StreamEnd {
  /** `none`: there is no such stream here; `lost`: the session is gone; `cut`: it may be opened again. */
  readonly how: "none" | "lost" | "cut"
  /** Milliseconds to wait before it is opened again, where the server said so. */
  readonly retry?: number
  readonly lastEventId?: string
  readonly why: string
}

/** Where the messages of the server's own stream go. */
export interface StreamSink extends Omit<Receiver, "ended" | "late"> {
  readonly opened: () => void
  readonly heard: () => void
  readonly ended: (end: StreamEnd) => void
}

/** A message that nobody answers: a notification, or the answer to a request of the server. */
export type Posted = Notification | ResultMessage | ErrorMessage

/** A way to one server. */
export interface Transport {
  readonly kind: "http" | "pipe" | "direct"
  /** What messages of errors call the server; without credentials. */
  readonly server: string
  /** Says where messages go that belong to no request. Called once, before anything is sent. */
  readonly attach: (receiver: Receiver) => void
  /**
   * Sends a request.
   *
   * @returns gives up in the transport's own way (CANCEL-02); called at most once, and not after the answer
   */
  readonly exchange: (outgoing: Outgoing, sink: ExchangeSink) => (why?: string) => void
  /** Sends a message that is not answered. @param done called once: without a reason where it was taken */
  readonly post: (message: Posted, session: CompatSession | undefined, done: (failure?: McpReason) => void) => void
  /**
   * Opens the server's own stream (CHTTP-07). Only HTTP has one; where it is absent, everything comes to the receiver.
   *
   * @returns closes it
   */
  readonly stream?: (session: CompatSession, lastEventId: string | undefined, sink: StreamSink) => () => void
  /** Ends a compat session at the server (CHTTP-19). @param done called when that was answered or failed */
  readonly end?: (session: CompatSession, done: () => void) => void
}
