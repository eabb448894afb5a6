/**
 * Where the states of tools marked `once` are spent. Sealing cannot make a state single-use; a store can (STATE-04).
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** Remembers what was spent until it would have expired anyway. */
export interface StateStoreService {
  /**
   * Spends a state.
   *
   * @param id of the state @param until milliseconds since the epoch, when it expires @param now the same clock
   * @returns `false` where it was spent before, or cannot be remembered
   */
  readonly spend: (id: string, until: number, now: number) => Effect.Effect<boolean>
}

/** How many spent states the store of a process remembers; while it is full, states are refused. */
const most = 100_000

/** A store of this process alone. @param capacity how many it remembers */
const memory = (capacity: number = most): StateStoreService => {
  const spent = new Map<string, number>()
  return {
    spend: (id, until, now) =>
      Effect.sync(() => {
        if (spent.has(id)) return false
        if (spent.size >= capacity) {
          for (const [old, end] of spent) if (end <= now) spent.delete(old)
        }
        if (spent.size >= capacity) return false
        spent.set(id, until)
        return true
      })
  }
}

/**
 * The store that is used: of this process by default. Several processes share one by providing their own to the server.
 *
 * @example
 * ```ts
 * import { StateStore } from "@treadle/server"
 * import * as Effect from "effect/Effect"
 *
 * const store = StateStore.memory()
 * await Effect.runPromise(store.spend("a", 10, 0)) // => true
 * await Effect.runPromise(store.spend("a", 10, 0)) // => false
 * ```
 */
export const StateStore = Object.assign(
  Context.Reference<StateStoreService>("@treadle/server/StateStore", { defaultValue: () => memory() }),
  { memory }
)
