import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { rawHttp, scriptedHttp, type HttpScript } from "@treadle/testing"
import { connectHttp, McpNodeClient } from "../../src/node/index.ts"
import { compatServing, discoverResult, fact, ping, reasonOf, result, serving, textResult } from "../fixtures.ts"

const opened = (script: HttpScript) =>
  Effect.gen(function* () {
    const server = yield* scriptedHttp(script)
    return { server, session: yield* McpNodeClient.http(server.url, { headers: { "X-Till": "7" } }) }
  })

describe("a session over node:http", () => {
  it.effect("sends what any session over HTTP sends, over connections that are kept", () =>
    Effect.gen(function* () {
      const { server, session } = yield* opened(serving())
      for (let call = 0; call < 3; call++) assert.strictEqual(yield* session.call(ping)(), "ok")
      const [discover, first] = server.seen.events
      assert.strictEqual(discover?.json.method, "server/discover")
      assert.deepInclude(first?.headers, {
        "mcp-method": "tools/call",
        "mcp-name": "ping",
        "x-till": "7",
        connection: "keep-alive",
        accept: "application/json, text/event-stream"
      })
    })
  )

  it.effect("reads an answer from a stream in pieces", () =>
    Effect.gen(function* () {
      const { session } = yield* opened(
        serving(async (seen, reply) => {
          const stream = reply.stream()
          await stream.write(": still here\n\n", "data: {", '"jsonrpc":"2.0","method":"notifications/x"}\n', "\n")
          await stream.event(result(seen.json.id, textResult("é€😀")))
          stream.end()
        })
      )
      assert.strictEqual(yield* session.call(ping)(), "é€😀")
    })
  )

  it.effect("fails with Transport, at once, where the server answers with an upgrade that nobody asked for", () =>
    Effect.gen(function* () {
      const server = yield* rawHttp(({ json: { id, method } }, reply) =>
        method === "server/discover"
          ? reply.json(result(id, discoverResult))
          : reply.write("HTTP/1.1 101 x\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n")
      )
      const session = yield* McpNodeClient.http(server.url)
      assert.deepInclude(yield* reasonOf(session.call(ping)()), {
        _tag: "Transport",
        message: "the server cannot be reached: the connection was closed"
      })
    })
  )

  it.effect("HTTP-17: closes the connection of a call that is given up, before its answer and during it", () =>
    Effect.gen(function* () {
      for (const begin of [false, true]) {
        const { server, session } = yield* opened(
          serving(async (_, reply) => {
            if (begin) await reply.stream().write(": open\n\n")
          })
        )
        const fiber = yield* Effect.forkChild(session.call(ping)(), { startImmediately: true })
        const call = yield* Effect.promise(() => server.seen.first((seen) => seen.json.method === "tools/call"))
        yield* Fiber.interrupt(fiber)
        yield* Effect.promise(() => call.gone)
      }
    })
  )

  it.effect("says what a server refuses, what breaks, and whom it could not reach", () =>
    Effect.gen(function* () {
      const refused = yield* opened(serving((_, reply) => reply.raw("later", { "retry-after": "2" }, 429)))
      assert.deepInclude(yield* reasonOf(refused.session.call(ping)()), {
        _tag: "Transport",
        status: 429,
        retryAfter: 2000,
        body: "later"
      })
      const broken = yield* opened(serving((_, reply) => reply.destroy()))
      assert.strictEqual((yield* reasonOf(broken.session.call(ping)()))._tag, "Transport")
      const cut = yield* opened(
        serving(async (_, reply) => {
          await reply.stream().write("data: {")
          reply.destroy()
        })
      )
      assert.match((yield* reasonOf(cut.session.call(ping)())).message, /broke before the answer was complete/)
      const nobody = yield* reasonOf(McpNodeClient.http("http://127.0.0.1:1/mcp"))
      assert.strictEqual(fact(nobody, "notRun"), true)
      assert.match(nobody.message, /cannot be reached: connect ECONNREFUSED/)
    })
  )

  it.effect("speaks to compat servers over connections that are used again, and ends their session", () =>
    Effect.gen(function* () {
      const server = yield* scriptedHttp(compatServing())
      const scope = yield* Scope.make()
      const session = yield* Scope.provide(McpNodeClient.http(server.url), scope)
      assert.strictEqual(yield* session.call(ping)(), "ok")
      yield* Scope.close(scope, Exit.void)
      assert.deepInclude(server.seen.events.at(-1), { verb: "DELETE" })
      assert.strictEqual(server.seen.events.length, 5)
      assert.isAtMost(new Set(server.seen.events.map(({ peer }) => peer)).size, 2)
    })
  )

  it("is there for code that awaits", async () => {
    await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const server = yield* scriptedHttp(serving())
          yield* Effect.promise(async () => {
            await using client = await connectHttp(server.url)
            assert.strictEqual(await client.call(ping)(), "ok")
          })
        })
      )
    )
  })
})
