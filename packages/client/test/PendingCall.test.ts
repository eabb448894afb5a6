import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import { getShow, opened, ping, reasonOf, result, serving, textResult } from "./fixtures.ts"

/** A session whose call reports what is said to it and then waits for its end. */
const staged = (
  report: (send: (done: number) => Promise<void>) => Promise<void>,
  end: Promise<unknown> = Promise.resolve()
) =>
  opened(
    serving(async (seen, reply) => {
      const stream = reply.stream()
      const progressToken = seen.json.params._meta.progressToken
      await report((done) =>
        stream.event({
          jsonrpc: "2.0",
          method: "notifications/progress",
          params: { progressToken, progress: done, total: 3, message: `step ${done}` }
        })
      )
      await end
      await stream.event(result(seen.json.id, textResult("done")))
      stream.end()
    })
  )

/** A promise and what resolves it. */
const gate = () => {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open: () => open(), opened }
}

const three = async (send: (done: number) => Promise<void>) => {
  for (const done of [1, 2, 3]) await send(done)
}

describe("session.open", () => {
  it.effect("D19 PROG-01: asks for progress and replays it from the start, to anyone, until the call ends", () =>
    Effect.gen(function* () {
      const { session } = yield* staged(three)
      const call = yield* session.open(ping)()
      assert.strictEqual(yield* call.result, "done")
      for (let listener = 0; listener < 2; listener++) {
        const seen = yield* Stream.runCollect(call.progress)
        assert.deepStrictEqual(
          seen,
          [1, 2, 3].map((done) => ({ done, total: 3, message: `step ${done}` }))
        )
      }
      const methods = yield* Stream.runCollect(Stream.map(call.notifications, (one) => one.method))
      assert.deepStrictEqual(
        methods,
        Array.from({ length: 3 }, () => "notifications/progress")
      )
    })
  )

  it.effect("D19: gives progress while the call runs", () =>
    Effect.gen(function* () {
      const end = gate()
      const { session } = yield* staged(three, end.opened)
      const call = yield* session.open(ping)()
      const seen = yield* Stream.runCollect(Stream.take(call.progress, 2))
      assert.deepStrictEqual(
        seen.map(({ done }) => done),
        [1, 2]
      )
      end.open()
      const rest = yield* Stream.runCollect(call.progress)
      assert.strictEqual(rest.length, 3)
    })
  )

  it.effect("D19: keeps the newest 1024", () =>
    Effect.gen(function* () {
      const { session } = yield* staged(async (send) => {
        await Promise.all(Array.from({ length: 1030 }, (_, index) => send(index)))
      })
      const call = yield* session.open(ping)()
      yield* call.result
      const seen = yield* Stream.runCollect(call.progress)
      assert.strictEqual(seen.length, 1024)
      assert.strictEqual(seen[0]?.done, 6)
      assert.strictEqual(seen.at(-1)?.done, 1029)
    })
  )

  it.effect("gives the reply with its content blocks", () =>
    Effect.gen(function* () {
      const { session } = yield* staged(async () => {})
      const call = yield* session.open(ping)()
      assert.deepStrictEqual(yield* call.reply, { value: "done", content: [{ type: "text", text: "done" }] })
    })
  )

  it.effect("D19 CANCEL-01: cancel fails whoever waits at once, ends the streams and gives up the request", () =>
    Effect.gen(function* () {
      const { server, session } = yield* opened(serving(() => {}))
      const call = yield* session.open(getShow)({ id: 1 })
      const waiting = yield* Effect.forkChild(reasonOf(call.result), { startImmediately: true })
      const request = yield* Effect.promise(() => server.seen.first((seen) => seen.json.method === "tools/call"))
      yield* call.cancel
      assert.strictEqual((yield* Fiber.join(waiting))._tag, "Cancelled")
      assert.strictEqual((yield* reasonOf(call.result))._tag, "Cancelled")
      assert.deepStrictEqual(yield* Stream.runCollect(call.progress), [])
      yield* Effect.promise(() => request.gone)
    })
  )

  it.effect("CANCEL-09: cancel after the answer changes nothing", () =>
    Effect.gen(function* () {
      const { session } = yield* staged(three)
      const call = yield* session.open(ping)()
      yield* call.result
      yield* call.cancel
      assert.strictEqual(yield* call.result, "done")
    })
  )

  it.effect("ends with its scope", () =>
    Effect.gen(function* () {
      const { server, session } = yield* opened(serving(() => {}))
      const scope = yield* Scope.make()
      const call = yield* Scope.provide(session.open(ping)(), scope)
      const request = yield* Effect.promise(() => server.seen.first((seen) => seen.json.method === "tools/call"))
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual((yield* reasonOf(call.result))._tag, "Cancelled")
      yield* Effect.promise(() => request.gone)
    })
  )

  it.effect("goes on when one who waits for it is interrupted", () =>
    Effect.gen(function* () {
      const end = gate()
      const { session } = yield* staged(three, end.opened)
      const call = yield* session.open(ping)()
      const waiting = yield* Effect.forkChild(call.result, { startImmediately: true })
      yield* Fiber.interrupt(waiting)
      end.open()
      assert.strictEqual(yield* call.result, "done")
    })
  )

  it.effect("has no deadline, unless one is given", () =>
    Effect.gen(function* () {
      const { server, session } = yield* opened(serving(() => {}))
      const endless = yield* session.open(ping)()
      const limited = yield* session.open(ping)({}, { timeout: 100 })
      yield* Effect.promise(() => server.seen.first((seen) => seen.json.method === "tools/call"))
      yield* TestClock.adjust("2 minutes")
      assert.strictEqual((yield* reasonOf(limited.result))._tag, "TimedOut")
      yield* endless.cancel
      assert.strictEqual((yield* reasonOf(endless.result))._tag, "Cancelled")
    })
  )

  it.effect("fails before anything is sent where the input does not fit", () =>
    Effect.gen(function* () {
      const { server, session } = yield* opened(serving())
      // @ts-expect-error the input is checked by the compiler first
      assert.strictEqual((yield* reasonOf(session.open(getShow)({ id: "x" })))._tag, "Undecodable")
      assert.strictEqual(server.seen.events.length, 1)
    })
  )
})
