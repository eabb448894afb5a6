/**
 * Verifies tokens of any form by asking the authorization server that issued them (RFC 7662).
 *
 * @see https://www.rfc-editor.org/rfc/rfc7662
 */
import { TokenRefused, VerifierUnavailable, type TokenVerifier } from "@treadle/server"
import { isJsonObject, own, parseJson, type JsonObject } from "@treadle/protocol/json"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Semaphore from "effect/Semaphore"
import type * as Scope from "effect/Scope"
import type { CryptoKey } from "jose"
import {
  allowInsecureRequests,
  ClientSecretBasic,
  ClientSecretPost,
  customFetch,
  introspectionRequest,
  modifyAssertion,
  PrivateKeyJwt,
  type ClientAuth
} from "oauth4webapi"
import { makeAuthority, typeOf, noDocument, type Authority, type AuthoritySettings } from "./Authority.ts"
import { shownAddress } from "../AddressGuard.ts"
import type { AuthorityAnswer } from "../AuthorityCall.ts"
import { Flights } from "./Flights.ts"
import { addressIn, readMetadata } from "./IssuerMetadata.ts"
import { bare, checkNames, checkRecord, checkTimes, checkValues, isText } from "../SettingValues.ts"
import { checkAddress, checkIssuer, checkTokens, verifierNames } from "./SettingChecks.ts"
import { remembering, type Verification } from "./TokenMemory.ts"
import { judge, rulesOf, type TokenRules, type TokenSettings } from "./TokenRules.ts"

/** How this server shows the authorization server who asks. */
export type IntrospectionClient =
  | {
      /** As `Redacted` it does not show when the settings are printed. */
      readonly clientSecret: string | Redacted.Redacted
      /** Where the secret is sent: in the `Authorization` header, which is the default, or in the form. */
      readonly method?: "client_secret_basic" | "client_secret_post"
    }
  /** A private key that signs an assertion (RFC 7523); `kid` names it where the authorization server knows several. */
  | { readonly privateKey: Redacted.Redacted<CryptoKey>; readonly kid?: string }

interface Settings extends AuthoritySettings, TokenSettings {
  /** Who issues the tokens, exactly as it says itself; the principals of this server are told apart by it. */
  readonly issuer: string
  /** Where to ask, which the metadata of the issuer says otherwise. */
  readonly endpoint?: string
  /** The name of this server at the authorization server. */
  readonly clientId: string
  /**
   * What becomes of a token of which the authorization server does not say whom it is meant for: by default it is refused
   * (`"required"`). Say `"trusted"` only where the authorization server tells nobody of tokens for others.
   */
  readonly audience?: "required" | "trusted"
  /**
   * How long an answer is used again, in milliseconds; 0 by default, so that each request is asked for. A token that is
   * revoked is accepted that much longer.
   */
  readonly cacheTime?: number
}

/** What a verifier by introspection may be told. */
export type IntrospectionSettings = Settings & IntrospectionClient

const clientNames = ["clientSecret", "method", "privateKey", "kid"]
const settingNames = [...verifierNames, ...clientNames, "issuer", "endpoint", "clientId", "audience", "cacheTime"]

/** How many tokens are asked about at the same time. */
const concurrency = 32

/** How long the address from the metadata of an issuer is used, in milliseconds. */
const endpointTime = 600_000

/** @param now seconds since 1970 */
const authenticationOf = (client: IntrospectionClient, now: number): ClientAuth => {
  if ("clientSecret" in client) {
    const { clientSecret } = client
    const secret = Redacted.isRedacted(clientSecret) ? Redacted.value(clientSecret) : clientSecret
    return client.method === "client_secret_post" ? ClientSecretPost(secret) : ClientSecretBasic(secret)
  }
  const key = { key: Redacted.value(client.privateKey), ...(client.kid === undefined ? {} : { kid: client.kid }) }
  return PrivateKeyJwt(key, {
    [modifyAssertion]: (_, payload) => void Object.assign(payload, { iat: now, nbf: now, exp: now + 60 })
  })
}

interface Form {
  readonly headers: Headers
  readonly body: string
}

/**
 * The request about a token, with what shows who asks. It is made as it would be sent, and sent by what guards addresses.
 */
const formOf = (settings: IntrospectionSettings, endpoint: URL, token: string, now: number): Promise<Form> =>
  new Promise((resolve, reject) => {
    const server = { issuer: settings.issuer, introspection_endpoint: endpoint.href }
    const client = { client_id: settings.clientId }
    const options = {
      additionalParameters: { token_type_hint: "access_token" },
      [allowInsecureRequests]: true,
      [customFetch]: async (
        _: string,
        { body, headers }: { body: URLSearchParams; headers: Record<string, string> }
      ) => {
        resolve({ headers: new Headers(headers), body: body.toString() })
        return new Response()
      }
    }
    introspectionRequest(server, client, authenticationOf(settings, now), token, options).catch(reject)
  })

/** Whether a token is no access token, or none that a bearer may show, as some authorization servers say of them. */
const isOtherKind = (said: JsonObject, bound: boolean): boolean => {
  const type = own(said, "token_type") ?? "bearer"
  const types = ["bearer", "access_token", ...(bound ? ["dpop"] : [])]
  return (
    typeof type !== "string" ||
    !types.includes(type.toLowerCase()) ||
    !["access", "access_token", undefined].some((use) => use === own(said, "token_use"))
  )
}

/** Some authorization servers say in `resource` what others say in `aud`. */
const withAudience = (said: JsonObject): JsonObject => {
  const { aud, resource } = said
  return aud === undefined && resource !== undefined ? { ...said, aud: resource } : said
}

const unanswered = (endpoint: URL, why: string) =>
  new VerifierUnavailable({
    why: `the introspection endpoint, ${shownAddress(endpoint)}, said nothing of a token: ${why}`
  })

/** The error that an authorization server names, such as `unsupported_token_type` of tokens that it does not know. */
const errorIn = ({ text }: AuthorityAnswer): string => {
  const said = parseJson(text)
  const error = isJsonObject(said) ? own(said, "error") : undefined
  return typeof error === "string" && /^[a-z_]{1,60}$/.test(error) ? `, ${error}` : ""
}

/** What the authorization server says of a token; of one that is not active it says nothing. */
const saidIn = (answer: AuthorityAnswer): JsonObject | string => {
  if (answer.status === 401 || answer.status === 403) {
    return `HTTP ${answer.status}; it does not accept this server's own credentials`
  }
  const wrong = noDocument(answer)
  if (wrong !== undefined) return `${wrong}${errorIn(answer)}`
  if (typeOf(answer) !== "application/json") return "its type is not application/json"
  const said = parseJson(answer.text)
  return isJsonObject(said) && typeof own(said, "active") === "boolean"
    ? said
    : "active is missing (RFC 7662 section 2.2)"
}

/** Finds the endpoint, and asks again after some time. */
const endpointOf = (scope: Scope.Scope, authority: Authority, { endpoint, issuer }: Settings) => {
  if (endpoint !== undefined) return Effect.succeed(new URL(endpoint))
  let known: { readonly url: URL; readonly until: number } | undefined
  const flights = new Flights<URL, VerifierUnavailable>(scope)
  const found = Effect.fnUntraced(function* () {
    const url = yield* addressIn(yield* readMetadata(authority, issuer), issuer, "introspection_endpoint")
    known = { url, until: (yield* Clock.currentTimeMillis) + endpointTime }
    return url
  })
  return Effect.flatMap(Clock.currentTimeMillis, (now) =>
    known !== undefined && now < known.until ? Effect.succeed(known.url) : flights.join("metadata", found())
  )
}

/** @throws TypeError where this server could not show who it is */
const checkClient = (settings: IntrospectionSettings): void => {
  const { clientId, clientSecret, privateKey }: { readonly [name: string]: unknown } = { ...settings }
  if (!isText(clientId)) {
    throw new TypeError("clientId is missing; write the name of this server at the authorization server")
  }
  if (isText(bare(clientSecret)) || Redacted.isRedacted(privateKey)) return
  throw new TypeError("clientSecret must be a text that is not empty; or give privateKey, as Redacted.make(key)")
}

const introspection = (
  settings: IntrospectionSettings,
  rules: TokenRules,
  authority: Authority,
  endpoint: Effect.Effect<URL, VerifierUnavailable>
): Verification =>
  Effect.fnUntraced(function* (token, { resource }) {
    const url = yield* endpoint
    const asked = yield* Clock.currentTimeMillis
    const { body, headers } = yield* Effect.tryPromise({
      try: () => formOf(settings, url, token, Math.floor(asked / 1000)),
      catch: () => unanswered(url, "the request could not be made; check clientSecret or privateKey")
    })
    const said = saidIn(yield* authority({ url, what: "the introspection endpoint", headers, body }))
    if (typeof said === "string") return yield* unanswered(url, said)
    if (said["active"] !== true)
      return yield* new TokenRefused({ why: "the token is not active (RFC 7662 section 2.2)" })
    if (Object.hasOwn(said, "iss") && said["iss"] !== settings.issuer) {
      return yield* new TokenRefused({ why: "the token is of another issuer: iss (RFC 7662 section 2.2)" })
    }
    if (isOtherKind(said, rules.bound))
      return yield* new TokenRefused({ why: "the token is no access token (RFC 7662 section 4)" })
    return yield* Effect.fromResult(
      judge(rules, settings.issuer, withAudience(said), resource, yield* Clock.currentTimeMillis)
    )
  })

/**
 * Makes a verifier that asks the authorization server about each token. It is inert; what it opens finds the endpoint in
 * the metadata of the issuer, unless it is named. Requests with the same token at the same time are one question.
 *
 * A token is accepted when it is active, `aud` names the resource, and `exp`, `nbf` and `iat` fit the time where they are
 * said. Its subject is `sub`, or else `client_id`; its scopes are those in `scope`.
 *
 * @returns a verifier that fails with `TokenRefused` where a token is not accepted, and with `VerifierUnavailable` where
 *   the authorization server gives no answer to go on with
 * @throws TypeError where the settings say what cannot be
 *
 * @example
 * ```ts
 * import { Introspection } from "@treadle/oauth/verify"
 * import * as Effect from "effect/Effect"
 * import * as Redacted from "effect/Redacted"
 *
 * const verifier = Introspection.make({
 *   issuer: "https://login.example",
 *   clientId: "box office",
 *   clientSecret: Redacted.make("a secret")
 * })
 * Effect.isEffect(verifier.open) // => true
 * ```
 */
const make = (settings: IntrospectionSettings): TokenVerifier => {
  checkRecord("what Introspection.make is given", settings, "{ issuer, clientId, clientSecret }")
  checkNames(settings, settingNames)
  const { audience, cacheTime = 0, endpoint, issuer } = settings
  checkIssuer(issuer)
  if (endpoint === undefined) checkAddress("issuer", issuer)
  else checkAddress("endpoint", endpoint)
  checkClient(settings)
  checkTokens(settings)
  checkValues(settings, {
    audience: ["required", "trusted"],
    method: ["client_secret_basic", "client_secret_post"]
  })
  checkTimes(settings, ["timeout", "cacheTime"])
  const rules = rulesOf(settings, { audience: audience !== "trusted", expiry: false })
  return {
    open: Effect.map(Effect.scope, (scope) => {
      const authority = makeAuthority(settings, [endpoint ?? issuer])
      const slots = Semaphore.makeUnsafe(concurrency)
      const ask = introspection(settings, rules, authority, endpointOf(scope, authority, settings))
      return remembering(scope, cacheTime, (token, presented) => slots.withPermits(1)(ask(token, presented)))
    })
  }
}

/** Verifies tokens of any form by asking their issuer. */
export const Introspection = { make }
