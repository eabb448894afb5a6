/**
 * The time limits of requests, retries and rounds included: on expiry what is under way is cancelled in the transport's
 * way and the caller stops waiting (TIME-01, TIME-02). Progress may extend one up to a maximum (TIME-04), and it stands
 * still while a person answers (TIME-05). One timer serves all requests of a session.
 */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type { McpError } from "../McpError.ts"
import { TransitMap } from "../TransitMap.ts"

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
  readonly #error: (inAll: boolean) => McpError
  readonly #moved: () => void
  readonly #waiting = new Set<() => void>()
  #due: number
  #limit: number
  #pauses = 0
  #pausedAt = 0
  #over = false

  /**
   * @param error the error of the deadline, or of the time in all
   * @param moved called when it falls due earlier than it said before
   */
  constructor(
    clock: Clock.Clock,
    { maxTotalTimeout, timeout }: Patience,
    error: (inAll: boolean) => McpError,
    moved: () => void
  ) {
    const now = clock.currentTimeMillisUnsafe()
    this.#clock = clock
    this.#timeout = timeout
    this.#error = error
    this.#moved = moved
    this.#limit = now + maxTotalTimeout
    this.#due = Math.min(now + timeout, this.#limit)
  }

  /** When it falls due; never while a person is asked. */
  get due(): number {
    return this.#pauses > 0 ? Infinity : this.#due
  }

  /** Why the request is given up, for the server's log (CANCEL-10), once the time is over. */
  get why(): string | undefined {
    const { reason } = this.#failure()
    return this.#over && reason._tag === "TimedOut" ? `no answer within ${reason.after} ms` : undefined
  }

  /** The error, which says whether it was the time in all that was over. */
  #failure(): McpError {
    return this.#error(this.#due === this.#limit)
  }

  /** There is progress: the time without any begins anew. */
  extend(): void {
    this.#due = Math.min(this.#clock.currentTimeMillisUnsafe() + this.#timeout, this.#limit)
  }

  /** Only the time in all counts from now on. */
  lift(): void {
    this.#due = this.#limit
  }

  /** A person is asked. @returns goes on; called once */
  pause(): () => void {
    if (this.#pauses++ === 0) this.#pausedAt = this.#clock.currentTimeMillisUnsafe()
    return () => {
      if (--this.#pauses > 0) return
      const pause = this.#clock.currentTimeMillisUnsafe() - this.#pausedAt
      this.#due += pause
      this.#limit += pause
      this.#moved()
    }
  }

  /** The time is over: whoever waits is told. */
  expire(): void {
    this.#over = true
    for (const call of this.#waiting) call()
    this.#waiting.clear()
  }

  /** Calls back when the time is over, at once where it is. @returns forgets the call */
  onExpiry(call: (error: McpError) => void): () => void {
    const expired = () => call(this.#failure())
    if (this.#over) expired()
    else this.#waiting.add(expired)
    return () => void this.#waiting.delete(expired)
  }

  /** Something that is waited for within the time. */
  readonly within = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E | McpError> =>
    Effect.raceFirst(
      effect,
      Effect.callback<never, McpError>((resume) => {
        const forget = this.onExpiry((error) => resume(Effect.fail(error)))
        return Effect.sync(forget)
      })
    )
}

/** The deadlines of the requests that run. */
export class Deadlines {
  readonly #clock: Clock.Clock
  readonly #fork: (effect: Effect.Effect<void>) => Fiber.Fiber<void>
  readonly #running = new TransitMap<Deadline, Deadline>()
  #sleeper: Fiber.Fiber<void> | undefined
  #wakesAt = Infinity

  /** @param fork runs the timer on the session's clock */
  constructor(clock: Clock.Clock, fork: (effect: Effect.Effect<void>) => Fiber.Fiber<void>) {
    this.#clock = clock
    this.#fork = fork
  }

  /** Runs an effect under a deadline, which it heeds wherever it waits. @param error the error of the deadline */
  readonly limit = <A>(
    patience: Patience,
    error: (inAll: boolean) => McpError,
    run: (deadline: Deadline) => Effect.Effect<A, McpError>
  ): Effect.Effect<A, McpError> =>
    Effect.suspend(() => {
      const deadline: Deadline = new Deadline(this.#clock, patience, error, () => this.#see(deadline))
      if (deadline.due === Infinity) return run(deadline)
      this.#running.set(deadline, deadline)
      this.#see(deadline)
      return Effect.ensuring(
        run(deadline),
        Effect.sync(() => this.#remove(deadline))
      )
    })

  /** Stops the timer; nothing falls due any more. */
  close(): void {
    this.#sleeper?.interruptUnsafe()
    this.#wakesAt = -Infinity
  }

  #see({ due }: Deadline): void {
    if (due < this.#wakesAt) this.#sleepUntil(due)
  }

  #remove(deadline: Deadline): void {
    this.#running.delete(deadline)
    if (this.#running.size > 0 || this.#wakesAt === -Infinity) return
    this.#sleeper?.interruptUnsafe()
    this.#wakesAt = Infinity
  }

  #sleepUntil(time: number): void {
    this.#sleeper?.interruptUnsafe()
    this.#wakesAt = time
    const sleep = Effect.sleep(Math.max(0, time - this.#clock.currentTimeMillisUnsafe()))
    this.#sleeper = this.#fork(
      Effect.andThen(
        sleep,
        Effect.sync(() => this.#sweep())
      )
    )
  }

  #sweep(): void {
    this.#sleeper = undefined
    this.#wakesAt = Infinity
    const now = this.#clock.currentTimeMillisUnsafe()
    const over: Array<Deadline> = []
    let next = Infinity
    for (const deadline of this.#running.values()) {
      if (deadline.due <= now) over.push(deadline)
      else next = Math.min(next, deadline.due)
    }
    for (const deadline of over) deadline.expire()
    if (next < this.#wakesAt) this.#sleepUntil(next)
  }
}
