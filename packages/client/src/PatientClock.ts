/**
 * A clock that stands still while a person is asked, so that no time limit of a session runs out meanwhile.
 */
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

/** The clock, and what stops it. */
export interface PatientClock {
  readonly clock: Clock.Clock
  /** Stands still until the effect is over; several may overlap. */
  readonly still: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** A clock that agrees with another one until it stands still for the first time. */
export const makePatientClock = (base: Clock.Clock): PatientClock => {
  let lost = 0
  let still = 0
  let since = 0
  const waiting = new Set<() => void>()
  const behind = (): number => lost + (still > 0 ? base.currentTimeMillisUnsafe() - since : 0)
  const millis = (): number => base.currentTimeMillisUnsafe() - behind()
  const nanos = (of: () => bigint) => (): bigint => of() - BigInt(Math.round(behind() * 1e6))
  const wallNanos = nanos(() => base.currentTimeNanosUnsafe())
  const monotonicNanos = nanos(() => base.monotonicTimeNanosUnsafe())
  const goesOn: Effect.Effect<void> = Effect.callback((resume) => {
    const wake = () => resume(Effect.void)
    waiting.add(wake)
    return Effect.sync(() => void waiting.delete(wake))
  })
  const until = (time: number): Effect.Effect<void> =>
    Effect.suspend(() => {
      const left = time - millis()
      if (left <= 0) return Effect.void
      return Effect.andThen(still > 0 ? goesOn : base.sleep(Duration.millis(left)), until(time))
    })
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanosUnsafe: wallNanos,
    currentTimeNanos: Effect.sync(wallNanos),
    monotonicTimeNanosUnsafe: monotonicNanos,
    monotonicTimeNanos: Effect.sync(monotonicNanos),
    sleep: (duration) =>
      Effect.suspend(() => {
        const time = Duration.toMillis(duration)
        return time > 0 ? until(millis() + time) : base.sleep(duration)
      })
  }
  const begin = Effect.sync(() => {
    if (still++ === 0) since = base.currentTimeMillisUnsafe()
  })
  const end = Effect.sync(() => {
    if (--still > 0) return
    lost += base.currentTimeMillisUnsafe() - since
    const woken = [...waiting]
    waiting.clear()
    for (const wake of woken) wake()
  })
  return {
    clock,
    still: (effect) =>
      Effect.acquireUseRelease(
        begin,
        () => effect,
        () => end
      )
  }
}
