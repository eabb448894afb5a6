/**
 * Progress: for whom it was asked, growing, and over with the answer.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { rawCall, rawResult } from "@treadle/testing"
import { chapter, happened, notifications } from "../fixtures/chapter.ts"

const told = (progressToken: unknown, done: number) => ({
  jsonrpc: "2.0",
  method: "notifications/progress",
  params: { progressToken, progress: done, total: 3, message: `step ${done}` }
})

export const progress = chapter("progress", (test) => {
  test(
    "PROG-01 PROG-02 PROG-05 B053: grows, comes before the answer and under the token that it was asked with",
    ({ connect, open }) =>
      Effect.gen(function* () {
        const one = yield* connect()
        for (const token of [0, -1, "", "t", 9007199254740991]) {
          const gate = `steps ${token}`
          const steps = yield* rawCall(one, "steps", { gate }, { progressToken: token })
          yield* Effect.promise(() => steps.seen.first(({ params }) => params?.progress === 3))
          assert.isFalse(steps.seen.events.some((message) => "result" in message))
          yield* open(gate)
          yield* steps.answer
          assert.deepStrictEqual(notifications(steps), [told(token, 1), told(token, 2.5), told(token, 3)])
          assert.property(steps.seen.events.at(-1), "result")
        }
      }),
    { needs: ["notifications"] }
  )

  test("PROG-01 PROG-03: is not sent without a token, nor for what is none", ({ connect }) =>
    Effect.gen(function* () {
      const one = yield* connect()
      for (const meta of [{}, { progressToken: null }, { progressToken: 1.5 }, { progressToken: {} }]) {
        const steps = yield* rawCall(one, "steps", {}, meta)
        assert.strictEqual((yield* steps.answer)["result"].content[0].text, "done")
        assert.deepStrictEqual(notifications(steps), [])
      }
    }))

  test(
    "PROG-03 LOG-03: is not sent after the answer, and neither is a log message",
    ({ connect, open }) =>
      Effect.gen(function* () {
        const one = yield* connect()
        const meta = { progressToken: "t", "io.modelcontextprotocol/logLevel": "debug" }
        const late = yield* rawCall(one, "late", { gate: "late" }, meta)
        yield* late.answer
        yield* open("late")
        yield* happened(one, "told late")
        yield* rawResult(one, "noargs")
        assert.deepStrictEqual(notifications(late), [])
      }),
    { needs: ["state"] }
  )

  test(
    "PROG-03: of calls that run at once comes under the token of each",
    ({ connect, open }) =>
      Effect.gen(function* () {
        const one = yield* connect()
        const calls = yield* Effect.forEach(["a", 1, "1"], (token) =>
          Effect.map(rawCall(one, "steps", { gate: "many" }, { progressToken: token }), (call) => ({ ...call, token }))
        )
        for (const { seen, token } of calls) {
          yield* Effect.promise(() =>
            seen.first(({ params }) => params?.progressToken === token && params.progress === 3)
          )
        }
        yield* open("many")
        for (const call of calls) {
          yield* call.answer
          const { token } = call
          assert.deepStrictEqual(
            notifications(call).filter(({ params }) => params.progressToken === token),
            [told(token, 1), told(token, 2.5), told(token, 3)]
          )
        }
      }),
    { needs: ["notifications"] }
  )
})
