/**
 * The waits of an effect as they begin: a test that moves the clock waits for them first.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { Recorder } from "./Recorder.ts"

/** Runs an effect whose waits, in milliseconds, are recorded. */
export const withSleeps = <A, E, R>(
  run: (sleeps: Recorder<number>) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.clockWith((clock) => {
    const sleeps = new Recorder<number>()
    const watched: Clock.Clock = {
      ...clock,
      sleep: (duration) => {
        sleeps.record(Duration.toMillis(duration))
        return clock.sleep(duration)
      }
    }
    return Effect.provideService(run(sleeps), Clock.Clock, watched)
  })
