import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import type { CallOptions } from "../../src/index.ts"
import { reasonOf, result, textResult } from "../fixtures.ts"
import { play } from "../played.ts"

/** A call that is under way, and what its server says about it. */
const calling = (options: CallOptions) =>
  Effect.gen(function* () {
    let answer = (): void => {}
    const held = new Promise<void>((resolve) => (answer = resolve))
    const played = yield* play({
      era: "compat",
      over: "pipe",
      answer: async ({ id }) => {
        await held
        return result(id, textResult("done"))
      }
    })
    const fiber = yield* Effect.forkChild(played.session.callTool("slow", {}, options), { startImmediately: true })
    const { params } = yield* played.heard("tools/call")
    const token: unknown = params._meta?.progressToken
    /** Says how far it is, and waits until that was read. */
    const progress = (done: number) =>
      Effect.gen(function* () {
        yield* played.tell("notifications/progress", { progressToken: token, progress: done })
        yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      })
    return { ...played, fiber, token, progress, answer: Effect.sync(() => answer()) }
  })

describe("progress of a call", () => {
  it.effect("B020 TIME-04: lets the time begin anew where that is asked for, with or without a listener", () =>
    Effect.gen(function* () {
      for (const options of [{ resetTimeoutOnProgress: true }, { onProgress: () => {} }]) {
        const call = yield* calling({ timeout: 300, ...options })
        assert.isDefined(call.token)
        for (let done = 1; done <= 10; done++) {
          yield* TestClock.adjust(200)
          yield* call.progress(done)
        }
        yield* TestClock.adjust(299)
        assert.isUndefined(call.fiber.pollUnsafe())
        yield* call.answer
        yield* Fiber.join(call.fiber)
        assert.strictEqual(call.of("notifications/cancelled").length, 0)
      }
    })
  )

  it.effect("B020 TIME-04: does not carry it past the maximum, at which it is cancelled", () =>
    Effect.gen(function* () {
      const call = yield* calling({ timeout: 300, maxTotalTimeout: 2000, resetTimeoutOnProgress: true })
      for (let done = 1; done < 10; done++) {
        yield* TestClock.adjust(200)
        yield* call.progress(done)
      }
      yield* TestClock.adjust(199)
      assert.isUndefined(call.fiber.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.strictEqual((yield* reasonOf(Fiber.join(call.fiber)))._tag, "TimedOut")
      yield* call.heard("notifications/cancelled")
    })
  )

  it.effect("PROG-02: counts only where it grows", () =>
    Effect.gen(function* () {
      const call = yield* calling({ timeout: 300, resetTimeoutOnProgress: true })
      yield* call.progress(5)
      for (const done of [5, 4, 5]) {
        yield* TestClock.adjust(99)
        yield* call.progress(done)
      }
      yield* TestClock.adjust(3)
      assert.strictEqual((yield* reasonOf(Fiber.join(call.fiber)))._tag, "TimedOut")
    })
  )

  it.effect("changes nothing where it is not asked for", () =>
    Effect.gen(function* () {
      for (const options of [{}, { onProgress: () => {}, resetTimeoutOnProgress: false }]) {
        const call = yield* calling({ timeout: 300, ...options })
        yield* TestClock.adjust(200)
        yield* call.progress(1)
        yield* TestClock.adjust(100)
        assert.strictEqual((yield* reasonOf(Fiber.join(call.fiber)))._tag, "TimedOut")
      }
    })
  )
})

describe("the time of a call", () => {
  it.effect("MRTR-12: is over for one that is put off again and again", () =>
    Effect.gen(function* () {
      const { sent, session } = yield* play({
        era: "native",
        over: "pipe",
        answer: ({ id }) => result(id, { resultType: "input_required", requestState: "later" })
      })
      const waiting = yield* Effect.forkChild(reasonOf(session.callTool("slow", {}, { timeout: 250 })), {
        startImmediately: true
      })
      for (let step = 0; step < 250; step += 50) {
        assert.isUndefined(waiting.pollUnsafe())
        yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
        yield* TestClock.adjust(50)
      }
      assert.deepInclude(yield* Fiber.join(waiting), { _tag: "TimedOut", after: 250 })
      assert.isAtLeast(sent.events.filter(({ method }) => method === "tools/call").length, 2)
    })
  )

  it.effect("is that of each of many, whichever began first", () =>
    Effect.gen(function* () {
      const { session } = yield* play({ era: "native", over: "pipe", answer: () => new Promise(() => {}) })
      const call = (timeout: number) =>
        Effect.forkChild(reasonOf(session.callTool("slow", {}, { timeout })), { startImmediately: true })
      const [long, short] = [yield* call(900), yield* call(300)]
      yield* TestClock.adjust(300)
      assert.deepInclude(yield* Fiber.join(short), { _tag: "TimedOut", after: 300 })
      assert.isUndefined(long.pollUnsafe())
      yield* TestClock.adjust(600)
      assert.deepInclude(yield* Fiber.join(long), { _tag: "TimedOut", after: 900 })
    })
  )
})
