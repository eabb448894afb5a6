/**
 * How a client and a server come to speak: `server/discover` natively, the handshake in compat, and `ping`.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { rawAsk, rawCall, rawHandshake, rawRequest, rawResult, rawVersion } from "@treadle/testing"
import { ask, chapter, errorOf, happened, resultOf } from "../fixtures/chapter.ts"

const capabilities = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {}
}

const compatVersions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]

export const lifecycle = chapter("lifecycle", (test) => {
  test(
    "DISC-02 META-05: discover tells the versions, the capabilities, the instructions and who serves",
    ({ connect }) =>
      Effect.gen(function* () {
        const { result } = yield* ask(yield* connect(), "server/discover")
        // Which extensions there are is told by the chapters about them.
        const { extensions: _, ...core } = result.capabilities
        assert.deepStrictEqual(
          { ...result, capabilities: core },
          {
            resultType: "complete",
            supportedVersions: [rawVersion],
            capabilities,
            instructions: "Only for tests",
            ttlMs: 300_000,
            cacheScope: "public",
            _meta: { "io.modelcontextprotocol/serverInfo": { name: "suite", version: "1.0.0" } }
          }
        )
      }),
    { era: "native" }
  )

  test(
    "B041 INIT-03 INIT-05: the handshake settles on the version asked for, and tells the same",
    ({ connect, version }) =>
      Effect.gen(function* () {
        const { handshake } = yield* connect()
        assert.deepStrictEqual(handshake, {
          protocolVersion: version,
          serverInfo: { name: "suite", version: "1.0.0" },
          capabilities,
          instructions: "Only for tests"
        })
      }),
    { era: "compat" }
  )

  test(
    "B041 INIT-03: the handshake settles on the newest version of the era, where the one asked for is not of it",
    ({ connect }) =>
      Effect.gen(function* () {
        const one = yield* connect()
        for (const version of [rawVersion, "2099-01-01", "1999-01-01", "", "__proto__"]) {
          const { result } = yield* rawAsk(one, rawHandshake(version))
          assert.strictEqual(result.protocolVersion, "2025-11-25")
        }
      }),
    { era: "compat" }
  )

  test(
    "ERA-19: a handshake without a version is -32602 that names them",
    ({ connect }) =>
      Effect.gen(function* () {
        const one = yield* connect()
        for (const params of [{}, { protocolVersion: 5 }, { protocolVersion: null }]) {
          const { code, data } = yield* errorOf(one, "initialize", params)
          assert.strictEqual(code, -32602)
          assert.deepStrictEqual(data.supported, compatVersions)
        }
      }),
    { era: "compat" }
  )

  test(
    "INIT-11: ping is answered with nothing, while a call runs too",
    ({ connect, open }) =>
      Effect.gen(function* () {
        const one = yield* connect()
        const hold = yield* rawCall(one, "hold", { gate: "ping" })
        yield* happened(one, "began ping")
        assert.deepStrictEqual((yield* ask(one, "ping"))["result"], {})
        yield* open("ping")
        yield* hold.answer
      }),
    { era: "compat" }
  )

  test(
    "VER-01 ERR-09: a version that is not served is -32022 with those that are",
    ({ connect }) =>
      Effect.gen(function* () {
        const one = yield* connect()
        for (const requested of ["2099-01-01", "2025-11-25", ""]) {
          const meta = { "io.modelcontextprotocol/protocolVersion": requested }
          const { error } = yield* rawAsk(one, rawRequest("v", "tools/list", {}, meta))
          assert.strictEqual(error.code, -32022)
          assert.deepStrictEqual(error.data, { supported: [rawVersion], requested })
        }
      }),
    { era: "native" }
  )

  test("ERA-12 ERR-02: what the era does not have is -32601, as is what nobody has", ({ connect, era }) =>
    Effect.gen(function* () {
      const one = yield* connect()
      const native = ["server/discover", "subscriptions/listen"]
      const compat = ["initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"]
      for (const method of ["nope", "toString", "tasks/list", ...(era === "native" ? compat : native)]) {
        const answer = yield* rawAsk(one, rawRequest("u", method, { uri: "suite://one", level: "info" }))
        assert.deepInclude(answer, { jsonrpc: "2.0", id: "u" })
        assert.strictEqual(answer["error"].code, -32601, method)
      }
    }))

  test(
    "D17: a server that stops answers what ends within the grace, and tells the rest that it is stopping",
    ({ connect, open, stop }) =>
      Effect.gen(function* () {
        const one = yield* connect()
        const short = yield* rawCall(one, "hold", { gate: "short" })
        const long = yield* rawCall(one, "hold", { gate: "long" })
        yield* happened(one, "began short")
        yield* happened(one, "began long")
        yield* Effect.all([stop, Effect.andThen(open("short"), Effect.all([short.answer, long.answer]))], {
          concurrency: "unbounded"
        })
        assert.strictEqual((yield* short.answer)["result"].content[0].text, "short")
        assert.deepInclude((yield* long.answer)["error"], { code: -32603, message: "The server is stopping" })
      }),
    { needs: ["stop"] }
  )

  test(
    "D13: one call more than may run at once is refused, and served again when one has ended",
    ({ connect, open }) =>
      Effect.gen(function* () {
        const one = yield* connect()
        const held = yield* Effect.forEach([0, 1, 2, 3, 4, 5, 6, 7, 8], (id) =>
          one.send(rawRequest(id, "tools/call", { name: "hold", arguments: { gate: "many" } }))
        )
        const refused = yield* Effect.raceAll(held.map(({ answer }) => answer))
        assert.strictEqual(refused["error"].code, -32603)
        assert.include(refused["error"].message, "(8)")
        const others = held.filter((_, at) => at !== refused["id"])
        assert.strictEqual(others.length, 8)
        const [given, ...kept] = others
        if (given !== undefined) yield* given.cancel
        yield* open("many")
        for (const answer of yield* Effect.forEach(kept, ({ answer }) => answer)) {
          assert.strictEqual(answer["result"].content[0].text, "many")
        }
        assert.strictEqual((yield* rawResult(one, "events")).structuredContent.running, 0)
      }),
    { needs: ["limit"] }
  )

  test(
    "ERA-13 ERA-15: natively everything is served beside sessions, and sessions beside native requests",
    ({ connect }) =>
      Effect.gen(function* () {
        const one = yield* connect()
        for (const _ of [1, 2]) {
          assert.strictEqual((yield* resultOf(one, "tools/call", { name: "noargs" })).content[0].text, "ok")
          assert.deepStrictEqual((yield* one.natively("server/discover"))["result"].supportedVersions, [rawVersion])
        }
        assert.deepStrictEqual((yield* ask(one, "ping"))["result"], {})
      }),
    { era: "compat" }
  )
})
