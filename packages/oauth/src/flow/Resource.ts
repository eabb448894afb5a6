/**
 * Whose tokens are shown where: the identifier of a protected resource, and which addresses it covers (AUTH-13, AUTH-13b).
 * Identifiers are compared as addresses and sent as they were published, byte for byte.
 */

/** `/` at the end says nothing about what lies below. */
const withoutSlash = (path: string): string => (path.endsWith("/") ? path.slice(0, -1) : path)

/** Whether a resource covers an address: the same origin, and a path at or below its own. */
export const covers = (resource: string, url: URL): boolean => {
  if (!URL.canParse(resource)) return false
  const { hash, origin, pathname, search } = new URL(resource)
  // An origin of no kind is no origin, and equals every other one.
  if (origin === "null" || origin !== url.origin || hash !== "") return false
  const root = withoutSlash(pathname)
  const isBelow = url.pathname === root || url.pathname.startsWith(`${root}/`)
  return isBelow && (search === "" || search === url.search)
}

/** The identifier of a server that publishes none: its address without fragment and slash at the end. */
export const resourceOf = (server: URL): string => {
  const { origin, pathname, search } = server
  return `${origin}${withoutSlash(pathname)}${search}`
}
