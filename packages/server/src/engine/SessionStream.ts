/**
 * The streams that the client of a session opens over HTTP: to be told of changes, or to go on where it lost one
 * (CHTTP-07 to CHTTP-13).
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { HeaderName, trimHeaderValue } from "@treadle/protocol/http"
import { Message, RpcError } from "@treadle/protocol/rpc"
import { Admitted, type Offered } from "../envelope/Admitted.ts"
import type { Inbound } from "../envelope/Inbound.ts"
import type { Refusal } from "../envelope/Refusal.ts"
import type { SessionFacts } from "../envelope/SessionFacts.ts"
import type { Limits } from "../Limits.ts"
import type { Engine } from "./Engine.ts"
import type { EventLog, Position } from "./EventLog.ts"
import type { InFlight } from "./InFlight.ts"
import { sessionEvents } from "./KeptEvents.ts"
import type { Running } from "./Row.ts"
import type { Sink } from "./Sink.ts"

/** What an open stream runs: nothing of the author's, and for as long as its client wants. */
const listening = (session: SessionFacts): Running => ({
  name: "the stream of a session",
  kind: "listen",
  effect: (call) => Effect.callback<never>(() => Effect.sync(session.attach((text) => call.tell(text)))),
  services: Context.empty(),
  timeout: undefined,
  died: (reference) => RpcError.internal(`Internal error (reference ${reference})`)
})

/** Takes no answer: the stream just ends. */
const silent = (sink: Sink): Sink => {
  const end = () => sink.abandon()
  return {
    post: (text) => sink.post(text),
    full: () => sink.full(),
    room: sink.room,
    answer: end,
    abandon: end,
    tick: (now, since) => sink.tick(now, since)
  }
}

/**
 * What becomes of a stream that a client opens: what to do once its connection has gone, or that nothing more will ever
 * come on it, or why there is none.
 */
export type OpenedStream = (() => void) | "over" | Refusal

export interface SessionStreamParts {
  readonly run: Engine["run"]
  readonly inFlight: InFlight
  readonly limits: Limits
  readonly offered: Offered
  readonly logOf: (session: SessionFacts) => EventLog | undefined
}

const notKept: Refusal = {
  rung: "event-kept",
  error: RpcError.invalidRequest(
    "What came after the event that Last-Event-ID names is no longer kept. Open a stream without it"
  )
}

const stopping: Refusal = { rung: "stopping", error: RpcError.internal("The server is stopping") }

export const makeSessionStreams = ({ inFlight, limits, logOf, offered, run }: SessionStreamParts) => {
  const refusal = (session: SessionFacts): Refusal | undefined =>
    inFlight.count(session.owner, "listen") < limits.listeners
      ? undefined
      : {
          rung: "calls",
          error: RpcError.internal(`This session has ${limits.listeners} streams open already; close one of them`)
        }

  /** Listens for changes, on a new stream or on where one was left. */
  const listen = (session: SessionFacts, inbound: Inbound, sink: Sink, log: EventLog, from: Position | undefined) => {
    from?.record.listener?.end("cancelled")
    const refused = refusal(session)
    if (refused !== undefined) return refused
    const record = from?.record ?? log.open()
    record.ended = false
    sink.keep?.((connection) => {
      if (from !== undefined) record.replay(connection, from.after)
      return sessionEvents(record, connection, session.revision.polls)
    })
    const request = new Admitted(inbound, Message.request("", "the stream of a session"), offered)
    request.session = session
    request.revision = session.revision
    const call = run(request, silent(sink), listening(session))
    record.listener = call
    return call === undefined ? stopping : () => call.end("cancelled")
  }

  /**
   * Opens a stream of a session: where an earlier one was lost, or for changes.
   *
   * @returns what to do once the connection has gone, or why there is no stream
   */
  return (session: SessionFacts, inbound: Inbound, sink: Sink): OpenedStream => {
    const log = logOf(session)
    if (log === undefined) return notKept
    const last = inbound.http?.header(HeaderName.lastEventId)
    const from = last === undefined ? undefined : log.find(trimHeaderValue(last))
    if (last !== undefined && from === undefined) return notKept
    const resume = from?.record.resume
    if (from === undefined || resume === undefined) return listen(session, inbound, sink, log, from)
    if (from.record.isOver(from.after)) return "over"
    sink.keep?.((connection) => resume(connection, from.after))
    return () => {}
  }
}
