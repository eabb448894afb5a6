/**
 * The keys of one issuer, fetched when they are needed and kept. Keys that an issuer replaces are found by fetching anew,
 * which strangers with made-up keys can bring about only so often.
 */
import { VerifierUnavailable } from "@treadle/server"
import { isJsonObject, isRecord, own, parseJson } from "@treadle/protocol/json"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { createLocalJWKSet, errors, type CryptoKey, type JSONWebKeySet, type JWSHeaderParameters } from "jose"
import { shownAddress } from "../AddressGuard.ts"
import { noDocument, type Authority } from "./Authority.ts"
import { Flights } from "./Flights.ts"
import { addressIn, readMetadata } from "./IssuerMetadata.ts"

/** An issuer whose tokens are accepted. */
export interface TrustedIssuer {
  /** Exactly as its tokens and its metadata say it. */
  readonly issuer: string
  /** Where its keys are, which its metadata says otherwise. */
  readonly jwksUri?: string
  /** Its keys themselves; nothing is fetched then. */
  readonly keys?: JSONWebKeySet
}

/** How keys are kept; times in milliseconds. */
export interface KeySettings {
  /** How long keys are used without asking for them again; 600,000 by default. */
  readonly keyTime?: number
  /** How long is waited at least between two fetches because of a key that is not known; 30,000 by default. */
  readonly cooldown?: number
}

/** The keys for a token with this header; none where the issuer has none that fits. */
export type KeysFor = (header: JWSHeaderParameters) => Promise<ReadonlyArray<CryptoKey>>

/** How long keys are used that cannot be fetched anew, in milliseconds: about as long as tokens last. */
const keptFor = 60 * 60_000

/** How many keys an issuer may have. */
const maxKeys = 100

/** How long is waited after a first fetch that failed, in milliseconds; twice as long after each further one. */
const firstPause = 1_000

const keysIn = (set: JSONWebKeySet): KeysFor => {
  const find = createLocalJWKSet(set)
  return async (header) => {
    try {
      return [await find(header)]
    } catch (failure) {
      if (!(failure instanceof errors.JWKSMultipleMatchingKeys)) return []
      const several: Array<CryptoKey> = []
      for await (const key of failure) several.push(key)
      return several
    }
  }
}

/** The key set in a text, or what is wrong with it. Keys of a kind that nobody knows are left alone. */
const keySetIn = (text: string): JSONWebKeySet | string => {
  const document = parseJson(text)
  const keys = own(document, "keys")
  if (!isJsonObject(document) || !Array.isArray(keys)) return "it is no key set"
  if (keys.length > maxKeys) return `it has more than ${maxKeys} keys`
  return { keys: keys.filter(isRecord) }
}

const fetchKeys = Effect.fnUntraced(function* (authority: Authority, { issuer, jwksUri }: TrustedIssuer) {
  const url =
    jwksUri === undefined
      ? yield* addressIn(yield* readMetadata(authority, issuer), issuer, "jwks_uri")
      : new URL(jwksUri)
  const headers = new Headers({ accept: "application/json, application/jwk-set+json" })
  const answer = yield* authority({ url, what: "the key set of the issuer", headers })
  const set = noDocument(answer) ?? keySetIn(answer.text)
  if (typeof set !== "string") return keysIn(set)
  const why = `the key set of the issuer, ${shownAddress(url)}, gave no keys: ${set}`
  return yield* new VerifierUnavailable({ why })
})

/** The keys of one issuer, as they are known from time to time. */
export interface IssuerKeys {
  /** The keys as they are known. */
  readonly current: Effect.Effect<KeysFor, VerifierUnavailable>
  /** The keys as they are now, for a token that those of before do not fit; the same ones where it is too early to ask. */
  readonly newer: Effect.Effect<KeysFor, VerifierUnavailable>
}

/** Keys that are fetched, and kept as long as the scope is open. */
class FetchedKeys implements IssuerKeys {
  readonly #fetch: Effect.Effect<KeysFor, VerifierUnavailable>
  readonly #flights: Flights<void, never>
  readonly #keyTime: number
  readonly #cooldown: number
  #kept: { readonly keys: KeysFor; readonly at: number } | undefined
  /** When the last fetch ended. */
  #askedAt: number | undefined
  #failure: { readonly error: VerifierUnavailable; readonly times: number } | undefined

  constructor(scope: Scope.Scope, fetch: Effect.Effect<KeysFor, VerifierUnavailable>, settings: KeySettings) {
    this.#fetch = fetch
    this.#flights = new Flights(scope)
    this.#keyTime = settings.keyTime ?? 600_000
    this.#cooldown = settings.cooldown ?? 30_000
  }

  readonly current = Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const keys = this.#usable(now)
    if (keys !== undefined && this.#isFresh(now)) return Effect.succeed(keys)
    // The cooldown is for keys that are not known; those whose time is over are asked for whenever that was done last.
    const isDue = this.#failure === undefined || this.#isDue(now)
    if (keys === undefined || this.#failure === undefined)
      return Effect.andThen(this.#refreshed(isDue), this.#known(now))
    // While an issuer does not answer, nobody waits for it who can be served with the keys of before.
    return isDue ? Effect.as(this.#flights.begin("keys", this.#refresh), keys) : Effect.succeed(keys)
  })

  readonly newer = Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Effect.flatMap(this.#refreshed(this.#isDue(now)), () =>
      this.#failure === undefined ? this.#known(now) : Effect.fail(this.#failure.error)
    )
  )

  #known(now: number): Effect.Effect<KeysFor, VerifierUnavailable> {
    return Effect.suspend(() => {
      const keys = this.#usable(now)
      if (keys !== undefined) return Effect.succeed(keys)
      return Effect.fail(this.#failure?.error ?? new VerifierUnavailable({ why: "the keys of the issuer are too old" }))
    })
  }

  #isFresh(now: number): boolean {
    return this.#kept !== undefined && now - this.#kept.at < this.#keyTime
  }

  #usable(now: number): KeysFor | undefined {
    return this.#kept !== undefined && now - this.#kept.at < keptFor ? this.#kept.keys : undefined
  }

  /** Waits for the fetch that is under way, or for a new one where it is time for one. */
  #refreshed(isDue: boolean): Effect.Effect<void, VerifierUnavailable> {
    return this.#flights.isUnderWay("keys") || isDue ? this.#flights.join("keys", this.#refresh) : Effect.void
  }

  #isDue(now: number): boolean {
    if (this.#askedAt === undefined) return true
    const pause = this.#failure === undefined ? this.#cooldown : firstPause * 2 ** (this.#failure.times - 1)
    return now - this.#askedAt >= Math.min(pause, this.#cooldown)
  }

  readonly #refresh: Effect.Effect<void> = Effect.flatMap(Clock.currentTimeMillis, (at) =>
    Effect.flatMap(Effect.result(this.#fetch), (fetched) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        this.#askedAt = now
        if (Result.isSuccess(fetched)) {
          this.#kept = { keys: fetched.success, at }
          this.#failure = undefined
          return Effect.void
        }
        const error = fetched.failure
        this.#failure = { error, times: (this.#failure?.times ?? 0) + 1 }
        return this.#kept === undefined ? Effect.void : Effect.logWarning(`${error.why}; the keys of before are used`)
      })
    )
  )
}

/** Makes the keys of an issuer; live, where they must be fetched. */
export const makeIssuerKeys = (
  scope: Scope.Scope,
  authority: Authority,
  trusted: TrustedIssuer,
  settings: KeySettings
): IssuerKeys => {
  if (trusted.keys === undefined) return new FetchedKeys(scope, fetchKeys(authority, trusted), settings)
  const fixed = Effect.succeed(keysIn(trusted.keys))
  return { current: fixed, newer: fixed }
}
