import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { scriptedHttp } from "@treadle/testing"
import { McpClient, type Progress } from "../../src/index.ts"
import {
  compatServing,
  discoverResult,
  opened,
  ping,
  reasonOf,
  result,
  rpcError,
  serving,
  textResult
} from "../fixtures.ts"

const progress = (token: unknown, done: number): object => ({
  jsonrpc: "2.0",
  method: "notifications/progress",
  params: { progressToken: token, progress: done }
})

/** A session whose call is answered with one stream, given whole and in pieces. */
const streamed = (body: (id: number) => ReadonlyArray<string | Uint8Array>) =>
  Effect.flatMap(
    opened(
      serving(async (seen, reply) => {
        const stream = reply.stream()
        await stream.write(...body(seen.json.id))
        stream.end()
      })
    ),
    ({ session }) => session.call(ping)()
  )

describe("an answer as events", () => {
  it.effect("HTTP-08 PROG-03: gives notifications in order, then the result", () =>
    Effect.gen(function* () {
      const seen: Array<Progress> = []
      const { session } = yield* opened(
        serving(async (seen, reply) => {
          const stream = reply.stream()
          const token = seen.json.params._meta.progressToken
          for (const done of [1, 2, 3]) await stream.event(progress(token, done))
          await stream.event(progress("another", 9))
          await stream.event(result(seen.json.id, textResult("done")))
          stream.end()
        })
      )
      assert.strictEqual(yield* session.call(ping)({}, { onProgress: (one) => seen.push(one) }), "done")
      assert.deepStrictEqual(seen, [{ done: 1 }, { done: 2 }, { done: 3 }])
    })
  )

  it.effect("PROG-01: asks for progress only where somebody listens", () =>
    Effect.gen(function* () {
      const { server, session } = yield* opened(serving())
      yield* session.call(ping)()
      yield* session.call(ping)({}, { onProgress: () => {} })
      const metas = server.seen.events.slice(1).map((seen) => seen.json.params._meta)
      assert.notProperty(metas[0], "progressToken")
      assert.property(metas[1], "progressToken")
    })
  )

  it.effect("B036 HTTP-14: reads every line end, comments, data in parts, with and without a space, after a BOM", () =>
    Effect.gen(function* () {
      for (const end of ["\n", "\r\n", "\r"]) {
        const text = yield* streamed((id) => [
          `\uFEFF: a comment${end}${end}event: message${end}id: 1${end}data: {"jsonrpc":"2.0",${end}data:"id":${id},${end}` +
            `data: "result":${JSON.stringify(textResult("é€😀"))}}${end}${end}`
        ])
        assert.strictEqual(text, "é€😀", JSON.stringify(end))
      }
    })
  )

  it.effect("B024 B036: reads a stream that is cut at every byte", () =>
    Effect.gen(function* () {
      for (const end of ["\n", "\r\n", "\r"]) {
        const text = yield* streamed((id) => {
          const event = `data: ${JSON.stringify(result(id, textResult("é漢😀")))}${end}${end}`
          return [...new TextEncoder().encode(event)].map((byte) => new Uint8Array([byte]))
        })
        assert.strictEqual(text, "é漢😀", JSON.stringify(end))
      }
    })
  )

  it.effect("B045: goes on after frames that cannot be read, and reports each", () =>
    Effect.gen(function* () {
      const noise: Array<string> = []
      const { session } = yield* opened(
        serving(async (seen, reply) => {
          const stream = reply.stream()
          await stream.write("data: not json\n\n", "event: weird\ndata: {}\n\n", "data: []\n\n")
          await stream.event(rpcError(null, -32700, "x"))
          await stream.event(result("nope", {}))
          await stream.event({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: [1] } })
          await stream.event({ jsonrpc: "2.0", id: seen.json.id, error: { code: "E1", message: "x" } })
          await stream.event({ jsonrpc: "2.0", id: 7, method: "roots/list" })
          await stream.event(result(seen.json.id, textResult("still here")))
          stream.end()
        }),
        { onNoise: (_, why) => noise.push(why) }
      )
      assert.strictEqual(yield* session.call(ping)(), "still here")
      assert.strictEqual(noise.length, 7, noise.join("\n"))
    })
  )

  it.effect.each(["events", "json"])("B096: fails the request whose answer nests too deeply, as %s", (form) =>
    Effect.gen(function* () {
      const { session } = yield* opened(
        serving(async (seen, reply) => {
          const deep = JSON.parse("[".repeat(600) + "]".repeat(600))
          const answer = result(seen.json.id, { ...textResult("ok"), _meta: { deep } })
          if (form === "json") return reply.json(answer)
          const stream = reply.stream()
          await stream.event(answer)
          stream.end()
        })
      )
      const { reason } = yield* Effect.flip(session.call(ping)())
      assert.strictEqual(reason._tag, "Undecodable")
      assert.include(reason.message, "the message nests deeper than 512 levels")
    })
  )

  it.effect("B038: passes over comments, pings, other events and empty data, and none of them is noise", () =>
    Effect.gen(function* () {
      const noise: Array<string> = []
      const quiet = [
        ": ping\n\n",
        ":\r\n",
        "event: ping\ndata: {}\n\n",
        "id: 7\ndata:\n\n",
        "retry: 500\n\n",
        "event: other\ndata: hello\n\n",
        "unknown: field\n\n"
      ]
      const { session } = yield* opened(
        serving(async (seen, reply) => {
          const stream = reply.stream()
          await stream.write(...quiet)
          await stream.event(result(seen.json.id, textResult("ok")))
          stream.end()
        }),
        { onNoise: (_, why) => noise.push(why) }
      )
      assert.strictEqual(yield* session.call(ping)(), "ok")
      assert.deepStrictEqual(noise, [])
    })
  )

  it.live("B038: takes a cut stream up again from the id of an event without data", () =>
    Effect.gen(function* () {
      const answer = compatServing(async (_, reply) => {
        const stream = reply.stream()
        await stream.write("id: 7\ndata:\n\n", "retry: 10\n\n")
        stream.end()
      })
      let asked: unknown
      const { server, session } = yield* opened(async (seen, reply) => {
        if (seen.headers["last-event-id"] !== "7") return answer(seen, reply)
        await reply.stream().event(result(asked, textResult("ok")))
      })
      server.seen.each(({ json }) => {
        if (json?.method === "tools/call") asked = json.id
      })
      assert.strictEqual(yield* session.call(ping)(), "ok")
    })
  )

  it.effect("B045: goes on where a listener throws", () =>
    Effect.gen(function* () {
      const noise: Array<string> = []
      const onNoise = (_: string, why: string) => {
        noise.push(why)
        throw new Error("and so does the hook")
      }
      const { session } = yield* opened(
        serving(async (seen, reply) => {
          const stream = reply.stream()
          await stream.event(progress(seen.json.params._meta.progressToken, 1))
          await stream.event(result(seen.json.id, textResult("fine")))
          stream.end()
        }),
        { onNoise }
      )
      const onProgress = () => {
        throw new Error("no")
      }
      assert.strictEqual(yield* session.call(ping)({}, { onProgress }), "fine")
      assert.deepStrictEqual(noise, ["a listener to notifications/progress threw"])
    })
  )

  it.effect("HTTP-16: is lost where the stream ends or breaks before the answer", () =>
    Effect.gen(function* () {
      const ended = yield* reasonOf(streamed(() => [": hello\n\n"]))
      assert.include(ended.message, "ended before the answer")
      const cut = yield* reasonOf(streamed((id) => [`data: ${JSON.stringify(result(id, textResult("x")))}\n`]))
      assert.include(cut.message, "ended before the answer")
      const broken = yield* Effect.flatMap(
        opened(
          serving(async (_, reply) => {
            await reply.stream().write(": hello\n\n")
            reply.destroy()
          })
        ),
        ({ session }) => reasonOf(session.call(ping)())
      )
      assert.strictEqual(broken._tag, "Transport")
    })
  )

  it.effect("is not read beyond the limit of one event, and its connection is closed", () =>
    Effect.gen(function* () {
      const { server, session } = yield* opened(
        serving(async (_, reply) => {
          await reply.stream().write(`data: ${"x".repeat(3000)}`, `${"y".repeat(3000)}\n\n`)
        }),
        { bodyLimit: 4000 }
      )
      assert.include((yield* reasonOf(session.call(ping)())).message, "bodyLimit")
      yield* Effect.promise(() => server.seen.events[1]!.gone)
    })
  )

  it.effect("HTTP-11: leaves the connection alone after the answer, so that it can be used again", () =>
    Effect.gen(function* () {
      const bodies: Array<{ readonly signal: AbortSignal; cancelled: boolean }> = []
      const send = async (request: Request): Promise<Response> => {
        const { id, method } = JSON.parse(await request.text())
        if (method === "server/discover") return Response.json(result(id, discoverResult))
        const body = { signal: request.signal, cancelled: false }
        bodies.push(body)
        const event = `data: ${JSON.stringify(result(id, textResult("x")))}\n\n`
        const stream = new ReadableStream<Uint8Array>({
          start: (controller) => controller.enqueue(new TextEncoder().encode(event)),
          cancel: () => {
            body.cancelled = true
          }
        })
        return new Response(stream, { headers: { "content-type": "text/event-stream" } })
      }
      const session = yield* McpClient.http("http://box.test/mcp", { fetch: send })
      assert.strictEqual(yield* session.call(ping)(), "x")
      assert.isFalse(bodies[0]?.cancelled)
      assert.isFalse(bodies[0]?.signal.aborted)
    })
  )

  it.effect("does not wait for the end of a stream that is answered, and keeps only 16 such streams", () =>
    Effect.gen(function* () {
      const { server, session } = yield* opened(
        serving((seen, reply) => void reply.stream().event(result(seen.json.id, textResult("x"))))
      )
      for (let n = 0; n < 17; n++) assert.strictEqual(yield* session.call(ping)(), "x")
      yield* Effect.promise(() => server.seen.events[1]!.gone)
    })
  )

  it.effect("HTTP-11: is closed when it goes on after the answer", () =>
    Effect.gen(function* () {
      const { server, session } = yield* opened(
        serving(async (seen, reply) => {
          const stream = reply.stream()
          await stream.event(result(seen.json.id, textResult("x")))
          const connection = { gone: false }
          void seen.gone.then(() => Object.assign(connection, { gone: true }))
          for (let n = 0; n < 10_000 && !connection.gone; n++) await stream.write(": more\n\n")
        })
      )
      assert.strictEqual(yield* session.call(ping)(), "x")
      yield* Effect.promise(() => server.seen.events[1]!.gone)
    })
  )

  it.effect("is closed with the session, and whoever waits fails with Closed", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { server, session } = yield* Scope.provide(
        opened(serving((_, reply) => void reply.stream().write(": hello\n\n"))),
        scope
      )
      const waiting = yield* Effect.forkChild(reasonOf(session.call(ping)()), { startImmediately: true })
      const call = yield* Effect.promise(() => server.seen.first((seen) => seen.json.method === "tools/call"))
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual((yield* Fiber.join(waiting))._tag, "Closed")
      assert.strictEqual((yield* reasonOf(session.call(ping)()))._tag, "Closed")
      yield* Effect.promise(() => call.gone)
    })
  )

  it.effect("is closed with the session although it is answered", () =>
    Effect.gen(function* () {
      const server = yield* scriptedHttp(
        serving((seen, reply) => void reply.stream().event(result(seen.json.id, textResult("x"))))
      )
      yield* Effect.scoped(Effect.flatMap(McpClient.http(server.url), (session) => session.call(ping)()))
      yield* Effect.promise(() => server.seen.events[1]!.gone)
    })
  )
})

describe("McpClient.http", () => {
  it.effect("can be opened again after it was closed", () =>
    Effect.gen(function* () {
      const { server } = yield* opened(serving())
      const again = Effect.scoped(Effect.flatMap(McpClient.http(server.url), (session) => session.call(ping)()))
      assert.strictEqual(yield* again, "ok")
      assert.strictEqual(yield* again, "ok")
    })
  )
})
