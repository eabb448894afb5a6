/**
 * Keeps lists and reads for as long as their server says, and no longer than until it says that they changed (CACHE-04,
 * CACHE-07, CACHE-08).
 */
import * as Effect from "effect/Effect"
import { own, type Json } from "@treadle/protocol/json"
import { keepNewest } from "../../Bounded.ts"
import { makeCacheStore, type CacheSettings, type CacheStore } from "../../CacheStore.ts"
import { eventually } from "../../Eventual.ts"

/** What is kept: a list by its method, or what one address holds. */
export type CacheSubject = { readonly method: string; readonly uri?: string }

/** How long an answer stays fresh, and for whom; of several the strictest (CACHE-09, CACHE-12). */
export interface Freshness {
  readonly ttlMs: number
  readonly shared: boolean
}

/** What a result says about its freshness. */
export const freshnessOf = (result: unknown): Freshness => {
  const ttlMs = own(result, "ttlMs")
  return {
    ttlMs: typeof ttlMs === "number" && ttlMs > 0 ? ttlMs : 0,
    shared: own(result, "cacheScope") === "public"
  }
}

/** The freshness of what was put together from several answers. */
export const strictest = (one: Freshness, other: Freshness): Freshness => ({
  ttlMs: Math.min(one.ttlMs, other.ttlMs),
  shared: one.shared && other.shared
})

/** How many addresses are remembered whose contents are kept. */
const maxKnown = 1024

const nameOf = ({ method, uri }: CacheSubject): string => JSON.stringify(uri === undefined ? [method] : [method, uri])

/** The answers that one session keeps. */
export class Cache {
  readonly #server: string
  readonly #shared: CacheStore
  readonly #private: CacheStore
  readonly #context: Effect.Effect<string>
  /** The subjects that were kept or taken, so that a change finds them. */
  readonly #known = new Map<string, CacheSubject>()
  /** What the changes concern whose entries are being removed: those are stale already. */
  readonly #removing = new Set<(subject: CacheSubject) => boolean>()
  /** Rises with each change, so that an answer which was under way meanwhile is not kept. */
  #changes = 0

  /** @param caller names on whose behalf is called, where the settings do not */
  constructor(server: string, { context, store }: CacheSettings, caller: Effect.Effect<string>) {
    this.#server = server
    this.#shared = store ?? makeCacheStore()
    this.#private = context === undefined ? makeCacheStore() : this.#shared
    this.#context = context === undefined ? caller : Effect.succeed(context)
  }

  /**
   * The kept value of a subject, or that of `ask`, which is then kept.
   *
   * @param ask gives the value and its freshness; no freshness where it must not be kept (MRTR-18)
   * @param within limits the time of looking for what is kept, on whose behalf included
   */
  readonly through = <A extends Json, E>(
    subject: CacheSubject,
    ask: Effect.Effect<{ readonly value: A; readonly freshness: Freshness | undefined }, E>,
    within: <B>(effect: Effect.Effect<B>) => Effect.Effect<B, E>
  ): Effect.Effect<A, E> => {
    const found = Effect.flatMap(this.#context, (context) =>
      Effect.map(this.#find(subject, context), (kept) => ({ context, kept }))
    )
    return Effect.flatMap(within(found), ({ context, kept }) => {
      // What is kept of a subject was asked for by the same method.
      if (kept !== undefined) return Effect.succeed(kept as A)
      const before = this.#changes
      const asked = Effect.tap(ask, ({ freshness, value }) =>
        freshness === undefined || freshness.ttlMs === 0 || before !== this.#changes
          ? Effect.void
          : this.#keep(subject, context, value, freshness)
      )
      return Effect.map(asked, ({ value }) => value)
    })
  }

  /** Forgets what a change makes stale. */
  readonly changed = (concerns: (subject: CacheSubject) => boolean): Effect.Effect<void> =>
    Effect.suspend(() => {
      this.#changes++
      const stale = [...this.#known].filter(([, subject]) => concerns(subject))
      for (const [name] of stale) this.#known.delete(name)
      this.#removing.add(concerns)
      const removed = Effect.flatMap(this.#context, (context) =>
        Effect.forEach(
          stale.flatMap(([, subject]) => [
            [this.#shared, this.#key(subject, undefined)] as const,
            [this.#private, this.#key(subject, context)] as const
          ]),
          ([store, key]) => quiet(eventually(() => store.remove(key))),
          { discard: true }
        )
      )
      return Effect.ensuring(
        removed,
        Effect.sync(() => this.#removing.delete(concerns))
      )
    })

  #key(subject: CacheSubject, context: string | undefined): string {
    return JSON.stringify([this.#server, context ?? null, nameOf(subject)])
  }

  #find(subject: CacheSubject, context: string): Effect.Effect<Json | undefined> {
    const fresh = (store: CacheStore, key: string) =>
      Effect.clockWith((clock) =>
        Effect.map(quiet(eventually(() => store.get(key))), (entry) =>
          entry !== undefined && entry.expires > clock.currentTimeMillisUnsafe() ? entry.value : undefined
        )
      )
    const found = Effect.filterOrElse(
      fresh(this.#shared, this.#key(subject, undefined)),
      (value) => value !== undefined,
      () => fresh(this.#private, this.#key(subject, context))
    )
    return Effect.map(found, (value) => {
      if (value === undefined || [...this.#removing].some((concerns) => concerns(subject))) return undefined
      this.#know(subject)
      return value
    })
  }

  #know(subject: CacheSubject): void {
    this.#known.set(nameOf(subject), subject)
    keepNewest(this.#known, maxKnown)
  }

  #keep(subject: CacheSubject, context: string, value: Json, { shared, ttlMs }: Freshness): Effect.Effect<void> {
    const store = shared ? this.#shared : this.#private
    const key = this.#key(subject, shared ? undefined : context)
    this.#know(subject)
    return Effect.clockWith((clock) =>
      Effect.asVoid(
        quiet(eventually(() => store.set(key, { value, expires: clock.currentTimeMillisUnsafe() + ttlMs })))
      )
    )
  }
}

/** A store that fails keeps nothing; the session goes on. */
const quiet = <A>(effect: Effect.Effect<A, unknown>): Effect.Effect<A | undefined> =>
  Effect.catchCause(effect, (cause) => Effect.as(Effect.logDebug("The cache store failed", cause), undefined))
