/**
 * The servers that a flow speaks to, in JSON, and which addresses they may name.
 */
import * as Effect from "effect/Effect"
import { isJsonObject, own, parseJson, type JsonObject } from "@treadle/protocol/json"
import { refusedAddress, type AddressPolicy } from "../AddressGuard.ts"
import { AuthReason } from "../AuthError.ts"
import { callAuthority, type AuthorityRequest } from "../AuthorityCall.ts"
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

/** What came back. */
export interface PeerResponse {
  readonly status: number
  readonly headers: Headers
  /** The body, where it is a JSON object. */
  readonly json: JsonObject | undefined
}

/** The server's own origin is where the developer wants to go, wherever that is. */
const policyAt = ({ policy, server }: OAuthPeer, url: URL): AddressPolicy =>
  url.origin === server.origin ? { loopback: true, privateNetworks: true } : policy

/** Sends one request. A redirect is an answer like another; none is followed. */
export const call = (peer: OAuthPeer, request: AuthorityRequest): Effect.Effect<PeerResponse, AuthReason> => {
  const { headers = new Headers() } = request
  if (!headers.has("accept")) headers.set("accept", "application/json")
  const terms = { sender: peer.send, policy: policyAt(peer, request.url), timeout: peer.timeout }
  return Effect.map(callAuthority(terms, { ...request, headers }), ({ headers: answered, status, text }) => {
    const json = parseJson(text)
    return { status, headers: answered, json: isJsonObject(json) ? json : undefined }
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
