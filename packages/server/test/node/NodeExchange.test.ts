/**
 * What only the Node door does: bodies of frameworks, the context of the request, disconnects, event streams, readers that
 * are slow, and closing.
 */
import { assert, describe, it } from "@effect/vitest"
import { AsyncLocalStorage } from "node:async_hooks"
import { request as httpRequest } from "node:http"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { TestClock } from "effect/testing"
import { rawToolCall, Recorder } from "@treadle/testing"
import { Counters, CurrentCall, Mcp } from "../../src/index.ts"
import { McpNode, type NodeRequest, type HttpSettings } from "../../src/node/index.ts"
import { nodeExchange } from "../../src/node/NodeExchange.ts"
import { makeGuard } from "../../src/transport/HttpGuard.ts"
import { makeOutbox } from "../../src/transport/Outbox.ts"
import { empty } from "../fixtures/calling.ts"
import { listening } from "../fixtures/cells.ts"
import { eventMessages, headersOf, posting } from "../fixtures/rawPeers.ts"
import { quietAtEnd } from "../fixtures/quiet.ts"

const plain = { description: "Tested" }

/** The Effect door, on a port. */
const scoped = (mcp: Mcp<never>, settings?: HttpSettings) =>
  Effect.flatMap(McpNode.scoped(mcp, settings), (door) => listening((req, res) => door(req, res)))

/** The Effect door with its counters at hand. */
const counting = (mcp: Mcp<never>) =>
  Effect.gen(function* () {
    const served = yield* quietAtEnd(Mcp.served(mcp))
    const reply = { limits: served.limits, form: "auto", onDropped: served.onDropped } as const
    const parts = { served, reply, guard: makeGuard({}), outbox: makeOutbox(setImmediate) }
    return { served, port: yield* listening((req, res) => nodeExchange(parts, req, res, {})) }
  })

/** Lets the event loop turn until this has happened, without looking at the clock of the test. */
const until = (events: Recorder<string>, event: string) => Effect.promise(() => events.first((one) => one === event))

describe("a body", () => {
  const mcp = empty().tool("echo", { ...plain, input: { text: Schema.String } }, async ({ text }) => text)
  const message = rawToolCall(1, "echo", { text: "é" })
  const text = JSON.stringify(message)

  const answered = (prepare: (req: NodeRequest) => NodeRequest | Promise<NodeRequest>) =>
    Effect.gen(function* () {
      const door = McpNode.handler(mcp, { limits: { bodyBytes: 1_000 } })
      const port = yield* listening((req, res) => void Promise.resolve(prepare(req)).then((one) => door(one, res)))
      const { res, text } = posting(port, message)
      const response = yield* Effect.promise(() => res)
      return { status: response.statusCode, json: JSON.parse(yield* Effect.promise(() => text)) }
    })
  const drained = async (req: NodeRequest) => {
    for await (const _ of req) continue
    return req
  }

  it.effect("D13: is taken from req.body as an object, a string or bytes", () =>
    Effect.gen(function* () {
      for (const body of [message, text, Buffer.from(text), new Uint8Array(Buffer.from(text))]) {
        const { json } = yield* answered(async (req) => Object.assign(await drained(req), { body }))
        assert.strictEqual(json.result.content[0].text, "é")
      }
    })
  )

  it.effect("D13: of req.body is checked like any other", () =>
    Effect.gen(function* () {
      const rows: ReadonlyArray<readonly [unknown, number, number]> = [
        ["{", 400, -32700],
        [Buffer.from([0xff]), 400, -32700],
        [[message], 400, -32600],
        [null, 400, -32600],
        [{}, 400, -32600],
        ["x".repeat(1_001), 413, -32600],
        [Buffer.alloc(1_001), 413, -32600]
      ]
      for (const [body, status, code] of rows) {
        const answer = yield* answered(async (req) => Object.assign(await drained(req), { body }))
        assert.deepStrictEqual([answer.status, answer.json.error.code], [status, code])
      }
    })
  )

  it.effect("D13: that is gone is a 500 with a sentence, never a hang", () =>
    Effect.gen(function* () {
      const { json, status } = yield* answered(drained)
      assert.strictEqual(status, 500)
      assert.include(json.error.message, "already read by another middleware and is not on req.body")
    })
  )

  it.effect("is read where a middleware waited before it passed the request on", () =>
    Effect.gen(function* () {
      const { json } = yield* answered((req) => new Promise((resolve) => setImmediate(() => resolve(req))))
      assert.strictEqual(json.result.content[0].text, "é")
    })
  )
})

describe("the context of a request", () => {
  it.effect("an AsyncLocalStorage reaches sync, async and Effect handlers, across every kind of wait", () =>
    Effect.gen(function* () {
      const storage = new AsyncLocalStorage<string>()
      const where = () => storage.getStore() ?? "lost"
      const both = async (wait: () => Promise<unknown>) => {
        const before = where()
        await wait()
        return `${before} ${where()}`
      }
      const around = <R>(wait: Effect.Effect<unknown, never, R>) =>
        Effect.gen(function* () {
          const before = where()
          yield* wait
          return `${before} ${where()}`
        })
      const mcp = empty()
        .tool("sync", plain, (() => `${where()} ${where()}`) as never)
        .tool("tick", plain, () => both(() => Promise.resolve()))
        .tool("turn", plain, () => both(() => new Promise((resolve) => setImmediate(resolve))))
        .tool("yield", plain, () => around(Effect.yieldNow))
        .tool("sleep", plain, () => around(Effect.sleep(1)))
        .tool("promise", plain, () => around(Effect.promise(() => Promise.resolve())))
        .tool("progress", plain, () => around(CurrentCall.progress(1)))
      const door = McpNode.handler(mcp)
      let requests = 0
      const port = yield* listening((req, res) => storage.run(`r${++requests}`, () => door(req, res)))
      const names = ["sync", "tick", "turn", "yield", "sleep", "promise", "progress"]
      const said = yield* Effect.promise(() =>
        Promise.all(
          [...names, ...names].map(async (name) => {
            const body = JSON.parse(await posting(port, rawToolCall(1, name)).text)
            return String(body.result.content[0].text)
          })
        )
      )
      for (const one of said) assert.match(one, /^(r\d+) \1$/)
      assert.strictEqual(new Set(said).size, names.length * 2)
    })
  )
})

describe("a client that goes away", () => {
  it.effect("B037 HTTP-17 D10: cancels its call, whether it waits for JSON or reads events", () =>
    Effect.gen(function* () {
      const events = new Recorder<string>()
      const wait = (name: string) =>
        Effect.onInterrupt(
          Effect.andThen(
            Effect.sync(() => events.record(`began ${name}`)),
            Effect.never
          ),
          () => Effect.sync(() => events.record(`ended ${name}`))
        )
      const mcp = empty()
        .tool("quiet", plain, () => wait("quiet"))
        .tool("told", plain, () => Effect.andThen(CurrentCall.progress(1), wait("told")))
      const port = yield* scoped(mcp)
      for (const name of ["quiet", "told"]) {
        const { req } = posting(port, rawToolCall(1, name, {}, { progressToken: 1 }))
        yield* until(events, `began ${name}`)
        req.destroy()
        yield* until(events, `ended ${name}`)
      }
    })
  )

  it.effect("HTTP-09: is the only one who cancels: a notification with the id of a call means nothing over HTTP", () =>
    Effect.gen(function* () {
      const events = new Recorder<string>()
      const mcp = empty().tool("t", plain, async () => {
        events.record("began")
        return events.first((event) => event === "go on")
      })
      const port = yield* scoped(mcp)
      const call = posting(port, rawToolCall(7, "t"))
      yield* until(events, "began")
      const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } }
      const accepted = yield* Effect.promise(() => posting(port, cancelled).res)
      assert.strictEqual(accepted.statusCode, 202)
      events.record("go on")
      assert.include(yield* Effect.promise(() => call.text), "go on")
    })
  )

  it.effect("does nothing to a server while it sends its body", () =>
    Effect.gen(function* () {
      const port = yield* scoped(empty().tool("t", plain, async () => "still here"))
      const half = httpRequest({ port, host: "127.0.0.1", method: "POST", headers: headersOf(rawToolCall(1, "t")) })
      half.on("error", () => {})
      half.write("{")
      yield* Effect.promise(
        () => new Promise((resolve) => half.once("socket", (socket) => socket.once("connect", resolve)))
      )
      half.destroy()
      const { text } = posting(port, rawToolCall(1, "t"))
      assert.include(yield* Effect.promise(() => text), "still here")
    })
  )
})

describe("events", () => {
  const pending = (events: Recorder<string>) =>
    empty().tool("t", plain, () =>
      Effect.andThen(
        Effect.sync(() => events.record("began")),
        Effect.as(Effect.sleep(60_000), "late")
      )
    )

  it.effect("D9 B042 HTTP-12 HTTP-13: begin after 2 s, are kept alive with comments, and end with the answer", () =>
    Effect.gen(function* () {
      const events = new Recorder<string>()
      const port = yield* scoped(pending(events), { limits: { keepAlive: 10_000 } })
      const { res, text } = posting(port, rawToolCall(1, "t"))
      let began = false
      void res.then(() => (began = true))
      yield* until(events, "began")
      yield* TestClock.adjust(1_999)
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      assert.isFalse(began)
      yield* TestClock.adjust(251)
      const response = yield* Effect.promise(() => res)
      const { "cache-control": cache, "content-type": type, "x-accel-buffering": buffering } = response.headers
      assert.deepStrictEqual([type, cache, buffering], ["text/event-stream", "no-cache, no-transform", "no"])
      yield* TestClock.adjust(60_000)
      const body = yield* Effect.promise(() => text)
      assert.strictEqual(body.split(": \n\n").length - 1, 5)
      assert.isTrue(body.endsWith("\n\n"))
      assert.strictEqual(eventMessages(body.replaceAll(": \n\n", "")).at(-1)?.["result"].content[0].text, "late")
    })
  )

  it.effect("D9: are not begun for a client that takes JSON only, or where replies are JSON always", () =>
    Effect.gen(function* () {
      for (const [accept, replies] of [
        ["application/json", "auto"],
        ["application/json", "events"],
        ["application/json, text/event-stream", "json"]
      ] as const) {
        const events = new Recorder<string>()
        const port = yield* scoped(pending(events), { replies })
        const { res, text } = posting(port, rawToolCall(1, "t"), { accept })
        yield* until(events, "began")
        yield* TestClock.adjust(60_000)
        assert.strictEqual((yield* Effect.promise(() => res)).headers["content-type"], "application/json")
        assert.include(yield* Effect.promise(() => text), "late")
      }
    })
  )

  it.effect("D9: are the form of every answer where that was said, and of no refusal", () =>
    Effect.gen(function* () {
      const port = yield* scoped(
        empty().tool("t", plain, async () => "x"),
        { replies: "events" }
      )
      const { res, text } = posting(port, rawToolCall(1, "t"))
      assert.strictEqual((yield* Effect.promise(() => res)).headers["content-type"], "text/event-stream")
      assert.match(yield* Effect.promise(() => text), /^data: \{"jsonrpc":"2.0","id":1,"result":.*\}\n\n$/)
      const refused = posting(port, rawToolCall(1, "t"), { "mcp-method": "x" })
      const response = yield* Effect.promise(() => refused.res)
      assert.deepStrictEqual([response.statusCode, response.headers["content-type"]], [400, "application/json"])
    })
  )

  it.effect("D9 HTTP-07: are what a client gets that takes nothing else, although replies are JSON always", () =>
    Effect.gen(function* () {
      const port = yield* scoped(
        empty().tool("t", plain, async () => "x"),
        { replies: "json" }
      )
      const { res } = posting(port, rawToolCall(1, "t"), { accept: "text/event-stream" })
      assert.strictEqual((yield* Effect.promise(() => res)).headers["content-type"], "text/event-stream")
    })
  )

  it.effect("D9: that a client does not take are dropped and counted, and the call succeeds", () =>
    Effect.gen(function* () {
      const mcp = empty().tool("t", plain, (_, { progress }) => {
        for (const done of [1, 2, 3]) progress(done)
        return Effect.as(CurrentCall.log("error", "x"), "ok")
      })
      const { port, served } = yield* counting(mcp)
      const meta = { progressToken: 1, "io.modelcontextprotocol/logLevel": "debug" }
      const { text } = posting(port, rawToolCall(1, "t", {}, meta), { accept: "application/json" })
      assert.strictEqual(JSON.parse(yield* Effect.promise(() => text)).result.content[0].text, "ok")
      assert.deepStrictEqual(served.counters(), { ...Counters.none, dropped: 4 })
    })
  )
})
