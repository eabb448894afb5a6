/**
 * Sessions over HTTP beside their calls: the end of one, with DELETE, and the stream on which it is told of changes, with
 * GET (CHTTP-07, CHTTP-08, CHTTP-19).
 */
import { RpcError } from "@treadle/protocol/rpc"
import { sessionEnded, type Refusal, type Rung } from "../envelope/Refusal.ts"
import type { SessionFacts, SessionLookup } from "../envelope/SessionFacts.ts"

const refusal = (rung: Rung, message: string): Refusal => ({ rung, error: RpcError.invalidRequest(message) })

/** Why a request names no session that could be used. */
const unusable = (named: Exclude<SessionLookup, SessionFacts>): Refusal =>
  named === "not-named"
    ? refusal("session-named", "The header Mcp-Session-Id is missing; it names the session that is meant")
    : { rung: "session-known", error: sessionEnded }

const noSessions = refusal("verb", "There are no sessions here; send a JSON-RPC message with POST")

/** Why a stream cannot be opened. */
export const streamRefusal = (named: SessionLookup): Refusal =>
  typeof named === "object" ? noSessions : unusable(named)

/**
 * What a DELETE is answered with.
 *
 * @param ended what the request named
 * @returns the refusal, or nothing: then the session has ended
 */
export const endingRefusal = (ended: SessionLookup): Refusal | undefined => {
  if (typeof ended !== "object") return unusable(ended)
  return ended.id === "" ? noSessions : undefined
}
