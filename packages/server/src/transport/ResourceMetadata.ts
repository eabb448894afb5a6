/**
 * The metadata of a protected resource (RFC 9728, AUTH-01): what it says, and where clients look for it (B018). Every
 * address in it is what the author wrote, never what a request or a parser of URLs made of it (B056, B102).
 */
import type { ProtectedResourceSettings } from "../ProtectedResource.ts"

type Path = `/${string}`

const wellKnown: Path = "/.well-known/oauth-protected-resource"

/** Whether clients look for the metadata of a protected resource at a path, of this one or of another. */
export const isMetadataPath = (path: string): boolean => `${path}/`.toLowerCase().startsWith(`${wellKnown}/`)

/** The parts of an address as they are written. */
const parts = /^([a-z][a-z0-9+.-]*:\/\/[^/?#]+)([^?#]*)$/i

const originAndPath = (resource: string): readonly [origin: string, path: string] => {
  const [, origin = "", path = ""] = parts.exec(resource) ?? []
  return [origin, path === "/" ? "" : path]
}

/** The paths at which the metadata of a resource is served: by its own path, and at the root where that is another. */
export const metadataPaths = (resource: string): ReadonlyArray<Path> => {
  const [, path] = originAndPath(resource)
  return path === "" ? [wellKnown] : [`${wellKnown}${path}`, wellKnown]
}

/** Where a challenge sends clients (AUTH-02). */
export const metadataUrl = (resource: string): string => {
  const [origin, path] = originAndPath(resource)
  return origin + wellKnown + path
}

/** A reply that any page may read. */
export interface DocumentReply {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  readonly text: string
}

const verbs = "GET, HEAD, OPTIONS"

const printed = (resource: string, settings: ProtectedResourceSettings): string => {
  const { authorizationServers, documentation, name, scopes } = settings
  return JSON.stringify({
    resource,
    authorization_servers: authorizationServers,
    ...(scopes?.supported === undefined ? {} : { scopes_supported: scopes.supported }),
    bearer_methods_supported: ["header"],
    ...(name === undefined ? {} : { resource_name: name }),
    ...(documentation === undefined ? {} : { resource_documentation: documentation })
  })
}

/** What the requests for the metadata of a resource are answered with; nothing where a path is another one. */
export const resourceMetadata = (resource: string, settings: ProtectedResourceSettings) => {
  const text = printed(resource, settings)
  const paths: ReadonlyArray<string> = metadataPaths(resource)
  const anyPage = { "access-control-allow-origin": "*" }
  const preflight = {
    ...anyPage,
    "access-control-allow-methods": verbs,
    "access-control-allow-headers": "*",
    "access-control-max-age": "7200"
  }
  const document: DocumentReply = { status: 200, headers: { ...anyPage, "content-type": "application/json" }, text }
  return (verb: string | undefined, path: string): DocumentReply | undefined => {
    if (!paths.includes(path)) return undefined
    if (verb === "GET" || verb === "HEAD") return document
    return verb === "OPTIONS"
      ? { status: 204, headers: preflight, text: "" }
      : { status: 405, headers: { ...anyPage, allow: verbs }, text: "" }
  }
}
