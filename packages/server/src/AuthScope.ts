/**
 * Scopes of OAuth: what a caller may do, as its token says it. Pure.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-3.3
 */

/** Scopes that follow from a scope, such as `{ "files:write": ["files:read"] }`. What follows from those follows too. */
export interface ScopeHierarchy {
  readonly [scope: string]: ReadonlyArray<string>
}

const form = /^[\x21\x23-\x5b\x5d-\x7e]+$/

/** Whether a text is one scope, and not several or none. */
export const isAuthScope = (text: unknown): text is string => typeof text === "string" && form.test(text)

/** The scopes with everything that follows from them, each once (AUTH-24). A circle implies all of its members. */
export const withImplied = (
  scopes: ReadonlyArray<string>,
  hierarchy: ScopeHierarchy | undefined
): ReadonlyArray<string> => {
  if (hierarchy === undefined) return scopes
  const held = new Set(scopes)
  for (const scope of held) {
    for (const implied of Object.hasOwn(hierarchy, scope) ? (hierarchy[scope] ?? []) : []) held.add(implied)
  }
  return [...held]
}

/** Whether all of them are held. */
export const holdsScopes = (held: ReadonlyArray<string>, needed: ReadonlyArray<string>): boolean =>
  needed.every((scope) => held.includes(scope))
