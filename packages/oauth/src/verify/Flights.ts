/**
 * Work that many may wait for and that is done once. It belongs to a scope and to none of those who wait, so that one who
 * gives up takes nothing from the others.
 */
import { VerifierUnavailable } from "@treadle/server"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"

/** How many may be under way at once; one more is not begun. */
const most = 1_000

/** Work under way, by key. */
export class Flights<A, E> {
  readonly #scope: Scope.Scope
  readonly #running = new Map<string, Deferred.Deferred<A, E | VerifierUnavailable>>()

  constructor(scope: Scope.Scope) {
    this.#scope = scope
  }

  readonly isUnderWay = (key: string): boolean => this.#running.has(key)

  /** Waits for the work that runs under a key, or for this, which is begun then. */
  readonly join = (key: string, work: Effect.Effect<A, E>): Effect.Effect<A, E | VerifierUnavailable> =>
    Effect.flatMap(this.begin(key, work), Deferred.await)

  /** Begins work where none runs under its key, and waits for nothing. */
  readonly begin = (
    key: string,
    work: Effect.Effect<A, E>
  ): Effect.Effect<Deferred.Deferred<A, E | VerifierUnavailable>, VerifierUnavailable> =>
    Effect.uninterruptible(
      Effect.suspend(() => {
        const running = this.#running.get(key)
        if (running !== undefined) return Effect.succeed(running)
        if (this.#running.size >= most) {
          return Effect.fail(new VerifierUnavailable({ why: `${most} tokens are being verified already` }))
        }
        const begun = Deferred.makeUnsafe<A, E | VerifierUnavailable>()
        this.#running.set(key, begun)
        return Effect.map(Effect.forkIn(work, this.#scope), (fiber) => {
          fiber.addObserver((exit) => {
            this.#running.delete(key)
            Deferred.doneUnsafe(begun, closedWhereInterrupted(exit))
          })
          return begun
        })
      })
    )
}

/** Only the end of the scope interrupts the work. */
const closedWhereInterrupted = <A, E>(exit: Exit.Exit<A, E>): Exit.Exit<A, E | VerifierUnavailable> =>
  Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
    ? Exit.fail(new VerifierUnavailable({ why: "the verifier is closed" }))
    : exit
