/**
 * Compares a token with agreed ones. Each of them is compared in whole, whatever the others gave, so that neither the
 * place of a difference nor the caller it belongs to shows in the time that it takes.
 */
import * as Redacted from "effect/Redacted"
import type { BearerPrincipal } from "../Principal.ts"
import type { StaticBearer } from "../StaticBearer.ts"

/** The codes of a text with its length, in as many places as the longest one has. */
const padded = (text: string, places: number): Uint16Array => {
  const codes = new Uint16Array(places + 1)
  for (let at = 0; at < places; at++) codes[at] = at < text.length ? text.charCodeAt(at) : 0
  codes[places] = text.length
  return codes
}

const difference = (one: Uint16Array, other: Uint16Array): number => {
  let bits = 0
  for (let at = 0; at < one.length; at++) bits |= (one[at] ?? 0) ^ (other[at] ?? 0)
  return bits
}

/** Finds whose a token is. */
export const staticTokens = ({ scopes, tokens }: StaticBearer): ((token: string) => BearerPrincipal | undefined) => {
  const texts = [...tokens].map(([id, token]) => ({ id, text: Redacted.value(token) }))
  const places = Math.max(0, ...texts.map(({ text }) => text.length))
  const callers = texts.map(({ id, text }) => ({
    principal: { via: "bearer", id, scopes: Object.hasOwn(scopes, id) ? (scopes[id] ?? []) : [] } as const,
    codes: padded(text, places)
  }))
  return (token) => {
    const shown = padded(token, places)
    let found: BearerPrincipal | undefined
    for (const { codes, principal } of callers) found = difference(codes, shown) === 0 ? principal : found
    return found
  }
}
