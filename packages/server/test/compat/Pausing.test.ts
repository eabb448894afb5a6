/**
 * Calls that let their clients wait without a connection.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import { rawToolCall } from "@treadle/testing"
import { Mcp } from "../../src/index.ts"
import { compatCall, compatPipe, compatRequest, initialize } from "../fixtures/compatDoor.ts"
import { answerOf, idOf, orderedDoor, progressOf } from "../fixtures/orderedDoor.ts"
import { headersOf } from "../fixtures/rawPeers.ts"

describe("a call that pauses", () => {
  it.effect("CHTTP-04 CHTTP-05: closes its connection, says when to come back, and goes on", () =>
    Effect.gen(function* () {
      const { happened, open, order, resumed, runs, served: thing, started } = yield* orderedDoor()
      const session = yield* open()
      yield* order("a:1:pause:700")
      const events = yield* (yield* started("a", session)).all
      assert.deepStrictEqual(
        events.map(({ data, retry }) => ({ data, retry })),
        [
          { data: "", retry: undefined },
          { data: undefined, retry: 700 }
        ]
      )
      assert.strictEqual(thing.counters().calls, 1)
      yield* order("a:2:progress")
      yield* happened("a:2")
      const second = yield* resumed(session, idOf(events[0]))
      yield* second.message
      yield* order("a:3:pause:50")
      const [retry] = yield* second.all
      assert.strictEqual(retry?.retry, 50)
      yield* order("a:4:end")
      const rest = yield* (yield* resumed(session, idOf(events[0]))).all
      assert.deepStrictEqual([progressOf(rest), answerOf(rest), runs.get("a")], [[2], "a", 1])
    })
  )

  it.effect("does so at 2025-11-25 and where the client takes events; anywhere else nothing happens", () =>
    Effect.gen(function* () {
      const { open, order, respond, started } = yield* orderedDoor()
      yield* order("a:1:pause:700")
      yield* order("a:2:end")
      for (const version of ["2025-06-18", "2025-03-26", "2024-11-05"]) {
        assert.strictEqual(answerOf(yield* (yield* started("a", yield* open(version))).all), "a", version)
      }
      const json = yield* started("a", yield* open(), { headers: { accept: "application/json" } })
      assert.strictEqual(json.response.headers.get("content-type"), "application/json")
      const native = rawToolCall(1, "work", { name: "a" })
      const plain = yield* respond(native, { headers: headersOf(native) })
      assert.strictEqual(plain.response.headers.get("content-type"), "application/json")
    })
  )

  it.effect("goes on over a pipe without a pause", () =>
    Effect.gen(function* () {
      const mcp = Mcp.make({ name: "suite", version: "1.0.0" }).tool(
        "both",
        { description: "Tested" },
        async (_, { pause }) => {
          pause(10)
          return "done"
        }
      )
      const { peer } = yield* compatPipe(mcp)
      yield* (yield* peer.send(initialize())).answer
      const call = yield* peer.send(compatCall(1, "both"))
      assert.strictEqual((yield* call.answer)["result"].content[0].text, "done")
    })
  )

  it.effect("D12: keeps its session from being idle, and can still be cancelled", () =>
    Effect.gen(function* () {
      const {
        happened,
        open,
        order,
        resumed,
        send,
        served: thing,
        started
      } = yield* orderedDoor({ limits: { sessionIdle: 1_000 } })
      const session = yield* open()
      yield* order("a:1:pause:10")
      const [primed] = yield* (yield* started("a", session)).all
      yield* TestClock.adjust(5_000)
      assert.strictEqual((yield* send(compatRequest(1, "ping"), { session })).status, 200)
      yield* send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "a" } }, { session })
      yield* happened("a:interrupted")
      const rest = yield* (yield* resumed(session, idOf(primed))).all
      assert.deepStrictEqual(rest, [])
      assert.strictEqual(thing.counters().calls, 0)
    })
  )
})
