import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { TestClock } from "effect/testing"
import { scriptedHttp, type HttpScript, type HttpScriptReply, type HttpSeen } from "@treadle/testing"
import { McpClient, type HttpSettings } from "../../src/index.ts"
import { McpNodeClient } from "../../src/node/index.ts"
import { compatServing, initializeResult, opened, ping, reasonOf, result, serving, textResult } from "../fixtures.ts"
import { guarded, kindOf, loginNeeded, metadata, scriptedTokens, senders } from "../tokens.ts"

/** A script that refuses the first request of each kind, and lets in whatever shows a token that it did not refuse. */
const suspicious = (script: HttpScript, keyOf = kindOf): HttpScript => {
  const refused = new Map<string, unknown>()
  return guarded(script, (seen) => {
    const key = keyOf(seen)
    const { authorization } = seen.headers
    if (!refused.has(key)) {
      refused.set(key, authorization)
      return 401
    }
    return authorization === undefined || refused.get(key) === authorization ? 401 : undefined
  })
}

/** Every kind of request that came, each with how often. */
const counts = (events: ReadonlyArray<HttpSeen>, keyOf = kindOf): Record<string, number> => {
  const found: Record<string, number> = {}
  for (const seen of events) found[keyOf(seen)] = (found[keyOf(seen)] ?? 0) + 1
  return found
}

/** A compat server with a stream of its own. */
const streaming = (rest?: HttpScript): HttpScript => {
  const other = compatServing(rest)
  return (seen, reply) =>
    seen.verb === "GET" && seen.headers["last-event-id"] === undefined
      ? void reply.stream().write(": open\n\n")
      : other(seen, reply)
}

const listens: HttpSettings = { answers: { roots: () => Effect.succeed([]) } }

describe.each(senders)("tokens over $name", ({ open }) => {
  it.effect("AUTH-25: authorize every native request, again after a refusal", () =>
    Effect.gen(function* () {
      const { auth, refused } = scriptedTokens()
      const server = yield* scriptedHttp(suspicious(serving()))
      const session = yield* open(server.url, { auth })
      assert.strictEqual(yield* session.call(ping)(), "ok")
      assert.deepStrictEqual(counts(server.seen.events), { "server/discover": 2, "tools/call": 2 })
      const challenge = `Bearer resource_metadata="${metadata}"`
      const read = refused.events.map(({ response: { header } }) => [
        header("www-authenticate"),
        header("WWW-Authenticate"),
        header("x-none")
      ])
      assert.deepStrictEqual(read, [
        [challenge, challenge, null],
        [challenge, challenge, null]
      ])
    })
  )

  it.effect(
    "AUTH-25: authorize every compat request, the stream, notifications and the end of the session included",
    () =>
      Effect.gen(function* () {
        const { asked, auth, refused } = scriptedTokens()
        const server = yield* scriptedHttp(suspicious(streaming()))
        const scope = yield* Scope.make()
        const session = yield* Scope.provide(open(server.url, { auth, ...listens }), scope)
        assert.strictEqual(yield* session.call(ping)(), "ok")
        yield* Effect.promise(() =>
          server.seen.first((seen) => counts(server.seen.events)["GET"] === 2 && seen.verb === "GET")
        )
        yield* Scope.close(scope, Exit.void)
        assert.deepStrictEqual(counts(server.seen.events), {
          "server/discover": 2,
          initialize: 2,
          "notifications/initialized": 2,
          GET: 2,
          "tools/call": 2,
          DELETE: 1
        })
        assert.strictEqual(asked.events.length, server.seen.events.length)
        assert.isTrue(server.seen.events.every(({ headers }) => headers.authorization !== undefined))
        assert.isFalse(
          refused.events.some(({ request }) => request.method === "DELETE"),
          "nobody is asked to log in to a session that is over"
        )
      })
  )

  it.effect("AUTH-25: authorize the GET that takes a stream up again", () =>
    Effect.gen(function* () {
      const { auth } = scriptedTokens()
      let last: unknown
      const other = compatServing(async ({ json }, reply) => {
        last = json.id
        const stream = reply.stream()
        await stream.write("id: e1\nretry: 0\ndata:\n\n")
        stream.end()
      })
      const script = suspicious((seen, reply) =>
        seen.verb === "GET"
          ? void reply.stream().write(`data: ${JSON.stringify(result(last, textResult("late")))}\n\n`)
          : other(seen, reply)
      )
      const server = yield* scriptedHttp(script)
      const session = yield* open(server.url, { auth })
      assert.strictEqual(yield* session.call(ping)(), "late")
      const resumed = server.seen.events.filter(({ verb }) => verb === "GET")
      assert.deepStrictEqual(
        resumed.map(({ headers }) => headers["last-event-id"]),
        ["e1", "e1"]
      )
      assert.strictEqual(new Set(resumed.map(({ headers }) => headers.authorization)).size, 2)
    })
  )

  it.effect("AUTH-25 ERA-10: authorize the requests to a server of two endpoints", () =>
    Effect.gen(function* () {
      const { asked, auth } = scriptedTokens()
      const keyOf = (seen: HttpSeen) => `${kindOf(seen)} ${seen.path}`
      const server = yield* scriptedHttp(suspicious(twoEndpoints(), keyOf))
      const session = yield* open(server.url, { auth })
      assert.strictEqual(yield* session.call(ping)(), "ok")
      assert.deepStrictEqual(counts(server.seen.events, keyOf), {
        "server/discover /mcp": 2,
        "initialize /mcp": 2,
        "GET /mcp": 2,
        "initialize /messages": 2,
        "notifications/initialized /messages": 2,
        "tools/call /messages": 2
      })
      assert.deepStrictEqual(
        asked.events.map(({ url }) => url.pathname),
        server.seen.events.map(({ path }) => path)
      )
    })
  )
})

/** A server of 2024-11-05. */
const twoEndpoints = (): HttpScript => {
  let stream: ReturnType<HttpScriptReply["stream"]> | undefined
  return async (seen, reply) => {
    if (seen.verb === "GET") {
      stream = reply.stream()
      return stream.write("event: endpoint\ndata: /messages\n\n")
    }
    if (seen.path === "/mcp") return reply.raw("", {}, 405)
    const { id, method } = seen.json
    const greeting = { ...initializeResult, protocolVersion: "2024-11-05" }
    if (id !== undefined) await stream?.event(result(id, method === "initialize" ? greeting : textResult("ok")))
    reply.raw("", {}, 202)
  }
}

describe("a connection of node:http", () => {
  it.effect("is used again after a refusal", () =>
    Effect.gen(function* () {
      const { auth } = scriptedTokens()
      const server = yield* scriptedHttp(suspicious(serving()))
      const session = yield* McpNodeClient.http(server.url, { auth })
      assert.strictEqual(yield* session.call(ping)(), "ok")
      assert.strictEqual(server.seen.events.length, 4)
      // The request that is sent again does not wait for the first connection to be free.
      assert.strictEqual(new Set(server.seen.events.map(({ peer }) => peer)).size, 2)
    })
  )
})

describe("a provider that fails", () => {
  it.effect(
    "CHTTP-12: leaves a stream cut that it does not let be taken up, and does not say that the call did not run",
    () =>
      Effect.gen(function* () {
        const { auth } = scriptedTokens({
          headers: ({ method }) => (method === "GET" ? Effect.fail(loginNeeded()) : Effect.succeed({}))
        })
        const script = compatServing(async (_, reply) => {
          const stream = reply.stream()
          await stream.write("id: e1\nretry: 0\ndata:\n\n")
          stream.end()
        })
        const { server, session } = yield* opened(script, { auth })
        const error = yield* Effect.flip(session.callTool("buy"))
        assert.strictEqual(error.reason._tag, "Transport")
        assert.include(error.message, "cannot be taken up again: log in first")
        assert.isFalse(error.notRun)
        assert.strictEqual(counts(server.seen.events)["tools/call"], 1)
      })
  )

  it.effect("CHTTP-07: is asked once for the server's own stream, and not again and again", () =>
    Effect.gen(function* () {
      for (const refuses of [false, true]) {
        const { asked, auth } = scriptedTokens({
          headers: ({ method }) =>
            method === "GET" && !refuses ? Effect.fail(loginNeeded()) : Effect.succeed({ authorization: "Bearer x" }),
          refused: () => Effect.fail(loginNeeded())
        })
        const script = guarded(streaming(), ({ verb }) => (verb === "GET" ? 401 : undefined))
        const { session } = yield* opened(script, { auth, ping: false, ...listens })
        yield* Effect.promise(() => asked.first(({ method }) => method === "GET"))
        for (let minute = 0; minute < 3; minute++) {
          assert.strictEqual(yield* session.call(ping)(), "ok")
          yield* TestClock.adjust("1 minute")
        }
        assert.strictEqual(asked.events.filter(({ method }) => method === "GET").length, 1)
      }
    })
  )

  it.effect("ERA-10 W125: is heard where a server of two endpoints wants a token for its stream only", () =>
    Effect.gen(function* () {
      const { auth } = scriptedTokens({ refused: () => Effect.fail(loginNeeded()) })
      const script = guarded(twoEndpoints(), ({ verb }) => (verb === "GET" ? 401 : undefined))
      const server = yield* scriptedHttp(script)
      const reason = yield* reasonOf(McpClient.http(server.url, { auth }))
      assert.deepInclude(reason, { _tag: "Unauthorized", message: loginNeeded().message })
      const none = yield* reasonOf(McpClient.http(server.url))
      assert.deepInclude(none, { _tag: "Unauthorized", metadata })
    })
  )

  it.effect("fails with a defect like any bug in code that sends, and is not waited for", () =>
    Effect.gen(function* () {
      const { auth } = scriptedTokens({ headers: (_, nth) => (nth === 1 ? Effect.succeed({}) : Effect.die("a bug")) })
      const { server, session } = yield* opened(serving(), { auth })
      const fiber = yield* Effect.forkChild(Effect.flip(session.callTool("x")), { startImmediately: true })
      const error = yield* Fiber.join(fiber)
      assert.include(error.message, "a bug")
      assert.strictEqual(server.seen.events.length, 1)
    })
  )
})
