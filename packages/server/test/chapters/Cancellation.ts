/**
 * Cancelling: by the notification on a pipe and in a session, by hanging up natively over HTTP.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { rawCall, rawResult, rawToolCall } from "@treadle/testing"
import { ask, chapter, happened } from "../fixtures/chapter.ts"

export const cancellation = chapter("cancellation", (test) => {
  test("CANCEL-02 CANCEL-05 HTTP-17 CHTTP-06 B037 B053: ends a call: finalizers run, the signal fires, nothing is answered", ({
    connect,
    open
  }) =>
    Effect.gen(function* () {
      const one = yield* connect()
      const hold = yield* one.send(rawToolCall(0, "hold", { gate: "h" }))
      const watch = yield* one.send(rawToolCall("", "watch", { gate: "w" }))
      yield* happened(one, "began h")
      yield* happened(one, "began w")
      yield* hold.cancel
      yield* watch.cancel
      yield* happened(one, "ended h")
      yield* happened(one, "ended w")
      yield* open("h")
      const { structuredContent } = yield* rawResult(one, "events")
      const { events, running } = structuredContent
      assert.strictEqual(running, 0)
      assert.includeMembers(events, ["interrupted h", "aborted w"])
      assert.isBelow(events.indexOf("interrupted h"), events.indexOf("ended h"))
      assert.deepStrictEqual(
        [...hold.seen.events, ...watch.seen.events].filter((message) => message["id"] === 0 || message["id"] === ""),
        []
      )
    }))

  test(
    "HTTP-17 CANCEL-02 CANCEL-05: ends a call that has already sent something, and nothing more comes for it",
    ({ connect, open }) =>
      Effect.gen(function* () {
        const one = yield* connect()
        const steps = yield* rawCall(one, "steps", { gate: "never" }, { progressToken: "t" })
        yield* Effect.promise(() => steps.seen.first((message) => message["method"] === "notifications/progress"))
        yield* steps.cancel
        yield* happened(one, "aborted steps")
        yield* open("never")
        yield* rawResult(one, "noargs")
        assert.isFalse(steps.seen.events.some((message) => "result" in message || "error" in message))
      }),
    { needs: ["notifications"] }
  )

  test("CANCEL-05 CANCEL-09: of a call that has answered changes nothing, and its id may be used again", (server) =>
    Effect.gen(function* () {
      const one = yield* server.connect()
      for (const _ of [1, 2]) {
        const call = yield* one.send(rawToolCall("again", "echo", { text: "again" }))
        const answer = yield* call.answer
        yield* call.cancel
        assert.strictEqual(answer["result"].content[0].text, "again")
      }
    }))

  test(
    "CANCEL-10: that is malformed or of nothing that runs is ignored",
    ({ connect, open }) =>
      Effect.gen(function* () {
        const one = yield* connect()
        const hold = yield* one.send(rawToolCall(1, "hold", { gate: "kept" }))
        yield* happened(one, "began kept")
        for (const params of [{ requestId: "1" }, { requestId: 2 }, { requestId: null }, { requestId: {} }, {}]) {
          yield* one.send({ jsonrpc: "2.0", method: "notifications/cancelled", params })
        }
        yield* one.send({ jsonrpc: "2.0", method: "notifications/cancelled" })
        yield* rawResult(one, "noargs")
        yield* open("kept")
        assert.strictEqual((yield* hold.answer)["result"].content[0].text, "kept")
      }),
    { needs: ["inbound"] }
  )

  test(
    "INIT-10: of the handshake changes nothing",
    ({ connect }) =>
      Effect.gen(function* () {
        const one = yield* connect()
        yield* one.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "handshake" } })
        assert.deepStrictEqual((yield* ask(one, "ping"))["result"], {})
      }),
    { era: "compat", needs: ["inbound"] }
  )

  test(
    "BASE-17: does not reach a call with the same id of another client",
    ({ connect, open }) =>
      Effect.gen(function* () {
        const [left, right] = [yield* connect(), yield* connect()]
        const first = yield* left.send(rawToolCall(1, "hold", { gate: "left" }))
        const second = yield* right.send(rawToolCall(1, "hold", { gate: "right" }))
        yield* happened(left, "began left")
        yield* happened(right, "began right")
        yield* first.cancel
        yield* happened(right, "ended left")
        yield* open("right")
        assert.strictEqual((yield* second.answer)["result"].content[0].text, "right")
      }),
    { needs: ["clients"] }
  )
})
