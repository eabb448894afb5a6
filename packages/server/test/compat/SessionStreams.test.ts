/**
 * The streams of compat sessions: opened again while the old one hangs, dropped without a word, and gone with sessions
 * that nobody ends.
 */
import { assert, describe, it } from "@effect/vitest"
import { request as httpRequest, type IncomingMessage } from "node:http"
import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import { rawToolCall, Recorder, type RawMessage } from "@treadle/testing"
import { Change, Counters, Mcp } from "../../src/index.ts"
import { nodeExchange } from "../../src/node/NodeExchange.ts"
import { makeGuard } from "../../src/transport/HttpGuard.ts"
import { makeOutbox } from "../../src/transport/Outbox.ts"
import { empty } from "../fixtures/calling.ts"
import { listening } from "../fixtures/cells.ts"
import { compatCall, compatDoor, compatRequest, initialize } from "../fixtures/compatDoor.ts"
import { eventMessages, headersOf, posting } from "../fixtures/rawPeers.ts"
import { quietAtEnd } from "../fixtures/quiet.ts"

const mcp = empty().tool("t", { description: "Tested" }, async () => "x")
const ping = compatRequest("p", "ping")

/** What a stream says, as it says it. */
const hearing = (response: Response) => {
  const heard = new Recorder<RawMessage>()
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  const read = async () => {
    for (let next = await reader?.read(); next !== undefined && !next.done; next = await reader?.read()) {
      for (const message of eventMessages(decoder.decode(next.value))) heard.record(message)
    }
  }
  void read()
  return { heard, leave: Effect.promise(async () => reader?.cancel()) }
}

describe("a stream of a session", () => {
  it.effect("B085 CHTTP-10: opens beside one that hangs, and each change is told once, on the newest", () =>
    Effect.gen(function* () {
      const { open, respond, served } = yield* compatDoor(mcp)
      const session = yield* open()
      const get = Effect.map(
        Effect.promise(() => respond(undefined, { verb: "GET", session })),
        (response) => {
          assert.deepStrictEqual([response.status, response.headers.get("content-type")], [200, "text/event-stream"])
          return hearing(response)
        }
      )
      const change = Effect.andThen(served.live.changed(Change.tools), TestClock.adjust(50))
      const hanging = yield* get
      const fresh = yield* get
      yield* change
      const { method } = yield* Effect.promise(() => fresh.heard.first(() => true))
      assert.strictEqual(method, "notifications/tools/list_changed")
      yield* fresh.leave
      yield* change
      yield* Effect.promise(() => hanging.heard.first(() => true))
      assert.deepStrictEqual([hanging.heard.events.length, fresh.heard.events.length], [1, 1])
      yield* hanging.leave
      assert.deepStrictEqual(served.counters(), { ...Counters.none, sessions: 1 })
    })
  )
})

describe("a session whose client loses stream after stream without a word", () => {
  it.effect(
    "B085 D13: ends the oldest for one more than limits.listeners, and tells each change once, on the newest",
    () =>
      Effect.gen(function* () {
        const { open, respond, served } = yield* compatDoor(mcp, { limits: { listeners: 2 } })
        const [session, other] = [yield* open(), yield* open()]
        const get = (of: string) => Effect.promise(() => respond(undefined, { verb: "GET", session: of }))
        const others = hearing(yield* get(other))
        const [first, second] = [yield* get(session), yield* get(session)]
        const third = hearing(yield* get(session))
        assert.strictEqual(served.counters().streams, 3)
        assert.deepStrictEqual(eventMessages(yield* Effect.promise(() => first.text())), [])
        yield* Effect.andThen(served.live.changed(Change.tools), TestClock.adjust(50))
        for (const { heard } of [third, others]) {
          const { method } = yield* Effect.promise(() => heard.first(() => true))
          assert.strictEqual(method, "notifications/tools/list_changed")
        }
        const fourth = hearing(yield* get(session))
        assert.deepStrictEqual(eventMessages(yield* Effect.promise(() => second.text())), [])
        yield* Effect.andThen(served.live.changed(Change.tools), TestClock.adjust(50))
        yield* Effect.promise(() => fourth.heard.first(() => true))
        assert.lengthOf(third.heard.events, 1)
        assert.strictEqual(served.counters().streams, 3)
      })
  )

  it.effect("D13: has none where there are to be none", () =>
    Effect.gen(function* () {
      const { open, send } = yield* compatDoor(mcp, { limits: { listeners: 0 } })
      const { answer, status } = yield* send(undefined, { verb: "GET", session: yield* open() })
      assert.deepStrictEqual([status, answer["error"].code], [429, -32603])
    })
  )
})

describe("a session that its client forgets", () => {
  it.effect("B055 D12: is gone once it was idle for too long, whoever asks, and those in use stay", () =>
    Effect.gen(function* () {
      const { open, respond, send, served } = yield* compatDoor(mcp, { limits: { sessionIdle: 2_000 } })
      const forget = Effect.gen(function* () {
        const session = yield* open()
        const stream = hearing(yield* Effect.promise(() => respond(undefined, { verb: "GET", session })))
        assert.strictEqual((yield* send(compatCall(1, "t"), { session })).status, 200)
        yield* stream.leave
      })
      const end = Effect.flatMap(open(), (session) => send(undefined, { verb: "DELETE", session }))
      const native = rawToolCall(1, "t")
      const modern = send(native, { headers: headersOf(native) })
      const used = yield* open()
      for (let round = 0; round < 100; round++) yield* Effect.all([forget, end, modern])
      assert.deepStrictEqual(served.counters(), { ...Counters.none, sessions: 101 })
      yield* TestClock.adjust(1_500)
      assert.strictEqual((yield* send(ping, { session: used })).status, 200)
      yield* TestClock.adjust(501)
      assert.strictEqual(served.counters().sessions, 1)
      assert.strictEqual((yield* send(ping, { session: used })).status, 200)
    })
  )

  it.effect("B055: leaves nothing behind for those that are opened after it", () =>
    Effect.gen(function* () {
      const { open, served } = yield* compatDoor(mcp, { limits: { sessionIdle: 2_000, sessions: 2 } })
      const ended: Array<string> = []
      for (const _ of [1, 2, 3]) {
        ended.push(yield* open(), yield* open())
        assert.strictEqual(served.counters().sessions, 2)
        yield* TestClock.adjust(2_001)
      }
      assert.strictEqual(new Set(ended).size, 6)
      assert.strictEqual(served.counters().sessions, 0)
    })
  )

  it.effect("B055 CHTTP-07: whose socket breaks keeps no stream", () =>
    Effect.gen(function* () {
      const served = yield* quietAtEnd(Mcp.served(mcp))
      const reply = { limits: served.limits, form: "auto", onDropped: served.onDropped } as const
      const parts = { served, reply, guard: makeGuard({}), outbox: makeOutbox(setImmediate) }
      const closed = new Recorder<string>()
      const port = yield* listening((req, res) => {
        res.on("close", () => closed.record(req.method ?? ""))
        nodeExchange(parts, req, res, {})
      })
      for (let round = 0; round < 5; round++) {
        const hello = posting(port, initialize(), { "mcp-protocol-version": "2025-11-25" })
        const session = String((yield* Effect.promise(() => hello.res)).headers["mcp-session-id"])
        const headers = { accept: "text/event-stream", "mcp-session-id": session }
        const stream = httpRequest({ port, host: "127.0.0.1", path: "/mcp", agent: false, headers })
        stream.on("error", () => {})
        const opened = new Promise<IncomingMessage>((resolve) => stream.once("response", resolve))
        stream.end()
        assert.strictEqual((yield* Effect.promise(() => opened)).statusCode, 200)
        assert.strictEqual(served.counters().streams, 1)
        stream.destroy()
        yield* Effect.promise(() => closed.first(() => closed.events.filter((one) => one === "GET").length > round))
        assert.strictEqual(served.counters().streams, 0)
      }
      yield* TestClock.adjust(served.limits.sessionIdle + 1)
      assert.strictEqual(served.counters().sessions, 0)
    })
  )

  it.effect("B016 CHTTP-17: is 404 from then on, and a new handshake gives another", () =>
    Effect.gen(function* () {
      const { open, send } = yield* compatDoor(mcp, { limits: { sessionIdle: 1_000 } })
      const session = yield* open()
      yield* TestClock.adjust(1_001)
      for (const [verb, message] of [
        ["POST", ping],
        ["GET", undefined],
        ["DELETE", undefined]
      ] as const) {
        const { answer, status, type } = yield* send(message, { verb, session })
        assert.deepStrictEqual([status, type, answer["error"].code], [404, "application/json", -32600], verb)
      }
      const again = yield* send(initialize(), { session })
      assert.strictEqual(again.status, 200)
      assert.notInclude([undefined, session], again.session)
      assert.strictEqual((yield* send(ping, { session: again.session })).status, 200)
    })
  )
})
