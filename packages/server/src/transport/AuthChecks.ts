/**
 * Settings of authentication that could not work. Pure. What is said of a secret never shows it.
 */
import { isRecord, namesOf } from "@treadle/protocol/json"
import * as Redacted from "effect/Redacted"
import { isAuthScope } from "../AuthScope.ts"
import type { ProtectedResourceSettings, ResourceScopes } from "../ProtectedResource.ts"
import { bearerToken, longestAuthorization } from "./BearerToken.ts"
import { isLoopbackHost } from "./Loopback.ts"
import { fault, shown, unknownFaults, type Check, type Faults } from "./SettingFault.ts"

const example = "https://mcp.example/mcp"

/** Why an address cannot be used letter by letter, with the one that was most likely meant. */
const addressFault = (place: string, value: unknown, cure: string): Faults => {
  if (typeof value !== "string" || !/^[\x21-\x7e]+$/.test(value) || !URL.canParse(value)) {
    return fault(place, `${shown(value)} is no address; write it as ${JSON.stringify(cure)}`)
  }
  const url = new URL(value)
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopbackHost(url.hostname))) {
    return fault(place, `${shown(value)} is not https, which only a loopback address may be without`)
  }
  if (url.username !== "" || url.password !== "") return fault(place, "it has a name or a password; leave that out")
  if (/[?#]/.test(value)) return fault(place, `${shown(value)} has a query or a fragment; leave that out`)
  // The path as it is written, after the scheme and the host.
  const path = value.replace(/^[^:]+:\/\/[^/]+/, "")
  return path === "" || path === url.pathname
    ? []
    : fault(
        place,
        `${shown(value)} has a path that is written otherwise in requests; write ${JSON.stringify(url.pathname)}`
      )
}

const scopeList =
  (listed: boolean): Check =>
  (place, value) => {
    if (!Array.isArray(value)) return fault(place, `${shown(value)} is no array of scopes; write ["files:read"]`)
    return value.flatMap((scope: unknown, index) => {
      const at = `${place}[${index}]`
      if (!isAuthScope(scope)) return fault(at, `${shown(scope)} is no scope; write each by itself, without spaces`)
      return listed && scope === "offline_access"
        ? fault(at, '"offline_access" is for clients to ask of their authorization server; leave it out (SEP-2207)')
        : []
    })
  }

const aRecord = (place: string, value: unknown, cure: string): Faults =>
  isRecord(value) ? [] : fault(place, `${shown(value)} is no object; write ${cure}`)

const hierarchy: Check = (place, value) =>
  isRecord(value)
    ? Object.entries(value).flatMap(([scope, implied]) => [
        ...(isAuthScope(scope) ? [] : fault(place, `${shown(scope)} is no scope`)),
        ...scopeList(false)(`${place}.${scope}`, implied)
      ])
    : aRecord(place, value, '{ "files:write": ["files:read"] }')

const optional =
  (check: Check): Check =>
  (place, value) =>
    value === undefined ? [] : check(place, value)

const text: Check = (place, value) =>
  typeof value === "string" && value !== ""
    ? []
    : fault(place, `${shown(value)} is no text; write some, or leave it out`)

const issuers: Check = (place, value) => {
  const cure = 'write authorizationServers: ["https://login.example"]'
  if (value !== undefined && !Array.isArray(value)) return fault(place, `${shown(value)} is no array; ${cure}`)
  return value === undefined || value.length === 0
    ? fault(place, `it names none; ${cure}`)
    : value.flatMap((issuer: unknown, index) => addressFault(`${place}[${index}]`, issuer, "https://login.example"))
}

const scopeSettings = namesOf<ResourceScopes>({ required: true, supported: true, implies: true })
const resourceSettings = namesOf<ProtectedResourceSettings>({
  verifier: true,
  authorizationServers: true,
  resource: true,
  scopes: true,
  name: true,
  documentation: true
})

const resourceFaults = (settings: unknown): Faults => {
  if (!isRecord(settings)) return aRecord("auth", settings, "ProtectedResource.make({ … })")
  const { authorizationServers: servers, documentation, name, resource, scopes = {}, verifier } = settings
  const opens = isRecord(verifier) && "open" in verifier
  return [
    ...(opens ? [] : fault("auth.verifier", `${shown(verifier)} is no TokenVerifier; write TokenVerifier.make(…)`)),
    ...issuers("auth.authorizationServers", servers),
    ...optional((place, value) => addressFault(place, value, example))("auth.resource", resource),
    ...(isRecord(scopes)
      ? [
          ...optional(scopeList(true))("auth.scopes.required", scopes["required"]),
          ...optional(scopeList(true))("auth.scopes.supported", scopes["supported"]),
          ...optional(hierarchy)("auth.scopes.implies", scopes["implies"]),
          ...unknownFaults("auth.scopes", scopes, scopeSettings)
        ]
      : aRecord("auth.scopes", scopes, '{ required: ["mcp"] }')),
    ...unknownFaults("auth", settings, resourceSettings),
    ...optional(text)("auth.name", name),
    ...optional((place, value) => addressFault(place, value, "https://mcp.example/docs"))(
      "auth.documentation",
      documentation
    )
  ]
}

const bearerFaults = (tokens: unknown, scopes: unknown): Faults => {
  const given = tokens instanceof Map ? [...(tokens as Map<unknown, unknown>)] : []
  if (given.length === 0) return fault("auth.tokens", 'it has none; write tokens: { robot: "…" }')
  const texts = given.map(([, token]) => (Redacted.isRedacted(token) ? Redacted.value(token) : undefined))
  const known = new Set(given.map(([id]) => id))
  const strangers = isRecord(scopes) ? Object.keys(scopes).filter((id) => !known.has(id)) : []
  return [
    ...given.flatMap(([id], index) => {
      const place = `auth.tokens.${String(id)}`
      const token = texts[index]
      if (typeof token !== "string" || !bearerToken.test(token) || token.length > longestAuthorization / 2) {
        return fault(place, "it is no token; give letters, digits and - . _ ~ + /, such as openssl rand -hex 32 prints")
      }
      return texts.indexOf(token) < index
        ? fault(place, `it is the token of ${shown(given[texts.indexOf(token)]?.[0])} too; give each caller its own`)
        : []
    }),
    ...(isRecord(scopes)
      ? Object.entries(scopes).flatMap(([id, list]) => scopeList(false)(`auth.scopes.${id}`, list))
      : aRecord("auth.scopes", scopes, '{ robot: ["files:read"] }')),
    ...strangers.flatMap((id) => fault(`auth.scopes.${id}`, "there is no token of this caller; give it one in tokens"))
  ]
}

/** The setting `auth`. */
export const authentication: Check = (setting, value) => {
  if (isRecord(value)) {
    if (value["_tag"] === "ProtectedResource") return resourceFaults(value["settings"])
    if (value["_tag"] === "StaticBearer") return bearerFaults(value["tokens"], value["scopes"])
  }
  // A text may be the token itself, so it is not shown.
  const what = typeof value === "string" ? "a text" : shown(value)
  return fault(setting, `${what} authenticates nobody; write ProtectedResource.make({ … }) or StaticBearer.make({ … })`)
}

const pem: Check = (place, value) => {
  const text = Redacted.isRedacted(value) ? Redacted.value(value) : value
  return (typeof text === "string" && text !== "") || ArrayBuffer.isView(text)
    ? []
    : fault(place, "it is missing; give the text of a file in PEM form")
}

/** The setting `tls`. */
export const transportSecurity: Check = (setting, value) => {
  if (!isRecord(value)) return fault(setting, `${shown(value)} is no object; write tls: { key, cert }`)
  const { cert, clientCa, key, scopes } = value
  const perCaller: Check = (place, given) =>
    isRecord(given)
      ? Object.entries(given).flatMap(([subject, list]) => scopeList(false)(`${place}.${subject}`, list))
      : aRecord(place, given, '{ "CN=robot": ["files:read"] }')
  return [
    ...pem(`${setting}.key`, key),
    ...pem(`${setting}.cert`, cert),
    ...unknownFaults(setting, value, ["key", "cert", "clientCa", "scopes"]),
    ...optional(pem)(`${setting}.clientCa`, clientCa),
    ...optional(perCaller)(`${setting}.scopes`, scopes),
    ...(scopes !== undefined && clientCa === undefined
      ? fault(`${setting}.scopes`, "only callers with a certificate have these; give clientCa too")
      : [])
  ]
}

/** What `McpNode.listen` needs before it opens an address that other machines reach. */
export const openAddressFaults = (settings: { readonly [name: string]: unknown }): Faults => {
  const { auth, host, hosts, tls } = settings
  if (typeof host !== "string" || host === "" || isLoopbackHost(host)) return []
  const isKnown = auth !== undefined || (isRecord(tls) && tls["clientCa"] !== undefined)
  return [
    ...(isKnown
      ? []
      : fault(
          "host",
          `McpNode.listen does not open ${host} without authentication; give auth: ProtectedResource.make({ … }) or ` +
            "StaticBearer.make({ … }), or tls with clientCa; or listen on 127.0.0.1, or mount McpNode.handler(mcp) " +
            "behind your own authentication"
        )),
    ...(hosts === undefined
      ? fault("hosts", `${host} is reached by names that only you know; write hosts: ["mcp.example"], or hosts: "any"`)
      : [])
  ]
}

/** A resource without an address, where the door has none of its own. */
export const resourceAddressFaults = ({ auth, ownUrl }: { readonly [name: string]: unknown }): Faults => {
  if (!isRecord(auth) || auth["_tag"] !== "ProtectedResource" || ownUrl !== undefined) return []
  const { settings } = auth
  if (!isRecord(settings) || settings["resource"] !== undefined) return []
  return fault(
    "auth.resource",
    `it is missing; write the public address of this endpoint, as resource: ${JSON.stringify(example)}`
  )
}
