/**
 * Scopes and time limits of tools that are made of something else: of operations of an `HttpApi`, and of a toolkit.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { rawToolCall } from "@treadle/testing"
import { Mcp } from "../../src/index.ts"
import { HttpApiTools } from "../../src/http-api/index.ts"
import { ToolkitTools } from "../../src/toolkit/index.ts"
import { said, serving } from "../fixtures/calling.ts"
import { compatDoor } from "../fixtures/compatDoor.ts"
import { HallApi, HallLive } from "../fixtures/hallApi.ts"
import { headersOf } from "../fixtures/rawPeers.ts"

const settings = { scopes: ["halls:end"], timeout: 10_000 }

const tools = HttpApiTools.make(HallApi, { end: { operation: "halls.end", description: "Ends", ...settings } })

const toolkit = Toolkit.make(Tool.make("end", { description: "Ends" }))

const parts: ReadonlyArray<readonly [string, Mcp<never>, Readonly<Record<string, string>>]> = [
  ["of an HttpApi", tools.mcp.provide(HttpApiTools.layer(HallLive)), { how: "never" }],
  [
    "of a toolkit",
    ToolkitTools.make(toolkit, { end: settings }).mcp.provide(toolkit.toLayer({ end: () => Effect.never })),
    {}
  ]
]

describe.each(parts)("a tool %s", (_, part, args) => {
  it.effect("AUTH-22: needs the scopes that it is given", () =>
    Effect.gen(function* () {
      const mcp = Mcp.make({ name: "suite", version: "1.0.0", principal: () => "ada" }).add(part)
      const door = yield* compatDoor(mcp)
      const message = rawToolCall(1, "end", args)
      const { answer, status } = yield* door.send(message, { context: {}, headers: headersOf(message) })
      assert.strictEqual(status, 403)
      assert.deepStrictEqual(answer["error"].data, { scopes: ["halls:end"] })
    })
  )

  it.effect("TIME-01: is given up after the time that it is given", () =>
    Effect.gen(function* () {
      const { result } = yield* serving(Mcp.make({ name: "suite", version: "1.0.0" }).add(part), {})
      const asked = yield* Effect.forkChild(result("end", args), { startImmediately: true })
      yield* TestClock.adjust(10_250)
      assert.strictEqual(said(yield* Fiber.join(asked)), "end gave up after 10000 ms")
    })
  )
})
