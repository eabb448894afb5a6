/**
 * The token that a request shows (RFC 6750): in one `Authorization` header, and nowhere else.
 */

/** What of a request says who sends it. */
export interface Credentials {
  /** The `Authorization` header; several are joined by commas. */
  readonly authorization: string | undefined
  /** Where the request was sent, with its query. */
  readonly url: string
}

/** The form of a token. */
export const bearerToken = /^[A-Za-z0-9._~+/-]+=*$/

/** Characters of an `Authorization` header that anything looks at. */
export const longestAuthorization = 8_192

const scheme = /^bearer(?: +(.*))?$/i

/** A token in the query would be in every log on its way (AUTH-25). */
const isInQuery = (url: string): boolean => {
  const query = url.indexOf("?")
  return query >= 0 && new URLSearchParams(url.slice(query + 1)).has("access_token")
}

/** The token; nothing where none is shown; or why it cannot be read, which says nothing of what was sent. */
export const shownToken = ({
  authorization,
  url
}: Credentials): { readonly token?: string } | { readonly why: string } => {
  if (isInQuery(url)) return { why: "A token belongs in the Authorization header, never in the query" }
  if (authorization === undefined) return {}
  if (authorization.length > longestAuthorization) {
    return { why: `The Authorization header is longer than ${longestAuthorization} characters` }
  }
  const bearer = scheme.exec(authorization.trim())
  if (bearer === null) {
    return /,\s*bearer\b/i.test(authorization) ? { why: "Send one Authorization header, with one token" } : {}
  }
  const [, token = ""] = bearer
  return bearerToken.test(token) ? { token } : { why: "The Authorization header must be: Bearer, a space, one token" }
}
