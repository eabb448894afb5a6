/**
 * Tools that are strict with their arguments, replies with a text of their own, and servers that send no log messages.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { rawRequest, rawToolCall, type RawMessage } from "@treadle/testing"
import { Endpoint, Mcp, Reply } from "../../src/index.ts"
import { compatPipe, compatRequest, initialize } from "../fixtures/compatDoor.ts"

const double = Endpoint.make("double", {
  description: "Twice",
  input: { n: Schema.Int },
  output: Schema.Struct({ n: Schema.Int })
})

const mcp = Mcp.make({ name: "strict", version: "1.0.0", logging: false })
  .toolWith(double, { strict: true }, ({ n }, { log }) => {
    log("error", "loud")
    return Effect.succeed({ n: 2 * n })
  })
  .tool("half", { description: "Half", input: { n: Schema.Int }, strict: true }, async ({ n }) => String(n / 2))
  .tool("told", { description: "Told", output: Schema.Struct({ n: Schema.Int }) }, async () =>
    Reply.withText(Reply.of({ n: 1 }), "one")
  )

const peerOf = (server: Mcp<never>) => Effect.map(compatPipe(server), ({ peer }) => peer)

const answering = (message: RawMessage) =>
  Effect.flatMap(peerOf(mcp), (peer) => Effect.flatMap(peer.send(message), ({ answer }) => answer))

describe("a strict tool", () => {
  it.effect("A81: is not run with arguments that do not fit, which are an error of the request", () =>
    Effect.gen(function* () {
      const { error } = yield* answering(rawToolCall(1, "double", { n: "two" }))
      assert.strictEqual(error.code, -32602)
      assert.match(error.message, /^Invalid arguments for double: n: /)
      assert.strictEqual(error.data.problems.length, 1)
    })
  )

  it.effect("A81: is not run with arguments that it does not have, however it was added", () =>
    Effect.gen(function* () {
      for (const tool of ["double", "half"]) {
        const { error } = yield* answering(rawToolCall(1, tool, { n: 2, depth: 1, detach: true }))
        assert.strictEqual(error.code, -32602)
        assert.strictEqual(error.message, `Invalid arguments for ${tool}: there is no argument "depth", "detach"`)
      }
    })
  )

  it.effect("is run with those that fit", () =>
    Effect.gen(function* () {
      const { result } = yield* answering(rawToolCall(1, "double", { n: 2 }))
      assert.deepStrictEqual(result.structuredContent, { n: 4 })
    })
  )
})

it.effect("a reply may have a text of its own in place of the JSON of its value", () =>
  Effect.gen(function* () {
    const { result } = yield* answering(rawToolCall(1, "told"))
    assert.deepStrictEqual(result.content, [{ type: "text", text: "one" }])
    assert.deepStrictEqual(result.structuredContent, { n: 1 })
  })
)

describe("a server without log messages", () => {
  it.effect("D8 A76: does not say that it has them, in either era", () =>
    Effect.gen(function* () {
      const discovered = yield* answering(rawRequest(1, "server/discover"))
      assert.deepStrictEqual(discovered["result"].capabilities, { tools: { listChanged: true } })
      const peer = yield* peerOf(mcp)
      const opened = yield* Effect.flatMap(peer.send(initialize()), ({ answer }) => answer)
      assert.deepStrictEqual(opened["result"].capabilities, { tools: { listChanged: true } })
      const level = yield* Effect.flatMap(
        peer.send(compatRequest(2, "logging/setLevel", { level: "debug" })),
        ({ answer }) => answer
      )
      assert.strictEqual(level["error"].code, -32601)
    })
  )

  it.effect("D8 A79: sends none to a native client that asks for them", () =>
    Effect.gen(function* () {
      const peer = yield* peerOf(mcp)
      const meta = { "io.modelcontextprotocol/logLevel": "debug" }
      const call = yield* peer.send(rawToolCall(1, "double", { n: 1 }, meta))
      assert.deepStrictEqual((yield* call.answer)["result"].structuredContent, { n: 2 })
      assert.strictEqual(call.seen.events.length, 1)
    })
  )
})
