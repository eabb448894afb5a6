import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import { linePair } from "@treadle/protocol/framing"
import { scriptedHttp, type HttpScript } from "@treadle/testing"
import { McpClient, type McpSession } from "../../src/index.ts"
import { compatServing, discoverResult, fact, reasonOf, result, rpcError, serving } from "../fixtures.ts"

/** Opens a session with a server that answers so, and gives what came of it. */
const opening = (script: HttpScript) =>
  Effect.gen(function* () {
    const server = yield* scriptedHttp(script)
    const outcome = yield* Effect.result(McpClient.http(server.url))
    return { server, outcome }
  })

const failing = (script: HttpScript) =>
  Effect.gen(function* () {
    const server = yield* scriptedHttp(script)
    return yield* reasonOf(McpClient.http(server.url))
  })

/** Opens a session with a server that answers the probe so, and is a compat one otherwise. */
const greeting = (script: HttpScript) =>
  Effect.gen(function* () {
    const rest = compatServing()
    const server = yield* scriptedHttp((seen, reply) =>
      seen.json?.method === "server/discover" ? script(seen, reply) : rest(seen, reply)
    )
    const { era } = yield* McpClient.http(server.url)
    return { era, sent: server.seen.events.map((seen) => seen.json?.method) }
  }).pipe(Effect.scoped)

const greeted: { era: "native" | "compat"; sent: Array<any> } = {
  era: "compat",
  sent: ["server/discover", "initialize", "notifications/initialized"]
}

const unsupported = (id: unknown, supported: ReadonlyArray<string>) =>
  rpcError(id, -32022, "not that one", { supported, requested: "2026-07-28" })

describe("opening a session", () => {
  it.effect("ERA-02 DISC-01: asks server/discover first, with the preferred version and no parameters", () =>
    Effect.gen(function* () {
      const { server } = yield* opening(serving())
      const [first] = server.seen.events
      assert.strictEqual(server.seen.events.length, 1)
      assert.strictEqual(first?.json.method, "server/discover")
      assert.deepStrictEqual(Object.keys(first?.json.params), ["_meta"])
      assert.strictEqual(first?.json.params._meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28")
    })
  )

  it.effect("ERA-03 DISC-04: takes a version of the list that both speak", () =>
    Effect.gen(function* () {
      const versions = ["2025-11-25", "2099-01-01", "2026-07-28"]
      const { outcome } = yield* opening((seen, reply) =>
        reply.json(result(seen.json.id, { ...discoverResult, supportedVersions: versions }))
      )
      assert.strictEqual(outcome._tag === "Success" && outcome.success.version, "2026-07-28")
    })
  )

  it.effect("VER-02 ERA-18: corrects a refused version once, under a new id", () =>
    Effect.gen(function* () {
      let asked = 0
      const { outcome, server } = yield* opening((seen, reply) =>
        ++asked === 1
          ? reply.json(unsupported(seen.json.id, ["2026-07-28"]), 400)
          : reply.json(result(seen.json.id, discoverResult))
      )
      assert.strictEqual(outcome._tag, "Success")
      const [first, second] = server.seen.events
      assert.notStrictEqual(first?.json.id, second?.json.id)
      const stubborn = yield* opening((seen, reply) => reply.json(unsupported(seen.json.id, ["2026-07-28"]), 400))
      assert.strictEqual(stubborn.outcome._tag, "Failure")
      assert.strictEqual(stubborn.server.seen.events.length, 2)
    })
  )

  it.effect("ERA-18: greets a server that lists legacy versions only", () =>
    Effect.gen(function* () {
      const scripts: ReadonlyArray<HttpScript> = [
        (seen, reply) => reply.json(unsupported(seen.json.id, ["2025-11-25", "2025-06-18"]), 400),
        (seen, reply) =>
          reply.json(result(seen.json.id, { ...discoverResult, supportedVersions: ["2025-11-25", "2025-06-18"] }))
      ]
      for (const script of scripts) {
        assert.deepStrictEqual(yield* greeting(script), greeted)
      }
    })
  )

  it.effect("VER-02: says what both speak where they have no version in common", () =>
    Effect.gen(function* () {
      const reason = yield* failing((seen, reply) => reply.json(unsupported(seen.json.id, ["2099-01-01"]), 400))
      assert.strictEqual(reason.message, "the server speaks 2099-01-01; this client speaks 2026-07-28")
    })
  )

  it.effect("D18 ERA-06 ERA-10b B026: greets after every other JSON-RPC error and every other 4xx", () =>
    Effect.gen(function* () {
      for (const code of [-32600, -32601, -32602, -32603, -32000, -32022, 7]) {
        for (const status of [200, 400, 404, 405]) {
          const found = yield* greeting((seen, reply) => reply.json(rpcError(seen.json.id, code, "what?"), status))
          assert.deepStrictEqual(found, greeted, `${code} at ${status}`)
        }
      }
      for (const status of [400, 404, 405, 406, 415, 422]) {
        const found = yield* greeting((_, reply) => reply.raw("what?", {}, status))
        assert.deepStrictEqual(found, greeted, String(status))
      }
    })
  )

  it.effect("D18 ERA-04: reads the modern errors with their data as errors of a modern server", () =>
    Effect.gen(function* () {
      for (const [code, data] of [
        [-32020, undefined],
        [-32021, { requiredCapabilities: { elicitation: {} } }]
      ]) {
        const reason = yield* failing((seen, reply) =>
          reply.json(rpcError(seen.json.id, Number(code), "no", data), 400)
        )
        assert.strictEqual(fact(reason, "code"), code)
      }
      const bare = yield* greeting((seen, reply) => reply.json(rpcError(seen.json.id, -32021, "no"), 400))
      assert.deepStrictEqual(bare, greeted)
    })
  )

  it.effect("D18 ERA-17: takes refusals and outages for what they are, with and without a body", () =>
    Effect.gen(function* () {
      for (const status of [401, 403, 407, 408, 429, 500, 502, 503]) {
        const bare = yield* failing((_, reply) => reply.raw("", {}, status))
        assert.strictEqual(bare._tag, status === 401 ? "Unauthorized" : "Transport", String(status))
        // `fetch` makes a network error of a 407 with a body.
        if (status === 407) continue
        const rpc = yield* failing((seen, reply) => reply.json(rpcError(seen.json.id, -32603, "x"), status))
        assert.strictEqual(rpc._tag, status === 401 ? "Unauthorized" : "Rpc", String(status))
        const version = yield* failing((seen, reply) => reply.json(unsupported(seen.json.id, ["2025-11-25"]), status))
        assert.notStrictEqual(version._tag, "NotOffered", String(status))
      }
    })
  )

  it.effect("fails with Undecodable where the answer is no DiscoverResult", () =>
    Effect.gen(function* () {
      const reason = yield* failing((seen, reply) => reply.json(result(seen.json.id, { tools: [] })))
      assert.strictEqual(reason._tag, "Undecodable")
      assert.include(reason.message, "supportedVersions")
    })
  )
})

describe("a server that stays silent", () => {
  const silence = <E, R>(open: Effect.Effect<McpSession, E, R>, heard: Effect.Effect<unknown>) =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(reasonOf(open), { startImmediately: true })
      yield* heard
      yield* TestClock.adjust(4999)
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust(1)
      return yield* Fiber.join(fiber)
    })

  it.effect("D18 ERA-17: gives no evidence over HTTP: TimedOut after 5 s", () =>
    Effect.gen(function* () {
      const server = yield* scriptedHttp(() => {})
      const heard = Effect.promise(() => server.seen.first(() => true))
      assert.deepInclude(yield* silence(McpClient.http(server.url), heard), { _tag: "TimedOut", after: 5000 })
    })
  )

  it.effect(
    "D18 ERA-05: is greeted on a pipe, and times out after 10 s in all where it says nothing to that (A15)",
    () =>
      Effect.gen(function* () {
        const lines: Array<any> = []
        const [port, far] = linePair()
        far.open({
          chunk: (bytes) => {
            for (const line of new TextDecoder().decode(bytes).trim().split("\n")) lines.push(JSON.parse(line))
          },
          end: () => {},
          drain: () => {}
        })
        const fiber = yield* Effect.forkChild(reasonOf(McpClient.pipe(port)), { startImmediately: true })
        yield* TestClock.adjust(5000)
        assert.deepStrictEqual(
          lines.map((line) => line.method),
          ["server/discover", "initialize"]
        )
        yield* TestClock.adjust(4999)
        assert.isUndefined(fiber.pollUnsafe())
        yield* TestClock.adjust(1)
        assert.deepInclude(yield* Fiber.join(fiber), { _tag: "TimedOut", after: 10_000 })
      })
  )
})
