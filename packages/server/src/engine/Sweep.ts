/**
 * One sleeper for every deadline of a served thing: the switch to events, keep-alive comments, timeouts, the time for
 * which tasks are kept. It sleeps in Effect, so that a test clock rules it, and ends when nothing has to be looked after.
 */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Context from "effect/Context"

/** Milliseconds between two looks. */
const interval = 250

/** What has deadlines. */
export interface Ticking {
  /** Time passes. @param now milliseconds @returns whether there is anything to look after */
  readonly tick: (now: number) => boolean
}

export const makeSweep = (all: ReadonlyArray<Ticking>, clock: Clock.Clock, services: Context.Context<never>) => {
  let awake = false
  const runFork = Effect.runForkWith(services)

  const look = Effect.sync(() => {
    const now = clock.currentTimeMillisUnsafe()
    awake = all.map((one) => one.tick(now)).includes(true)
    return awake
  })
  const sleep = Effect.sleep(interval)
  const sweep: Effect.Effect<void> = Effect.flatMap(
    Effect.flatMap(sleep, () => look),
    (again) => (again ? sweep : Effect.void)
  )

  return {
    now: () => clock.currentTimeMillisUnsafe(),
    /** There is something to look after, until there is nothing. */
    wake: () => {
      if (awake) return
      awake = true
      runFork(sweep)
    }
  }
}
