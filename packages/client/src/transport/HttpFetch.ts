/**
 * One HTTP request and its response: headers, what authorizes it, redirects. Plain functions over whatever sends, `fetch`
 * or another: what goes wrong is thrown as a reason.
 */
import type { OnNoise, SendRequest } from "../ClientSettings.ts"
import type { HeaderRecord } from "../HeaderRecord.ts"
import { keepNewest } from "../Bounded.ts"
import { McpReason } from "../McpError.ts"
import type { TokenRequest, TokenResponse } from "../TokenProvider.ts"
import { causeText, transportFailure } from "./TransportFailure.ts"

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
