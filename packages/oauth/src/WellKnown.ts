/**
 * The addresses at which documents are published, by the names of RFC 8414 and RFC 9728.
 */

/** The address of a document of an origin, for what has a path there. */
export const wellKnown = (origin: string, name: string, path: string): string =>
  `${origin}/.well-known/${name}${path === "/" ? "" : path}`

/** Where the document of an authorization server may be, in the order in which to ask (AUTH-04). */
export const serverAddresses = (issuer: URL): ReadonlyArray<string> => {
  const { origin } = issuer
  const path = issuer.pathname.replace(/\/+$/, "")
  return [
    wellKnown(origin, "oauth-authorization-server", path),
    wellKnown(origin, "openid-configuration", path),
    ...(path === "" ? [] : [`${origin}${path}/.well-known/openid-configuration`])
  ]
}
