/**
 * Where logins are kept. A store knows keys and secret texts and nothing of OAuth; `@treadle/oauth/node` has one in
 * encrypted files, and here is one in memory.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Semaphore from "effect/Semaphore"
import type { StoreFailure } from "./AuthError.ts"

/** Keeps secret texts by key. Keys are any text, and two of them are never confused. */
export interface TokenStore {
  /** What is kept; what cannot be opened any more counts as nothing. */
  readonly read: (key: string) => Effect.Effect<Redacted.Redacted | undefined, StoreFailure>
  readonly write: (key: string, value: Redacted.Redacted) => Effect.Effect<void, StoreFailure>
  /**
   * Forgets what is kept.
   *
   * @param expected where it is given, something else that was written meanwhile is left alone
   * @returns whether there was something to forget
   */
  readonly remove: (key: string, expected?: Redacted.Redacted) => Effect.Effect<boolean, StoreFailure>
  /**
   * Runs something while nobody else who shares the store runs anything under this key. Whoever comes next waits, and is
   * let in where the one before it has died.
   */
  readonly exclusive: <A, E, R>(key: string, effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | StoreFailure, R>
}

/** A lock for each key, kept as long as somebody holds or awaits it. */
export const makeLocks = (): (<A, E, R>(key: string, effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>) => {
  const locks = new Map<string, { readonly semaphore: Semaphore.Semaphore; users: number }>()
  return (key, effect) =>
    Effect.acquireUseRelease(
      Effect.sync(() => {
        const lock = locks.get(key) ?? { semaphore: Semaphore.makeUnsafe(1), users: 0 }
        lock.users++
        locks.set(key, lock)
        return lock
      }),
      ({ semaphore }) => semaphore.withPermits(1)(effect),
      (lock) => Effect.sync(() => void (--lock.users === 0 && locks.delete(key)))
    )
}

/**
 * A store that lasts as long as the process.
 *
 * @example
 * ```ts
 * import { makeMemoryStore } from "@treadle/oauth"
 * import * as Effect from "effect/Effect"
 *
 * Effect.runSync(makeMemoryStore().remove("nothing")) // => false
 * ```
 */
export const makeMemoryStore = (): TokenStore => {
  const kept = new Map<string, Redacted.Redacted>()
  return {
    read: (key) => Effect.sync(() => kept.get(key)),
    write: (key, value) => Effect.sync(() => void kept.set(key, value)),
    remove: (key, expected) =>
      Effect.sync(() => {
        const value = kept.get(key)
        const isOther =
          expected !== undefined && value !== undefined && Redacted.value(value) !== Redacted.value(expected)
        return !isOther && kept.delete(key)
      }),
    exclusive: makeLocks()
  }
}
