/**
 * The handshake of the compat era over HTTP, and what it settles. The chapters show it over every door.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { rawAsk } from "@treadle/testing"
import { Content, Mcp, Reply } from "../../src/index.ts"
import { compatCall, compatDoor, compatPipe, compatRequest, initialize } from "../fixtures/compatDoor.ts"

const versions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] as const

const described = Mcp.make({
  name: "suite",
  version: "1.0.0",
  title: "The suite",
  instructions: "Only for tests"
})
  .extension("com.example/own", { on: true })
  .tool("t", { description: "Tested" }, async () => "x")

const link = Content.link("file:///a.txt", "a", { mimeType: "text/plain" })

const many = Mcp.make({ name: "suite", version: "1.0.0" }).tool(
  "blocks",
  { description: "Many", output: Schema.Struct({ n: Schema.Int }) },
  async () => Reply.of({ n: 1 }, link)
)

describe("a handshake", () => {
  it.effect("INIT-05 INIT-12 META-05: says who serves, with what, and nothing that only the native era says", () =>
    Effect.gen(function* () {
      const { send } = yield* compatDoor(described)
      const { answer } = yield* send(initialize())
      assert.deepStrictEqual(answer, {
        jsonrpc: "2.0",
        id: 0,
        result: {
          protocolVersion: "2025-11-25",
          serverInfo: { name: "suite", version: "1.0.0", title: "The suite" },
          capabilities: {
            tools: answer["result"].capabilities.tools,
            logging: {},
            extensions: { "com.example/own": { on: true } }
          },
          instructions: "Only for tests"
        }
      })
      const bare = yield* compatDoor(Mcp.make({ name: "suite", version: "1.0.0" }))
      assert.deepStrictEqual((yield* bare.send(initialize())).answer["result"], {
        protocolVersion: "2025-11-25",
        serverInfo: { name: "suite", version: "1.0.0" },
        capabilities: {}
      })
    })
  )

  it.effect("B041 ERA-19 D12: without a version is -32602 that names them, and opens no session", () =>
    Effect.gen(function* () {
      const { send, served } = yield* compatDoor(described)
      for (const message of [initialize(5), initialize(null), initialize([]), compatRequest(0, "initialize")]) {
        const { answer, session, status } = yield* send(message)
        assert.deepStrictEqual([status, answer["error"].code, session], [200, -32602, undefined])
        assert.deepStrictEqual(answer["error"].data.supported, versions.toReversed())
      }
      assert.strictEqual(served.counters().sessions, 0)
    })
  )

  it.effect("INIT-01 D12: that does not say what its client can do, or who it is, opens no session", () =>
    Effect.gen(function* () {
      const { send, served } = yield* compatDoor(described)
      const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } }
      for (const [name, value] of [
        ["capabilities", undefined],
        ["capabilities", []],
        ["capabilities", 3],
        ["clientInfo", undefined],
        ["clientInfo", "raw"]
      ] as const) {
        const { answer, session } = yield* send(compatRequest(0, "initialize", { ...params, [name]: value }))
        assert.deepStrictEqual([answer["error"].code, session], [-32602, undefined])
        assert.include(answer["error"].message, `params.${name} must`)
      }
      assert.strictEqual(served.counters().sessions, 0)
    })
  )

  it.effect("INIT-06 BASE-15: is followed by a notification that nobody answers", () =>
    Effect.gen(function* () {
      const { open, send } = yield* compatDoor(described)
      const { status, text } = yield* send(
        { jsonrpc: "2.0", method: "notifications/initialized" },
        { session: yield* open() }
      )
      assert.deepStrictEqual([status, text], [202, ""])
    })
  )

  it.effect("INIT-03 D11: on a pipe that has one already settles anew", () =>
    Effect.gen(function* () {
      const { peer } = yield* compatPipe(many)
      for (const version of versions) {
        assert.strictEqual((yield* rawAsk(peer, initialize(version)))["result"].protocolVersion, version)
        const { content } = (yield* rawAsk(peer, compatCall(version, "blocks")))["result"]
        assert.strictEqual(content[1].type, version < "2025-06-18" ? "text" : "resource_link")
      }
    })
  )
})

describe.each(versions)("a session at %s", (version) => {
  it.effect("INIT-09: keeps to its revision, whatever compat version a header names", () =>
    Effect.gen(function* () {
      const { open, send } = yield* compatDoor(many)
      const session = yield* open(version)
      for (const header of versions) {
        const { answer } = yield* send(compatCall(1, "blocks"), {
          session,
          headers: { "mcp-protocol-version": header }
        })
        assert.strictEqual(answer["result"].content[1].type, version < "2025-06-18" ? "text" : "resource_link")
      }
    })
  )
})
