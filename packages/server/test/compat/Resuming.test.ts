/**
 * What a client of a session loses with a connection, and gets back on the next one.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import { rawToolCall } from "@treadle/testing"
import { Change } from "../../src/index.ts"
import { compatCall, initialize } from "../fixtures/compatDoor.ts"
import { answerOf, idOf, orderedDoor, progressOf } from "../fixtures/orderedDoor.ts"
import { headersOf } from "../fixtures/rawPeers.ts"

describe("a stream of a session", () => {
  it.effect("CHTTP-03 CHTTP-11: begins with an id and no data, and every event has an id of its own", () =>
    Effect.gen(function* () {
      const { open, order, started } = yield* orderedDoor()
      const session = yield* open()
      const ids = new Set<string>()
      for (const name of ["a", "b"]) {
        for (const step of [`${name}:1:progress`, `${name}:2:progress`, `${name}:3:end`]) yield* order(step)
        const events = yield* (yield* started(name, session)).all
        assert.deepStrictEqual([events[0]?.data, events.length], ["", 4])
        for (const event of events) ids.add(idOf(event))
      }
      assert.strictEqual(ids.size, 8)
      assert.isFalse(ids.has("none"))
    })
  )

  it.effect("CHTTP-03: begins with its first message where the client is older than 2025-11-25", () =>
    Effect.gen(function* () {
      const { open, order, started } = yield* orderedDoor()
      for (const version of ["2025-06-18", "2025-03-26", "2024-11-05"]) {
        const session = yield* open(version)
        yield* order(`${version}:1:progress`)
        yield* order(`${version}:2:end`)
        const events = yield* (yield* started(version, session)).all
        assert.deepStrictEqual([events.length, progressOf(events)], [2, [1]])
        assert.isTrue(events.every(({ id }) => id !== undefined))
      }
    })
  )

  it.effect("HTTP-15: natively, and where sessions are off, has no ids", () =>
    Effect.gen(function* () {
      const { order, respond } = yield* orderedDoor({ sessions: "off" })
      yield* order("a:1:progress")
      yield* order("a:2:end")
      const native = rawToolCall(1, "work", { name: "a" }, { progressToken: 1 })
      const events = yield* (yield* respond(native, { headers: headersOf(native) })).all
      assert.deepStrictEqual([events.length, events.some(({ id }) => id !== undefined)], [2, false])
      const alone = yield* (yield* respond(compatCall(1, "work", { name: "a" }, { progressToken: 1 }))).all
      assert.deepStrictEqual([alone.length, alone.some(({ id }) => id !== undefined)], [2, false])
    })
  )

  it.effect("CHTTP-06 CHTTP-12: that was lost goes on where it was left, with nothing lost and nothing twice", () =>
    Effect.gen(function* () {
      const { happened, open, order, resumed, runs, started } = yield* orderedDoor()
      const session = yield* open()
      yield* order("a:1:progress")
      const first = yield* started("a", session)
      yield* first.next
      const seen = yield* first.next
      yield* first.cancel
      yield* order("a:2:progress")
      yield* happened("a:2")
      const second = yield* resumed(session, idOf(seen))
      assert.strictEqual(second.response.headers.get("content-type"), "text/event-stream")
      assert.deepStrictEqual((yield* second.message)["params"].progress, 2)
      yield* order("a:3:progress")
      yield* order("a:4:end")
      const rest = yield* second.all
      assert.deepStrictEqual([progressOf(rest), answerOf(rest)], [[3], "a"])
      assert.strictEqual(runs.get("a"), 1)
    })
  )

  it.effect("CHTTP-09 CHTTP-12: that was lost is still there when the call has ended, again and again", () =>
    Effect.gen(function* () {
      const { happened, open, order, resumed, started } = yield* orderedDoor()
      const session = yield* open()
      yield* order("a:1:progress")
      const first = yield* started("a", session)
      const primed = yield* first.next
      yield* first.cancel
      yield* order("a:2:end")
      yield* happened("a:1")
      for (const _ of [1, 2]) {
        const events = yield* (yield* resumed(session, idOf(primed))).all
        assert.deepStrictEqual([progressOf(events), answerOf(events)], [[1], "a"])
      }
    })
  )

  it.effect("CHTTP-12: that has ended, and was read to its end, is 204: there is nothing to come back for", () =>
    Effect.gen(function* () {
      const { open, order, resumed, send, started } = yield* orderedDoor()
      const session = yield* open()
      yield* order("a:1:progress")
      yield* order("a:2:end")
      const events = yield* (yield* started("a", session)).all
      const [seen, last] = [idOf(events.at(-2)), idOf(events.at(-1))]
      const again = yield* send(undefined, { verb: "GET", session, headers: { "last-event-id": last } })
      assert.deepStrictEqual([again.status, again.text], [204, ""])
      assert.strictEqual(answerOf(yield* (yield* resumed(session, seen)).all), "a")
    })
  )

  it.effect("CHTTP-13: gives nothing of another stream, and nothing to another session", () =>
    Effect.gen(function* () {
      const { open, order, resumed, started } = yield* orderedDoor()
      const [session, stranger] = [yield* open(), yield* open()]
      for (const step of ["a:1:progress", "a:2:end", "b:1:progress", "b:2:end"]) yield* order(step)
      const [primed] = yield* (yield* started("a", session)).all
      yield* (yield* started("b", session)).all
      const events = yield* (yield* resumed(session, idOf(primed))).all
      assert.deepStrictEqual([events.length, answerOf(events)], [2, "a"])
      assert.strictEqual((yield* resumed(stranger, idOf(primed))).status, 400)
    })
  )

  it.effect("CHTTP-10: has one connection at a time; coming back ends the one before", () =>
    Effect.gen(function* () {
      const { open, order, resumed, started } = yield* orderedDoor()
      const session = yield* open()
      yield* order("a:1:progress")
      const first = yield* started("a", session)
      const primed = yield* first.next
      const second = yield* resumed(session, idOf(primed))
      yield* order("a:2:end")
      assert.deepStrictEqual(progressOf(yield* first.all), [1])
      const events = yield* second.all
      assert.deepStrictEqual([progressOf(events), answerOf(events)], [[1], "a"])
    })
  )

  it.effect("D13 CHTTP-12: lets a handler that waited for its reader go on once that comes back", () =>
    Effect.gen(function* () {
      const { happened, open, order, resumed, served: thing, started } = yield* orderedDoor()
      const session = yield* open()
      yield* order("a:1:progress:70000")
      const first = yield* started("a", session)
      const primed = yield* first.next
      assert.strictEqual(thing.counters().queued, 1)
      const second = yield* resumed(session, idOf(primed))
      yield* happened("a:1")
      yield* order("a:2:end")
      assert.deepStrictEqual(answerOf(yield* second.all), "a")
    })
  )

  it.effect("CHTTP-02 ELIC: asks again for an answer on the connection that its client comes back with", () =>
    Effect.gen(function* () {
      const { order, resumed, send, started } = yield* orderedDoor()
      const { session } = yield* send(initialize("2025-11-25", { elicitation: {} }))
      assert.isDefined(session)
      if (session === undefined) return
      yield* order("a:1:progress")
      const first = yield* started("a", session)
      const primed = yield* first.next
      yield* first.cancel
      yield* order("a:2:ask")
      const second = yield* resumed(session, idOf(primed))
      yield* second.message
      const asked = yield* second.message
      assert.strictEqual(asked["method"], "elicitation/create")
      yield* send({ jsonrpc: "2.0", id: asked["id"], result: { action: "decline" } }, { session })
      yield* order("a:3:end")
      assert.strictEqual(answerOf(yield* second.all), "a")
    })
  )

  it.effect("D13: is not kept whole: the oldest events go first, and the answer stays", () =>
    Effect.gen(function* () {
      const { open, order, resumed, served: thing, started } = yield* orderedDoor({ limits: { keptEvents: 10_000 } })
      const session = yield* open()
      yield* order("a:1:progress")
      const first = yield* started("a", session)
      const primed = yield* first.next
      yield* first.cancel
      for (let turn = 2; turn <= 20; turn++) yield* order(`a:${turn}:progress:1000`)
      yield* order("a:21:end:20000")
      yield* thing.idle
      const events = yield* (yield* resumed(session, idOf(primed))).all
      assert.deepStrictEqual([events.length, answerOf(events)], [1, `a ${"x".repeat(20_000)}`])
    })
  )

  it.effect("D13: that has ended makes room for another; what followed is refused then, with the cure", () =>
    Effect.gen(function* () {
      const { open, order, resumed, started } = yield* orderedDoor({ limits: { keptEvents: 2_000 } })
      const session = yield* open()
      for (const name of ["a", "b"]) {
        yield* order(`${name}:1:progress:500`)
        yield* order(`${name}:2:end:500`)
      }
      const [old] = yield* (yield* started("a", session)).all
      const [young] = yield* (yield* started("b", session)).all
      const gone = yield* resumed(session, idOf(old))
      assert.strictEqual(gone.status, 400)
      assert.match(yield* gone.text, /no longer kept\. Open a stream without it/)
      assert.strictEqual(answerOf(yield* (yield* resumed(session, idOf(young))).all), `b ${"x".repeat(500)}`)
    })
  )

  it.effect("D13: that was read to its end is kept only where there is room for it", () =>
    Effect.gen(function* () {
      const { open, order, resumed, started } = yield* orderedDoor({ limits: { keptEvents: 10_000 } })
      const session = yield* open()
      yield* order("a:1:progress")
      yield* order("a:2:end:20000")
      const events = yield* (yield* started("a", session)).all
      assert.strictEqual((yield* resumed(session, idOf(events[0]))).status, 400)
    })
  )

  it.effect("ELIC: keeps a question for as long as its call runs, whatever else goes", () =>
    Effect.gen(function* () {
      const { happened, open, order, resumed, send, started } = yield* orderedDoor({ limits: { keptEvents: 3_000 } })
      const { session = yield* open() } = yield* send(initialize("2025-11-25", { elicitation: {} }))
      yield* order("a:1:fork")
      const first = yield* started("a", session)
      const primed = yield* first.next
      yield* first.message
      yield* first.cancel
      for (let turn = 2; turn <= 9; turn++) yield* order(`a:${turn}:progress:1000`)
      yield* happened("a:9")
      const second = yield* resumed(session, idOf(primed))
      const asked = yield* second.message
      assert.strictEqual(asked["method"], "elicitation/create")
      yield* send({ jsonrpc: "2.0", id: asked["id"], result: { action: "decline" } }, { session })
      yield* happened("a:declined")
      yield* order("a:10:end")
      assert.strictEqual(answerOf(yield* second.all), "a")
    })
  )

  it.effect("D13: of a running call keeps what it sent last, however much room others need", () =>
    Effect.gen(function* () {
      const { open, order, resumed, started } = yield* orderedDoor({ limits: { keptEvents: 2_000 } })
      const session = yield* open()
      yield* order("a:1:pause:10")
      const [primed] = yield* (yield* started("a", session)).all
      for (const name of ["b", "c", "d"]) {
        yield* order(`${name}:1:progress:900`)
        yield* order(`${name}:2:end:900`)
        yield* (yield* started(name, session)).all
      }
      yield* order("a:2:end")
      assert.strictEqual(answerOf(yield* (yield* resumed(session, idOf(primed))).all), "a")
    })
  )

  it.effect("D13: that its client opens and leaves over and over is forgotten after a while", () =>
    Effect.gen(function* () {
      const { open, respond, resumed } = yield* orderedDoor({ limits: { keptEvents: 2_000 } })
      const session = yield* open()
      const ids: Array<string> = []
      for (let turn = 0; turn < 40; turn++) {
        const stream = yield* respond(undefined, { verb: "GET", session })
        ids.push(idOf(yield* stream.next))
        yield* stream.cancel
      }
      assert.strictEqual((yield* resumed(session, ids[0] ?? "")).status, 400)
      const last = yield* resumed(session, ids[39] ?? "")
      assert.strictEqual(last.status, 200)
      yield* last.cancel
    })
  )

  it.effect("CHTTP-19: ends with its session, whoever reads it", () =>
    Effect.gen(function* () {
      const { happened, open, order, resumed, send, started } = yield* orderedDoor()
      const session = yield* open()
      yield* order("a:1:progress")
      const first = yield* started("a", session)
      const primed = yield* first.next
      yield* first.cancel
      const second = yield* resumed(session, idOf(primed))
      yield* second.message
      assert.strictEqual((yield* send(undefined, { verb: "DELETE", session })).status, 204)
      yield* happened("a:interrupted")
      assert.strictEqual((yield* second.message)["error"].message, "The session has ended")
      assert.strictEqual((yield* resumed(session, idOf(primed))).status, 404)
    })
  )
})

describe("the stream of changes of a session", () => {
  it.effect("CHTTP-12: goes on where it was lost, and hears of what happened meanwhile once", () =>
    Effect.gen(function* () {
      const { open, respond, resumed, served: thing } = yield* orderedDoor()
      const session = yield* open()
      const first = yield* respond(undefined, { verb: "GET", session })
      const primed = yield* first.next
      yield* thing.live.changed(Change.tools)
      yield* TestClock.adjust(50)
      assert.strictEqual((yield* first.message)["method"], "notifications/tools/list_changed")
      yield* first.cancel
      yield* thing.live.changed(Change.resources)
      yield* thing.live.changed(Change.resources)
      yield* TestClock.adjust(50)
      const second = yield* resumed(session, idOf(primed))
      const methods = [(yield* second.message)["method"], (yield* second.message)["method"]]
      assert.deepStrictEqual(methods, ["notifications/tools/list_changed", "notifications/resources/list_changed"])
      assert.strictEqual(thing.counters().streams, 1)
      yield* second.cancel
    })
  )

  it.effect("CHTTP-10: that its client comes back to while the old connection looks alive has one listener", () =>
    Effect.gen(function* () {
      const { open, respond, resumed, served: thing } = yield* orderedDoor({ limits: { listeners: 1 } })
      const session = yield* open()
      const first = yield* respond(undefined, { verb: "GET", session })
      const primed = yield* first.next
      const second = yield* resumed(session, idOf(primed))
      assert.strictEqual(second.status, 200)
      assert.deepStrictEqual(yield* first.all, [])
      assert.strictEqual(thing.counters().streams, 1)
      yield* thing.live.changed(Change.tools)
      yield* TestClock.adjust(50)
      assert.strictEqual((yield* second.message)["method"], "notifications/tools/list_changed")
      yield* second.cancel
    })
  )
})
