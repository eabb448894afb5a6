/**
 * Sessions over HTTP beside their calls: the end of one, with DELETE, and the stream on which it is told of changes, with
 * GET (CHTTP-07, CHTTP-08, CHTTP-19).
 */
import type { OpenedStream } from "../engine/sessions/SessionStream.ts"
import type { Sink } from "../engine/Sink.ts"
import type { Inbound } from "../envelope/Inbound.ts"
import { refusal, sessionEnded, type Refusal } from "../envelope/Refusal.ts"
import type { SessionFacts, SessionLookup } from "../envelope/SessionFacts.ts"

/** Why a request names no session that could be used. */
const unusable = (named: Exclude<SessionLookup, SessionFacts>): Refusal =>
  named === "not-named"
    ? refusal("session-named", "The header Mcp-Session-Id is missing; it names the session that is meant")
    : { rung: "session-known", error: sessionEnded }

const noSessions = refusal("verb", "There are no sessions here; send a JSON-RPC message with POST")

/** What sessions are found in, and ended. */
interface Sessions {
  readonly find: (inbound: Inbound) => SessionLookup
  readonly end: (session: SessionFacts) => void
}

/** Opens a stream of a session. */
type Open = (session: SessionFacts, inbound: Inbound, sink: Sink) => OpenedStream

/** The two verbs of sessions. A request that stands alone has none. */
export const sessionVerbs = (sessions: Sessions, open: Open) => ({
  /** Opens a stream of the session that a request names. */
  openStream: (inbound: Inbound, sink: Sink): OpenedStream => {
    const named = sessions.find(inbound)
    if (typeof named !== "object") return unusable(named)
    return named.standsAlone ? noSessions : open(named, inbound, sink)
  },
  /** Ends the session that a request names. @returns why there is none */
  endSession: (inbound: Inbound): Refusal | undefined => {
    const named = sessions.find(inbound)
    if (typeof named !== "object") return unusable(named)
    if (named.standsAlone) return noSessions
    sessions.end(named)
    return undefined
  }
})
