import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import { scriptedHttp, type HttpScript, type HttpSeen, type ScriptedHttp } from "@treadle/testing"
import { EraMemory, makeEraMemory, McpClient, type HttpSettings } from "../../src/index.ts"
import { compatLines, farEnd, piped } from "../farEnd.ts"
import {
  compatServing,
  discoverResult,
  fact,
  initializeResult,
  opened,
  reasonOf,
  result,
  rpcError,
  serving
} from "../fixtures.ts"

const methodOf = (seen: HttpSeen): string => seen.json?.method ?? seen.verb

const methods = (server: ScriptedHttp) => server.seen.events.map(methodOf)

const initializing = (version: string) => ({ ...initializeResult, protocolVersion: version })

/** Opens a session and closes it. */
const visit = (server: ScriptedHttp, settings?: HttpSettings) =>
  Effect.scoped(
    Effect.map(McpClient.http(server.url, settings), ({ era, version }) => {
      return { era, version }
    })
  )

const remembering = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => Effect.provideService(effect, EraMemory, makeEraMemory()))

describe("the revision setting", () => {
  it.effect("D18: native is asked for natively and in no other way", () =>
    Effect.gen(function* () {
      const revision = "2026-07-28"
      const { server, session } = yield* opened(serving(), { revision })
      assert.deepStrictEqual([session.era, session.version], ["native", revision])
      assert.deepStrictEqual(methods(server), ["server/discover"])

      const old = yield* scriptedHttp(compatServing())
      const refusal = yield* reasonOf(McpClient.http(old.url, { revision }))
      assert.strictEqual(refusal._tag, "NotOffered")
      assert.include(refusal.message, `the server does not speak ${revision}`)
      assert.include(refusal.message, `"revision" setting`)
      assert.deepStrictEqual(methods(old), ["server/discover"])

      const { far, near } = farEnd(compatLines())
      assert.include((yield* reasonOf(McpClient.pipe(near, { revision }))).message, "-32601")
      assert.deepStrictEqual(far.methods(), ["server/discover"])
    })
  )

  it.effect("D18: native is not met by a server of other native revisions", () =>
    Effect.gen(function* () {
      const future = yield* scriptedHttp((seen, reply) =>
        reply.json(result(seen.json.id, { ...discoverResult, supportedVersions: ["2099-01-01"] }))
      )
      const reason = yield* reasonOf(McpClient.http(future.url, { revision: "2026-07-28" }))
      assert.deepInclude(reason, {
        _tag: "NotOffered",
        what: "the server speaks 2099-01-01; this client speaks 2026-07-28"
      })
    })
  )

  it.effect("D18: a compat one is greeted with at once, and no other is taken", () =>
    Effect.gen(function* () {
      for (const revision of ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const) {
        const { far, session } = yield* piped(compatLines(undefined, initializing(revision)), { revision })
        assert.deepStrictEqual([session.era, session.version], ["compat", revision])
        yield* far.heard("notifications/initialized")
        assert.deepStrictEqual(far.methods(), ["initialize", "notifications/initialized"])
        assert.strictEqual(far.lines.events[0].params.protocolVersion, revision)

        const other = revision === "2025-11-25" ? "2025-06-18" : "2025-11-25"
        const server = yield* scriptedHttp(compatServing(undefined, { initialized: initializing(other) }))
        const reason = yield* reasonOf(McpClient.http(server.url, { revision }))
        assert.strictEqual(
          reason.message,
          `the server answered with revision "${other}"; this client takes ${revision}`
        )
        assert.notInclude(methods(server), "server/discover")
      }
    })
  )
})

describe("what a server turned out to speak", () => {
  const old = scriptedHttp(compatServing())

  it.effect("ERA-11 B026: is remembered, so that the next session with a compat server sends no probe", () =>
    Effect.gen(function* () {
      const server = yield* old
      yield* visit(server)
      assert.deepStrictEqual(methods(server), ["server/discover", "initialize", "notifications/initialized", "DELETE"])
      yield* TestClock.adjust(24 * 60 * 60 * 1000 - 1)
      yield* visit(server)
      assert.deepStrictEqual(methods(server).slice(4), ["initialize", "notifications/initialized", "DELETE"])
    }).pipe(remembering)
  )

  it.effect("D18: is forgotten after 24 hours", () =>
    Effect.gen(function* () {
      const server = yield* old
      yield* visit(server)
      yield* TestClock.adjust("24 hours")
      yield* visit(server)
      assert.strictEqual(methods(server)[4], "server/discover")
    }).pipe(remembering)
  )

  it.effect("ERA-11: is remembered by address, and in the memory that is provided", () =>
    Effect.gen(function* () {
      const server = yield* old
      yield* visit(server)
      yield* visit({ ...server, url: `${server.url}?tenant=2` })
      yield* remembering(visit(server))
      assert.strictEqual(methods(server).filter((method) => method === "server/discover").length, 3)
      yield* visit(server)
      assert.strictEqual(methods(server).filter((method) => method === "server/discover").length, 3)
    }).pipe(remembering)
  )

  it.effect("ERA-11: is asked again where it no longer holds, and the old verdict is gone", () =>
    Effect.gen(function* () {
      let script: HttpScript = compatServing()
      const server = yield* scriptedHttp((seen, reply) => script(seen, reply))
      yield* visit(server)
      script = serving((seen, reply) =>
        reply.json(rpcError(seen.json.id, -32022, "no", { supported: ["2026-07-28"] }), 400)
      )
      assert.strictEqual((yield* visit(server)).era, "native")
      assert.deepStrictEqual(methods(server).slice(4), ["initialize", "server/discover"])
      assert.strictEqual((yield* visit(server)).era, "native")
      assert.deepStrictEqual(methods(server).slice(6), ["server/discover"])
    }).pipe(remembering)
  )

  it.effect("ERA-11: is asked again where initialize is answered with what is no handshake", () =>
    Effect.gen(function* () {
      let script: HttpScript = compatServing()
      const server = yield* scriptedHttp((seen, reply) => script(seen, reply))
      yield* visit(server)
      const native = serving()
      script = (seen, reply) =>
        seen.json?.method === "initialize" ? reply.json(result(seen.json.id, {})) : native(seen, reply)
      assert.strictEqual((yield* visit(server)).era, "native")
      assert.deepStrictEqual(methods(server).slice(4), ["initialize", "server/discover"])
    }).pipe(remembering)
  )

  it.effect("ERA-17: is not doubted because of an outage", () =>
    Effect.gen(function* () {
      let script: HttpScript = compatServing()
      const server = yield* scriptedHttp((seen, reply) => script(seen, reply))
      yield* visit(server)
      script = (_, reply) => reply.raw("", {}, 503)
      assert.deepInclude(yield* reasonOf(visit(server)), { _tag: "Transport", status: 503 })
      assert.deepStrictEqual(methods(server).slice(4), ["initialize"])
      script = compatServing()
      yield* visit(server)
      assert.notInclude(methods(server).slice(4), "server/discover")
    }).pipe(remembering)
  )

  it.effect("is nothing to remember of a native server, whose probe is its first request", () =>
    Effect.gen(function* () {
      const server = yield* scriptedHttp(serving())
      yield* visit(server)
      yield* visit(server)
      assert.deepStrictEqual(methods(server), ["server/discover", "server/discover"])
    }).pipe(remembering)
  )

  it.effect("is not remembered of a pipe, which nobody meets twice", () =>
    Effect.gen(function* () {
      for (const _ of [1, 2]) {
        const { far } = yield* piped(compatLines(), { name: "the same" })
        assert.strictEqual(far.methods()[0], "server/discover")
      }
    }).pipe(remembering)
  )
})

describe("a server that refuses the probe in its own way", () => {
  const ways: ReadonlyArray<readonly [string, HttpScript]> = [
    ["400 without a body", (_, reply) => reply.raw("", {}, 400)],
    ["400 with text", (_, reply) => reply.raw("Bad Request", { "content-type": "text/plain" }, 400)],
    ["400 with a null id", (_, reply) => reply.json(rpcError(null, -32000, "no session"), 400)],
    ["400 with -32600", (seen, reply) => reply.json(rpcError(seen.json.id, -32600, "no"), 400)],
    ["404 with text", (_, reply) => reply.raw("Invalid session ID", {}, 404)],
    ["405", (_, reply) => reply.raw("", {}, 405)],
    ["200 with -32601", (seen, reply) => reply.json(rpcError(seen.json.id, -32601, "no"))]
  ]

  it.effect("B026 ERA-06: is greeted, and not probed a second time", () =>
    Effect.gen(function* () {
      for (const [name, refusing] of ways) {
        const rest = compatServing()
        const server = yield* scriptedHttp((seen, reply) =>
          methodOf(seen) === "server/discover" ? refusing(seen, reply) : rest(seen, reply)
        )
        assert.strictEqual((yield* visit(server)).version, "2025-11-25", name)
        yield* visit(server)
        const probes = methods(server).filter((method) => method === "server/discover")
        assert.strictEqual(probes.length, 1, name)
      }
    }).pipe(remembering)
  )

  it.effect("B026 ERA-06: is greeted on a pipe, whatever the code is", () =>
    Effect.gen(function* () {
      for (const code of [-32602, -32601, -32600, -32000, 1]) {
        const rest = compatLines()
        const { session } = yield* piped((line, far) =>
          line.method === "server/discover" ? far.send(rpcError(line.id, code, "no")) : rest(line, far)
        )
        assert.strictEqual(session.era, "compat", String(code))
      }
    })
  )

  it.effect("B026 ERA-04: is never greeted where it names the native revision", () =>
    Effect.gen(function* () {
      const data = { supported: ["2026-07-28"], requested: "2026-07-28" }
      const server = yield* scriptedHttp((seen, reply) =>
        reply.json(rpcError(seen.json.id, -32022, "not that one", data), 400)
      )
      assert.deepInclude(yield* reasonOf(visit(server)), { _tag: "Rpc", code: -32022 })
      assert.deepStrictEqual(methods(server), ["server/discover", "server/discover"])
    })
  )

  /** The report asks for one try of `initialize` here. D18 says that a refusal of the caller is no verdict on the era. */
  it.effect("D18 B082: with 401 or 403 is no old one: the error says so, and its `revision` can be set", () =>
    Effect.gen(function* () {
      const challenge = { "www-authenticate": 'Bearer resource_metadata="https://box.example/meta"' }
      for (const [status, headers] of [
        [401, {}],
        [403, {}],
        [401, challenge]
      ] as const) {
        const rest = compatServing()
        const server = yield* scriptedHttp((seen, reply) =>
          methodOf(seen) === "server/discover" ? reply.raw("", headers, status) : rest(seen, reply)
        )
        const settings = { headers: { authorization: "Bearer good" } }
        const reason = yield* reasonOf(visit(server, settings))
        assert.strictEqual(reason._tag, status === 401 ? "Unauthorized" : "Transport")
        assert.include(reason.message, `HTTP ${status}`)
        assert.deepStrictEqual(methods(server), ["server/discover"])
        assert.strictEqual((yield* visit(server, { ...settings, revision: "2025-11-25" })).era, "compat")
      }
    })
  )
})

describe("a server that is not there yet", () => {
  it.effect("B110: fails with its address and the cause, and opening again finds it", () =>
    Effect.gen(function* () {
      const late = yield* Effect.acquireRelease(
        Effect.promise(async () => {
          const server = createServer((request, response) => {
            let text = ""
            request.on("data", (chunk) => (text += chunk))
            request.on("end", () => {
              response.setHeader("content-type", "application/json")
              response.end(JSON.stringify(result(JSON.parse(text).id, discoverResult)))
            })
          })
          const listen = (port: number) =>
            new Promise<number>((resolve) => {
              server.listen(port, "127.0.0.1", () => resolve((server.address() as AddressInfo).port))
            })
          const close = () =>
            new Promise<void>((resolve) => {
              server.close(() => resolve())
              server.closeAllConnections()
            })
          const port = await listen(0)
          await close()
          return { port, start: () => listen(port), close }
        }),
        ({ close }) => Effect.promise(close)
      )
      const url = `http://127.0.0.1:${late.port}/mcp`
      const open = Effect.scoped(Effect.map(McpClient.http(url), (session) => session.era))
      const error = yield* Effect.flip(open)
      assert.include(error.message, url)
      assert.include(error.message, "ECONNREFUSED")
      assert.instanceOf(error.cause, Error)
      assert.strictEqual(fact(error.reason, "notRun"), true)
      yield* Effect.promise(late.start)
      assert.strictEqual(yield* open, "native")
    })
  )

  it.effect("B110: is opened once a proxy has stopped saying 502 and 503", () =>
    Effect.gen(function* () {
      const page = { "content-type": "text/html", "retry-after": "2" }
      let tries = 0
      const server = yield* scriptedHttp((seen, reply) => {
        tries++
        if (tries <= 2) return reply.raw("<h1>Bad Gateway</h1>", page, tries === 1 ? 502 : 503)
        return reply.json(result(seen.json.id, discoverResult))
      })
      for (const status of [502, 503]) {
        const reason = yield* reasonOf(visit(server))
        assert.deepInclude(reason, { _tag: "Transport", status, retryAfter: 2000, body: "<h1>Bad Gateway</h1>" })
      }
      assert.strictEqual((yield* visit(server)).era, "native")
    })
  )
})
