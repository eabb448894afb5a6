/**
 * Which addresses from outside may be called. Metadata, registration and token endpoints are named by servers that may be
 * hostile, and the client may sit where they cannot reach (SEC-01, AUTH-31).
 *
 * The rules here see the text of an address. What a name resolves to is known only to who dials: see `@treadle/oauth/node`.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/security_best_practices
 */
import ipaddr from "ipaddr.js"
import { AuthReason } from "./AuthError.ts"

/** What may be called beside public addresses over https. */
export interface AddressPolicy {
  /** Loopback addresses, also over plain http. */
  readonly loopback: boolean
  /** Addresses of private networks. */
  readonly privateNetworks: boolean
}

/** What kind of address an IP is; `undefined` where the text is no IP. */
export const addressKind = (host: string): "public" | "loopback" | "private" | undefined => {
  const text = host.startsWith("[") && host.endsWith("]") ? host.slice(1, -1) : host
  if (!ipaddr.isValid(text)) return undefined
  // An IPv4 address within an IPv6 one is judged as what it leads to.
  const range = ipaddr.process(text).range()
  return range === "loopback" ? "loopback" : range === "unicast" ? "public" : "private"
}

/** Whether a host name is one of this machine's own, without asking anybody. */
export const isLoopbackHost = (host: string): boolean => {
  const name = host.toLowerCase().replace(/\.$/, "")
  return name === "localhost" || name.endsWith(".localhost") || addressKind(host) === "loopback"
}

const rule = "MCP security best practices, server-side request forgery"

/**
 * Why an address may not be called; nothing where it may, as far as its text tells.
 *
 * @param what the address is, for the message
 */
export const refusedAddress = (
  url: URL,
  what: string,
  policy: AddressPolicy
): InstanceType<typeof AuthReason.AddressRefused> | undefined => {
  const refuse = (why: string, broken = rule) =>
    new AuthReason.AddressRefused({ url: `${url.origin}${url.pathname}`, what, why, rule: broken })
  if (url.username !== "" || url.password !== "") return refuse("it holds a name or a password")
  const loopback = isLoopbackHost(url.hostname)
  if (url.protocol !== "https:" && !(url.protocol === "http:" && loopback)) {
    return refuse("it is not https", "OAuth 2.1 section 1.5")
  }
  if (loopback) {
    return policy.loopback ? undefined : refuse(`${url.hostname} is this machine; say network: "loopback" to allow it`)
  }
  return refusedIp(url.hostname, policy) === undefined
    ? undefined
    : refuse(`${url.hostname} is in a private network; say network: "private" to allow it`)
}

/** Why an IP may not be dialled, which a name resolved to; nothing for a text that is no IP. */
export const refusedIp = (ip: string, policy: AddressPolicy): string | undefined => {
  const kind = addressKind(ip)
  if (kind === undefined || kind === "public") return undefined
  if (kind === "loopback") return policy.loopback ? undefined : "it leads to this machine"
  return policy.privateNetworks ? undefined : "it leads into a private network"
}
