/**
 * A time limit for one request, retries and rounds included: on expiry what is under way is cancelled in the transport's
 * way and the caller stops waiting (TIME-01, TIME-02). Progress may extend it up to a maximum (TIME-04), and it stands
 * still while a person answers (TIME-05).
 */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { McpError } from "../McpError.ts"

/** How long to wait. */
export interface Patience {
  /** Milliseconds without progress; `Infinity` for no limit. */
  readonly timeout: number
  /** Milliseconds at most, whatever progress there is. */
  readonly maxTotalTimeout: number
}

/** The limit of one request that runs. */
export class Deadline {
  readonly #clock: Clock.Clock
  readonly #timeout: number
  #due: number
  #limit: number
  #pauses = 0
  #pausedAt = 0
  #resumed: (() => void) | undefined
  /** Says why the request is given up, for the server's log (CANCEL-10). Written before it is interrupted. */
  why: string | undefined

  constructor(clock: Clock.Clock, { maxTotalTimeout, timeout }: Patience) {
    const now = clock.currentTimeMillisUnsafe()
    this.#clock = clock
    this.#timeout = timeout
    this.#limit = now + maxTotalTimeout
    this.#due = Math.min(now + timeout, this.#limit)
  }

  /** There is progress: the time without any begins anew. */
  extend(): void {
    this.#due = Math.min(this.#clock.currentTimeMillisUnsafe() + this.#timeout, this.#limit)
  }

  /** A person is asked. @returns goes on; called once */
  pause(): () => void {
    if (this.#pauses++ === 0) this.#pausedAt = this.#clock.currentTimeMillisUnsafe()
    return () => {
      if (--this.#pauses > 0) return
      const pause = this.#clock.currentTimeMillisUnsafe() - this.#pausedAt
      this.#due += pause
      this.#limit += pause
      this.#resumed?.()
    }
  }

  /** Waits until the time is over. */
  readonly expiry: Effect.Effect<void> = Effect.suspend(() => {
    if (this.#pauses > 0) return Effect.andThen(this.#goesOn, this.expiry)
    const left = this.#due - this.#clock.currentTimeMillisUnsafe()
    return left > 0 ? Effect.andThen(Effect.sleep(left), this.expiry) : Effect.void
  })

  readonly #goesOn: Effect.Effect<void> = Effect.callback((resume) => {
    this.#resumed = () => resume(Effect.void)
  })
}

/**
 * An effect with a deadline.
 *
 * @param run what is limited; it finds in its argument why it is interrupted
 * @param expired the error of the deadline
 */
export const withDeadline = <A, E>(
  patience: Patience,
  run: (deadline: Deadline) => Effect.Effect<A, E>,
  expired: () => McpError
): Effect.Effect<A, E | McpError> =>
  Effect.clockWith((clock): Effect.Effect<A, E | McpError> => {
    const deadline = new Deadline(clock, patience)
    const self = run(deadline)
    if (!Number.isFinite(patience.timeout) && !Number.isFinite(patience.maxTotalTimeout)) return self
    const expiry = Effect.suspend(() => {
      deadline.why = `no answer within ${Math.min(patience.timeout, patience.maxTotalTimeout)} ms`
      return Effect.fail(expired())
    })
    // Not `timeoutOrElse`: the reason must be there before the interruption.
    return Effect.raceFirst(self, Effect.andThen(deadline.expiry, expiry))
  })
