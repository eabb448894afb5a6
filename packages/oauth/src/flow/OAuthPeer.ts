/**
 * The servers that a flow speaks to: every address passes the guard, every wait is bounded, every body is bounded and
 * read as JSON. What goes wrong is a reason that names address and cause.
 */
import * as Effect from "effect/Effect"
import { isRecord, own, parseJson, type JsonObject } from "@treadle/protocol/json"
import { isLoopbackHost, addressKind, refusedAddress, type AddressPolicy } from "../AddressGuard.ts"
import { AuthReason } from "../AuthError.ts"
import type { OAuthSender } from "../OAuthSender.ts"

/** What a flow sends with, and for which MCP server. */
export interface OAuthPeer {
  /** The address of the MCP server, as the developer gave it. */
  readonly server: URL
  readonly send: OAuthSender
  /** What may be called beside the server's own origin. */
  readonly policy: AddressPolicy
  /** How long one response may take, in milliseconds. */
  readonly timeout: number
}

/** Which networks addresses from outside may lead to. */
export type Network = "public" | "loopback" | "private"

/** A server on this machine or in a private network is one that the developer chose, and so may be its neighbours there. */
export const policyFor = (server: URL, network: Network): AddressPolicy => ({
  loopback: network !== "public" || isLoopbackHost(server.hostname),
  privateNetworks: network === "private" || addressKind(server.hostname) === "private"
})

/** What to send. */
export interface PeerRequest {
  readonly url: URL
  /** What the address is, such as `the token endpoint`. */
  readonly what: string
  readonly headers?: Headers
  /** A POST where it is there, else a GET. */
  readonly body?: string
}

/** What came back. */
export interface PeerResponse {
  readonly status: number
  readonly headers: Headers
  /** The body, where it is a JSON object. */
  readonly json: JsonObject | undefined
}

/** The largest body that is read, in bytes. */
const bodyLimit = 1024 * 1024

const unavailable = ({ url, what }: PeerRequest, why: string): AuthReason =>
  new AuthReason.Unavailable({ url: `${url.origin}${url.pathname}`, what, why })

const readBody = async (response: Response): Promise<string> => {
  const decoder = new TextDecoder()
  const reader = response.body?.getReader()
  let text = ""
  let size = 0
  for (let next = await reader?.read(); next !== undefined && !next.done; next = await reader?.read()) {
    size += next.value.length
    if (size > bodyLimit) {
      await reader?.cancel()
      throw new Error(`its answer is larger than ${bodyLimit} bytes`)
    }
    text += decoder.decode(next.value, { stream: true })
  }
  return text + decoder.decode()
}

const isReason = (cause: unknown): cause is AuthReason =>
  Object.values(AuthReason).some((reason) => cause instanceof reason)

const causeText = (cause: unknown): string => {
  if (!(cause instanceof Error)) return "it cannot be reached"
  return cause.cause instanceof Error && cause.cause.message !== ""
    ? `${cause.message}: ${cause.cause.message}`
    : cause.message
}

/** The server's own origin is where the developer wants to go, wherever that is. */
const policyAt = ({ policy, server }: OAuthPeer, url: URL): AddressPolicy =>
  url.origin === server.origin ? { loopback: true, privateNetworks: true } : policy

/** Sends one request. A redirect is an answer like another; none is followed. */
export const call = (peer: OAuthPeer, request: PeerRequest): Effect.Effect<PeerResponse, AuthReason> => {
  const { body, headers = new Headers(), url, what } = request
  const policy = policyAt(peer, url)
  const refused = refusedAddress(url, what, policy)
  if (refused !== undefined) return Effect.fail(refused)
  if (!headers.has("accept")) headers.set("accept", "application/json")
  const answered = Effect.tryPromise({
    try: async (signal) => {
      const method = body === undefined ? "GET" : "POST"
      const response = await peer.send({ url, method, headers, body, signal }, policy)
      const json = parseJson(await readBody(response))
      return {
        status: response.status,
        headers: response.headers,
        json: isRecord(json) ? (json as JsonObject) : undefined
      }
    },
    catch: (cause) => (isReason(cause) ? cause : unavailable(request, causeText(cause)))
  })
  return Effect.timeoutOrElse(answered, {
    duration: peer.timeout,
    orElse: () => Effect.fail(unavailable(request, `no answer within ${peer.timeout} ms`))
  })
}

/** An endpoint that an authorization server names in its metadata, where it may be called. */
export const endpointIn = (
  peer: OAuthPeer,
  metadata: JsonObject,
  name: "authorization_endpoint" | "registration_endpoint" | "token_endpoint"
): Effect.Effect<URL, AuthReason> => {
  const what = endpointNames[name]
  const text = own(metadata, name)
  if (typeof text !== "string" || !URL.canParse(text)) {
    const why = `the metadata of the authorization server names no address as ${what}`
    return Effect.fail(new AuthReason.Unsupported({ why, rule: "RFC 8414 section 2" }))
  }
  const url = new URL(text)
  const refused = refusedAddress(url, what, policyAt(peer, url))
  return refused === undefined ? Effect.succeed(url) : Effect.fail(refused)
}

/** What endpoints are called in messages. */
const endpointNames = {
  authorization_endpoint: "the authorization endpoint",
  registration_endpoint: "the registration endpoint",
  token_endpoint: "the token endpoint"
}
