import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import { makePatientClock } from "../src/PatientClock.ts"
import { withSleeps } from "./sleeps.ts"

/** A patient clock over that of the test, and a way to stop it. */
const patient = Effect.gen(function* () {
  const { clock, still } = makePatientClock(yield* Clock.Clock)
  /** Stops it. @returns goes on */
  const stop = Effect.gen(function* () {
    const over = yield* Deferred.make<void>()
    const fiber = yield* Effect.forkChild(still(Deferred.await(over)), { startImmediately: true })
    return {
      fiber,
      goOn: Effect.andThen(Deferred.succeed(over, undefined), Effect.asVoid(Fiber.await(fiber)))
    }
  })
  const sleep = (millis: number) => Effect.provideService(Effect.sleep(millis), Clock.Clock, clock)
  return { clock, still, stop, sleep, now: () => clock.currentTimeMillisUnsafe() }
})

describe("a patient clock", () => {
  it.effect("agrees with the one it stands on, until it stands still", () =>
    Effect.gen(function* () {
      const { clock, now, stop } = yield* patient
      yield* TestClock.adjust(700)
      assert.strictEqual(now(), 700)
      assert.strictEqual(yield* clock.currentTimeMillis, 700)
      const { goOn } = yield* stop
      yield* TestClock.adjust("5 minutes")
      assert.strictEqual(now(), 700)
      yield* goOn
      assert.strictEqual(now(), 700)
      yield* TestClock.adjust(300)
      assert.strictEqual(now(), 1000)
      assert.strictEqual(yield* clock.currentTimeNanos, 1_000_000_000n)
      const before = yield* clock.monotonicTimeNanos
      const again = yield* stop
      yield* TestClock.adjust(50)
      assert.strictEqual((yield* clock.monotonicTimeNanos) - before, 0n)
      yield* again.goOn
    })
  )

  it.effect("keeps asleep whoever slept before it stood still, for as long as was left", () =>
    Effect.gen(function* () {
      const { sleep, stop } = yield* patient
      const sleeping = yield* Effect.forkChild(sleep(1000), { startImmediately: true })
      yield* TestClock.adjust(900)
      const { goOn } = yield* stop
      yield* TestClock.adjust("5 minutes")
      yield* goOn
      yield* TestClock.adjust(99)
      assert.isUndefined(sleeping.pollUnsafe())
      yield* TestClock.adjust(1)
      yield* Fiber.join(sleeping)
    })
  )

  it.effect("lets nobody wake who falls asleep while it stands still", () =>
    Effect.gen(function* () {
      const { sleep, stop } = yield* patient
      const { goOn } = yield* stop
      const sleeping = yield* Effect.forkChild(sleep(10), { startImmediately: true })
      yield* TestClock.adjust("1 minute")
      yield* goOn
      yield* TestClock.adjust(9)
      assert.isUndefined(sleeping.pollUnsafe())
      yield* TestClock.adjust(1)
      yield* Fiber.join(sleeping)
    })
  )

  it.effect("does not look again and again whether it goes on", () =>
    withSleeps((sleeps) =>
      Effect.gen(function* () {
        const { sleep, stop } = yield* patient
        const sleeping = yield* Effect.forkChild(sleep(1), { startImmediately: true })
        const { goOn } = yield* stop
        yield* TestClock.adjust("5 minutes")
        yield* goOn
        yield* TestClock.adjust(1)
        yield* Fiber.join(sleeping)
        assert.deepStrictEqual(sleeps.events, [1, 1])
      })
    )
  )

  it.effect("counts the time once in which several stop it", () =>
    Effect.gen(function* () {
      const { now, stop } = yield* patient
      const one = yield* stop
      yield* TestClock.adjust(100)
      const other = yield* stop
      yield* TestClock.adjust(100)
      yield* one.goOn
      yield* TestClock.adjust(100)
      assert.strictEqual(now(), 0)
      yield* other.goOn
      yield* TestClock.adjust(7)
      assert.strictEqual(now(), 7)
    })
  )

  it.effect("goes on where what stopped it is interrupted, or fails", () =>
    Effect.gen(function* () {
      const { now, still, stop } = yield* patient
      const { fiber } = yield* stop
      yield* TestClock.adjust(100)
      yield* Fiber.interrupt(fiber)
      yield* TestClock.adjust(5)
      assert.strictEqual(now(), 5)
      assert.strictEqual(yield* Effect.flip(still(Effect.fail("no"))), "no")
      yield* TestClock.adjust(5)
      assert.strictEqual(now(), 10)
    })
  )

  it.effect("forgets those who no longer sleep, and ends no sleep without a limit", () =>
    Effect.gen(function* () {
      const { now, sleep, stop } = yield* patient
      const endless = yield* Effect.forkChild(sleep(Infinity), { startImmediately: true })
      const { goOn } = yield* stop
      const gone = yield* Effect.forkChild(sleep(10), { startImmediately: true })
      yield* Fiber.interrupt(gone)
      yield* sleep(0)
      yield* goOn
      yield* TestClock.adjust("1 day")
      assert.isUndefined(endless.pollUnsafe())
      assert.strictEqual(now(), 86_400_000)
    })
  )
})
