/**
 * The checks between a request and the engine, in the order in which they run. This list is the code that runs.
 *
 * A rung is a plain total function: the refusal, or nothing. All of them pass before a first byte is written.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
 */
import {
  compareParams,
  decodeHeaderValue,
  encodeHeaderValue,
  HeaderName,
  trimHeaderValue
} from "@treadle/protocol/http"
import { revisionOf } from "@treadle/protocol/era"
import { isRecord, own } from "@treadle/protocol/json"
import { methodRow, RpcError } from "@treadle/protocol/rpc"
import { MetaKey } from "@treadle/protocol/schema"
import { holdsScopes } from "../AuthScope.ts"
import type { Principal } from "../Principal.ts"
import type { Admitted } from "./Admitted.ts"
import { classify } from "./Classify.ts"
import { sessionEnded, type Refusal, type Rung } from "./Refusal.ts"

type Check = (request: Admitted) => RpcError | undefined

const inMeta = `params._meta under "${MetaKey.protocolVersion}"`

/** `_meta` names the version (META-01, META-02); on a pipe a handshake would do as well. */
const versionNamed: Check = (candidate) => {
  const version = own(candidate.meta, MetaKey.protocolVersion)
  if (typeof version === "string") {
    candidate.version = version
    return undefined
  }
  const supported = [...candidate.offered.versions]
  const cure =
    candidate.inbound.http === undefined
      ? `Send initialize first; or name a version in ${inMeta}`
      : `Name the protocol version in ${inMeta}`
  return RpcError.invalidParams(`${cure}: this server speaks ${supported.join(", ")}`, { supported })
}

/** A header is missing. @param value what it must repeat; text, unless the request is wrong in that too */
const missing = (header: string, value: unknown, source: string): RpcError =>
  RpcError.headerMismatch(
    typeof value === "string"
      ? `The header ${header} is missing; send ${header}: ${encodeHeaderValue(value)}, as in ${source}`
      : `The header ${header} is missing; it repeats ${source}`
  )

/** The version header equals `_meta` (HDR-01, HDR-05). */
const versionAgrees: Check = ({ inbound, version }) => {
  if (inbound.http === undefined) return undefined
  const header = inbound.http.header(HeaderName.version)
  if (header === undefined) return missing("MCP-Protocol-Version", version, "params._meta")
  return header === version || trimHeaderValue(header) === version
    ? undefined
    : RpcError.headerMismatch("The header MCP-Protocol-Version differs from params._meta")
}

/** The version is one that is served (VER-01). */
const versionServed: Check = (candidate) => {
  const { offered, version } = candidate
  const revision = (offered.versions as ReadonlyArray<string>).includes(version) ? revisionOf(version) : undefined
  if (revision === undefined) return RpcError.unsupportedVersion(version, offered.versions)
  candidate.revision = revision
  return undefined
}

/** `_meta` has the client's capabilities (META-01, META-02). */
const capabilitiesNamed: Check = ({ meta }) =>
  isRecord(own(meta, MetaKey.clientCapabilities))
    ? undefined
    : RpcError.invalidParams(`params._meta must have an object under "${MetaKey.clientCapabilities}"; {} will do`)

/** The method header equals the method, case included (HDR-03, HDR-05). */
const methodAgrees: Check = ({ inbound, request }) => {
  if (inbound.http === undefined) return undefined
  const header = inbound.http.header(HeaderName.method)
  if (header === undefined) return missing("Mcp-Method", request.method, "method")
  return header === request.method || trimHeaderValue(header) === request.method
    ? undefined
    : RpcError.headerMismatch("The header Mcp-Method differs from the method of the message")
}

/** The method exists and is served (ERR-02, HTTP-18). */
const methodServed: Check = ({ offered, request, revision }) =>
  offered.hasMethod(request.method, revision.era)
    ? undefined
    : RpcError.methodNotFound(`This server does not serve the method ${JSON.stringify(request.method)}`)

/** The name header, decoded, equals the name; the same text is not enough, it may look encoded (HDR-04, HDR-05, HDR-11). */
const nameAgrees: Check = ({ inbound, request }) => {
  if (inbound.http === undefined) return undefined
  const member = methodRow(request.method)?.named
  if (member === undefined) return undefined
  const header = inbound.http.header(HeaderName.name)
  if (header === undefined) return missing("Mcp-Name", own(request.params, member), `params.${member}`)
  const name = decodeHeaderValue(header)
  return name !== undefined && name === own(request.params, member)
    ? undefined
    : RpcError.headerMismatch(`The header Mcp-Name differs from params.${member}`)
}

/** Annotated arguments equal their headers (XHDR-09b, XHDR-10, XHDR-11). */
const paramsAgree: Check = ({ inbound, offered, request }) => {
  if (inbound.http === undefined) return undefined
  const headers = offered.paramHeaders(request, inbound.context)
  if (headers.length === 0) return undefined
  const difference = compareParams(headers, own(request.params, "arguments"), inbound.http.header)
  return difference === undefined ? undefined : RpcError.headerMismatch(difference)
}

/** The request names a session (CHTTP-16). */
const sessionNamed: Check = ({ inbound, offered }) =>
  offered.session(inbound) === "not-named"
    ? RpcError.invalidRequest(
        "The header Mcp-Session-Id is missing. Send initialize first and repeat the id it gives; or name a version in " +
          inMeta
      )
    : undefined

/** The session exists and is the caller's own (CHTTP-17, CHTTP-23). */
const sessionKnown: Check = (candidate) => {
  const session = candidate.offered.session(candidate.inbound)
  if (session === "unknown") return sessionEnded
  if (typeof session === "object") {
    candidate.session = session
    candidate.revision = session.revision
  }
  return undefined
}

/** A version header names a compat revision (CHTTP-21, CHTTP-22). */
const versionKnown: Check = ({ inbound }) => {
  const header = inbound.http?.header(HeaderName.version)
  return header === undefined || revisionOf(trimHeaderValue(header))?.era === "compat"
    ? undefined
    : RpcError.invalidRequest(`The header MCP-Protocol-Version is ${header}, which is no version of a session`)
}

/** The method exists in the compat era and is served; over HTTP that is said in band. */
const methodKnown: Check = ({ offered, request }) =>
  offered.hasMethod(request.method, "compat")
    ? undefined
    : RpcError.methodNotFound(`This server does not serve the method ${JSON.stringify(request.method)}`)

/** Where the scopes of a caller come from, and so what to do where they are missing. */
const scopeCure = (principal: Principal | undefined): string => {
  switch (principal?.via) {
    case undefined:
      return "nobody was authenticated: give the door the setting auth, or let principal of Mcp.make return { id, scopes }"
    case "context":
      return "let principal of Mcp.make return { id, scopes }"
    case "token":
      return "get a token that has them all"
    case "bearer":
      return "add them to the scopes of StaticBearer.make"
    case "certificate":
      return `add them to tls.scopes[${JSON.stringify(principal.subject)}]`
  }
}

/** Why a caller may not use what needs these scopes, where it lacks any of them. */
export const scopesMissing = (candidate: Admitted, needed: ReadonlyArray<string>): RpcError | undefined => {
  const { inbound, offered, request } = candidate
  if (needed.length === 0 || holdsScopes(inbound.principal?.scopes ?? [], needed)) return undefined
  candidate.challenge = offered.challenge(needed)
  const { routed, subject } = candidate
  const of = routed ? "The operation" : `${request.method} of`
  const what = subject === request.method ? subject : `${of} ${JSON.stringify(subject)}`
  return RpcError.invalidRequest(`${what} needs the scopes ${needed.join(" ")}; ${scopeCure(inbound.principal)}`, {
    scopes: [...needed]
  })
}

/** The caller has every scope that the operation needs (AUTH-22); pipes and callers in the same process need none. */
const scopesHeld: Check = (candidate) => {
  const { inbound, offered, request } = candidate
  return inbound.overHttp ? scopesMissing(candidate, offered.scopes(request, inbound.context)) : undefined
}

type Rungs = ReadonlyArray<readonly [Rung, Check]>

/** The rungs of a native request, in order. */
export const rungs: Rungs = [
  ["version-named", versionNamed],
  ["version-agrees", versionAgrees],
  ["version-served", versionServed],
  ["capabilities-named", capabilitiesNamed],
  ["method-agrees", methodAgrees],
  ["method-served", methodServed],
  ["name-agrees", nameAgrees],
  ["params-agree", paramsAgree],
  ["scopes", scopesHeld]
]

/** The rungs of a handshake, in order: there is no session yet, and its version is in its parameters. */
export const openingRungs: Rungs = [
  ["method-known", methodKnown],
  ["scopes", scopesHeld]
]

/** The rungs of any other compat request, in order. */
export const compatRungs: Rungs = [
  ["session-named", sessionNamed],
  ["session-known", sessionKnown],
  ["version-known", versionKnown],
  ...openingRungs
]

const ladderOf = (candidate: Admitted): Rungs => {
  if (classify(candidate) === "native") return rungs
  return candidate.request.method === "initialize" ? openingRungs : compatRungs
}

/** Climbs the ladder of a request: the first refusal, or `undefined` when it is admitted. */
export const climb = (candidate: Admitted): Refusal | undefined => {
  for (const [rung, check] of ladderOf(candidate)) {
    const error = check(candidate)
    if (error !== undefined) return { rung, error, id: candidate.request.id, challenge: candidate.challenge }
  }
  return undefined
}
