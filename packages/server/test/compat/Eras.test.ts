/**
 * Both eras on one endpoint and on one pipe: each request says by itself which one it speaks.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { rawAsk, rawRequest, rawToolCall, type RawMessage } from "@treadle/testing"
import { empty } from "../fixtures/calling.ts"
import { compatCall, compatDoor, compatPipe, compatRequest, initialize } from "../fixtures/compatDoor.ts"
import { headersOf } from "../fixtures/rawPeers.ts"

const mcp = empty().tool("t", { description: "Tested" }, async () => "x")

const content = [{ type: "text", text: "x" }]
const compatResult = { content }
const nativeResult = {
  resultType: "complete",
  content,
  _meta: { "io.modelcontextprotocol/serverInfo": { name: "suite", version: "1.0.0" } }
}

/** What every native client sends. */
const nativeMeta = rawToolCall(1, "t")["params"]._meta

/** What only the compat era has, as a native client would ask for it. */
const compatOnly = [
  "initialize",
  "ping",
  "logging/setLevel",
  "resources/subscribe",
  "resources/unsubscribe",
  "x/invented"
]

describe("one endpoint", () => {
  it.effect(
    "B084 ERA-13 ERA-14 CHTTP-25: serves both eras at once; a version in _meta wins over the session beside it",
    () =>
      Effect.gen(function* () {
        const { open, send, served } = yield* compatDoor(mcp)
        const session = yield* open()
        const native = rawToolCall(1, "t")
        const headers = headersOf(native)
        for (const _ of [1, 2]) {
          assert.deepStrictEqual((yield* send(native, { headers })).answer["result"], nativeResult)
          assert.deepStrictEqual((yield* send(compatCall(1, "t"), { session })).answer["result"], compatResult)
          for (const stray of [session, "unknown"]) {
            const got = yield* send(native, { headers, session: stray })
            assert.deepStrictEqual([got.status, got.answer["result"], got.session], [200, nativeResult, undefined])
          }
        }
        assert.strictEqual(served.counters().sessions, 1)
      })
  )

  it.effect("ERA-16 ERA-12: refuses in a native envelope what the native era does not have, with 404", () =>
    Effect.gen(function* () {
      const { open, send, served } = yield* compatDoor(mcp)
      const session = yield* open()
      for (const method of compatOnly) {
        const message = rawRequest(1, method, { protocolVersion: "2025-11-25", capabilities: {}, level: "info" })
        for (const sending of [{}, { session }]) {
          const got = yield* send(message, { ...sending, headers: headersOf(message) })
          assert.deepStrictEqual([got.status, got.answer["error"].code, got.session], [404, -32601, undefined], method)
        }
      }
      assert.strictEqual(served.counters().sessions, 1)
    })
  )

  it.effect("ERA-12: refuses in a session what only the native era has, in band", () =>
    Effect.gen(function* () {
      const { open, send } = yield* compatDoor(mcp)
      const session = yield* open()
      for (const method of ["server/discover", "subscriptions/listen", "x/invented"]) {
        const { answer, status } = yield* send(compatRequest(1, method), { session })
        assert.deepStrictEqual([status, answer["error"].code], [200, -32601], method)
      }
    })
  )

  it.effect("ERA-14 META-02: takes a request by its header where its body says nothing", () =>
    Effect.gen(function* () {
      const { open, send } = yield* compatDoor(mcp)
      const session = yield* open()
      const bare = compatCall(1, "t")
      const headers = (version: string) => ({ ...headersOf(bare), "mcp-protocol-version": version })
      const native = yield* send(bare, { session, headers: headers("2026-07-28") })
      assert.deepStrictEqual([native.status, native.answer["error"].code], [400, -32602])
      for (const version of ["2025-11-25", " 2025-06-18 "]) {
        const compat = yield* send(bare, { session, headers: headers(version) })
        assert.deepStrictEqual(compat.answer["result"], compatResult, version)
      }
    })
  )

  it.effect("ERA-14: takes a _meta without a version for that of a session", () =>
    Effect.gen(function* () {
      const { open, send } = yield* compatDoor(mcp)
      const session = yield* open()
      for (const meta of [{}, { progressToken: 1 }, { "io.modelcontextprotocol/clientCapabilities": {} }]) {
        assert.deepStrictEqual((yield* send(compatCall(1, "t", {}, meta), { session })).answer["result"], compatResult)
      }
    })
  )
})

const piped = Effect.map(compatPipe(mcp), ({ near, peer, served }) => ({
  near,
  served,
  ask: (message: RawMessage) => rawAsk(peer, message)
}))

describe("one pipe", () => {
  it.effect("B084 D11: has no session before a handshake, and says which versions need none", () =>
    Effect.gen(function* () {
      const { ask, served } = yield* piped
      for (const message of [compatCall(1, "t"), compatRequest(2, "ping"), compatRequest(3, "tools/list", {})]) {
        const { error } = yield* ask(message)
        assert.strictEqual(error.code, -32602)
        assert.deepStrictEqual(error.data, { supported: ["2026-07-28"] })
        assert.strictEqual(
          error.message,
          "Send initialize first; or name a version in params._meta under " +
            '"io.modelcontextprotocol/protocolVersion": this server speaks 2026-07-28'
        )
      }
      assert.strictEqual(served.counters().sessions, 0)
    })
  )

  it.effect("B084 ERA-15 D11: serves native requests before, between and after those of its session", () =>
    Effect.gen(function* () {
      const { ask, served } = yield* piped
      const discovered = (yield* ask(rawRequest("d", "server/discover")))["result"]
      assert.deepStrictEqual(discovered.supportedVersions, ["2026-07-28"])
      assert.strictEqual((yield* ask(initialize()))["result"].protocolVersion, "2025-11-25")
      for (const id of [1, 2]) {
        assert.deepStrictEqual((yield* ask(compatCall(id, "t")))["result"], compatResult)
        assert.deepStrictEqual((yield* ask(rawToolCall(id, "t")))["result"], nativeResult)
        assert.deepStrictEqual((yield* ask(compatRequest(`p${id}`, "ping")))["result"], {})
      }
      assert.deepStrictEqual((yield* ask(rawRequest("e", "server/discover")))["result"], discovered)
      assert.strictEqual(served.counters().sessions, 1)
    })
  )

  it.effect("ERA-16: refuses in a native envelope what the native era does not have, and opens no session", () =>
    Effect.gen(function* () {
      const { ask, served } = yield* piped
      for (const method of compatOnly) {
        const params = { protocolVersion: "2025-11-25", capabilities: {}, _meta: nativeMeta }
        assert.strictEqual((yield* ask(compatRequest(method, method, params)))["error"].code, -32601, method)
      }
      assert.strictEqual(served.counters().sessions, 0)
    })
  )

  it.effect("D12: keeps its session to itself, and forgets it when it is gone", () =>
    Effect.gen(function* () {
      const { ask, near, served } = yield* piped
      const other = yield* piped
      yield* ask(initialize())
      assert.strictEqual((yield* other.ask(compatCall(1, "t")))["error"].code, -32602)
      assert.strictEqual(served.counters().sessions, 1)
      near.close()
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      assert.strictEqual(served.counters().sessions, 0)
    })
  )
})
