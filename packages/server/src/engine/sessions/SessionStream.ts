/**
 * The streams that the client of a session opens over HTTP: to be told of changes, or to go on where it lost one
 * (CHTTP-07 to CHTTP-13).
 */
import type { Inbound } from "../../envelope/Inbound.ts"
import { lastEventPresented } from "../../envelope/Presented.ts"
import { eventNotKept, type Refusal } from "../../envelope/Refusal.ts"
import type { SessionFacts } from "../../envelope/SessionFacts.ts"
import type { EventLog, Position } from "./EventLog.ts"
import type { Hold } from "./HeldStream.ts"
import { sessionEvents } from "./KeptEvents.ts"
import type { Sink } from "../Sink.ts"

/**
 * What becomes of a stream that a client opens: what to do once its connection has gone, or that nothing more will ever
 * come on it, or why there is none.
 */
export type OpenedStream = (() => void) | "over" | Refusal

const notKept: Refusal = { rung: "event-kept", error: eventNotKept }

export interface SessionStreamParts {
  readonly hold: Hold
  readonly logOf: (session: SessionFacts) => EventLog | undefined
}

export const makeSessionStreams = ({ hold, logOf }: SessionStreamParts) => {
  /** Listens for changes, on a new stream or on where one was left. */
  const listen = (session: SessionFacts, inbound: Inbound, sink: Sink, log: EventLog, from: Position | undefined) => {
    from?.record.listener?.end("cancelled")
    const record = from?.record ?? log.open()
    sink.keep?.((connection) => {
      if (from !== undefined) record.replay(connection, from.after)
      return sessionEvents(record, connection, session.revision.polls)
    })
    const attach = (tell: (text: string) => void) => session.attach({ tell, full: () => false, onRoom: () => {} })
    const call = hold(inbound, sink, attach, session)
    if ("rung" in call) return call
    record.listener = call
    return () => call.end("cancelled")
  }

  /**
   * Opens a stream of a session: where an earlier one was lost, or for changes.
   *
   * @returns what to do once the connection has gone, or why there is no stream
   */
  return (session: SessionFacts, inbound: Inbound, sink: Sink): OpenedStream => {
    const log = logOf(session)
    if (log === undefined) return notKept
    const last = lastEventPresented(inbound)
    const from = last === undefined ? undefined : log.find(last)
    if (last !== undefined && from === undefined) return notKept
    const resume = from?.record.resume
    if (from === undefined || resume === undefined) return listen(session, inbound, sink, log, from)
    if (from.record.isOver(from.after)) return "over"
    sink.keep?.((connection) => resume(connection, from.after))
    return () => {}
  }
}
