/**
 * One HTTP request and its response: redirects, bodies in chunks, and what a refusal says. Plain functions over
 * whatever sends, `fetch` or another: what goes wrong is thrown as a reason.
 */
import type { OnNoise, SendRequest } from "../ClientSettings.ts"
import type { HeaderRecord } from "../HeaderRecord.ts"
import { parseChallenges } from "@treadle/protocol/http"
import { keepNewest } from "../Bounded.ts"
import { McpReason } from "../McpError.ts"
import type { TokenRequest, TokenResponse } from "../TokenProvider.ts"

/** A body as it is read; that of `fetch` fits. */
export interface HttpBody {
  readonly getReader: () => {
    readonly read: () => Promise<{ readonly done?: boolean | undefined; readonly value?: Uint8Array | undefined }>
    readonly cancel: () => Promise<void>
  }
  readonly cancel: () => Promise<void>
}

/** A response as it is read; that of `fetch` fits. */
export interface HttpResponse {
  readonly ok: boolean
  readonly status: number
  readonly headers: { readonly get: (name: string) => string | null }
  readonly body: HttpBody | null
}

/** What is sent to an address. Redirects are not followed. */
export interface HttpInit {
  readonly method: string
  readonly headers: Headers
  readonly body?: string
  readonly signal: AbortSignal
}

/** Sends one request. @param connection holds what must live as long as the response is read */
export type SendHttp = (url: URL, init: HttpInit, connection: Connection) => Promise<HttpResponse>

/** The server as HTTP sees it. */
export interface HttpPeer {
  readonly url: URL
  /** Its address as messages show it. */
  readonly server: string
  readonly send: SendHttp
  readonly headers: () => HeaderRecord | Promise<HeaderRecord>
  /** What authorizes requests, where there is a provider of tokens. */
  readonly tokens?: HttpTokens | undefined
  readonly bodyLimit: number
  /** The most levels that a message may have. */
  readonly nestingLimit: number
  readonly onNoise: OnNoise
  /** Waits, on the clock that the session was opened with. Rejects where the signal fires first. */
  readonly wait: (millis: number, signal: AbortSignal) => Promise<void>
}

/** The tokens of a session, for code that awaits. Both reject with a reason. */
export interface HttpTokens {
  readonly headers: (request: TokenRequest, signal: AbortSignal) => Promise<HeaderRecord>
  readonly heard: (request: TokenRequest, response: TokenResponse) => void
  readonly refused: (
    request: TokenRequest,
    response: TokenResponse,
    sent: HeaderRecord,
    signal: AbortSignal
  ) => Promise<boolean>
}

/** The connection of one request. */
export interface Connection {
  readonly controller: AbortController
  /** What must not become garbage before the connection ends. */
  held?: unknown
}

/** How many messages that are not answered may be under way; the oldest is given up for another one. */
export const maxPosts = 256

/** Adds a connection, and breaks the oldest where there are too many. */
export const admit = (connections: Set<Connection>, connection: Connection, most: number): void => {
  connections.add(connection)
  for (const { controller } of keepNewest(connections, most)) controller.abort()
}

/** Sends by a `fetch`. Once a `Request` is garbage, Node's `fetch` no longer hears its signal, so it is held. */
export const sendByFetch =
  (fetch: SendRequest): SendHttp =>
  (url, init, connection) => {
    const request = new Request(url, { ...init, redirect: "manual" })
    connection.held = request
    return fetch(request)
  }

/** What to send. */
export interface HttpRequest {
  readonly verb: "POST" | "GET" | "DELETE"
  readonly headers: (given: HeaderRecord) => Headers
  readonly body?: string
  /** Another address than that of the peer. */
  readonly url?: URL
}

const cures: { readonly [status: number]: string } = {
  403: "the server refuses this caller, or this Origin or Host",
  404: "nothing is served there; check the path of the URL",
  405: "this address takes no POST; check the path of the URL",
  406: "the server cannot answer in a form that MCP clients take",
  413: "the arguments are larger than the server takes",
  429: "too many requests; wait before the next one",
  431: "the headers are larger than the server takes",
  500: "the server failed; its log says why",
  502: "a proxy did not reach the server",
  503: "the server is not available now; try again later",
  504: "a proxy got no answer from the server in time"
}

/** The facts of a failure beside its message. */
interface FailureFacts {
  readonly status?: number
  readonly body?: string
  readonly retryAfter?: number
  readonly notRun?: boolean
  readonly cause?: unknown
}

export const transportFailure = (message: string, facts: FailureFacts = {}): McpReason =>
  new McpReason.Transport({ message, ...facts })

export const causeText = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause)
  return cause.cause instanceof Error && cause.cause.message !== ""
    ? `${cause.message}: ${cause.cause.message}`
    : cause.message
}

/** Whether a connection was refused, so that nobody can have read what was to be sent. */
const isRefusal = (cause: unknown): boolean => {
  if (!(cause instanceof Error)) return false
  return ("code" in cause && cause.code === "ECONNREFUSED") || isRefusal(cause.cause)
}

const maxRedirects = 5

/** Where a redirect leads that may be followed: the same origin, with the same method and body. */
const redirectOf = (response: HttpResponse, from: URL): URL | undefined => {
  const location = response.headers.get("location")
  if ((response.status !== 307 && response.status !== 308) || location === null || !URL.canParse(location, from)) {
    return undefined
  }
  const to = new URL(location, from)
  return to.origin === from.origin ? to : undefined
}

const givenHeaders = async (peer: HttpPeer, http: HttpRequest): Promise<Headers> => {
  let given: HeaderRecord
  try {
    given = await peer.headers()
  } catch (cause) {
    throw transportFailure(`the "headers" setting gave no headers: ${causeText(cause)}`, { notRun: true, cause })
  }
  try {
    return http.headers(given)
  } catch {
    throw transportFailure(`the "headers" setting gave ${uncarried(given)}`, { notRun: true })
  }
}

/** What cannot be sent among headers. The words of the platform would show the value, which may be a secret. */
const uncarried = (given: HeaderRecord): string => {
  const name = Object.keys(given).find((key) => !isCarried(key, given[key]))
  return `${name === undefined ? "something" : JSON.stringify(name)} that is no header: a name is one word, a value one line in Latin-1`
}

const isCarried = (name: string, value: string | undefined): boolean => {
  try {
    return value !== undefined && new Headers([[name, value]]).has(name)
  } catch {
    return false
  }
}

/** Headers with those that authorize a request. @throws McpReason where they cannot be sent */
const authorizedBy = (headers: Headers, shown: HeaderRecord, { server }: HttpPeer): Headers => {
  const authorized = new Headers(headers)
  try {
    for (const [name, value] of Object.entries(shown)) authorized.set(name, value)
    return authorized
  } catch {
    throw new McpReason.Unauthorized({ server, detail: `the token provider gave ${uncarried(shown)}` })
  }
}

/** Sends a request once. @throws McpReason where there is no response */
const sendOnce = async (peer: HttpPeer, url: URL, init: HttpInit, connection: Connection): Promise<HttpResponse> => {
  try {
    return await peer.send(url, init, connection)
  } catch (cause) {
    const refused = isRefusal(cause) ? { notRun: true } : {}
    throw transportFailure(`the server cannot be reached: ${causeText(cause)}`, { ...refused, cause })
  }
}

/** How often a request is sent again because of what authorizes it: for a nonce, for a token, for more rights. */
const maxRefusals = 4

/** Sends a request with what authorizes it, again where the provider of tokens learned from a refusal. */
const sendAuthorized = async (
  peer: HttpPeer,
  tokens: HttpTokens,
  url: URL,
  init: HttpInit,
  connection: Connection
): Promise<HttpResponse> => {
  const { body, headers, method, signal } = init
  const request = { method, url, body }
  for (let refusals = 0; ; refusals++) {
    const shown = await tokens.headers(request, signal)
    const response = await sendOnce(peer, url, { ...init, headers: authorizedBy(headers, shown, peer) }, connection)
    const seen = { status: response.status, header: (name: string) => response.headers.get(name) }
    tokens.heard(request, seen)
    if ((seen.status !== 401 && seen.status !== 403) || refusals === maxRefusals) return response
    if (!(await tokens.refused(request, seen, shown, signal))) return response
    await response.body?.cancel()
  }
}

/**
 * Sends a request. An `Authorization` among the given headers is the caller's own affair: no provider of tokens is asked.
 *
 * @throws McpReason where there is no response
 */
export const fetchFrom = async (peer: HttpPeer, http: HttpRequest, connection: Connection): Promise<HttpResponse> => {
  const headers = await givenHeaders(peer, http)
  const tokens = headers.has("authorization") ? undefined : peer.tokens
  const { signal } = connection.controller
  const init: HttpInit = { method: http.verb, headers, ...(http.body === undefined ? {} : { body: http.body }), signal }
  let url = http.url ?? peer.url
  for (let hop = 0; ; hop++) {
    const response = await (tokens === undefined
      ? sendOnce(peer, url, init, connection)
      : sendAuthorized(peer, tokens, url, init, connection))
    const next = hop < maxRedirects ? redirectOf(response, url) : undefined
    if (next === undefined) return response
    await response.body?.cancel()
    url = next
  }
}

/** The chunks of a body; whoever stops early closes the connection. @throws McpReason where it breaks while it is read */
export async function* chunksOf(response: HttpResponse): AsyncGenerator<Uint8Array, void> {
  const reader = response.body?.getReader()
  if (reader === undefined) return
  let done = false
  try {
    while (!done) {
      let next: Awaited<ReturnType<typeof reader.read>>
      try {
        next = await reader.read()
      } catch (cause) {
        done = true
        throw transportFailure(`the connection broke before the answer was complete: ${causeText(cause)}`, { cause })
      }
      if (next.done === true) done = true
      else if (next.value !== undefined) yield next.value
    }
  } finally {
    if (!done) void reader.cancel().catch(() => {})
  }
}

export const tooLarge = (peer: HttpPeer, status: number): McpReason =>
  transportFailure(`the answer is larger than ${peer.bodyLimit} bytes; raise the "bodyLimit" setting to read it`, {
    status
  })

/** The whole body as text. @throws McpReason where it is too large or not UTF-8 */
export const readText = async (peer: HttpPeer, response: HttpResponse): Promise<string> => {
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

/** How many characters of a refusal's body are kept. */
const excerptLength = 200

const retryAfterOf = (response: HttpResponse): number | undefined => {
  const text = response.headers.get("retry-after")
  if (text === null) return undefined
  if (/^\d+$/.test(text)) return Number(text) * 1000
  const at = Date.parse(text)
  const date = Date.parse(response.headers.get("date") ?? "")
  return Number.isNaN(at) || Number.isNaN(date) ? undefined : Math.max(0, at - date)
}

/** What the challenges of a refusal say first under a name, as far as it is shown. */
const challenged = (response: HttpResponse, name: string): string | undefined => {
  const challenges = parseChallenges(response.headers.get("www-authenticate") ?? "")
  const said = challenges.flatMap(({ parameters }) => parameters.get(name) ?? [])
  return said[0]?.slice(0, excerptLength)
}

/** Whether the server asks who is calling (AUTH-03), or for a caller who may do more (AUTH-22); it did nothing else. */
export const asksForAuthorization = (response: HttpResponse): boolean =>
  response.status === 401 || (response.status === 403 && challenged(response, "error") === "insufficient_scope")

const unauthorized = (peer: HttpPeer, response: HttpResponse): McpReason => {
  const metadata = challenged(response, "resource_metadata")
  const facts = { server: peer.server, ...(metadata === undefined ? {} : { metadata }) }
  const where = metadata === undefined ? "" : `, and says how to get it at ${metadata}`
  if (response.status === 403) {
    const scope = challenged(response, "scope")
    const what = scope === undefined ? "a token for more" : `a token for ${JSON.stringify(scope)}`
    const detail = `the server asks for ${what} (HTTP 403)${where}; log in again for that, if you may`
    return new McpReason.Unauthorized({ ...facts, detail })
  }
  if (peer.tokens === undefined) return new McpReason.Unauthorized(facts)
  const detail = `the server asks for another token than it was shown (HTTP 401)${where}; log in again`
  return new McpReason.Unauthorized({ ...facts, detail })
}

/**
 * Why a response without an answer is a failure.
 *
 * @param text its body, where it was read
 */
export const refused = (peer: HttpPeer, response: HttpResponse, text = ""): McpReason => {
  const { status } = response
  if (asksForAuthorization(response)) return unauthorized(peer, response)
  const location = response.headers.get("location")
  const moved = status >= 300 && status < 400 && location !== null
  const cure = moved ? `it moved to ${location}; connect there if you trust it` : cures[status]
  const body = text.slice(0, excerptLength)
  const retryAfter = retryAfterOf(response)
  return transportFailure(`HTTP ${status}${cure === undefined ? "" : `: ${cure}`}`, {
    status,
    ...(body === "" ? {} : { body }),
    ...(retryAfter === undefined ? {} : { retryAfter })
  })
}

/** Whether something thrown is a reason already. */
export const isReason = (error: unknown): error is McpReason =>
  Object.values(McpReason).some((reason) => error instanceof reason)

/** What was thrown, as a reason. */
export const reasonOf = (error: unknown): McpReason =>
  isReason(error) ? error : transportFailure(causeText(error), { cause: error })
