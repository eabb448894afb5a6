/**
 * The counters: what moves each of them, and that nothing is left when a served thing has stopped.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { TestClock } from "effect/testing"
import { rawRequest, rawToolCall } from "@treadle/testing"
import { Change, Counters, CurrentCall } from "../src/index.ts"
import { McpHttp } from "../src/http.ts"
import { McpNode } from "../src/node/index.ts"
import { empty } from "./fixtures/calling.ts"
import { compatDoor } from "./fixtures/compatDoor.ts"
import { headersOf } from "./fixtures/rawPeers.ts"

const plain = { description: "Tested" }
const idle = empty()
  .tool("t", plain, async () => "x")
  .prompt("p", plain, async () => "x")
const none = Counters.none

describe("the counters", () => {
  it.effect("D13: tell streams of sessions from native listeners", () =>
    Effect.gen(function* () {
      const { open, respond, served } = yield* compatDoor(idle)
      const session = yield* open()
      const stream = yield* Effect.promise(() => respond(undefined, { verb: "GET", session }))
      assert.deepStrictEqual(served.counters(), { ...none, sessions: 1, streams: 1 })
      const listen = rawRequest(1, "subscriptions/listen", { notifications: { toolsListChanged: true } })
      const listener = yield* Effect.promise(() => respond(listen, { headers: headersOf(listen) }))
      assert.deepStrictEqual(served.counters(), { ...none, sessions: 1, streams: 1, listeners: 1 })
      yield* Effect.promise(async () => listener.body?.cancel())
      assert.deepStrictEqual(served.counters(), { ...none, sessions: 1, streams: 1 })
      yield* Effect.promise(async () => stream.body?.cancel())
      assert.deepStrictEqual(served.counters(), { ...none, sessions: 1 })
    })
  )

  it.effect("D13: count changes that are gathered, and those that a session without a stream is still to hear of", () =>
    Effect.gen(function* () {
      const { open, respond, served } = yield* compatDoor(idle)
      yield* served.live.changed(Change.tools)
      assert.strictEqual(served.counters().queued, 0, "nobody listens")
      const [first] = [yield* open(), yield* open()]
      yield* served.live.changed(Change.tools)
      yield* served.live.changed(Change.tools)
      assert.strictEqual(served.counters().queued, 1)
      yield* TestClock.adjust(50)
      assert.strictEqual(served.counters().queued, 2, "one for each session")
      const stream = yield* Effect.promise(() => respond(undefined, { verb: "GET", session: first }))
      assert.strictEqual(served.counters().queued, 1)
      yield* Effect.promise(async () => stream.body?.cancel())
      yield* served.live.changed(Change.prompts)
      assert.strictEqual(served.counters().queued, 2)
    })
  )

  it.effect("D13: count messages behind which a handler waits for its reader", () =>
    Effect.gen(function* () {
      const mcp = empty().tool("flood", plain, () =>
        Effect.forEach([1, 2, 3, 4], (done) => CurrentCall.progress(done, 4, "x".repeat(40_000)), { discard: true })
      )
      const { respond, served } = yield* compatDoor(mcp)
      const call = rawToolCall(1, "flood", {}, { progressToken: 1 })
      const response = yield* Effect.promise(() => respond(call, { headers: headersOf(call) }))
      assert.deepStrictEqual(served.counters(), { ...none, calls: 1, queued: 1 })
      yield* Effect.promise(() => response.text())
      assert.deepStrictEqual(served.counters(), none)
      const left = yield* Effect.promise(() => respond(call, { headers: headersOf(call) }))
      assert.strictEqual(served.counters().queued, 1)
      yield* Effect.promise(async () => left.body?.cancel())
      assert.deepStrictEqual(served.counters(), none)
    })
  )

  it.effect("D12: are zero once the served thing has stopped, sessions and what they wait for included", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { open, respond, served } = yield* Scope.provide(compatDoor(idle), scope)
      const [first] = [yield* open(), yield* open()]
      yield* Effect.promise(() => respond(undefined, { verb: "GET", session: first }))
      yield* served.live.changed(Change.tools)
      yield* TestClock.adjust(50)
      yield* served.live.changed(Change.prompts)
      assert.deepStrictEqual(served.counters(), { ...none, sessions: 2, streams: 1, queued: 2 })
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(served.counters(), none)
    })
  )

  it.effect("D13: are those of a plain door too, before its first request and after its last", () =>
    Effect.gen(function* () {
      const door = McpHttp.fetch(idle)
      assert.deepStrictEqual(door.counters(), none)
      const listen = rawRequest(1, "subscriptions/listen", { notifications: {} })
      yield* Effect.promise(() =>
        door(
          new Request("http://localhost/mcp", {
            method: "POST",
            headers: headersOf(listen),
            body: JSON.stringify(listen)
          })
        )
      )
      assert.deepStrictEqual(door.counters(), { ...none, listeners: 1 })
      yield* Effect.promise(() => door.close())
      assert.deepStrictEqual(door.counters(), none)
      const listening = yield* Effect.promise(() => McpNode.listen(idle))
      assert.deepStrictEqual([McpNode.handler(idle).counters(), listening.counters()], [none, none])
      yield* Effect.promise(() => listening.close())
    })
  )
})
