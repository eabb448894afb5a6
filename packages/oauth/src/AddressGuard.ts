/**
 * Which addresses from outside may be called. Metadata, registration and token endpoints are named by servers that may be
 * hostile, and the client may sit where they cannot reach (SEC-01, AUTH-31).
 *
 * The rules here see the text of an address; an IPv4 address within an IPv6 one is judged as what it leads to. What a
 * name resolves to is known only to who dials: see `@treadle/oauth/node`.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/security_best_practices
 */
import ipaddr from "ipaddr.js"
import { AuthReason, shortened } from "./AuthError.ts"

/** What may be called beside public addresses over https. */
export interface AddressPolicy {
  /** Loopback addresses, also over plain http. */
  readonly loopback: boolean
  /** Addresses of private networks, and those set apart for tests and documents; link-local ones never. */
  readonly privateNetworks: boolean
}

/** Which networks addresses from outside may lead to. */
export type Network = "public" | "loopback" | "private"

/** What kind of address an IP is; `unusable` are those that no server has, or where clouds keep their credentials. */
export type AddressKind = "public" | "loopback" | "private" | "unusable"

const unusable = new Set(["unspecified", "broadcast", "multicast", "linkLocal"])
const globalV6 = ipaddr.IPv6.parseCIDR("2000::/3")
const compatibleV6 = ipaddr.IPv6.parseCIDR("::/96")
const translatedV6 = ipaddr.IPv6.parseCIDR("64:ff9b::/96")

const kindV4 = (ip: ipaddr.IPv4): AddressKind => {
  const range = ip.range()
  if (range === "loopback") return "loopback"
  return range === "unicast" ? "public" : unusable.has(range) ? "unusable" : "private"
}

const lastV4 = (ip: ipaddr.IPv6): ipaddr.IPv4 => new ipaddr.IPv4(ip.toByteArray().slice(12))

const kindV6 = (ip: ipaddr.IPv6): AddressKind => {
  if (ip.isIPv4MappedAddress()) return kindV4(ip.toIPv4Address())
  const range = ip.range()
  if (range === "loopback") return "loopback"
  if (unusable.has(range) || ip.match(compatibleV6)) return "unusable"
  // A translator (RFC 6052) leads to the IPv4 address within, but its loopback is not ours.
  if (ip.match(translatedV6)) {
    const within = kindV4(lastV4(ip))
    return within === "loopback" ? "unusable" : within
  }
  return range === "unicast" && ip.match(globalV6) ? "public" : "private"
}

/** What kind of address an IP is, in brackets or without; `undefined` where the text is no IP. */
export const addressKind = (host: string): AddressKind | undefined => {
  const text = host.startsWith("[") && host.endsWith("]") ? host.slice(1, -1) : host
  if (ipaddr.IPv4.isValid(text)) return kindV4(ipaddr.IPv4.parse(text))
  return ipaddr.IPv6.isValid(text) ? kindV6(ipaddr.IPv6.parse(text)) : undefined
}

/** Whether a host name is one of this machine's own, without asking anybody. */
export const isLoopbackHost = (host: string): boolean => {
  const name = host.toLowerCase().replace(/\.$/, "")
  return name === "localhost" || name.endsWith(".localhost") || addressKind(host) === "loopback"
}

/** The rule that an address breaks which leads where it must not. */
export const forgeryRule = "MCP security best practices, server-side request forgery"

/** An address as messages show it: without credentials and query, which may be secrets, and no longer than is of use. */
export const shownAddress = ({ host, pathname, protocol }: URL): string =>
  shortened(`${protocol}${host === "" ? "" : `//${host}`}${pathname}`)

/**
 * What may be called. A host on this machine or in a private network is one that somebody chose, and so may be its
 * neighbours there.
 *
 * @param hosts those that were chosen
 */
export const policyFor = (network: Network, hosts: ReadonlyArray<string>): AddressPolicy => ({
  loopback: network !== "public" || hosts.some(isLoopbackHost),
  privateNetworks: network === "private" || hosts.some((host) => addressKind(host) === "private")
})

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
  const refuse = (why: string, broken = forgeryRule) =>
    new AuthReason.AddressRefused({ url: shownAddress(url), what, why, rule: broken })
  if (url.username !== "" || url.password !== "") return refuse("it holds a name or a password")
  const loopback = isLoopbackHost(url.hostname)
  if (url.protocol !== "https:" && !(url.protocol === "http:" && loopback)) {
    return refuse("it is not https", "OAuth 2.1 section 1.5")
  }
  if (loopback && !policy.loopback) {
    return refuse(`${shortened(url.hostname)} is this machine; say network: "loopback" to allow it`)
  }
  const why = refusedIp(url.hostname, policy)
  return why === undefined ? undefined : refuse(`${url.hostname} ${why}`)
}

/** Why an IP may not be dialled, which a name resolved to; nothing for a text that is no IP. */
export const refusedIp = (ip: string, policy: AddressPolicy): string | undefined => {
  switch (addressKind(ip)) {
    case "loopback":
      return policy.loopback ? undefined : 'is this machine; say network: "loopback" to allow it'
    case "private":
      return policy.privateNetworks ? undefined : 'is in a private network; say network: "private" to allow it'
    case "unusable":
      return "is no address of a server"
    default:
      return undefined
  }
}
