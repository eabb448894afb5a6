/**
 * One POST until its answer: JSON, or a stream of events with what belongs to the request before the answer. In the
 * compat era a stream that is cut is taken up again by GET, where the server gave its events ids.
 */
import * as Result from "effect/Result"
import { HeaderName } from "@treadle/protocol/http"
import { parseJson } from "@treadle/protocol/json"
import { Message } from "@treadle/protocol/rpc"
import { McpReason } from "../McpError.ts"
import { readText } from "./HttpBody.ts"
import { getStream, isEventStream, readEvents, type EventReader, type Place } from "./HttpEvents.ts"
import { fetchFrom, type Connection, type HttpPeer, type HttpRequest, type HttpResponse } from "./HttpFetch.ts"
import { asksForAuthorization, excerptLength, refused } from "./HttpRefusal.ts"
import { undecodable } from "./Incoming.ts"
import { requestHeaders } from "./RequestHeaders.ts"
import { requestText } from "./RequestText.ts"
import type { Answer, CompatSession, ExchangeSink, Outgoing } from "./Transport.ts"
import { isReason, reasonOf, transportFailure } from "./TransportFailure.ts"

/** The answer in a body that belongs to this request alone: an error without an id is about it too (BASE-12). */
const answerIn = (
  peer: HttpPeer,
  text: string,
  id: string | number,
  { headers, status }: HttpResponse
): Answer["message"] | ReadonlyArray<string> => {
  const json = parseJson(text)
  if (json === undefined) {
    const type = headers.get("content-type") ?? "not said"
    const beginning = JSON.stringify(text.slice(0, excerptLength))
    return [`it is not JSON (HTTP ${status}, its type is ${type}) and begins with ${beginning}`]
  }
  const decoded = Message.decode(json, peer.nestingLimit)
  if (Result.isFailure(decoded)) return [decoded.failure.error.message]
  const message = decoded.success
  if (message._tag !== "Result" && message._tag !== "Error") return ["it is a message, but no answer"]
  if (message.id === undefined || message.id === id) return message
  return [`it answers the request ${JSON.stringify(message.id)}, but ${JSON.stringify(id)} was asked`]
}

/** The session that a response begins (CHTTP-14). @throws McpReason where its id cannot be repeated in a header */
const sessionIn = (response: HttpResponse): { readonly session?: string } => {
  const session = response.headers.get(HeaderName.session)
  if (session === null) return {}
  if (/^[\x21-\x7e]+$/.test(session)) return { session }
  throw new McpReason.Undecodable({ what: `the header ${HeaderName.session}`, problems: ["it is not visible ASCII"] })
}

const readJson = async (peer: HttpPeer, response: HttpResponse, outgoing: Outgoing): Promise<Answer> => {
  const text = await readText(peer, response)
  const { status } = response
  const message = answerIn(peer, text, outgoing.request.id, response)
  if ("_tag" in message) return { message, status, ...sessionIn(response) }
  if (!response.ok) throw sessionLost(outgoing, response) ?? refused(peer, response, text)
  if (text === "") throw transportFailure(`HTTP ${status} without an answer in its body`, { status })
  throw new McpReason.Undecodable({ what: "the body of the answer", problems: message })
}

/** A request of a session that is refused with 404 did not run: the server does not know the session (CHTTP-17). */
const sessionLost = ({ session }: Outgoing, { status }: HttpResponse): McpReason | undefined =>
  status === 404 && session?.id !== undefined
    ? transportFailure("the server no longer knows this session (HTTP 404)", { status, notRun: true })
    : undefined

/** What is done with the messages on the stream of a request. */
const readerOf = (
  peer: HttpPeer,
  { request: { id }, session }: Outgoing,
  sink: ExchangeSink,
  facts: Omit<Answer, "message">
): EventReader => ({
  heard: sink.heard,
  message: (message, data) => {
    if (message._tag === "Notification") sink.notify(message)
    else if (message._tag === "Request") {
      if (session === undefined) peer.onNoise(data, "a server sends no requests in this revision")
      else sink.request(message)
    } else if (message.id === id) {
      sink.answer({ message, ...facts })
      return true
    } else peer.onNoise(data, "it answers no request of this stream")
    return false
  },
  unreadable: (event) => {
    if (event.answers !== id) return false
    sink.fail(undecodable(event))
    return true
  }
})

/** How long is waited before a stream is taken up again whose server does not say, in milliseconds. */
const firstWait = 1000
const longestWait = 30_000

/** How often in a row it may be impossible to take a stream up again. */
const maxFailures = 2

const lost = (status: number) => transportFailure("the stream ended before the answer; the request is lost", { status })

/** Takes a stream up where it was cut until the answer comes (CHTTP-05, CHTTP-12). */
const resume = async (
  peer: HttpPeer,
  session: CompatSession,
  place: Place,
  reader: EventReader,
  connection: Connection
): Promise<void> => {
  const { signal } = connection.controller
  let failures = 0
  /** Tries in a row that brought nothing, those that failed included. */
  let fruitless = 0
  for (;;) {
    const grown = Math.min(firstWait * 2 ** fruitless, longestWait)
    await peer.wait(fruitless === 0 ? (place.retry ?? firstWait) : Math.max(place.retry ?? 0, grown), signal)
    const from = place.lastEventId
    try {
      const response = await getStream(peer, session, from, connection)
      if (!isEventStream(response)) throw await notResumed(peer, response)
      if (await readEvents(peer, response, place, reader)) return
      if (place.lastEventId === undefined) throw lost(response.status)
      failures = 0
    } catch (error) {
      if (signal.aborted || !mayBeTakenUp(error) || ++failures > maxFailures) throw notTaken(error)
    }
    fruitless = place.lastEventId === from ? fruitless + 1 : 0
    if (fruitless === 0) failures = 0
  }
}

/** A request whose stream is cut ran, or runs: what is said of the stream is not said of the request. */
const notTaken = (error: unknown): unknown =>
  isReason(error) && error._tag === "Unauthorized"
    ? transportFailure(`the stream was cut before the answer, and cannot be taken up again: ${error.message}`, {
        cause: error
      })
    : error

const notResumed = async (peer: HttpPeer, response: HttpResponse): Promise<McpReason> => {
  const { status } = response
  const text = await readText(peer, response)
  if (status === 404) return transportFailure("the session ended before the answer; the request is lost", { status })
  return status === 429 || status >= 500 ? refused(peer, response, text) : lost(status)
}

/** Whether a stream may be there at the next try: there was no answer at all, too many requests, an outage. */
const mayBeTakenUp = (error: unknown): boolean =>
  isReason(error) &&
  error._tag === "Transport" &&
  (error.status === undefined || error.status === 429 || error.status >= 500)

const readStream = async (
  peer: HttpPeer,
  response: HttpResponse,
  outgoing: Outgoing,
  sink: ExchangeSink,
  connection: Connection
): Promise<void> => {
  const { status } = response
  const { session } = outgoing
  const place: Place = {}
  const reader = readerOf(peer, outgoing, sink, { status, ...sessionIn(response) })
  try {
    if (await readEvents(peer, response, place, reader)) return
  } catch (error) {
    if (session === undefined || place.lastEventId === undefined || !mayBeTakenUp(error)) throw error
  }
  if (session === undefined || place.lastEventId === undefined) throw lost(status)
  await resume(peer, session, place, reader, connection)
}

/**
 * Sends a request and reads its answer.
 *
 * @returns when the body has ended; the answer or the failure was handed over by then
 */
export const exchangeHttp = async (
  peer: HttpPeer,
  outgoing: Outgoing,
  sink: ExchangeSink,
  connection: Connection
): Promise<void> => {
  try {
    const body = requestText(outgoing.request)
    const headers: HttpRequest["headers"] = (given) => requestHeaders(outgoing, given)
    const response = await fetchFrom(peer, { verb: "POST", headers, body }, connection)
    sink.heard()
    if (asksForAuthorization(response)) throw refused(peer, response)
    if (isEventStream(response)) return await readStream(peer, response, outgoing, sink, connection)
    sink.answer(await readJson(peer, response, outgoing))
  } catch (error) {
    sink.fail(reasonOf(error))
  }
}
