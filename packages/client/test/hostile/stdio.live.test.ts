/**
 * Everything that a hostile server may do over stdio, in both eras. The server is a real child that writes raw bytes.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Stream from "effect/Stream"
import { Recorder, scriptedChild, type ChildPeer } from "@treadle/testing"
import { McpNodeClient, type StdioSettings } from "../../src/node/index.ts"
import { discoverResult, getShow, initializeResult, listed, ping, reasonOf, textResult } from "../fixtures.ts"

const mebibyte = 1024 * 1024
const capabilities = { tools: { listChanged: true } }
const tools = {
  before: [listed("get_show"), { name: "faulty", inputSchema: 5 }, null],
  after: [{ ...listed("get_show"), outputSchema: { type: "object", required: ["other"] } }, listed("new")]
}

interface Data {
  readonly era: "native" | "compat"
  readonly discover: object
  readonly initialize: object
  readonly tools: typeof tools
  readonly ok: object
}

/** Opens as its era does, and misbehaves as the called tool is named. */
const script = (peer: ChildPeer, data: Data) => {
  const line = (value: unknown) => peer.write(`${JSON.stringify(value)}\n`)
  const ok = (id: unknown, structuredContent?: object) => peer.answer(id, { ...data.ok, structuredContent })
  let list = data.tools.before
  let listening: unknown
  const flood = (id: unknown) => {
    const piece = "x".repeat(1024 * 1024)
    let left = 100
    process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":{"content":[],"x":"`)
    const more = () => {
      if (left-- > 0) process.stdout.write(piece, more)
      else process.stdout.write(`"}}\n`, () => peer.log("flooded\n"))
    }
    more()
  }
  const call = (id: any, name: string) => {
    switch (name) {
      case "nonsense":
        peer.write("Starting up...\n\n{\n\u0000\u0001\n")
        peer.write(new Uint8Array([0xff, 0xfe, 10]))
        for (const value of [[], 5, null, {}, { id }, { jsonrpc: "2.0", id: null, error: { code: 1, message: "x" } }]) {
          line(value)
        }
        for (const foreign of ["foreign", id + 1000, String(id)]) ok(foreign)
        ok(id)
        return ok(id)
      case "half":
        return process.stdout.write(`{"jsonrpc":"2.0","id":${id},"resu`, () => process.exit(0))
      case "leave":
        return process.exit(0)
      case "close":
        return process.stdout.end()
      case "flood":
        return flood(id)
      case "babble":
        return void setInterval(() => line({ jsonrpc: "2.0", method: "notifications/message", params: {} }), 5)
      case "get_show": {
        list = data.tools.after
        const meta = { "io.modelcontextprotocol/subscriptionId": listening }
        const params = listening === undefined ? {} : { params: { _meta: meta } }
        line({ jsonrpc: "2.0", method: "notifications/tools/list_changed", ...params })
        return void setTimeout(() => ok(id, { id: 1, title: "Hamlet" }), 200)
      }
      case "ping":
        return ok(id)
    }
  }
  peer.onLine((json) => {
    const { id, method, params } = json
    if (method === "notifications/cancelled") peer.log(`cancelled ${params.requestId}\n`)
    if (method === "server/discover") {
      const refusal = { jsonrpc: "2.0", id, error: { code: -32601, message: "unknown" } }
      return data.era === "native" ? peer.answer(id, data.discover) : line(refusal)
    }
    if (method === "initialize") return peer.answer(id, data.initialize)
    if (method === "subscriptions/listen") {
      listening = id
      const _meta = { "io.modelcontextprotocol/subscriptionId": id }
      const acknowledged = { _meta, notifications: { toolsListChanged: true } }
      return line({ jsonrpc: "2.0", method: "notifications/subscriptions/acknowledged", params: acknowledged })
    }
    if (method === "tools/list") {
      const kept = { ttlMs: 600_000, cacheScope: "private" }
      return peer.answer(id, { resultType: "complete", tools: list, ...kept })
    }
    if (method === "tools/call") call(id, params.name)
  })
}

describe.each(["native", "compat"] as const)("a hostile child, %s", (era) => {
  const opened = (settings: Partial<StdioSettings> = {}) =>
    Effect.gen(function* () {
      const child = scriptedChild(script, {
        era,
        discover: { ...discoverResult, capabilities },
        initialize: { ...initializeResult, capabilities },
        tools,
        ok: textResult("ok")
      })
      const log = new Recorder<string>()
      const noise: Array<string> = []
      const session = yield* McpNodeClient.stdio({
        ...child,
        onStderr: (text) => log.record(text),
        onNoise: (_, why) => noise.push(why),
        ...settings
      })
      assert.strictEqual(session.era, era)
      return { log, noise, session }
    })

  it.live(
    "B001 B045: writes nonsense, answers foreign ids and answers twice: skipped, reported, and the session works",
    () =>
      Effect.gen(function* () {
        const { noise, session } = yield* opened()
        yield* session.callTool("nonsense")
        for (let n = 0; n < 3; n++) assert.strictEqual(yield* session.call(ping)(), "ok")
        assert.strictEqual(noise.length, 14, noise.join("\n"))
        assert.strictEqual(noise.at(-1), "it answers no request that waits")
        assert.deepInclude(session.counters(), { waiting: 0, links: 1 })
      })
  )

  it.live(
    "B059: ends in the middle of a line, closes its output or leaves: Closed, at once, for everyone who waits",
    () =>
      Effect.gen(function* () {
        for (const way of ["half", "close", "leave"]) {
          const { session } = yield* opened({ timeout: Infinity, maxTotalTimeout: Infinity })
          const all = yield* Effect.forEach(["deaf", "deaf", way], (name) => reasonOf(session.callTool(name)), {
            concurrency: "unbounded"
          })
          for (const reason of all) assert.strictEqual(reason._tag, "Closed", `${way}: ${reason.message}`)
          assert.strictEqual(session.counters().waiting, 0)
        }
      })
  )

  it.live("B066: sends 100 MiB in one line: refused at 64 MiB, memory stays bounded, and the session works", () =>
    Effect.gen(function* () {
      const { log, noise, session } = yield* opened()
      const inUse = () => {
        const { external, heapUsed } = process.memoryUsage()
        return heapUsed + external
      }
      const before = inUse()
      const flooded = log.first((text) => text.includes("flooded"))
      const call = yield* Effect.forkChild(Effect.exit(session.callTool("flood")), { startImmediately: true })
      yield* Effect.promise(() => flooded)
      assert.isBelow(inUse() - before, 200 * mebibyte)
      assert.strictEqual(yield* session.call(ping)(), "ok")
      assert.deepStrictEqual(noise, [`a line is longer than ${64 * mebibyte} bytes`])
      assert.isUndefined(call.pollUnsafe())
    })
  )

  it.live("never ends, or stops answering: TimedOut, and the call is cancelled on the wire", () =>
    Effect.gen(function* () {
      const { log, session } = yield* opened()
      for (const way of ["deaf", "babble"]) {
        const seen = log.events.filter((text) => text.startsWith("cancelled")).length
        const reason = yield* reasonOf(session.callTool(way, {}, { timeout: 50 }))
        assert.deepInclude(reason, { _tag: "TimedOut", after: 50 })
        yield* Effect.promise(() =>
          log.first(() => log.events.filter((text) => text.startsWith("cancelled")).length > seen)
        )
        assert.strictEqual(yield* session.call(ping)(), "ok")
      }
      assert.strictEqual(session.counters().waiting, 0)
    })
  )

  it.live("lists one faulty tool among others, and changes its tools in mid call: the call ends as it began", () =>
    Effect.gen(function* () {
      const warnings: Array<string> = []
      const logger = Logger.make(({ message }) => void warnings.push(String(message)))
      const { session } = yield* opened()
      const changes = yield* session.watch({ tools: true })
      const names = Effect.provide(session.listTools(), Logger.layer([logger])).pipe(
        Effect.map((all) => all.map(({ name }) => name))
      )
      assert.deepStrictEqual(yield* names, ["get_show"])
      assert.match(warnings.join(), /The tool "faulty" is left out/)
      const call = yield* Effect.forkChild(session.call(getShow)({ id: 1 }), { startImmediately: true })
      assert.strictEqual((yield* Stream.runHead(changes))._tag, "Some")
      assert.isUndefined(call.pollUnsafe())
      assert.deepStrictEqual(yield* names, ["get_show", "new"])
      assert.deepStrictEqual(yield* Fiber.join(call), {
        id: 1,
        title: "Hamlet"
      })
    })
  )
})
