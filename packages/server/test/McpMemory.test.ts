/**
 * The door of memory refuses what other doors refuse.
 */
import { assert, describe, it } from "@effect/vitest"
import { linePair } from "@treadle/protocol/framing"
import { Recorder, rawToolCall, type RawMessage } from "@treadle/testing"
import * as Effect from "effect/Effect"
import { Mcp, McpMemory } from "../src/index.ts"
import { quietAtEnd } from "./fixtures/quiet.ts"

describe("McpMemory.serve", () => {
  it.effect("D5: serves nobody where the principal cannot be told", () =>
    Effect.gen(function* () {
      let ran = 0
      const mcp = Mcp.make<{ readonly user: string }>({
        name: "closed",
        version: "1",
        principal: () => {
          throw new Error("secret of the author")
        }
      }).tool("who", { description: "x" }, async () => `call ${++ran}`)
      const [near, far] = linePair()
      const lines = new Recorder<RawMessage>()
      far.open({
        chunk: (bytes) => lines.record(JSON.parse(new TextDecoder().decode(bytes))),
        end: () => {},
        drain: () => {}
      })
      yield* quietAtEnd(McpMemory.serve(mcp, near, { user: "ada" }))
      far.write(`${JSON.stringify(rawToolCall(1, "who"))}\n`)
      const answer = yield* Effect.promise(() => lines.first((line) => line["id"] === 1))
      assert.strictEqual(answer["error"].code, -32603)
      assert.notInclude(JSON.stringify(answer), "secret")
      assert.strictEqual(ran, 0)
    })
  )
})
