/**
 * What is said to a server when nobody waits for something any more, such as that a task is wanted no longer: when the
 * wait is given up, or before the session ends. Nobody is kept waiting by it but the end of the session.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

type Words = Effect.Effect<unknown, unknown>

/** The last words of a session. */
export class Farewells {
  readonly #fork: (effect: Effect.Effect<void>) => Fiber.Fiber<void>
  /** What is owed while somebody waits. */
  readonly #owed = new Set<Words>()
  readonly #going = new Set<Fiber.Fiber<void>>()

  /** @param fork runs them in the session's name */
  constructor(fork: (effect: Effect.Effect<void>) => Fiber.Fiber<void>) {
    this.#fork = fork
  }

  /**
   * Words that are owed until the wait is over, and have a time limit of their own.
   *
   * @returns ends the wait, with these words or without
   */
  owe(words: Words): (aloud: boolean) => void {
    this.#owed.add(words)
    return (aloud) => {
      if (this.#owed.delete(words) && aloud) this.#say(words)
    }
  }

  /** Says all that is still owed, and waits until all is said. */
  readonly said: Effect.Effect<void> = Effect.suspend(() => {
    for (const words of this.#owed) this.#say(words)
    this.#owed.clear()
    return Effect.asVoid(Fiber.awaitAll(this.#going))
  })

  #say(words: Words): void {
    const fiber = this.#fork(Effect.ignore(words))
    this.#going.add(fiber)
    fiber.addObserver(() => this.#going.delete(fiber))
  }
}
