/**
 * The life of a compat session over HTTP: how it begins, who may use it, and how it ends.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import { TestClock } from "effect/testing"
import { Recorder, rawToolCall } from "@treadle/testing"
import { Mcp } from "../../src/index.ts"
import { empty } from "../fixtures/calling.ts"
import { cancelled, compatCall, compatDoor, compatRequest, initialize, type Got } from "../fixtures/compatDoor.ts"
import { headersOf } from "../fixtures/rawPeers.ts"

/** A server whose calls wait at a gate, and who is calling. */
const held = () => {
  const events = new Recorder<string>()
  const gates = new Recorder<string>()
  const mcp = Mcp.make<{ readonly user?: string }>({
    name: "suite",
    version: "1.0.0",
    principal: ({ user }) => user
  })
    .tool("quick", { description: "Tested" }, async () => "x")
    .tool("hold", { description: "Tested", input: { gate: Schema.String } }, ({ gate }) =>
      Effect.gen(function* () {
        events.record(`began ${gate}`)
        yield* Effect.promise(() => gates.first((one) => one === gate))
        return gate
      }).pipe(Effect.onInterrupt(() => Effect.sync(() => events.record(`interrupted ${gate}`))))
    )
  return {
    mcp,
    events,
    began: (gate: string) => Effect.promise(() => events.first((one) => one === `began ${gate}`)),
    ended: (gate: string) => Effect.promise(() => events.first((one) => one === `interrupted ${gate}`)),
    openGate: (gate: string) => Effect.sync(() => gates.record(gate))
  }
}

const text = ({ answer }: Got): unknown => answer["result"]?.content[0].text ?? answer["error"]

const ping = compatRequest("p", "ping")

describe("a session", () => {
  it.effect(
    "CHTTP-14 D12: is minted by each handshake, as an id that cannot be guessed, in either form of answer",
    () =>
      Effect.gen(function* () {
        const ids = new Set<string>()
        for (const replies of ["auto", "json", "events"] as const) {
          const { send } = yield* compatDoor(held().mcp, { replies })
          for (const _ of [1, 2]) {
            const { session, type } = yield* send(initialize())
            assert.match(session ?? "", /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
            assert.strictEqual(type, replies === "events" ? "text/event-stream" : "application/json")
            ids.add(session ?? "")
          }
        }
        assert.strictEqual(ids.size, 6)
      })
  )

  it.effect("CHTTP-14: is named by the answer to the handshake only", () =>
    Effect.gen(function* () {
      const { open, send } = yield* compatDoor(held().mcp)
      const session = yield* open()
      for (const message of [ping, compatCall(1, "quick"), cancelled(1)]) {
        assert.isUndefined((yield* send(message, { session })).session)
      }
    })
  )

  it.effect(
    "CHTTP-16 CHTTP-17: that is not named is 400, and one that is not known is 404, for every kind of message",
    () =>
      Effect.gen(function* () {
        const { send } = yield* compatDoor(held().mcp)
        const status = (message: Parameters<typeof send>[0], sending?: Parameters<typeof send>[1]) =>
          Effect.map(send(message, sending), (got) => got.status)
        assert.strictEqual(yield* status(ping), 400)
        assert.strictEqual(yield* status(undefined, { verb: "DELETE" }), 400)
        for (const session of ["unknown", ""]) {
          assert.strictEqual(yield* status(ping, { session }), 404, "request")
          assert.strictEqual(yield* status(cancelled(1), { session }), 404, "notification")
          assert.strictEqual(yield* status({ jsonrpc: "2.0", id: 1, result: {} }, { session }), 404, "answer")
          assert.strictEqual(yield* status(undefined, { verb: "DELETE", session }), 404, "DELETE")
          assert.strictEqual(yield* status(undefined, { verb: "GET", session }), 404, "GET")
        }
      })
  )

  it.effect("D12: that is one too many ends the one that was idle for longest", () =>
    Effect.gen(function* () {
      const { open, send, served } = yield* compatDoor(held().mcp, { limits: { sessions: 2 } })
      const first = yield* open()
      yield* TestClock.adjust(1)
      const second = yield* open()
      yield* TestClock.adjust(1)
      yield* send(ping, { session: first })
      yield* TestClock.adjust(1)
      const third = yield* open()
      const statuses = yield* Effect.forEach([first, second, third], (session) => send(ping, { session }))
      assert.deepStrictEqual(
        statuses.map(({ status }) => status),
        [200, 404, 200]
      )
      assert.strictEqual(served.counters().sessions, 2)
    })
  )

  it.effect("D12: that is one too many is refused with 503 while every other has a call running", () =>
    Effect.gen(function* () {
      const { began, mcp, openGate } = held()
      const { begin, open, send, served } = yield* compatDoor(mcp, { limits: { sessions: 2 } })
      const [first, second] = [yield* open(), yield* open()]
      const calls = [
        yield* begin(compatCall(1, "hold", { gate: "a" }), { session: first }),
        yield* begin(compatCall(1, "hold", { gate: "b" }), { session: second })
      ]
      yield* began("a")
      yield* began("b")
      const refused = yield* send(initialize())
      assert.deepStrictEqual([refused.status, refused.answer["error"].code, refused.session], [503, -32603, undefined])
      yield* openGate("a")
      yield* openGate("b")
      for (const call of calls) assert.strictEqual((yield* Fiber.join(call)).status, 200)
      assert.strictEqual((yield* send(initialize())).status, 200)
      assert.deepStrictEqual(served.counters(), { ...served.counters(), calls: 0, sessions: 2 })
    })
  )

  it.effect("D12: that was idle for too long has ended; each use begins the time anew", () =>
    Effect.gen(function* () {
      const { open, send, served } = yield* compatDoor(held().mcp, { limits: { sessionIdle: 1_000 } })
      const session = yield* open()
      for (const message of [ping, compatCall(1, "quick"), cancelled(9)]) {
        yield* TestClock.adjust(1_000)
        assert.isBelow((yield* send(message, { session })).status, 300)
      }
      yield* TestClock.adjust(1_001)
      assert.strictEqual((yield* send(ping, { session })).status, 404)
      assert.strictEqual(served.counters().sessions, 0)
    })
  )

  it.effect("D12: whose call runs is not idle, and from its end on is as idle as any other", () =>
    Effect.gen(function* () {
      const { began, mcp, openGate } = held()
      const { begin, open, send } = yield* compatDoor(mcp, { limits: { sessionIdle: 1_000 } })
      const session = yield* open()
      const call = yield* begin(compatCall(1, "hold", { gate: "a" }), { session })
      yield* began("a")
      yield* TestClock.adjust(5_000)
      assert.strictEqual((yield* send(ping, { session })).status, 200)
      yield* TestClock.adjust(5_000)
      yield* openGate("a")
      assert.strictEqual(text(yield* Fiber.join(call)), "a")
      yield* TestClock.adjust(1_000)
      assert.strictEqual((yield* send(ping, { session })).status, 200)
      yield* TestClock.adjust(1_001)
      assert.strictEqual((yield* send(ping, { session })).status, 404)
    })
  )

  it.effect("D12 CHTTP-07: whose stream is open is not idle, and from its end on is as idle as any other", () =>
    Effect.gen(function* () {
      const { open, respond, send } = yield* compatDoor(held().mcp, { limits: { sessionIdle: 1_000 } })
      const session = yield* open()
      const stream = yield* Effect.promise(() => respond(undefined, { verb: "GET", session }))
      assert.strictEqual(stream.headers.get("content-type"), "text/event-stream")
      yield* TestClock.adjust(5_000)
      assert.strictEqual((yield* send(ping, { session })).status, 200)
      yield* TestClock.adjust(5_000)
      yield* Effect.promise(async () => stream.body?.cancel())
      yield* TestClock.adjust(1_000)
      assert.strictEqual((yield* send(ping, { session })).status, 200)
    })
  )

  it.effect("CHTTP-23 D12: is unknown to everyone but the principal who opened it, and stays theirs", () =>
    Effect.gen(function* () {
      const { began, events, mcp, openGate } = held()
      const { begin, open, send } = yield* compatDoor(mcp)
      const context = { user: "ada" }
      const session = yield* open("2025-11-25", { context })
      const call = yield* begin(compatCall(1, "hold", { gate: "a" }), { session, context })
      yield* began("a")
      for (const other of [{ user: "eve" }, { user: "" }, {}]) {
        const foreign = { session, context: other }
        for (const message of [ping, compatCall(1, "quick"), cancelled(1)]) {
          assert.strictEqual((yield* send(message, foreign)).status, 404)
        }
        assert.strictEqual((yield* send(undefined, { ...foreign, verb: "DELETE" })).status, 404)
        assert.strictEqual((yield* send(undefined, { ...foreign, verb: "GET" })).status, 404)
      }
      assert.deepStrictEqual(events.events, ["began a"])
      yield* openGate("a")
      assert.strictEqual(text(yield* Fiber.join(call)), "a")
      assert.strictEqual((yield* send(ping, { session, context })).status, 200)
    })
  )

  it.effect("CHTTP-19 D12: ends with DELETE, which interrupts its calls and no others", () =>
    Effect.gen(function* () {
      const { began, ended, events, mcp, openGate } = held()
      const { begin, open, send, served } = yield* compatDoor(mcp)
      const [going, staying] = [yield* open(), yield* open()]
      const first = yield* begin(compatCall(1, "hold", { gate: "going" }), { session: going })
      const second = yield* begin(compatCall(1, "hold", { gate: "staying" }), { session: staying })
      const native = rawToolCall(1, "hold", { gate: "native" })
      const third = yield* begin(native, { headers: headersOf(native) })
      for (const gate of ["going", "staying", "native"]) yield* began(gate)
      const deleted = yield* send(undefined, { verb: "DELETE", session: going })
      assert.deepStrictEqual([deleted.status, deleted.text], [204, ""])
      yield* ended("going")
      const gone = { code: -32603, message: "The session has ended" }
      assert.deepStrictEqual(text(yield* Fiber.join(first)), gone)
      for (const gate of ["staying", "native"]) yield* openGate(gate)
      assert.deepStrictEqual([text(yield* Fiber.join(second)), text(yield* Fiber.join(third))], ["staying", "native"])
      assert.deepStrictEqual(
        events.events.filter((event) => event.startsWith("interrupted")),
        ["interrupted going"]
      )
      assert.strictEqual((yield* send(ping, { session: going })).status, 404)
      assert.strictEqual((yield* send(undefined, { verb: "DELETE", session: going })).status, 404)
      assert.deepStrictEqual(served.counters(), { ...served.counters(), calls: 0, sessions: 1 })
    })
  )
})

describe("a server whose sessions are off", () => {
  const stateless = (replies: "auto" | "events" = "auto") => {
    const one = held()
    return Effect.map(compatDoor(one.mcp, { sessions: "off", replies }), (door) => ({ ...one, ...door }))
  }

  it.effect("CHTTP-25 D12: shakes hands and mints none", () =>
    Effect.gen(function* () {
      for (const replies of ["auto", "events"] as const) {
        const { send, served } = yield* stateless(replies)
        const { answer, session, status } = yield* send(initialize("2025-06-18"))
        assert.deepStrictEqual(
          [status, answer["result"].protocolVersion, session, served.counters().sessions],
          [200, "2025-06-18", undefined, 0]
        )
      }
    })
  )

  it.effect("CHTTP-25: serves each request by itself, whatever session it names", () =>
    Effect.gen(function* () {
      const { send } = yield* stateless()
      for (const session of [undefined, "", "another server's"]) {
        assert.strictEqual(text(yield* send(compatCall(1, "quick"), { session })), "x")
        assert.deepStrictEqual((yield* send(ping, { session })).answer["result"], {})
        assert.strictEqual((yield* send(cancelled(1), { session })).status, 202)
      }
    })
  )

  it.effect("D8: serves nothing that only a session remembers, and does not say so in its handshake", () =>
    Effect.gen(function* () {
      const watched = empty().resource({ uri: "box://board", name: "board" }, async () => "")
      const { send } = yield* compatDoor(watched, { sessions: "off" })
      assert.deepStrictEqual((yield* send(initialize())).answer["result"].capabilities, { resources: {} })
      for (const [method, params] of [
        ["resources/subscribe", { uri: "box://board" }],
        ["resources/unsubscribe", { uri: "box://board" }],
        ["logging/setLevel", { level: "debug" }]
      ] as const) {
        const { answer, status } = yield* send(compatRequest(1, method, params))
        assert.strictEqual(status, 200)
        assert.deepStrictEqual(answer["error"], {
          code: -32601,
          message: `This server keeps no sessions, so it does not serve "${method}"`
        })
      }
    })
  )

  it.effect("CHTTP-19 CHTTP-08: has none to end and none with a stream: 405", () =>
    Effect.gen(function* () {
      const { send } = yield* stateless()
      for (const verb of ["DELETE", "GET"]) {
        assert.strictEqual((yield* send(undefined, { verb, session: "x" })).status, 405)
      }
    })
  )

  it.effect(
    "CHTTP-06 BASE-17: cancels nothing by notification or DELETE, because nobody can say whose call it is",
    () =>
      Effect.gen(function* () {
        const { began, begin, openGate, send } = yield* stateless()
        const context = { user: "ada" }
        const call = yield* begin(compatCall(1, "hold", { gate: "a" }), { context })
        yield* began("a")
        assert.strictEqual((yield* send(cancelled(1), { context })).status, 202)
        yield* send(undefined, { verb: "DELETE", context })
        yield* openGate("a")
        assert.strictEqual(text(yield* Fiber.join(call)), "a")
      })
  )
})
