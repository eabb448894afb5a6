/**
 * The client to log in as, in the order of the specification: one that was registered before, a document that describes
 * it, a registration now, and else a sentence for the developer (AUTH-07 to AUTH-11).
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { own, type JsonObject } from "@treadle/protocol/json"
import { isLoopbackHost } from "../AddressGuard.ts"
import { AuthReason, quoted } from "../AuthError.ts"
import { proofFor, proofsOf, type ClientProof, type OAuthClient } from "./Client.ts"
import type { ServerFacts } from "./Discovery.ts"
import type { Registered } from "./Grant.ts"
import { call, endpointIn, type OAuthPeer } from "./OAuthPeer.ts"
import type { PrivateKeyText } from "./SigningKey.ts"
import { isFiniteTime, refusalOf } from "./TokenRequest.ts"

/** What a developer says of the client. */
export interface ClientIdentity {
  /** Shown to the person who logs in. */
  readonly name: string
  /** Of a client that was registered before. */
  readonly id?: string | undefined
  readonly secret?: Redacted.Redacted | undefined
  readonly key?: PrivateKeyText | undefined
  /** Where a document describes the client (CIMD): an https: address with a path. */
  readonly metadataUrl?: string | undefined
}

/** A client that needs no registration at this server, where there is one. */
export const knownClient = (identity: ClientIdentity, server: ServerFacts): OAuthClient | undefined => {
  const { id, key, metadataUrl, secret } = identity
  if (id !== undefined) return { id, secret, key, proof: proofFor({ secret, key }, server) }
  const describes = own(server.metadata, "client_id_metadata_document_supported") === true
  if (metadataUrl === undefined || !describes) return undefined
  return { id: metadataUrl, key, proof: key === undefined ? "none" : "private_key_jwt" }
}

/** An address that names a client has a path, and is https (AUTH-08). */
export const demandMetadataUrl = ({ metadataUrl }: ClientIdentity): Effect.Effect<void, AuthReason> => {
  const url = metadataUrl !== undefined && URL.canParse(metadataUrl) ? new URL(metadataUrl) : undefined
  if (metadataUrl === undefined || (url?.protocol === "https:" && url.pathname !== "/")) return Effect.void
  const why = `the "clientMetadataUrl" ${JSON.stringify(metadataUrl)} names no client; write an https: address with a path`
  return Effect.fail(new AuthReason.NoClient({ why, rule: "MCP authorization, client ID metadata documents" }))
}

/** Applications of one's own machine are sent back to a loopback address, or to a scheme of their own. */
const applicationType = (redirectUri: string): "native" | "web" => {
  const { hostname, protocol } = new URL(redirectUri)
  return protocol === "https:" && !isLoopbackHost(hostname) ? "web" : "native"
}

/** The proof that is asked for: none is needed with PKCE, unless the server lists others only. */
const wishedProof = (listed: ReadonlyArray<string> | undefined): ClientProof => {
  if (listed === undefined || listed.includes("none")) return "none"
  return listed.includes("client_secret_basic") || !listed.includes("client_secret_post")
    ? "client_secret_basic"
    : "client_secret_post"
}

const proofs: ReadonlyArray<ClientProof> = ["none", "client_secret_basic", "client_secret_post"]

/** What was registered is what the answer says, whatever was asked for (RFC 7591 section 3.2.1). */
const registeredIn = (
  json: JsonObject | undefined,
  redirectUri: string,
  now: number
): Registered | AuthReason | undefined => {
  const id = own(json, "client_id")
  if (typeof id !== "string" || id === "") return undefined
  const secret = own(json, "client_secret")
  const hasSecret = typeof secret === "string" && secret !== ""
  const said = own(json, "token_endpoint_auth_method") ?? (hasSecret ? "client_secret_basic" : "none")
  const proof = proofs.find((one) => one === said)
  if (proof === undefined || (proof !== "none" && !hasSecret)) {
    const why = `the authorization server registered the client with ${quoted(said)}, which it has no means for`
    return new AuthReason.Unsupported({ why, rule: "RFC 7591 section 3.2.1" })
  }
  const seconds = own(json, "client_secret_expires_at")
  const expires = typeof seconds === "number" && isFiniteTime(seconds) && seconds * 1000 > now
  return {
    id,
    proof,
    redirectUri,
    ...(hasSecret ? { secret: Redacted.make(secret) } : {}),
    ...(expires ? { secretExpiresAt: seconds * 1000 } : {})
  }
}

const noWay = (server: ServerFacts): AuthReason => {
  const document = own(server.metadata, "client_id_metadata_document_supported") === true
  const ways = ['give the "clientId" that you registered there', ...(document ? ['a "clientMetadataUrl"'] : [])]
  return new AuthReason.NoClient({
    why: `${server.issuer} registers no clients by itself; ${ways.join(", or ")}`,
    rule: "MCP authorization, client registration"
  })
}

/** Registers the client now (RFC 7591). */
export const register = (
  peer: OAuthPeer,
  server: ServerFacts,
  { name }: ClientIdentity,
  redirectUri: string
): Effect.Effect<Registered, AuthReason> =>
  Effect.gen(function* () {
    if (own(server.metadata, "registration_endpoint") === undefined) return yield* Effect.fail(noWay(server))
    const url = yield* endpointIn(peer, server.metadata, "registration_endpoint")
    const what = "the registration endpoint"
    const body = JSON.stringify({
      client_name: name,
      redirect_uris: [redirectUri],
      application_type: applicationType(redirectUri),
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: wishedProof(proofsOf(server))
    })
    const headers = new Headers({ "content-type": "application/json" })
    const response = yield* call(peer, { url, what, headers, body })
    const isMade = response.status === 201 || response.status === 200
    const registered = isMade ? registeredIn(response.json, redirectUri, yield* Clock.currentTimeMillis) : undefined
    if (registered === undefined) return yield* Effect.fail(refusalOf(url, "the registration", response))
    return "_tag" in registered ? yield* Effect.fail(registered) : registered
  })
