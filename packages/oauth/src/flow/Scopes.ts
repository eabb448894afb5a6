/**
 * Which scopes are asked for: what a challenge demands, else what the resource lists, else nothing in particular
 * (AUTH-19, AUTH-20), and what was asked for before in addition (AUTH-23).
 */
import { own, type JsonObject } from "@treadle/protocol/json"

const lists = (value: unknown, scope: string): boolean => Array.isArray(value) && value.includes(scope)

/** What a scope is made of (RFC 6749 section 3.3). */
const scopeToken = /^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/

/** How many scopes of a server are heeded. */
const maxScopes = 100

/** Those of a server's texts that are scopes, each once; a person's browser has to carry them. */
export const scopesAmong = (texts: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(texts.filter((text) => scopeToken.test(text)))].slice(0, maxScopes)

/** What is asked for in all. */
export interface ScopeWishes {
  /** Of the developer. */
  readonly wanted: ReadonlyArray<string>
  /** Of the server, for what was refused. */
  readonly challenged: ReadonlyArray<string>
  /** Up to now. */
  readonly requested: ReadonlyArray<string>
}

/** What there is to ask for. */
export interface ScopeOffer {
  /** Of the resource. */
  readonly supported: ReadonlyArray<string>
  /** Of the authorization server. */
  readonly metadata: JsonObject
}

/** The union, each scope once. */
export const union = (...lists: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => [
  ...new Set(lists.flat())
]

/**
 * The scopes of an authorization.
 *
 * @param renews whether a refresh token is of use; it is asked for where the server has a scope for that (AUTH-29)
 */
export const scopesFor = (
  { challenged, requested, wanted }: ScopeWishes,
  { metadata, supported }: ScopeOffer,
  renews: boolean
): ReadonlyArray<string> => {
  const needed = challenged.length > 0 ? challenged : requested.length > 0 ? [] : supported
  const scopes = union(requested, wanted, needed)
  const offline = renews && scopes.length > 0 && lists(own(metadata, "scopes_supported"), "offline_access")
  return offline ? union(scopes, ["offline_access"]) : scopes
}
