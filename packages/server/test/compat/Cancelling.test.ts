/**
 * What ends a call of a session over HTTP, and what does not.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import { TestClock } from "effect/testing"
import { Recorder, type RawMessage } from "@treadle/testing"
import { Ask, CurrentCall, Mcp } from "../../src/index.ts"
import { McpNode } from "../../src/node/index.ts"
import { cancelled, compatCall, compatDoor, compatRequest, initialize, type Got } from "../fixtures/compatDoor.ts"
import { eventTail } from "../fixtures/eventTail.ts"
import { listening } from "../fixtures/cells.ts"
import { posting } from "../fixtures/rawPeers.ts"

/** Calls that wait at a gate, some of which say so first. */
const waiting = () => {
  const events = new Recorder<string>()
  const gates = new Recorder<string>()
  const wait = (gate: string) =>
    Effect.promise(() => gates.first((one) => one === gate)).pipe(
      Effect.onInterrupt(() => Effect.sync(() => events.record(`interrupted ${gate}`)))
    )
  const mcp = Mcp.make({ name: "suite", version: "1.0.0" }).tool(
    "hold",
    { description: "Tested", input: { gate: Schema.String, told: Schema.Boolean } },
    ({ gate, told }) =>
      Effect.gen(function* () {
        events.record(`began ${gate}`)
        if (told) yield* CurrentCall.progress(1)
        yield* wait(gate)
        events.record(`ended ${gate}`)
        return gate
      })
  )
  return {
    mcp,
    events,
    happened: (event: string) => Effect.promise(() => events.first((one) => one === event)),
    openGate: (gate: string) => Effect.sync(() => gates.record(gate))
  }
}

const hold = (id: unknown, gate: string, told = false) => compatCall(id, "hold", { gate, told }, { progressToken: "t" })

const text = ({ answer }: Got): unknown => answer["result"]?.content[0].text ?? answer["error"]

describe("a notification that a call is not wanted any more", () => {
  it.effect("B037 CHTTP-06 CANCEL-02 CANCEL-05 D10: ends the call of its session, which is not answered", () =>
    Effect.gen(function* () {
      const { happened, mcp } = waiting()
      const { begin, open, send, served } = yield* compatDoor(mcp)
      const session = yield* open()
      for (const told of [false, true]) {
        const gate = `told ${told}`
        const call = yield* begin(hold(gate, gate, told), { session })
        yield* happened(`began ${gate}`)
        assert.strictEqual((yield* send(cancelled(gate), { session })).status, 202)
        yield* happened(`interrupted ${gate}`)
        const { messages, status, type } = yield* Fiber.join(call)
        assert.deepStrictEqual([status, type], [200, "text/event-stream"])
        assert.strictEqual(messages.length, told ? 1 : 0)
      }
      assert.strictEqual(served.counters().calls, 0)
    })
  )

  it.effect("CANCEL-05: leaves a client that takes JSON only with nothing that could be taken for an answer", () =>
    Effect.gen(function* () {
      const { happened, mcp } = waiting()
      const { begin, open, send } = yield* compatDoor(mcp)
      const session = yield* open()
      const call = yield* begin(hold(1, "a"), { session, headers: { accept: "application/json" } })
      yield* happened("began a")
      yield* send(cancelled(1), { session })
      const { status, text } = yield* Fiber.join(call)
      assert.deepStrictEqual([status, text], [202, ""])
    })
  )

  it.effect(
    "BASE-17 CANCEL-02: does not reach the call with this id of another session, nor one of the native era",
    () =>
      Effect.gen(function* () {
        const { events, happened, mcp, openGate } = waiting()
        const { begin, open, send } = yield* compatDoor(mcp)
        const [left, right] = [yield* open(), yield* open()]
        const first = yield* begin(hold(1, "left"), { session: left })
        const second = yield* begin(hold(1, "right"), { session: right })
        yield* happened("began left")
        yield* happened("began right")
        yield* send(cancelled(1), { session: right })
        yield* happened("interrupted right")
        for (const message of [cancelled("1"), cancelled(2), cancelled(null), cancelled({})]) {
          assert.strictEqual((yield* send(message, { session: left })).status, 202)
        }
        assert.strictEqual((yield* send(cancelled(1))).status, 202)
        yield* openGate("left")
        assert.strictEqual(text(yield* Fiber.join(first)), "left")
        yield* Fiber.join(second)
        assert.notInclude(events.events, "interrupted left")
      })
  )

  it.effect("HTTP-09: is of no session where its header names a native version", () =>
    Effect.gen(function* () {
      const { happened, mcp, openGate } = waiting()
      const { begin, open, send } = yield* compatDoor(mcp)
      const session = yield* open()
      const call = yield* begin(hold(1, "a"), { session })
      yield* happened("began a")
      const native = { session, headers: { "mcp-protocol-version": "2026-07-28" } }
      assert.strictEqual((yield* send(cancelled(1), native)).status, 202)
      yield* openGate("a")
      assert.strictEqual(text(yield* Fiber.join(call)), "a")
    })
  )

  it.effect("INIT-10: cannot undo a handshake", () =>
    Effect.gen(function* () {
      const { mcp } = waiting()
      const { open, send } = yield* compatDoor(mcp)
      const session = yield* open()
      yield* send(cancelled(0), { session })
      assert.strictEqual((yield* send(compatRequest(1, "ping"), { session })).status, 200)
    })
  )
})

describe("a client that goes away", () => {
  it.effect("B037 CHTTP-06 D10: does not end its call, whether it waits for JSON or reads events", () =>
    Effect.gen(function* () {
      const { events, happened, mcp, openGate } = waiting()
      const { open, respond, send, served } = yield* compatDoor(mcp)
      const session = yield* open()
      for (const told of [false, true]) {
        const gate = `told ${told}`
        const abort = new AbortController()
        const response = respond(hold(gate, gate, told), { session, signal: abort.signal })
        yield* happened(`began ${gate}`)
        if (told) yield* Effect.promise(async () => (await response).body?.cancel())
        abort.abort()
        yield* send(compatRequest("after", "ping"), { session })
        yield* openGate(gate)
        yield* happened(`ended ${gate}`)
      }
      yield* served.idle
      assert.deepStrictEqual(
        events.events.filter((event) => event.startsWith("interrupted")),
        []
      )
    })
  )

  it.effect("B037 CHTTP-06 D10: does not end its call on a socket either, and a notification still does", () =>
    Effect.gen(function* () {
      const { events, happened, mcp, openGate } = waiting()
      const door = yield* McpNode.scoped(mcp)
      const port = yield* listening((req, res) => door(req, res))
      const post = (message: RawMessage, session = "") =>
        posting(port, message, { "mcp-protocol-version": "2025-11-25", "mcp-session-id": session })
      const hello = posting(port, initialize(), { "mcp-protocol-version": "2025-11-25" })
      const session = String((yield* Effect.promise(() => hello.res)).headers["mcp-session-id"])
      for (const [id, told] of [
        ["json", false],
        ["events", true],
        ["unwanted", false]
      ] as const) {
        const { req, res } = post(hold(id, id, told), session)
        yield* happened(`began ${id}`)
        if (told) yield* Effect.promise(() => res)
        req.destroy()
      }
      const noticed = post(cancelled("unwanted"), session)
      assert.strictEqual((yield* Effect.promise(() => noticed.res)).statusCode, 202)
      yield* happened("interrupted unwanted")
      for (const id of ["json", "events"]) {
        yield* openGate(id)
        yield* happened(`ended ${id}`)
      }
      assert.lengthOf(
        events.events.filter((event) => event.startsWith("interrupted")),
        1
      )
    })
  )

  it.effect("CANCEL-05 TIME-02: of a call that asks is followed by nothing, however long its finalizers take", () =>
    Effect.gen(function* () {
      const events = new Recorder<string>()
      const mcp = Mcp.make({ name: "suite", version: "1.0.0" }).tool("ask", { description: "Asks" }, () =>
        CurrentCall.ask("name", Ask.form({ message: "Who?", fields: { name: Schema.String } })).pipe(
          Effect.map(({ action }) => action),
          Effect.onInterrupt(() => Effect.promise(() => events.first((one) => one === "go")))
        )
      )
      const { respond, send } = yield* compatDoor(mcp, { limits: { askTimeout: 1_000 } })
      const { session } = yield* send(initialize("2025-11-25", { elicitation: {} }))
      const stream = eventTail(yield* Effect.promise(() => respond(compatCall(1, "ask"), { session })))
      assert.strictEqual((yield* stream.message)["method"], "elicitation/create")
      yield* send(cancelled(1), { session })
      yield* TestClock.adjust(5_000)
      events.record("go")
      assert.deepStrictEqual(yield* stream.all, [])
    })
  )
})
