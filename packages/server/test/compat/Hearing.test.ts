/**
 * What a session hears of changes: on which stream, when it reads slowly, and of which resources.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import type { LinePort, LineReader } from "@treadle/protocol/framing"
import { rawRequest, type RawMessage } from "@treadle/testing"
import { Change, Mcp, McpMemory } from "../../src/index.ts"
import { compatDoor, compatRequest, initialize } from "../fixtures/compatDoor.ts"
import { eventTail } from "../fixtures/eventTail.ts"
import { headersOf } from "../fixtures/rawPeers.ts"

const mcp = Mcp.make({ name: "suite", version: "1.0.0" })
  .tool("t", { description: "Tested" }, async () => "x")
  .resource({ uri: "test://café", name: "café" }, async () => "1")

const subscribe = (id: unknown, uri: string): RawMessage => compatRequest(id, "resources/subscribe", { uri })

const listen = (uris: ReadonlyArray<string>) =>
  rawRequest(1, "subscriptions/listen", { notifications: { resourceSubscriptions: uris } })

/** A pipe whose other end does not read until it is told to. */
const stalledPipe = () => {
  const written: Array<RawMessage> = []
  let reader: LineReader | undefined
  let stalled = false
  const port: LinePort = {
    open: (given) => {
      reader = given
    },
    write: (text) => {
      for (const line of text.split("\n")) if (line !== "") written.push(JSON.parse(line))
      return !stalled
    },
    pause: () => {},
    resume: () => {},
    close: () => {}
  }
  return {
    port,
    written,
    send: (message: RawMessage) => Effect.sync(() => reader?.chunk(Buffer.from(`${JSON.stringify(message)}\n`))),
    stall: Effect.sync(() => {
      stalled = true
    }),
    read: Effect.sync(() => {
      stalled = false
      reader?.drain()
    })
  }
}

describe("a session", () => {
  it.effect("CHTTP-10: that had no stream hears of each list and each of its resources once", () =>
    Effect.gen(function* () {
      const { open, respond, send, served } = yield* compatDoor(mcp)
      const session = yield* open()
      const uris = Array.from({ length: 200 }, (_, index) => `test://${index}`)
      for (const uri of uris) yield* send(subscribe(uri, uri), { session })
      for (const uri of [...uris, ...uris]) yield* served.live.changed(Change.resource(uri))
      yield* TestClock.adjust(50)
      yield* served.live.changed(Change.tools)
      yield* TestClock.adjust(50)
      yield* send(compatRequest("u", "resources/unsubscribe", { uri: "test://0" }), { session })
      const stream = eventTail(yield* Effect.promise(() => respond(undefined, { verb: "GET", session })))
      const heard: Array<unknown> = []
      for (let index = 0; index < 200; index++) heard.push((yield* stream.message)["params"].uri ?? "tools")
      assert.deepStrictEqual(heard, [...uris.slice(1), "tools"])
      assert.strictEqual(served.counters().queued, 0)
      yield* stream.cancel
    })
  )

  it.effect("D13: whose pipe is not read hears each change once when it is, however often it happened", () =>
    Effect.gen(function* () {
      const { port, read, send, stall, written } = stalledPipe()
      const served = yield* McpMemory.serve(mcp, port, {})
      yield* send(initialize())
      yield* send(subscribe(1, "test://café"))
      yield* stall
      for (let turn = 0; turn < 100; turn++) {
        yield* served.live.changed(Change.tools)
        yield* served.live.changed(Change.resource("test://café"))
        yield* TestClock.adjust(50)
      }
      const before = written.filter((message) => message["method"] !== undefined).length
      assert.isAtMost(before, 2)
      assert.strictEqual(served.counters().queued, 2)
      yield* read
      yield* TestClock.adjust(50)
      const heard = written.filter((message) => message["method"] !== undefined).slice(before)
      assert.deepStrictEqual(
        heard.map(({ method }) => method),
        ["notifications/tools/list_changed", "notifications/resources/updated"]
      )
      assert.strictEqual(served.counters().queued, 0)
    })
  )

  it.effect("CSUB-01: hears of a resource however its URI is written, in its own writing", () =>
    Effect.gen(function* () {
      const { open, respond, send, served } = yield* compatDoor(mcp)
      const session = yield* open()
      const stream = eventTail(yield* Effect.promise(() => respond(undefined, { verb: "GET", session })))
      const request = listen(["test://caf%C3%A9"])
      const native = eventTail(yield* Effect.promise(() => respond(request, { headers: headersOf(request) })))
      yield* native.message
      yield* send(subscribe(1, "test://caf%C3%A9"), { session })
      yield* served.live.changed(Change.resource("test://café"))
      yield* served.live.changed(Change.resource("test://caf%c3%a9"))
      yield* TestClock.adjust(50)
      for (const { message } of [stream, native]) {
        assert.strictEqual((yield* message)["params"].uri, "test://caf%C3%A9")
      }
      yield* send(compatRequest(2, "resources/unsubscribe", { uri: "test://café" }), { session })
      yield* served.live.changed(Change.resource("test://café"))
      yield* served.live.changed(Change.tools)
      yield* TestClock.adjust(50)
      assert.strictEqual((yield* stream.message)["method"], "notifications/tools/list_changed")
      yield* stream.cancel
      yield* native.cancel
    })
  )

  it.effect("D13: names only so many resources, and one again at any time", () =>
    Effect.gen(function* () {
      const { open, send } = yield* compatDoor(mcp, { limits: { subscribedUris: 1 } })
      const session = yield* open()
      for (const uri of ["test://café", "test://caf%C3%A9"]) {
        assert.deepStrictEqual((yield* send(subscribe(1, uri), { session })).answer["result"], {})
      }
      assert.deepStrictEqual((yield* send(subscribe(2, "test://more"), { session })).answer["error"], {
        code: -32602,
        message: "A session subscribes to at most 1 resources; unsubscribe from one first"
      })
    })
  )

  it.effect("D13: cannot have URIs of any length remembered, and neither can a listen request", () =>
    Effect.gen(function* () {
      const { open, send } = yield* compatDoor(mcp)
      const session = yield* open()
      const uri = (length: number) => "test://".padEnd(length, "x")
      assert.deepStrictEqual((yield* send(subscribe(1, uri(8_192)), { session })).answer["result"], {})
      const request = listen([uri(8_193)])
      const refused = [
        yield* send(subscribe(2, uri(8_193)), { session }),
        yield* send(request, { headers: headersOf(request) })
      ]
      for (const { answer } of refused) {
        assert.deepStrictEqual(answer["error"], {
          code: -32602,
          message: "A URI to hear of has at most 8192 characters"
        })
      }
    })
  )
})
