/**
 * What a token must say to be accepted, the same whether a signature vouches for it or an endpoint: whom it is meant for,
 * when it is valid, and who it is about. The sentences name the rule, and nothing that the token says.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9068#section-4
 */
import { TokenRefused } from "@treadle/server"
import { own, type JsonObject } from "@treadle/protocol/json"
import * as Result from "effect/Result"
import type { Verified } from "./TokenMemory.ts"

/** What may be said otherwise of the tokens that are accepted; times in milliseconds. */
export interface TokenSettings {
  /**
   * Audiences that are accepted beside the resource of the server, for authorization servers that know no resources. Never
   * name a client here: ID tokens are meant for clients, and would be accepted.
   */
  readonly audiences?: ReadonlyArray<string>
  /** How much the clocks of two machines may differ; at most 60,000, which is the default. */
  readonly clockTolerance?: number
  /** How long ago a token may have been issued; tokens must say so then. No limit by default. */
  readonly maxAge?: number
  /**
   * Whether tokens that are bound to a key of the caller (`cnf`) are accepted. Nothing here checks that the caller has
   * that key, so they are `"refused"` by default: say `"accepted"` only where something before this server checks it.
   */
  readonly boundTokens?: "refused" | "accepted"
  /** The scopes that a token gives, where they are neither in `scope` nor in `scp`. */
  readonly scopesOf?: (claims: JsonObject) => ReadonlyArray<string>
}

/** The rules of one verifier. */
export interface TokenRules {
  readonly audiences: ReadonlyArray<string>
  /** Whether a token must say whom it is meant for, and until when it is valid. */
  readonly required: { readonly audience: boolean; readonly expiry: boolean }
  readonly tolerance: number
  readonly maxAge: number | undefined
  readonly bound: boolean
  readonly scopesOf: (claims: JsonObject) => ReadonlyArray<string>
}

/** How far clocks may differ at most, in milliseconds. */
export const maxTolerance = 60_000

/** The last moment that a date can say, in seconds since 1970. */
const lastSecond = 8_640_000_000_000

const words = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") return value.split(" ")
  return Array.isArray(value) ? value.filter((word) => typeof word === "string") : []
}

/** The scopes in `scope` (RFC 9068) or in `scp`, a text or a list. */
const scopesIn = (claims: JsonObject): ReadonlyArray<string> => {
  const said = Object.hasOwn(claims, "scope") ? claims["scope"] : own(claims, "scp")
  return [...new Set(words(said).filter((word) => word !== ""))]
}

export const rulesOf = (settings: TokenSettings, required: TokenRules["required"]): TokenRules => ({
  audiences: settings.audiences ?? [],
  required,
  tolerance: settings.clockTolerance ?? maxTolerance,
  maxAge: settings.maxAge,
  bound: settings.boundTokens === "accepted",
  scopesOf: settings.scopesOf ?? scopesIn
})

const lowerAscii = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())

/** The identifier with scheme and host in lower case, which are the same in upper case (AUTH-14). Nothing else is. */
const comparable = (resource: string): string => resource.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#@]*/i, lowerAscii)

/** Whether two identifiers are the same resource. A slash at the end makes another one. */
const isSameResource = (one: string, other: string): boolean => comparable(one) === comparable(other)

/** What is wrong with whom a token is meant for (RFC 8707, AUTH-26, AUTH-28). */
const wrongAudience = (rules: TokenRules, claims: JsonObject, resource: string): string | undefined => {
  const said = own(claims, "aud")
  if (said === undefined) {
    return rules.required.audience
      ? "the token does not say in aud whom it is meant for (RFC 9068 section 4)"
      : undefined
  }
  const named = Array.isArray(said) ? said : [said]
  const isMeant = (audience: unknown) =>
    typeof audience === "string" && (rules.audiences.includes(audience) || isSameResource(audience, resource))
  return named.some(isMeant)
    ? undefined
    : "the token is not meant for this server: aud must name it (RFC 8707 section 2)"
}

/** A time that a token says, in milliseconds: `undefined` where it says none, `NaN` where it says something else. */
const timeIn = (claims: JsonObject, name: string): number | undefined => {
  const said = own(claims, name)
  if (said === undefined) return undefined
  return typeof said === "number" && Math.abs(said) <= lastSecond ? said * 1000 : Number.NaN
}

interface Times {
  readonly exp: number | undefined
  readonly nbf: number | undefined
  readonly iat: number | undefined
}

const timesIn = (claims: JsonObject): Times => ({
  exp: timeIn(claims, "exp"),
  nbf: timeIn(claims, "nbf"),
  iat: timeIn(claims, "iat")
})

/** What is wrong with when a token is valid (RFC 7519 section 4.1). */
const wrongTime = (rules: TokenRules, { exp, iat, nbf }: Times, now: number): string | undefined => {
  const { maxAge, required, tolerance } = rules
  if ([exp, nbf, iat].some(Number.isNaN)) return "a time in the token is no number of seconds (RFC 7519 section 2)"
  if (exp === undefined && required.expiry) return "the token does not say in exp when it expires (RFC 9068 section 4)"
  if (exp !== undefined && now >= exp + tolerance) return "the token has expired (RFC 7519 section 4.1.4)"
  if (nbf !== undefined && nbf > now + tolerance) return "the token is not valid yet: nbf (RFC 7519 section 4.1.5)"
  if (iat !== undefined && iat > now + tolerance)
    return "the token was issued in the future: iat (RFC 7519 section 4.1.6)"
  if (maxAge === undefined) return undefined
  if (iat === undefined) return "the token does not say in iat when it was issued, and this server asks for that"
  return now >= iat + maxAge + tolerance ? "the token was issued too long ago for this server: iat" : undefined
}

const textIn = (claims: JsonObject, name: string): string | undefined => {
  const said = own(claims, name)
  return typeof said === "string" && said !== "" ? said : undefined
}

/** Who a token is about: a client itself, where no person is named. */
const subjectIn = (claims: JsonObject): string | undefined =>
  Object.hasOwn(claims, "sub") ? textIn(claims, "sub") : (textIn(claims, "client_id") ?? textIn(claims, "azp"))

const refused = (why: string) => Result.fail(new TokenRefused({ why }))

/** Judges what a token says, whose issuer vouches for it. @param now milliseconds since 1970 */
export const judge = (
  rules: TokenRules,
  issuer: string,
  claims: JsonObject,
  resource: string,
  now: number
): Result.Result<Verified, TokenRefused> => {
  const times = timesIn(claims)
  const wrong = wrongAudience(rules, claims, resource) ?? wrongTime(rules, times, now)
  if (wrong !== undefined) return refused(wrong)
  if (Object.hasOwn(claims, "cnf") && !rules.bound) {
    return refused("the token is bound to a key (cnf), and nothing proves that the caller has it (RFC 7800 section 3)")
  }
  const subject = subjectIn(claims)
  if (subject === undefined) return refused("the token does not say in sub who it is about (RFC 9068 section 2.2)")
  const clientId = textIn(claims, "client_id") ?? textIn(claims, "azp")
  const { exp, iat } = times
  const ends = [exp, rules.maxAge === undefined || iat === undefined ? undefined : iat + rules.maxAge]
  return Result.succeed({
    token: {
      issuer,
      subject,
      ...(clientId === undefined ? {} : { clientId }),
      scopes: rules.scopesOf(claims),
      ...(exp === undefined ? {} : { expiresAt: exp }),
      claims
    },
    until: Math.min(...ends.map((end) => (end === undefined ? Infinity : end + rules.tolerance)))
  })
}
