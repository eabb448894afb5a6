/**
 * Which era a request speaks: a fact of the request, never of its connection (ERA-14, CHTTP-25).
 */
import { eraOf, isProtocolVersion, type Era } from "@treadle/protocol/era"
import { HeaderName, trimHeaderValue } from "@treadle/protocol/http"
import { own } from "@treadle/protocol/json"
import { MetaKey } from "@treadle/protocol/schema"
import type { Admitted } from "./Admitted.ts"

/** Whether a version header names a native version. */
export const saysNative = (header: string | undefined): boolean => {
  if (header === undefined) return false
  const version = trimHeaderValue(header)
  return isProtocolVersion(version) && eraOf(version) === "native"
}

/**
 * A version in `_meta` is native, always. Without one, a handshake, a session, or over HTTP a header that does not name
 * a native version, is compat; a pipe without a handshake is native, and told what is missing.
 */
export const classify = ({ inbound, meta, offered, request }: Admitted): Era => {
  if (typeof own(meta, MetaKey.protocolVersion) === "string") return "native"
  if (request.method === "initialize") return "compat"
  if (inbound.http !== undefined) return saysNative(inbound.http.header(HeaderName.version)) ? "native" : "compat"
  return typeof offered.session(inbound) === "object" ? "compat" : "native"
}
