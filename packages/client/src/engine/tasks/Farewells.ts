/**
 * What is still said to a server when nobody waits for it any more, such as that a task is wanted no longer. Nobody is
 * kept waiting by it but the end of the session.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

/** The last words that are under way. */
export class Farewells {
  readonly #fork: (effect: Effect.Effect<void>) => Fiber.Fiber<void>
  readonly #going = new Set<Fiber.Fiber<void>>()

  /** @param fork runs them in the session's name */
  constructor(fork: (effect: Effect.Effect<void>) => Fiber.Fiber<void>) {
    this.#fork = fork
  }

  /** Says something that has a time limit of its own; how it ends does not matter. */
  say(words: Effect.Effect<unknown, unknown>): void {
    const fiber = this.#fork(Effect.ignore(words))
    this.#going.add(fiber)
    fiber.addObserver(() => this.#going.delete(fiber))
  }

  /** Waits until all is said. */
  readonly said: Effect.Effect<void> = Effect.suspend(() => Effect.asVoid(Fiber.awaitAll(this.#going)))
}
