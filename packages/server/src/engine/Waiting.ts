/**
 * Fibers that wait for something to happen once, such as room in a stream.
 */
import * as Effect from "effect/Effect"

export class Waiting {
  readonly #resumes = new Set<() => void>()

  /** Completes when they are woken next. */
  next(): Effect.Effect<void> {
    return Effect.callback<void>((resume) => {
      const wake = () => resume(Effect.void)
      this.#resumes.add(wake)
      return Effect.sync(() => {
        this.#resumes.delete(wake)
      })
    })
  }

  /** Lets all go on that wait now. */
  wake(): void {
    const resumes = [...this.#resumes]
    this.#resumes.clear()
    for (const resume of resumes) resume()
  }
}
