/**
 * One request at a token endpoint: the client proves itself, the key is proven where tokens are bound to one, and the
 * answer is read. A refusal is told in the server's own words; nothing of the request is.
 */
import type * as OAuth from "oauth4webapi"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { own, type JsonObject } from "@treadle/protocol/json"
import { shownAddress } from "../AddressGuard.ts"
import { AuthReason, maxWords } from "../AuthError.ts"
import { clientAuth, type OAuthClient } from "./Client.ts"
import type { ServerFacts } from "./Discovery.ts"
import type { Dpop } from "./Dpop.ts"
import { validity } from "./Grant.ts"
import { call, endpointIn, type OAuthPeer, type PeerResponse } from "./OAuthPeer.ts"
import { unusableKey } from "./SigningKey.ts"

/** What is asked of a token endpoint. */
export interface TokenRequest {
  readonly grant: string
  readonly parameters: { readonly [name: string]: string | undefined }
  readonly client: OAuthClient
  readonly dpop?: Dpop | undefined
}

/** What a token endpoint gave. */
export interface Issued {
  readonly token: Redacted.Redacted
  /** In lower case. */
  readonly type: string
  readonly refreshToken: Redacted.Redacted | undefined
  /** `undefined` where the server does not say how long it lasts. */
  readonly validity: ReturnType<typeof validity> | undefined
}

const what = "the token endpoint"

const words = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value.slice(0, maxWords) : undefined

const retryAfter = (headers: Headers): { readonly retryAfter?: number } => {
  const seconds = headers.get("retry-after") ?? ""
  return /^\d{1,6}$/.test(seconds) ? { retryAfter: Number(seconds) * 1000 } : {}
}

/** Why a response is no success. @param asked what was asked, such as `the token request` */
export const refusalOf = (url: URL, asked: string, { headers, json, status }: PeerResponse): AuthReason => {
  const error = words(own(json, "error"))
  if (error !== undefined && status >= 400 && status < 500 && status !== 429) {
    const description = words(own(json, "error_description"))
    return new AuthReason.Refused({ what: asked, error, status, ...(description === undefined ? {} : { description }) })
  }
  const why = status === 200 || status === 201 ? `HTTP ${status}, but not what was asked for` : `HTTP ${status}`
  return new AuthReason.Unavailable({ url: shownAddress(url), what: asked, why, ...retryAfter(headers) })
}

/** Whether seconds are still a number in milliseconds, as they are kept; as good as never is not said. */
export const isFiniteTime = (seconds: number): boolean => Number.isFinite(seconds * 1000)

/** Seconds; some servers write them as text. Less than none is none: the token is over, and not one that lasts. */
const secondsIn = (value: unknown): number | undefined => {
  const seconds = typeof value === "string" && /^\d{1,10}$/.test(value) ? Number(value) : value
  return typeof seconds === "number" && isFiniteTime(seconds) ? Math.max(0, seconds) : undefined
}

const secretIn = (value: unknown): Redacted.Redacted | undefined =>
  typeof value === "string" && value !== "" ? Redacted.make(value) : undefined

/** Whether a value can be shown in a header. */
const isHeaderText = (value: string): boolean => /^[\x21-\x7e]+$/.test(value)

const issuedIn = (json: JsonObject | undefined, now: number): Issued | undefined => {
  const token = secretIn(own(json, "access_token"))
  const type = own(json, "token_type")
  if (token === undefined || !isHeaderText(Redacted.value(token)) || typeof type !== "string") return undefined
  const seconds = secondsIn(own(json, "expires_in"))
  return {
    token,
    type: type.toLowerCase(),
    refreshToken: secretIn(own(json, "refresh_token")),
    validity: seconds === undefined ? undefined : validity(seconds, now)
  }
}

/** The form that a client sends, with its proof, made by a library that knows the grammar of each. */
const formOf = (
  { client, grant, parameters }: TokenRequest,
  { issuer, metadata }: ServerFacts
): Effect.Effect<{ readonly body: string; readonly headers: Headers }, AuthReason> =>
  Effect.flatMap(clientAuth(client), (prove) =>
    Effect.tryPromise({
      try: async () => {
        const body = new URLSearchParams({ grant_type: grant })
        for (const [name, value] of Object.entries(parameters)) if (value !== undefined) body.set(name, value)
        const headers = new Headers({ "content-type": "application/x-www-form-urlencoded;charset=UTF-8" })
        const server: OAuth.AuthorizationServer = { ...metadata, issuer }
        await prove(server, { client_id: client.id }, body, headers)
        return { body: body.toString(), headers }
      },
      catch: () => unusableKey
    })
  )

/** A server may demand a nonce of its own in the proof, once (RFC 9449 section 8). */
const demandsNonce = ({ json, status }: PeerResponse): boolean =>
  (status === 400 || status === 401) && own(json, "error") === "use_dpop_nonce"

/** Asks for a token. */
export const requestToken = (
  peer: OAuthPeer,
  server: ServerFacts,
  request: TokenRequest
): Effect.Effect<Issued, AuthReason> =>
  Effect.gen(function* () {
    const url = yield* endpointIn(peer, server.metadata, "token_endpoint")
    const { dpop } = request
    const send = Effect.gen(function* () {
      const { body, headers } = yield* formOf(request, server)
      if (dpop !== undefined) headers.set("dpop", yield* dpop.proof({ method: "POST", url }))
      const response = yield* call(peer, { url, what, headers, body })
      dpop?.heard(url, response.headers.get("dpop-nonce"))
      return response
    })
    const first = yield* send
    const response = dpop !== undefined && demandsNonce(first) ? yield* send : first
    const issued = response.status === 200 ? issuedIn(response.json, yield* Clock.currentTimeMillis) : undefined
    return issued ?? (yield* Effect.fail(refusalOf(url, "the token request", response)))
  })
