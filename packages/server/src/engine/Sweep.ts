/**
 * One sleeper for every deadline of a served thing: the switch to events, keep-alive comments, timeouts. It sleeps in
 * Effect, so that a test clock rules it, and ends when nothing runs.
 */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Context from "effect/Context"
import type { InFlight } from "./InFlight.ts"

/** Milliseconds between two looks. */
const interval = 250

export const makeSweep = (inFlight: InFlight, clock: Clock.Clock, services: Context.Context<never>) => {
  let awake = false
  const runFork = Effect.runForkWith(services)

  const look = Effect.sync(() => {
    const now = clock.currentTimeMillisUnsafe()
    for (const call of inFlight.all()) call.tick(now)
    if (inFlight.size === 0) awake = false
    return awake
  })
  const sleep = Effect.sleep(interval)
  const sweep: Effect.Effect<void> = Effect.flatMap(
    Effect.flatMap(sleep, () => look),
    (again) => (again ? sweep : Effect.void)
  )

  return {
    now: () => clock.currentTimeMillisUnsafe(),
    /** Something runs: look after it until nothing does. */
    wake: () => {
      if (awake) return
      awake = true
      runFork(sweep)
    }
  }
}
