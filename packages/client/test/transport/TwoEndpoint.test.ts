import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import { scriptedHttp, type HttpScript, type HttpScriptReply, type HttpSeen } from "@treadle/testing"
import { McpClient, type HttpSettings } from "../../src/index.ts"
import { initializeResult, opened, ping, reasonOf, result, rpcError, textResult } from "../fixtures.ts"

type Stream = ReturnType<HttpScriptReply["stream"]>

const methodOf = (seen: HttpSeen): string => seen.json?.method ?? seen.verb

/** What a server of 2024-11-05 may be. */
interface OldScript {
  /** How `/mcp` answers a POST. */
  readonly refusal?: (seen: HttpSeen, reply: HttpScriptReply) => void | Promise<void>
  /** The data of the `endpoint` event. */
  readonly endpoint?: string
  /** What is written to a message, and whether it is taken with 202 all the same. */
  readonly message?: (seen: HttpSeen, stream: Stream, reply: HttpScriptReply) => boolean | void
}

const initialized = { ...initializeResult, protocolVersion: "2024-11-05" }

/** A server that has one stream, at `/mcp`, and takes messages elsewhere. */
const old = ({
  endpoint = "/messages?sessionId=7",
  message = (seen, stream) => void stream.event(result(seen.json.id, textResult("ok"))),
  refusal = (_, reply) => reply.raw("", {}, 405)
}: OldScript = {}): HttpScript => {
  let stream: Stream | undefined
  return async (seen, reply) => {
    if (seen.verb === "GET") {
      stream = reply.stream()
      return stream.write(`event: endpoint\ndata: ${endpoint}\n\n`)
    }
    if (seen.path === "/mcp") return refusal(seen, reply)
    if (stream === undefined) return reply.raw("no stream", {}, 400)
    if (methodOf(seen) === "initialize") await stream.event(result(seen.json.id, initialized))
    else if (seen.json.id !== undefined && message(seen, stream, reply) === false) return
    reply.raw("Accepted", {}, 202)
  }
}

const heard = (
  server: { readonly seen: { first: (fits: (seen: HttpSeen) => boolean) => Promise<HttpSeen> } },
  method: string
) => Effect.promise(() => server.seen.first((seen) => methodOf(seen) === method && seen.path !== "/mcp"))

const failing = (script: HttpScript, settings?: HttpSettings) =>
  Effect.gen(function* () {
    const server = yield* scriptedHttp(script)
    return { server, error: yield* Effect.flip(McpClient.http(server.url, settings)) }
  })

describe("a server with two endpoints", () => {
  it.effect(
    "ERA-10 CHTTP-26: is met where initialize is refused with 400, 404 or 405, and its stream names an address",
    () =>
      Effect.gen(function* () {
        for (const status of [400, 404, 405]) {
          const { server, session } = yield* opened(old({ refusal: (_, reply) => reply.raw("", {}, status) }))
          assert.deepStrictEqual([session.era, session.version], ["compat", "2024-11-05"])
          assert.strictEqual(yield* session.call(ping)(), "ok")
          assert.deepStrictEqual(
            server.seen.events.map((seen) => [methodOf(seen), seen.path]),
            [
              ["server/discover", "/mcp"],
              ["initialize", "/mcp"],
              ["GET", "/mcp"],
              ["initialize", "/messages?sessionId=7"],
              ["notifications/initialized", "/messages?sessionId=7"],
              ["tools/call", "/messages?sessionId=7"]
            ]
          )
          const stream = server.seen.events[2]
          assert.strictEqual(stream?.headers.accept, "text/event-stream")
          assert.strictEqual(server.seen.events[3]?.headers["content-type"], "application/json")
        }
      })
  )

  it.effect("ERA-10: is met where a JSON-RPC error comes with such a status, too", () =>
    Effect.gen(function* () {
      const refusal: OldScript["refusal"] = (seen, reply) =>
        reply.json(rpcError(seen.json.id, -32601, "Method not found"), 404)
      const { session } = yield* opened(old({ refusal }))
      assert.strictEqual(yield* session.call(ping)(), "ok")
    })
  )

  it.effect("names an address that is relative, absolute, or the same with a port", () =>
    Effect.gen(function* () {
      const places = [
        ["messages/7", "/messages/7"],
        ["?session=7", "/mcp?session=7"],
        ["http://HOST/messages/7", "/messages/7"]
      ] as const
      for (const [endpoint, path] of places) {
        let script: HttpScript = () => {}
        const server = yield* scriptedHttp((seen, reply) => script(seen, reply))
        script = old({ endpoint: endpoint.replace("HOST", `127.0.0.1:${server.port}`) })
        const session = yield* McpClient.http(server.url)
        yield* session.call(ping)()
        assert.strictEqual(server.seen.events.at(-1)?.path, path)
      }
    })
  )

  it.effect("is refused where its stream names an address elsewhere, which gets nothing", () =>
    Effect.gen(function* () {
      const elsewhere = yield* scriptedHttp((_, reply) => reply.raw("", {}, 202))
      for (const endpoint of [elsewhere.url, "//other.example/messages", "ftp://127.0.0.1/x", "http://["]) {
        const { error, server } = yield* failing(old({ endpoint }))
        assert.strictEqual(error.method, "initialize", endpoint)
        assert.deepInclude(error.reason, { _tag: "Transport", status: 405 })
        const stream = server.seen.events.find((seen) => seen.verb === "GET")
        yield* Effect.promise(() => stream?.gone ?? Promise.reject(new Error("no stream")))
      }
      assert.strictEqual(elsewhere.seen.events.length, 0)
    })
  )

  it.effect("ERA-10: is not there where GET is refused as well: the error is that of initialize", () =>
    Effect.gen(function* () {
      const scripts: ReadonlyArray<HttpScript> = [
        (seen, reply) => reply.raw("nothing here", {}, seen.verb === "GET" ? 405 : 404),
        (seen, reply) =>
          seen.verb === "GET" ? reply.raw("<p>", { "content-type": "text/html" }) : reply.raw("nothing here", {}, 404),
        (seen, reply) => (seen.verb === "GET" ? reply.stream().end() : reply.raw("nothing here", {}, 404))
      ]
      for (const script of scripts) {
        const { error } = yield* failing(script)
        assert.strictEqual(error.method, "initialize")
        assert.deepInclude(error.reason, { _tag: "Transport", status: 404, body: "nothing here" })
      }
    })
  )

  it.effect(
    "D18: is not looked for after an outage, a refusal of the caller, or where a native revision is pinned",
    () =>
      Effect.gen(function* () {
        for (const status of [401, 403, 500, 503]) {
          const { server } = yield* failing((seen, reply) =>
            reply.raw("", {}, methodOf(seen) === "initialize" ? status : 400)
          )
          assert.deepStrictEqual(server.seen.events.map(methodOf), ["server/discover", "initialize"], String(status))
        }
        const { server } = yield* failing(old(), { revision: "2026-07-28" })
        assert.deepStrictEqual(server.seen.events.map(methodOf), ["server/discover"])
      })
  )
})

describe("a session over two endpoints", () => {
  it.effect("brings notifications to the call they belong to, and answers to whoever waits", () =>
    Effect.gen(function* () {
      const held: Array<HttpSeen> = []
      const { session } = yield* opened(
        old({
          message: (seen, stream) => {
            held.push(seen)
            const { progressToken } = seen.json.params._meta
            const params = { progressToken, progress: held.length }
            void stream.event({ jsonrpc: "2.0", method: "notifications/progress", params })
            if (held.length < 2) return
            for (const one of held.toReversed()) {
              void stream.event(result(one.json.id, textResult(one.json.params.name)))
            }
          }
        })
      )
      const progress: Array<unknown> = []
      const called = (name: string) =>
        session.callTool(name, {}, { onProgress: ({ done }) => progress.push([name, done]) })
      const [a, b] = yield* Effect.all([called("a"), called("b")], { concurrency: 2 })
      assert.deepStrictEqual(
        [a.content, b.content],
        ["a", "b"].map((text) => [{ type: "text", text }])
      )
      assert.deepStrictEqual(progress.map((one) => JSON.stringify(one)).toSorted(), ['["a",1]', '["b",2]'])
    })
  )

  it.effect("answers requests of the server by POST", () =>
    Effect.gen(function* () {
      const { server, session } = yield* opened(
        old({
          message: (seen, stream) => {
            if (seen.json.method === "tools/call")
              void stream.event({ jsonrpc: "2.0", id: seen.json.id, method: "roots/list" })
            else void stream.event(result(seen.json.id, textResult(JSON.stringify(seen.json.result))))
          }
        }),
        { answers: { roots: [] } }
      )
      assert.strictEqual(yield* session.call(ping)(), '{"roots":[]}')
      assert.strictEqual(server.seen.events.filter((seen) => seen.verb === "GET").length, 1)
    })
  )

  it.effect("B064: settles a call whose POST is refused, and goes on", () =>
    Effect.gen(function* () {
      const { session } = yield* opened(
        old({
          message: (seen, stream, reply) => {
            if (seen.json.params.name !== "ping") return void stream.event(result(seen.json.id, textResult("ok")))
            reply.raw("too many", { "retry-after": "3" }, 429)
            return false
          }
        })
      )
      const reason = yield* reasonOf(session.call(ping)())
      assert.deepInclude(reason, { _tag: "Transport", status: 429, retryAfter: 3000, body: "too many" })
      yield* session.callTool("x")
    })
  )

  it.effect("CANCEL-02: breaks the POST of a call that is given up while the server has not taken it", () =>
    Effect.gen(function* () {
      const { server, session } = yield* opened(old({ message: () => false }))
      const fiber = yield* Effect.forkChild(session.call(ping)(), { startImmediately: true })
      const call = yield* heard(server, "tools/call")
      yield* Fiber.interrupt(fiber)
      yield* Effect.promise(() => call.gone)
      yield* heard(server, "notifications/cancelled")
    })
  )

  it.effect("CANCEL-02 A70: cancels by one notification", () =>
    Effect.gen(function* () {
      const { server, session } = yield* opened(old({ message: () => {} }))
      const fiber = yield* Effect.forkChild(reasonOf(session.call(ping)({}, { timeout: 500 })), {
        startImmediately: true
      })
      const call = yield* heard(server, "tools/call")
      yield* TestClock.adjust(500)
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "TimedOut")
      const cancelled = yield* heard(server, "notifications/cancelled")
      assert.deepStrictEqual(cancelled.json.params, {
        requestId: call.json.id,
        reason: "no answer within 500 ms"
      })
    })
  )

  it.effect("fails whoever waits with Closed where the stream ends, and the next call opens it again", () =>
    Effect.gen(function* () {
      const { server, session } = yield* opened(
        old({
          message: (seen, stream) => {
            if (seen.json.params.name === "ping") stream.end()
            else void stream.event(result(seen.json.id, textResult("ok")))
          }
        })
      )
      const reason = yield* reasonOf(session.call(ping)())
      assert.deepInclude(reason, { _tag: "Closed", detail: "the server ended its stream" })
      yield* session.callTool("x")
      assert.strictEqual(session.counters().links, 2)
      assert.strictEqual(server.seen.events.filter((seen) => seen.verb === "GET").length, 2)
    })
  )

  it.effect("ends with its scope: the stream is closed, and no DELETE is sent", () =>
    Effect.gen(function* () {
      const server = yield* scriptedHttp(old())
      yield* Effect.scoped(Effect.flatMap(McpClient.http(server.url), (session) => session.call(ping)()))
      const stream = server.seen.events.find((seen) => seen.verb === "GET")
      yield* Effect.promise(() => stream?.gone ?? Promise.reject(new Error("no stream")))
      assert.notInclude(server.seen.events.map(methodOf), "DELETE")
    })
  )
})
