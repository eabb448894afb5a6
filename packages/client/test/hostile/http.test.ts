/**
 * Everything that a hostile server may do over HTTP, in both eras. The server is bare sockets and JSON text.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import { rawHttp, type RawHttpReply, type RawHttpScript } from "@treadle/testing"
import { makeEraMemory, EraMemory, McpClient, type HttpSettings } from "../../src/index.ts"
import { discoverResult, getShow, initializeResult, listed, ping, reasonOf, result, textResult } from "../fixtures.ts"

type Era = "native" | "compat"

const mebibyte = 1024 * 1024
const events = "text/event-stream"
const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`
const listChanged = { jsonrpc: "2.0", method: "notifications/tools/list_changed" }
const capabilities = { tools: { listChanged: true } }

/** Opens a session; every request that is not about opening, watching or ending goes to the script. */
const serving =
  (era: Era, script: RawHttpScript): RawHttpScript =>
  (seen, reply) => {
    const { id, method } = seen.json ?? {}
    if (seen.verb === "DELETE") return reply.json(undefined, 200)
    if (seen.verb === "GET") return reply.json(undefined, 405)
    if (method === "server/discover") {
      return era === "native"
        ? reply.json(result(id, { ...discoverResult, capabilities }))
        : reply.json(undefined, 400, { "content-type": "text/plain" })
    }
    if (method === "initialize") {
      return reply.json(result(id, { ...initializeResult, capabilities }), 200, { "mcp-session-id": "s1" })
    }
    if (id === undefined) return reply.json(undefined, 202)
    if (method === "ping") return reply.json(result(id, {}))
    return script(seen, reply)
  }

const opened = (era: Era, script: RawHttpScript, settings: HttpSettings = {}) =>
  Effect.gen(function* () {
    const server = yield* rawHttp(serving(era, script))
    const session = yield* McpClient.http(server.url, settings)
    assert.strictEqual(session.era, era)
    return { server, session }
  }).pipe(Effect.provideService(EraMemory, makeEraMemory()))

/** Answers with these pieces of an event stream, and ends it. */
const stream = async (reply: RawHttpReply, ...pieces: ReadonlyArray<string>) => {
  await reply.begin(events)
  for (const piece of pieces) await reply.write(piece)
  reply.end()
}

const ok = (id: unknown) => result(id, textResult("ok"))

/** Sends 100 MiB in pieces after a beginning. @returns how many bytes went out, and by how much memory grew at most */
const flood = async (reply: RawHttpReply, beginning: string) => {
  const piece = Buffer.alloc(mebibyte, "x")
  const inUse = () => {
    const { external, heapUsed } = process.memoryUsage()
    return heapUsed + external
  }
  const before = inUse()
  let sent = 0
  let grown = 0
  await reply.write(beginning)
  while (sent < 100 * mebibyte && (await reply.write(piece))) {
    sent += piece.length
    grown = Math.max(grown, inUse() - before)
  }
  reply.end()
  return { sent, grown }
}

describe.each(["native", "compat"] as const)("a hostile server over HTTP, %s", (era) => {
  it.effect(
    "B045: writes nonsense, answers foreign ids and answers twice: skipped, reported, and the session works",
    () =>
      Effect.gen(function* () {
        const noise: Array<string> = []
        const { session } = yield* opened(
          era,
          ({ json: { id } }, reply) =>
            stream(
              reply,
              "data: \u0000 nonsense\n\nnonsense without a colon\n\n",
              event([1]) + event(result("foreign", {})) + event(result(id + 1000, {})) + event(result(String(id), {})),
              event(ok(id)) + event(result(id, textResult("twice")))
            ),
          { onNoise: (_, why) => noise.push(why) }
        )
        assert.strictEqual(yield* session.call(ping)(), "ok")
        assert.strictEqual(yield* session.call(ping)(), "ok")
        assert.strictEqual(noise[5], "it came after the answer", noise.join("\n"))
        assert.isAtLeast(noise.length, 11)
        assert.deepInclude(session.counters(), { waiting: 0, links: 1 })
      })
  )

  it.effect(
    "answers a foreign id, or with nonsense, where only one answer can come: Undecodable, and it says what came",
    () =>
      Effect.gen(function* () {
        const bodies = [(id: number) => result(id + 1, textResult("x")), () => [], () => "nonsense", () => ({ id: 1 })]
        let call = 0
        const { session } = yield* opened(era, ({ json: { id } }, reply) =>
          reply.json(call < bodies.length ? bodies[call++]?.(id) : ok(id))
        )
        for (const _ of bodies) {
          const reason = yield* reasonOf(session.call(ping)())
          assert.strictEqual(reason._tag, "Undecodable")
          assert.include(reason.message, "the body of the answer is not as agreed")
        }
        assert.strictEqual(yield* session.call(ping)(), "ok")
      })
  )

  it.effect("ends in the middle of an event, or closes at once: Transport, at once, and nothing is sent again", () =>
    Effect.gen(function* () {
      const half = event(ok(1)).slice(0, 40)
      const ways: ReadonlyArray<(reply: RawHttpReply) => unknown> = [
        (reply) => stream(reply, half),
        (reply) => stream(reply, `${half}\n`),
        (reply) =>
          reply
            .write(`HTTP/1.1 200 x\r\ncontent-type: ${events}\r\ntransfer-encoding: chunked\r\n\r\n28\r\n${half}`)
            .then(reply.destroy),
        (reply) =>
          reply
            .write("HTTP/1.1 200 x\r\ncontent-type: application/json\r\ncontent-length: 400\r\n\r\n{")
            .then(reply.destroy),
        (reply) => reply.write("HTTP/1.1 2").then(reply.destroy),
        (reply) => reply.write("\u0000\u0001 no HTTP at all\r\n\r\n"),
        (reply) => reply.destroy(),
        (reply) => reply.end()
      ]
      let call = 0
      const { server, session } = yield* opened(era, (_, reply) => ways[call++]?.(reply) as Promise<unknown>)
      const before = server.seen.events.length
      for (const _ of ways) {
        const reason = yield* reasonOf(session.call(ping)())
        assert.strictEqual(reason._tag, "Transport", reason.message)
      }
      assert.strictEqual(server.seen.events.length, before + ways.length)
      assert.strictEqual(session.counters().waiting, 0)
    })
  )

  it.effect("B066: sends 100 MiB in one body: refused at 64 MiB, and memory stays bounded", () =>
    Effect.gen(function* () {
      let outcome = { sent: 0, grown: 0 }
      const { session } = yield* opened(era, async ({ json: { id } }, reply) => {
        await reply.begin("application/json")
        outcome = await flood(reply, `{"jsonrpc":"2.0","id":${id},"result":{"content":[],"x":"`)
      })
      const reason = yield* reasonOf(session.call(ping)({}, { timeout: Infinity, maxTotalTimeout: Infinity }))
      assert.strictEqual(reason._tag, "Transport")
      assert.include(reason.message, `larger than ${64 * mebibyte} bytes`)
      assert.isBelow(outcome.sent, 80 * mebibyte)
      assert.isBelow(outcome.grown, 300 * mebibyte)
    })
  )

  it.effect.each(["data: ", ": "])(
    "B066: sends an event that begins with %j and never ends: refused at 64 MiB, and memory stays bounded",
    (beginning) =>
      Effect.gen(function* () {
        let outcome = { sent: 0, grown: 0 }
        const { session } = yield* opened(era, async (_, reply) => {
          await reply.begin(events)
          outcome = await flood(reply, beginning)
        })
        const reason = yield* reasonOf(session.call(ping)({}, { timeout: Infinity, maxTotalTimeout: Infinity }))
        assert.strictEqual(reason._tag, "Transport")
        assert.include(reason.message, `larger than ${64 * mebibyte} bytes`)
        assert.isBelow(outcome.sent, 80 * mebibyte)
        assert.isBelow(outcome.grown, 300 * mebibyte)
      })
  )

  it.effect("never ends, or stops answering: TimedOut, and the call is cancelled on the wire", () =>
    Effect.gen(function* () {
      const progress = { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: 1, progress: 1 } }
      const ways: ReadonlyArray<(reply: RawHttpReply) => unknown> = [
        () => {},
        (reply) => reply.write("HTTP/1.1 200 x\r\n"),
        (reply) => reply.begin("application/json"),
        (reply) => reply.begin(events).then(() => reply.write(": still here\n\n".repeat(100))),
        (reply) => reply.begin(events).then(() => reply.write(event(progress).repeat(100)))
      ]
      let call = 0
      // A ping that misses its answer in the jump of the clock would be cancelled as well.
      const { server, session } = yield* opened(era, async (_, reply) => ways[call++]?.(reply), { ping: false })
      for (let n = 1; n <= ways.length; n++) {
        const calls = server.seen.events.filter(({ json }) => json?.method === "tools/call").length
        const fiber = yield* Effect.forkChild(reasonOf(session.call(ping)()), { startImmediately: true })
        const of = (verb: string) => server.seen.events.filter(({ json }) => json?.method === verb)
        yield* Effect.promise(() => server.seen.first(() => of("tools/call").length > calls))
        yield* TestClock.adjust(60_000)
        assert.deepInclude(yield* Fiber.join(fiber), { _tag: "TimedOut", after: 60_000 })
        const sent = of("tools/call").at(-1)
        if (era === "native") yield* Effect.promise(() => sent?.gone ?? Promise.reject(new Error("nothing was sent")))
        else {
          const told = yield* Effect.promise(() => server.seen.first(() => of("notifications/cancelled").length === n))
          assert.isDefined(told)
          const cancelled = of("notifications/cancelled").map(({ json }) => json.params.requestId)
          assert.strictEqual(cancelled.at(-1), sent?.json.id)
        }
      }
      assert.strictEqual(session.counters().waiting, 0)
    })
  )

  it.effect("lists one faulty tool among others: they are listed, and a warning names the faulty one", () =>
    Effect.gen(function* () {
      const warnings: Array<string> = []
      const logger = Logger.make(({ message }) => void warnings.push(String(message)))
      const faulty = [{ name: "faulty", inputSchema: 5 }, { inputSchema: { type: "object" } }, null, "x", []]
      const { session } = yield* opened(era, ({ json: { id } }, reply) =>
        reply.json(result(id, { resultType: "complete", tools: [listed("a"), ...faulty, listed("b")] }))
      )
      const tools = yield* Effect.provide(session.listTools(), Logger.layer([logger]))
      assert.deepStrictEqual(
        tools.map(({ name }) => name),
        ["a", "b"]
      )
      assert.strictEqual(warnings.length, 1)
      assert.include(warnings[0], `The tool "faulty" is left out`)
    })
  )

  it.effect("changes its tools in mid call: the call ends as it began, and the next list is asked for anew", () =>
    Effect.gen(function* () {
      let tools = [listed("get_show")]
      /** Tells of a change; natively on the stream of the listen request, else on that of the call. */
      let tell: () => Promise<unknown> = async () => {}
      let finish: () => unknown = () => {}
      const { server, session } = yield* opened(era, async ({ json: { id, method } }, reply) => {
        if (method === "tools/list") {
          const kept = { ttlMs: 600_000, cacheScope: "private" }
          return reply.json(result(id, { resultType: "complete", tools, ...kept }))
        }
        await reply.begin(events)
        if (method === "subscriptions/listen") {
          const _meta = { "io.modelcontextprotocol/subscriptionId": id }
          const params = { _meta, notifications: { toolsListChanged: true } }
          tell = () => reply.write(event({ ...listChanged, params: { _meta } }))
          return reply.write(event({ jsonrpc: "2.0", method: "notifications/subscriptions/acknowledged", params }))
        }
        if (era === "compat") tell = () => reply.write(event(listChanged))
        finish = () =>
          reply
            .write(event(result(id, textResult("{}", { structuredContent: { id: 1, title: "Hamlet" } }))))
            .then(reply.end)
      })
      const changes = yield* session.watch({ tools: true })
      const names = Effect.map(session.listTools(), (all) => all.map(({ name }) => name))
      assert.deepStrictEqual(yield* names, ["get_show"])
      const call = yield* Effect.forkChild(session.call(getShow)({ id: 1 }), { startImmediately: true })
      yield* Effect.promise(() => server.seen.first(({ json }) => json?.method === "tools/call"))
      assert.deepStrictEqual(yield* names, ["get_show"])
      const lists = () => server.seen.events.filter(({ json }) => json?.method === "tools/list").length
      assert.strictEqual(lists(), 1)
      tools = [
        { ...listed("get_show"), outputSchema: { type: "object", required: ["other"] } } as object,
        listed("new")
      ]
      yield* Effect.promise(() => tell())
      const change = yield* Stream.runHead(changes)
      assert.deepStrictEqual(change._tag === "Some" ? change.value : undefined, { _tag: "ToolsChanged", missed: false })
      assert.deepStrictEqual(yield* names, ["get_show", "new"])
      assert.strictEqual(lists(), 2)
      yield* Effect.promise(async () => finish())
      assert.deepStrictEqual(yield* Fiber.join(call), { id: 1, title: "Hamlet" })
    })
  )
})
