/**
 * The HTTP headers of what a client sends. What MCP demands natively is read off the body, so header and body cannot
 * disagree; in the compat era the session is repeated.
 */
import { encodeHeaderValue, HeaderName } from "@treadle/protocol/http"
import { own } from "@treadle/protocol/json"
import { methodRow } from "@treadle/protocol/rpc"
import { MetaKey } from "@treadle/protocol/schema"
import type { HeaderRecord } from "../HeaderRecord.ts"
import type { CompatSession, Outgoing } from "./Transport.ts"

/** The headers of a request without a body. @throws TypeError where a given header is none */
export const sessionHeaders = (session: CompatSession | undefined, given: HeaderRecord): Headers => {
  const headers = new Headers(given)
  if (session === undefined) return headers
  headers.set(HeaderName.version, session.version)
  if (session.id !== undefined) headers.set(HeaderName.session, session.id)
  return headers
}

/**
 * The headers of a message that nobody answers (CHTTP-15, CHTTP-20).
 *
 * @param given headers of the user's own; those of MCP win over them
 * @throws TypeError where a given header is none
 */
export const postHeaders = (session: CompatSession | undefined, given: HeaderRecord): Headers => {
  const headers = sessionHeaders(session, given)
  headers.set("accept", "application/json, text/event-stream")
  headers.set("content-type", "application/json")
  return headers
}

/**
 * The headers of one request (HTTP-04, HDR-01, HDR-03, HDR-04, HDR-08).
 *
 * @throws TypeError where a given header is none
 */
export const requestHeaders = (outgoing: Outgoing, given: HeaderRecord): Headers => {
  const headers = postHeaders(outgoing.session, given)
  const { method, params } = outgoing.request
  const version = own(own(params, "_meta"), MetaKey.protocolVersion)
  if (typeof version !== "string") return headers
  headers.set(HeaderName.version, version)
  headers.set(HeaderName.method, method)
  const named = methodRow(method)?.named
  const name = named === undefined ? undefined : own(params, named)
  if (typeof name === "string") headers.set(HeaderName.name, encodeHeaderValue(name))
  for (const [header, value] of outgoing.mirrored) headers.set(header, value)
  return headers
}

/**
 * The headers of a GET that opens a stream, or takes one up again (CHTTP-07, CHTTP-12).
 *
 * @throws TypeError where a given header is none
 */
export const streamHeaders = (
  session: CompatSession | undefined,
  lastEventId: string | undefined,
  given: HeaderRecord
): Headers => {
  const headers = sessionHeaders(session, given)
  headers.set("accept", "text/event-stream")
  if (lastEventId !== undefined) headers.set(HeaderName.lastEventId, lastEventId)
  return headers
}
