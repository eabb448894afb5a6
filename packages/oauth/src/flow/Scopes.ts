/**
 * Which scopes are asked for: what a challenge demands, else what the resource lists, else nothing in particular
 * (AUTH-19, AUTH-20), and what was asked for before in addition (AUTH-23).
 */
import { own } from "@treadle/protocol/json"
import type { Discovered } from "./Discovery.ts"

const lists = (value: unknown, scope: string): boolean => Array.isArray(value) && value.includes(scope)

/** What is asked for in all. */
export interface ScopeWishes {
  /** Of the developer. */
  readonly wanted: ReadonlyArray<string>
  /** Of the server, for what was refused. */
  readonly challenged: ReadonlyArray<string>
  /** Up to now. */
  readonly requested: ReadonlyArray<string>
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
  { resource, server }: Discovered,
  renews: boolean
): ReadonlyArray<string> => {
  const needed = challenged.length > 0 ? challenged : requested.length > 0 ? [] : resource.scopes
  const scopes = union(requested, wanted, needed)
  const offline = renews && scopes.length > 0 && lists(own(server.metadata, "scopes_supported"), "offline_access")
  return offline ? union(scopes, ["offline_access"]) : scopes
}
