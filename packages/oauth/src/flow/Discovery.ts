/**
 * From a refusal to the authorization server: the protected resource's document, then the authorization server's own,
 * each at the addresses of the specification in their order (AUTH-03 to AUTH-05).
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { own, type JsonObject } from "@treadle/protocol/json"
import { shownAddress } from "../AddressGuard.ts"
import { AuthReason, quoted, type Tried } from "../AuthError.ts"
import { call, type OAuthPeer } from "./OAuthPeer.ts"
import { covers, resourceOf } from "./Resource.ts"
import { scopesAmong } from "./Scopes.ts"
import { serverAddresses, wellKnown } from "../WellKnown.ts"

/** What a protected resource says of itself (RFC 9728). */
export interface ResourceFacts {
  /** Its identifier, as it was published. */
  readonly resource: string
  readonly issuers: ReadonlyArray<string>
  readonly scopes: ReadonlyArray<string>
}

/** What an authorization server says of itself (RFC 8414); everything but the issuer is unchecked. */
export interface ServerFacts {
  readonly issuer: string
  readonly metadata: JsonObject
}

/** Where a flow begins. */
export interface Discovered {
  readonly resource: ResourceFacts
  readonly server: ServerFacts
}

/** What a flow is told of where to look. */
export interface DiscoveryHints {
  /** Where a challenge says that the resource's document is. */
  readonly challenged: string | undefined
  /** The address of the resource's document, where the developer gave one; no other is asked. */
  readonly metadata: string | undefined
  /** The authorization server to choose, where a resource names several. */
  readonly issuer: string | undefined
}

const texts = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === "string" && one !== "") : []

/** How many issuers of a resource are heeded. */
const maxIssuers = 16

/** Whether a text can be an issuer: an address has no spaces, and nothing that would end or hide a line of a log. */
const isIssuer = (text: string): boolean => /^[^\s\p{C}]{1,512}$/u.test(text)

const unique = (urls: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(urls)]

/** Where the document of a resource may be, in order. */
export const resourceAddresses = (server: URL, { challenged, metadata }: DiscoveryHints): ReadonlyArray<string> => {
  if (metadata !== undefined) return [metadata]
  const name = "oauth-protected-resource"
  const path = server.pathname.replace(/\/$/, "")
  return unique([
    ...(challenged !== undefined && URL.canParse(challenged) ? [challenged] : []),
    wellKnown(server.origin, name, path),
    wellKnown(server.origin, name, "")
  ])
}

const resourceMetadata = "the metadata of the protected resource"
const serverMetadata = "the metadata of the authorization server"

/** A document, or why an address did not give it. */
type Read<A> = (document: JsonObject) => Result.Result<A, AuthReason>

/**
 * The first address that gives a document. A refusal or a web page is none, and neither is an outage; but a document that
 * must not be used, and an outage, are told of where no other address gives a better one.
 */
const firstDocument = <A>(
  peer: OAuthPeer,
  addresses: ReadonlyArray<string>,
  what: string,
  rule: string,
  read: Read<A>
): Effect.Effect<A, AuthReason> =>
  Effect.gen(function* () {
    const tried: Array<Tried> = []
    let unusable: AuthReason | undefined
    let outage: AuthReason | undefined
    for (const address of addresses) {
      if (!URL.canParse(address)) {
        tried.push({ url: address, outcome: "it is no URL" })
        continue
      }
      const called = new URL(address)
      const url = shownAddress(called)
      const answered = yield* Effect.result(call(peer, { url: called, what }))
      if (Result.isFailure(answered)) {
        const reason = answered.failure
        if (reason._tag === "AddressRefused") unusable ??= reason
        else outage ??= reason
        continue
      }
      const { json, status } = answered.success
      if (status === 200 && json !== undefined) {
        const document = read(json)
        if (Result.isSuccess(document)) return document.success
        unusable ??= document.failure
      }
      if (status >= 500) outage ??= new AuthReason.Unavailable({ url, what, why: `HTTP ${status}` })
      tried.push({ url, outcome: status === 200 ? "HTTP 200, but no such document" : `HTTP ${status}` })
    }
    return yield* Effect.fail(unusable ?? outage ?? new AuthReason.NotDiscovered({ what, tried, rule }))
  })

const readResource =
  (server: URL): Read<ResourceFacts> =>
  (document) => {
    const resource = own(document, "resource")
    if (typeof resource !== "string" || !covers(resource, server)) {
      return Result.fail(
        new AuthReason.Mismatch({
          what: "the resource in the metadata",
          expected: shownAddress(server),
          received: typeof resource === "string" ? resource : undefined,
          rule: "RFC 9728 section 3.3"
        })
      )
    }
    const issuers = texts(own(document, "authorization_servers")).filter(isIssuer).slice(0, maxIssuers)
    return issuers.length > 0
      ? Result.succeed({ resource, issuers, scopes: scopesAmong(texts(own(document, "scopes_supported"))) })
      : Result.fail(
          new AuthReason.Unsupported({
            why: "the metadata of the resource names no authorization server",
            rule: "MCP authorization, authorization server discovery"
          })
        )
  }

/** A server of before RFC 9728 is its own authorization server, and says nothing of itself. */
const undocumented = (server: URL): ResourceFacts => ({
  resource: resourceOf(server),
  issuers: [server.origin],
  scopes: []
})

/** A document that is at none of its addresses. */
type Missing = InstanceType<typeof AuthReason.NotDiscovered>

/** What the resource says of itself, or where it said nothing. */
const discoverResource = (
  peer: OAuthPeer,
  hints: DiscoveryHints
): Effect.Effect<{ readonly resource: ResourceFacts; readonly missing?: Missing }, AuthReason> => {
  const { server } = peer
  const found = Effect.map(
    firstDocument(peer, resourceAddresses(server, hints), resourceMetadata, "RFC 9728 section 3", readResource(server)),
    (resource) => ({ resource })
  )
  if (hints.metadata !== undefined) return found
  return Effect.catchTag(found, "NotDiscovered", (missing) =>
    Effect.succeed({ resource: undocumented(server), missing })
  )
}

/** What an authorization server says of itself, where it is the one that was asked for (AUTH-05, AUTH-17). */
export const discoverServer = (peer: OAuthPeer, issuer: string): Effect.Effect<ServerFacts, AuthReason> => {
  const rule = "RFC 8414 section 3.3"
  if (!URL.canParse(issuer)) {
    return Effect.fail(new AuthReason.Unsupported({ why: `the issuer ${quoted(issuer)} is no URL`, rule }))
  }
  return firstDocument(peer, serverAddresses(new URL(issuer)), serverMetadata, "RFC 8414 section 3", (metadata) => {
    const received = own(metadata, "issuer")
    if (received === issuer) return Result.succeed({ issuer, metadata })
    const what = "the issuer in the metadata of the authorization server"
    const said = typeof received === "string" ? received : undefined
    return Result.fail(new AuthReason.Mismatch({ what, expected: issuer, received: said, rule }))
  })
}

/** Which of the authorization servers of a resource is used. */
const chosen = ({ issuers }: ResourceFacts, wanted: string | undefined): Effect.Effect<string, AuthReason> => {
  const issuer = wanted === undefined ? issuers[0] : issuers.find((one) => one === wanted)
  if (issuer !== undefined) return Effect.succeed(issuer)
  const why = `the server accepts tokens of ${issuers.join(", ")}, not of ${wanted}; give the "issuer" and the client id that belong to it`
  return Effect.fail(new AuthReason.NoClient({ why, rule: "MCP authorization, client registration" }))
}

/** Finds the authorization server of an MCP server. */
export const discover = (peer: OAuthPeer, hints: DiscoveryHints): Effect.Effect<Discovered, AuthReason> =>
  Effect.gen(function* () {
    const { missing, resource } = yield* discoverResource(peer, hints)
    const issuer = yield* chosen(resource, hints.issuer)
    const server = Effect.catchTag(discoverServer(peer, issuer), "NotDiscovered", ({ rule, tried }) =>
      Effect.fail(
        new AuthReason.NotDiscovered({
          what: missing === undefined ? serverMetadata : `${resourceMetadata}, or ${serverMetadata}`,
          tried: [...(missing?.tried ?? []), ...tried],
          rule
        })
      )
    )
    return { resource, server: yield* server }
  })
