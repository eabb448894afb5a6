/**
 * The HTTP headers of a request: what MCP demands is read off the body, so header and body cannot disagree.
 */
import { encodeHeaderValue, HeaderName } from "@treadle/protocol/http"
import { own } from "@treadle/protocol/json"
import { methodRow } from "@treadle/protocol/rpc"
import { MetaKey } from "@treadle/protocol/schema"
import type { HeaderRecord } from "../ClientSettings.ts"
import type { Outgoing } from "./Transport.ts"

/**
 * The headers of one request (HTTP-04, HDR-01, HDR-03, HDR-04, HDR-08).
 *
 * @param outgoing the request
 * @param given headers of the user's own; those of MCP win over them
 * @throws TypeError where a given header is none
 */
export const requestHeaders = (outgoing: Outgoing, given: HeaderRecord): Headers => {
  const { method, params } = outgoing.request
  const headers = new Headers(given)
  headers.set("accept", "application/json, text/event-stream")
  headers.set("content-type", "application/json")
  headers.set(HeaderName.method, method)
  const version = own(own(params, "_meta"), MetaKey.protocolVersion)
  if (typeof version === "string") headers.set(HeaderName.version, version)
  const named = methodRow(method)?.named
  const name = named === undefined ? undefined : own(params, named)
  if (typeof name === "string") headers.set(HeaderName.name, encodeHeaderValue(name))
  for (const [header, value] of outgoing.mirrored) headers.set(header, value)
  return headers
}
