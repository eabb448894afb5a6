/**
 * Streams of events: each event is one message, and the ids that a compat server gives them say where a stream is taken
 * up again (CHTTP-12).
 */
import * as Result from "effect/Result"
import { isEventStreamType } from "@treadle/protocol/http"
import { SseReader, type SseEvent } from "@treadle/protocol/framing"
import type { Message } from "@treadle/protocol/rpc"
import { chunksOf, tooLarge } from "./HttpBody.ts"
import { fetchFrom, type Connection, type HttpPeer, type HttpResponse } from "./HttpFetch.ts"
import { incoming, type Unreadable } from "./Incoming.ts"
import { streamHeaders } from "./RequestHeaders.ts"
import type { CompatSession, StreamEnd, StreamSink } from "./Transport.ts"
import { reasonOf } from "./TransportFailure.ts"

/** Where a stream is, so that it can be taken up again. */
export interface Place {
  lastEventId?: string | undefined
  /** Milliseconds to wait before that. */
  retry?: number
}

/** Whether an id can be shown in a header when its stream is taken up again; a stream with another one cannot be. */
const isShown = (id: string): boolean => /^[\x20-\x7e]{1,4096}$/.test(id)

/** What is done with a stream while it is read. */
export interface EventReader {
  /** @returns whether that was the last message that is wanted */
  readonly message: (message: Message, data: string) => boolean
  /** Told of what is no message. @returns whether nothing more is wanted */
  readonly unreadable?: (event: Unreadable) => boolean
  readonly heard: () => void
}

/** Reads an event. One with another name, such as a ping, is no message and no mistake (B038). */
const readEvent = (peer: HttpPeer, { data, event }: SseEvent, complete: boolean, reader: EventReader): boolean => {
  if (event !== "message" || data === "") return complete
  const read = incoming(data, peer.nestingLimit)
  if (Result.isFailure(read)) {
    peer.onNoise(data, read.failure.why)
    return complete || reader.unreadable?.(read.failure) === true
  }
  if (!complete) return reader.message(read.success, data)
  peer.onNoise(data, "it came after the answer")
  return true
}

/** Whether a response is a stream of events. */
export const isEventStream = (response: HttpResponse): boolean =>
  response.ok && isEventStreamType(response.headers.get("content-type"))

/**
 * Reads a stream to its end, so that its connection can be used again (HTTP-11).
 *
 * @returns whether the last message that is wanted came
 * @throws McpReason where the stream breaks or one event is too large before its last message
 */
export const readEvents = async (
  peer: HttpPeer,
  response: HttpResponse,
  place: Place,
  reader: EventReader
): Promise<boolean> => {
  const events = new SseReader(peer.bodyLimit)
  const decoder = new TextDecoder()
  let complete = false
  try {
    for await (const chunk of chunksOf(response)) {
      const over = complete
      reader.heard()
      for (const event of events.push(decoder.decode(chunk, { stream: true }))) {
        if (event.retry !== undefined) place.retry = event.retry
        complete = readEvent(peer, event, complete, reader)
      }
      const id = events.lastEventId
      if (id !== undefined) place.lastEventId = isShown(id) ? id : undefined
      if (over) return true
      if (events.overflow && !complete) throw tooLarge(peer, response.status)
    }
  } catch (error) {
    // A stream that breaks after its last message has said all that is wanted (B083).
    if (!complete) throw error
  }
  return complete
}

const endOf = (place: Place, how: StreamEnd["how"], why: string): StreamEnd => ({
  how,
  why,
  ...(place.retry === undefined ? {} : { retry: place.retry }),
  ...(place.lastEventId === undefined ? {} : { lastEventId: place.lastEventId })
})

/** Asks for a stream, or for the rest of one (CHTTP-07, CHTTP-12). */
export const getStream = (
  peer: HttpPeer,
  session: CompatSession | undefined,
  lastEventId: string | undefined,
  connection: Connection
): Promise<HttpResponse> =>
  fetchFrom(peer, { verb: "GET", headers: (given) => streamHeaders(session, lastEventId, given) }, connection)

/** How a GET is answered that opens no stream. */
const refusal = (place: Place, status: number): StreamEnd => {
  if (status === 404) return endOf(place, "lost", "the server no longer knows this session (HTTP 404)")
  const passing = status === 429 || status >= 500
  return endOf(place, passing ? "cut" : "none", `HTTP ${status} in answer to GET`)
}

/** Reads the server's own stream until it ends (CHTTP-07). */
export const readServerStream = async (
  peer: HttpPeer,
  session: CompatSession,
  lastEventId: string | undefined,
  sink: StreamSink,
  connection: Connection
): Promise<void> => {
  const place: Place = { lastEventId }
  try {
    const response = await getStream(peer, session, lastEventId, connection)
    if (!isEventStream(response)) {
      await response.body?.cancel()
      return sink.ended(refusal(place, response.status))
    }
    sink.opened()
    await readEvents(peer, response, place, {
      heard: sink.heard,
      message: (message, data) => {
        if (message._tag === "Notification") sink.notify(message)
        else if (message._tag === "Request") sink.request(message)
        else peer.onNoise(data, "an answer came on the server's own stream")
        return false
      }
    })
    sink.ended(endOf(place, "cut", "the server ended its stream"))
  } catch (error) {
    const reason = reasonOf(error)
    // Nobody is asked to log in for it again and again.
    sink.ended(endOf(place, reason._tag === "Unauthorized" ? "none" : "cut", reason.message))
  }
}
