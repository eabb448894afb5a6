/**
 * Verifies access tokens that are JWTs, with the keys of their issuer. What a token says of keys itself (`jwk`, `jku`,
 * `x5u`, `x5c`) is never followed.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9068
 * @see https://www.rfc-editor.org/rfc/rfc8725
 */
import { TokenRefused, type TokenVerifier } from "@treadle/server"
import { isJsonObject, namesOf, parseJson, type JsonObject } from "@treadle/protocol/json"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import {
  compactVerify,
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  type CryptoKey,
  type JSONWebKeySet,
  type JWSHeaderParameters
} from "jose"
import { makeAuthority, type AuthoritySettings } from "./Authority.ts"
import { makeIssuerKeys, type IssuerKeys, type KeysFor, type KeySettings, type TrustedIssuer } from "./IssuerKeys.ts"
import { checkLists, checkNames, checkRecord, checkTimes, checkValues } from "../SettingValues.ts"
import { checkAddress, checkIssuer, checkTokens, verifierNames } from "./SettingChecks.ts"
import { remembering, type Verification } from "./TokenMemory.ts"
import { judge, rulesOf, type TokenRules, type TokenSettings } from "./TokenRules.ts"

/** How a signature may be made. */
const asymmetric: ReadonlyArray<string> = "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519".split(
  " "
)

/** What a verifier of JWTs may be told, whoever issues them; times in milliseconds. */
export interface JwtSettings extends AuthoritySettings, KeySettings, TokenSettings {
  /** The signatures that are accepted: by default all asymmetric ones of RFC 7518 and RFC 8037. Others cannot be named. */
  readonly algorithms?: ReadonlyArray<string>
  /**
   * Whether tokens must say in full what RFC 9068 asks for: the type `at+jwt`, `client_id`, `iat` and `jti`. Many
   * authorization servers do not, so that is `false` by default.
   */
  readonly strict?: boolean
  /**
   * How long a token that was verified is accepted without doing so again, in milliseconds; 60,000 by default. A key that
   * its issuer withdrew is accepted that much longer.
   */
  readonly cacheTime?: number
}

/** One issuer, or several with keys of their own. */
export type JwtVerifierSettings = JwtSettings & (TrustedIssuer | { readonly issuers: ReadonlyArray<TrustedIssuer> })

const issuerNames = namesOf<TrustedIssuer>({ issuer: true, jwksUri: true, keys: true })
const settingNames = [
  ...verifierNames,
  ...namesOf<KeySettings>({ keyTime: true, cooldown: true }),
  "algorithms",
  "strict",
  "cacheTime"
]

/** The type of a token without the part that may be left out (RFC 7515 section 4.1.9). */
const typeOf = (header: JWSHeaderParameters): unknown =>
  typeof header.typ === "string" ? header.typ.toLowerCase().replace(/^application\//, "") : header.typ

/** What is wrong with the header of a token. */
const wrongHeader = (header: JWSHeaderParameters, settings: JwtSettings): string | undefined => {
  const { algorithms = asymmetric, strict = false } = settings
  if (typeof header.alg !== "string" || !algorithms.includes(header.alg)) {
    return "the token is not signed in a way that this server accepts: alg (RFC 8725 section 3.1)"
  }
  if (header.crit !== undefined || header.b64 !== undefined) {
    return "the token asks for extensions that this server does not know: crit (RFC 7515 section 4.1.11)"
  }
  if (header.kid !== undefined && typeof header.kid !== "string") {
    return "the name of the key in the token is no text: kid (RFC 7515 section 4.1.4)"
  }
  const type = typeOf(header)
  if (type === "at+jwt" || (!strict && (type === undefined || type === "jwt"))) return undefined
  return "the token is no access token by its type: typ (RFC 9068 section 2.1)"
}

/** Claims of ID tokens and of security events, which no access token has. */
const foreign: ReadonlyArray<string> = ["at_hash", "c_hash", "s_hash", "events"]

/** What is wrong with a token that is no access token, though it is signed by its issuer (RFC 8725 section 3.12). */
const wrongKind = (header: JWSHeaderParameters, claims: JsonObject, strict: boolean): string | undefined => {
  if (typeOf(header) !== "at+jwt" && foreign.some((claim) => Object.hasOwn(claims, claim))) {
    return "the token is no access token by what it says (RFC 8725 section 3.12)"
  }
  const missing = strict ? ["client_id", "iat", "jti"].filter((claim) => !Object.hasOwn(claims, claim)) : []
  return missing.length === 0 ? undefined : `the token does not say ${missing.join(", ")} (RFC 9068 section 2.2)`
}

const refuse = (why: string) => Effect.fail(new TokenRefused({ why }))

/** What a token says of who signed it, before anything vouches for that. */
const decoded = (token: string) => {
  try {
    return { header: decodeProtectedHeader(token), issuer: decodeJwt(token).iss }
  } catch {
    return undefined
  }
}

/** The payload of a token that one of these keys signed. */
const payloadOf = async (token: string, keys: ReadonlyArray<CryptoKey>): Promise<Uint8Array | undefined> => {
  for (const key of keys) {
    // Whatever is wrong with a signature or with a key, that key did not sign the token.
    const verified = await compactVerify(token, key).catch(() => undefined)
    if (verified !== undefined) return verified.payload
  }
  return undefined
}

interface Trial {
  readonly known: boolean
  readonly payload: Uint8Array | undefined
}

const tryKeys = (token: string, header: JWSHeaderParameters, keysFor: KeysFor): Effect.Effect<Trial> =>
  Effect.promise(async () => {
    const keys = await keysFor(header)
    return { known: keys.length > 0, payload: await payloadOf(token, keys) }
  })

const unsigned = (known: boolean): string =>
  known
    ? "the signature of the token is wrong (RFC 7515 section 5.2)"
    : "the token is not signed with a key that its issuer publishes (RFC 9068 section 4)"

/** The payload of a token that its issuer signed. Keys that do not fit may be keys of before. */
const signedPayload = Effect.fnUntraced(function* (token: string, header: JWSHeaderParameters, keys: IssuerKeys) {
  const current = yield* keys.current
  const first = yield* tryKeys(token, header, current)
  if (first.payload !== undefined) return first.payload
  const newer = yield* Effect.catchTag(keys.newer, "VerifierUnavailable", (unavailable) =>
    first.known ? Effect.succeed(current) : Effect.fail(unavailable)
  )
  if (newer === current) return yield* refuse(unsigned(first.known))
  const second = yield* tryKeys(token, header, newer)
  return second.payload ?? (yield* refuse(unsigned(second.known)))
})

const verification = (settings: JwtSettings, rules: TokenRules, keys: ReadonlyMap<unknown, IssuerKeys>): Verification =>
  Effect.fnUntraced(function* (token, { resource }) {
    const parts = decoded(token)
    if (parts === undefined) return yield* refuse("the token is no signed JWT (RFC 7519 section 7.2)")
    const { header, issuer } = parts
    const wrong = wrongHeader(header, settings)
    if (wrong !== undefined) return yield* refuse(wrong)
    const ofIssuer = keys.get(issuer)
    if (typeof issuer !== "string" || ofIssuer === undefined) {
      return yield* refuse("the token is not of an issuer that this server trusts: iss (RFC 9068 section 4)")
    }
    const payload = yield* signedPayload(token, header, ofIssuer)
    const claims = parseJson(new TextDecoder().decode(payload))
    if (!isJsonObject(claims)) return yield* refuse("the claims of the token are no JSON object (RFC 7519 section 7.2)")
    const kind = wrongKind(header, claims, settings.strict ?? false)
    if (kind !== undefined) return yield* refuse(kind)
    return yield* Effect.fromResult(judge(rules, issuer, claims, resource, yield* Clock.currentTimeMillis))
  })

const example = '{ issuer: "https://login.example" }'

const checkKeys = (keys: JSONWebKeySet): void => {
  try {
    createLocalJWKSet(keys)
  } catch {
    throw new TypeError("keys must be a JSON Web Key Set, { keys: [ … ] } (RFC 7517 section 5)")
  }
}

/** The issuers of the settings, each with its name. @throws TypeError where they say what cannot be */
const issuersOf = (settings: JwtVerifierSettings): ReadonlyArray<TrustedIssuer> => {
  checkRecord("what JwtVerifier.make is given", settings, example)
  const issuers = "issuers" in settings ? settings.issuers : [settings]
  if (!Array.isArray(issuers)) throw new TypeError(`issuers must be an array, such as [${example}]`)
  for (const one of issuers) checkRecord("each of issuers", one, example)
  if ("issuers" in settings) {
    checkNames(settings, [...settingNames, "issuers"])
    for (const [at, one] of issuers.entries()) checkNames(one, issuerNames, `issuers[${at}].`)
  } else checkNames(settings, [...settingNames, ...issuerNames])
  if (issuers.length === 0 || new Set(issuers.map(({ issuer }) => issuer)).size < issuers.length) {
    throw new TypeError("JwtVerifier.make needs at least one issuer, and each of them once")
  }
  for (const { issuer, jwksUri, keys } of issuers) {
    checkIssuer(issuer)
    if (keys !== undefined) checkKeys(keys)
    else if (jwksUri !== undefined) checkAddress("jwksUri", jwksUri)
    else checkAddress("issuer", issuer)
  }
  return issuers
}

const checkAlgorithms = (algorithms: ReadonlyArray<string>): void => {
  checkLists({ algorithms }, ["algorithms"])
  const wrong = algorithms.find((algorithm) => !asymmetric.includes(algorithm))
  if (algorithms.length > 0 && wrong === undefined) return
  throw new TypeError(`algorithms names ${wrong ?? "none"}; name some of ${asymmetric.join(", ")}`)
}

/**
 * Makes a verifier of JWTs. It is inert; what it opens fetches the keys of its issuers when a token needs them, from
 * `jwksUri`, or from where the metadata of the issuer says (RFC 8414, OpenID Connect Discovery). They are asked for again
 * after `keyTime`, and for a token that is signed with a key unknown so far, at most once per `cooldown`. While an issuer
 * does not answer, its keys of before are used for up to an hour.
 *
 * A token is accepted when a key of its issuer signed it, `aud` names the resource, and `exp`, `nbf` and `iat` fit the
 * time. Its subject is `sub`, or else `client_id`, or else `azp`; its scopes are those in `scope`, or else in `scp`.
 *
 * @returns a verifier that fails with `TokenRefused` where a token is not accepted, and with `VerifierUnavailable` where
 *   there are no keys to judge it by
 * @throws TypeError where the settings say what cannot be
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#token-handling
 *
 * @example
 * ```ts
 * import { JwtVerifier } from "@treadle/oauth/verify"
 * import * as Effect from "effect/Effect"
 * import * as Redacted from "effect/Redacted"
 *
 * const verifier = JwtVerifier.make({ issuer: "https://login.example" })
 * const presented = { token: Redacted.make("a secret"), resource: "https://box.example/mcp" }
 * const said = Effect.scoped(verifier.open.pipe(Effect.flatMap((verify) => verify(presented)), Effect.flip))
 * await Effect.runPromise(said).then((failure) => failure.message)
 * // => "the token is no signed JWT (RFC 7519 section 7.2)"
 * ```
 */
const make = (settings: JwtVerifierSettings): TokenVerifier => {
  const issuers = issuersOf(settings)
  if (settings.algorithms !== undefined) checkAlgorithms(settings.algorithms)
  checkTokens(settings)
  checkValues(settings, { strict: [true, false] })
  checkTimes(settings, ["timeout", "cacheTime", "keyTime", "cooldown"])
  const given = issuers.flatMap(({ issuer, jwksUri, keys }) => (keys === undefined ? [jwksUri ?? issuer] : []))
  const rules = rulesOf(settings, { audience: true, expiry: true })
  return {
    open: Effect.map(Effect.scope, (scope) => {
      const authority = makeAuthority(settings, given)
      const keys = new Map(issuers.map((one) => [one.issuer, makeIssuerKeys(scope, authority, one, settings)]))
      return remembering(scope, settings.cacheTime ?? 60_000, verification(settings, rules, keys))
    })
  }
}

/** Verifies access tokens that are JWTs. */
export const JwtVerifier = { make }
