/**
 * The pages that a server says it is done with (ELIC-20), whether somebody waits for that already or will.
 */
import * as Effect from "effect/Effect"
import { keepNewest } from "../../Bounded.ts"

/** How many pages are remembered that nobody waited for. */
const maxKnown = 256

/** Pages by the ids of their elicitations. */
export class Completions {
  readonly #done = new Set<string>()
  readonly #waiting = new Map<string, Set<() => void>>()

  /** The server is done with a page. */
  done(id: string): void {
    const waiting = this.#waiting.get(id)
    if (waiting !== undefined) {
      this.#waiting.delete(id)
      return waiting.forEach((wake) => wake())
    }
    this.#done.add(id)
    keepNewest(this.#done, maxKnown)
  }

  /** Waits until the server is done with a page. */
  readonly of = (id: string): Effect.Effect<void> =>
    Effect.callback((resume) => {
      if (this.#done.delete(id)) return resume(Effect.void)
      const wake = () => resume(Effect.void)
      const waiting = this.#waiting.get(id) ?? new Set()
      this.#waiting.set(id, waiting.add(wake))
      return Effect.sync(() => {
        waiting.delete(wake)
        if (waiting.size === 0) this.#waiting.delete(id)
      })
    })
}
