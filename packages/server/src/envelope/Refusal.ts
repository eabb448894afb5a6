/**
 * A message that was not admitted: which check refused it, and the error to answer with.
 */
import { RpcError, type RequestId } from "@treadle/protocol/rpc"

/** Every check that can refuse, from the socket inwards. */
export type Rung =
  | "verb"
  | "path"
  | "host"
  | "origin"
  | "accept"
  | "content-type"
  | "body-size"
  | "body-gone"
  | "authorization"
  | "token"
  | "verifier"
  | "certificate"
  | "principal"
  | "json"
  | "message"
  | "session-named"
  | "session-known"
  | "sessions"
  | "event-kept"
  | "version-known"
  | "method-known"
  | "version-named"
  | "version-agrees"
  | "version-served"
  | "capabilities-named"
  | "method-agrees"
  | "method-served"
  | "name-agrees"
  | "params-agree"
  | "scopes"
  | "id-free"
  | "calls"
  | "stopping"

export interface Refusal {
  readonly rung: Rung
  readonly error: RpcError
  /** The id of the request, where one could be read. */
  readonly id?: RequestId | undefined
  /** How to be authorized, as HTTP's `WWW-Authenticate` says it. */
  readonly challenge?: string | undefined
  /** Whether the challenge is all that is said. */
  readonly bare?: boolean
}

/** The refusal of a request that is wrong in itself. @param message what is wrong, and what to do */
export const refusal = (rung: Rung, message: string): Refusal => ({ rung, error: RpcError.invalidRequest(message) })

/** What a request of a session that is no more is told (CHTTP-17). */
export const sessionEnded: RpcError = RpcError.invalidRequest("The session has ended. Send initialize without its id")

/** What a reader is told that comes back for events which are kept no longer (CHTTP-12). */
export const eventNotKept: RpcError = RpcError.invalidRequest(
  "What came after the event that Last-Event-ID names is no longer kept. Open a stream without it"
)

/** What is said to whoever comes after the server was told to stop, and to calls that outlast the grace. */
export const serverStopping: RpcError = RpcError.internal("The server is stopping")
