/**
 * One POST until its answer: JSON, or a stream of events with notifications before the answer.
 *
 * A plain function over `fetch`: what goes wrong is thrown as a reason and handed to the sink in one place.
 */
import * as Result from "effect/Result"
import { isEventStreamType } from "@treadle/protocol/http"
import { SseReader, type SseEvent } from "@treadle/protocol/framing"
import { parseJson } from "@treadle/protocol/json"
import { Message } from "@treadle/protocol/rpc"
import type { HeaderRecord, OnNoise, SendRequest } from "../ClientSettings.ts"
import { McpReason } from "../McpError.ts"
import { requestHeaders } from "./RequestHeaders.ts"
import type { Answer, ExchangeSink, Outgoing } from "./Transport.ts"

/** The server as HTTP sees it. */
export interface HttpPeer {
  readonly url: URL
  /** Its address as messages show it. */
  readonly server: string
  readonly send: SendRequest
  readonly headers: () => HeaderRecord | Promise<HeaderRecord>
  readonly bodyLimit: number
  readonly onNoise: OnNoise
}

/**
 * The connection of one request. Whoever may close it must hold it whole: once a `Request` is garbage, Node's `fetch`
 * no longer hears its signal.
 */
export interface Connection {
  readonly controller: AbortController
  request?: Request
}

const cures: { readonly [status: number]: string } = {
  403: "the server refuses this caller, or this Origin or Host",
  404: "nothing is served there; check the path of the URL",
  405: "this address takes no POST; check the path of the URL",
  406: "the server cannot answer in a form that MCP clients take",
  413: "the arguments are larger than the server takes",
  429: "too many requests; wait before the next one",
  431: "the headers are larger than the server takes",
  502: "a proxy did not reach the server",
  503: "the server is not available now; try again later",
  504: "a proxy got no answer from the server in time"
}

const transportFailure = (message: string, more: { readonly status?: number; readonly cause?: unknown } = {}) =>
  new McpReason.Transport({ message, ...more })

const causeText = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause)
  return cause.cause instanceof Error && cause.cause.message !== ""
    ? `${cause.message}: ${cause.cause.message}`
    : cause.message
}

const maxRedirects = 5

/** Where a redirect leads that may be followed: the same origin, with the same method and body. */
const redirectOf = (response: Response, from: URL): URL | undefined => {
  const location = response.headers.get("location")
  if ((response.status !== 307 && response.status !== 308) || location === null || !URL.canParse(location, from)) {
    return undefined
  }
  const to = new URL(location, from)
  return to.origin === from.origin ? to : undefined
}

const send = async (peer: HttpPeer, outgoing: Outgoing, connection: Connection): Promise<Response> => {
  let headers: Headers
  try {
    headers = requestHeaders(outgoing, await peer.headers())
  } catch (cause) {
    throw transportFailure(`the "headers" setting gave no headers: ${causeText(cause)}`, { cause })
  }
  const body = Message.print(outgoing.request)
  const { signal } = connection.controller
  let url = peer.url
  for (let hop = 0; ; hop++) {
    let response: Response
    try {
      connection.request = new Request(url, { method: "POST", headers, body, signal, redirect: "manual" })
      response = await peer.send(connection.request)
    } catch (cause) {
      throw transportFailure(`the server cannot be reached: ${causeText(cause)}`, { cause })
    }
    const next = hop < maxRedirects ? redirectOf(response, url) : undefined
    if (next === undefined) return response
    await response.body?.cancel()
    url = next
  }
}

/** The chunks of a body; what breaks while reading is a failure of the transport. */
async function* chunksOf(response: Response): AsyncGenerator<Uint8Array, void> {
  const reader = response.body?.getReader()
  if (reader === undefined) return
  for (;;) {
    let next: ReadableStreamReadResult<Uint8Array>
    try {
      next = await reader.read()
    } catch (cause) {
      throw transportFailure(`the connection broke before the answer was complete: ${causeText(cause)}`, { cause })
    }
    if (next.done) return
    yield next.value
  }
}

const tooLarge = (peer: HttpPeer, status: number) =>
  transportFailure(`the answer is larger than ${peer.bodyLimit} bytes; raise the "bodyLimit" setting to read it`, {
    status
  })

const readText = async (peer: HttpPeer, response: Response): Promise<string> => {
  const decoder = new TextDecoder("utf-8", { fatal: true })
  let text = ""
  let size = 0
  const decode = (chunk?: Uint8Array): string => {
    try {
      return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true })
    } catch {
      throw new McpReason.Undecodable({ what: "the body of the answer", problems: ["it is not UTF-8"] })
    }
  }
  for await (const chunk of chunksOf(response)) {
    size += chunk.length
    if (size > peer.bodyLimit) throw tooLarge(peer, response.status)
    text += decode(chunk)
  }
  return text + decode()
}

/** The answer in a body that belongs to this request alone: an error without an id is about it too (BASE-12). */
const answerIn = (
  text: string,
  id: string | number,
  type: string | null
): Answer["message"] | ReadonlyArray<string> => {
  const json = parseJson(text)
  if (json === undefined) return [`it is not JSON, its type is ${type ?? "not said"}`]
  const decoded = Message.decode(json)
  if (Result.isFailure(decoded)) return [decoded.failure.error.message]
  const message = decoded.success
  if (message._tag !== "Result" && message._tag !== "Error") return ["it is a message, but no answer"]
  if (message.id === undefined || message.id === id) return message
  return [`it answers the request ${JSON.stringify(message.id)}, but ${JSON.stringify(id)} was asked`]
}

const refused = (peer: HttpPeer, response: Response): McpReason => {
  const { status } = response
  if (status === 401) return new McpReason.Unauthorized({ server: peer.server })
  const location = response.headers.get("location")
  const moved = status >= 300 && status < 400 && location !== null
  const cure = moved ? `it moved to ${location}; connect there if you trust it` : cures[status]
  return transportFailure(`HTTP ${status}${cure === undefined ? "" : `: ${cure}`}`, { status })
}

const readJson = async (peer: HttpPeer, response: Response, outgoing: Outgoing): Promise<Answer> => {
  const text = await readText(peer, response)
  const { status } = response
  const message = answerIn(text, outgoing.request.id, response.headers.get("content-type"))
  if ("_tag" in message) return { message, status }
  if (!response.ok) throw refused(peer, response)
  if (text === "") throw transportFailure(`HTTP ${status} without an answer in its body`, { status })
  throw new McpReason.Undecodable({ what: "the body of the answer", problems: message })
}

/** Handles one event. Gives the answer when it is there. */
const readEvent = (
  peer: HttpPeer,
  { data, event }: SseEvent,
  outgoing: Outgoing,
  sink: ExchangeSink
): Answer["message"] | undefined => {
  const json = parseJson(data)
  const decoded = json === undefined ? undefined : Message.decode(json)
  if (event !== "message") peer.onNoise(data, `an event is named ${JSON.stringify(event)}`)
  else if (decoded === undefined) peer.onNoise(data, "an event is not JSON")
  else if (Result.isFailure(decoded)) peer.onNoise(data, decoded.failure.error.message)
  else {
    const message = decoded.success
    if (message._tag === "Notification") sink.notify(message)
    else if (message._tag === "Request") peer.onNoise(data, "a server sends no requests in this revision")
    else if (message.id === outgoing.request.id) return message
    else peer.onNoise(data, "it answers no request of this stream")
  }
  return undefined
}

/** Reads to the end of the stream, which ends with the answer (HTTP-11), so that the connection can be used again. */
const readEvents = async (
  peer: HttpPeer,
  response: Response,
  outgoing: Outgoing,
  sink: ExchangeSink
): Promise<void> => {
  const { status } = response
  const reader = new SseReader(peer.bodyLimit)
  const decoder = new TextDecoder()
  let answered = false
  for await (const chunk of chunksOf(response)) {
    if (answered) throw transportFailure("the stream went on after the answer", { status })
    for (const event of reader.push(decoder.decode(chunk, { stream: true }))) {
      const message = answered || event.data === "" ? undefined : readEvent(peer, event, outgoing, sink)
      if (message === undefined) continue
      answered = true
      sink.answer({ message, status })
    }
    if (reader.overflow && !answered) throw tooLarge(peer, status)
  }
  if (!answered) throw transportFailure("the stream ended before the answer; the request is lost", { status })
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
    const response = await send(peer, outgoing, connection)
    if (response.status === 401) throw refused(peer, response)
    if (response.ok && isEventStreamType(response.headers.get("content-type"))) {
      return await readEvents(peer, response, outgoing, sink)
    }
    sink.answer(await readJson(peer, response, outgoing))
  } catch (error) {
    sink.fail(isReason(error) ? error : transportFailure(causeText(error), { cause: error }))
  }
}

const isReason = (error: unknown): error is McpReason =>
  Object.values(McpReason).some((reason) => error instanceof reason)
