/**
 * For whom running calls are counted, and the recording server for the tests of others.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { rawToolCall, Recorder } from "@treadle/testing"
import { Arg, Endpoint, Mcp } from "../../src/index.ts"
import { McpNode, McpTest } from "../../src/node/index.ts"
import { empty } from "../fixtures/calling.ts"
import { listening } from "../fixtures/cells.ts"
import { posting } from "../fixtures/rawPeers.ts"

interface Ctx {
  readonly user?: string
}

describe("the limit of running calls", () => {
  it.effect("D13: is one of each principal, wherever it comes from, and of each address without one", () =>
    Effect.gen(function* () {
      const events = new Recorder<string>()
      const mcp = Mcp.make<Ctx>({ name: "suite", version: "1.0.0", principal: ({ user }) => user }).tool(
        "wait",
        { description: "Tested" },
        (_, { principal }) =>
          Effect.andThen(
            Effect.sync(() => events.record(principal?.id ?? "nobody")),
            Effect.never
          )
      )
      const door = yield* McpNode.scoped(mcp, { limits: { runningCalls: 1 } })
      const port = yield* listening((req, res) => {
        const user = req.headers["x-user"]
        door(req, res, typeof user === "string" ? { user } : {})
      })
      const call = (user: string | undefined) =>
        posting(port, rawToolCall(1, "wait"), user === undefined ? {} : { "x-user": user })
      const running = []
      for (const user of ["Ada", "Bob", undefined]) {
        running.push(call(user))
        yield* Effect.promise(() => events.first((event) => event === (user ?? "nobody")))
        const refused = yield* Effect.promise(() => call(user).res)
        assert.strictEqual(refused.statusCode, 429)
      }
      for (const { req } of running) req.destroy()
    })
  )
})

describe("McpTest", () => {
  it.effect("records what reached handlers, decoded, with defaults filled in, in order", () =>
    Effect.gen(function* () {
      const search = Endpoint.make("search", {
        description: "Tested",
        input: { q: Schema.String, limit: Arg.withDefault(Schema.Int, 10) }
      })
      const behind = Endpoint.make("behind", { description: "Tested", input: { n: Arg.withDefault(Schema.Int, 1) } })
      const mcp = empty()
        .tool(search, async ({ q }) => q)
        .tool("other", { description: "Tested" }, async () => "")
        .operation(behind, async () => "")
        .catalog({ allow: ["behind"] })
      const recorded = yield* Effect.acquireRelease(
        Effect.promise(() => McpTest.listen(mcp)),
        ({ close }) => Effect.promise(close)
      )
      const port = Number(new URL(recorded.url).port)
      for (const [name, args] of [
        ["search", { q: "a", unknown: 1 }],
        ["other", {}],
        ["search", { q: 5 }],
        ["search", { q: "b", limit: 2 }],
        ["search_operations", {}],
        ["invoke", { name: "behind" }]
      ] as const) {
        yield* Effect.promise(() => posting(port, rawToolCall(1, name, args)).text)
      }
      assert.deepStrictEqual(recorded.calls(search), [
        { tool: "search", input: { q: "a", limit: 10 } },
        { tool: "search", input: { q: "b", limit: 2 } }
      ])
      assert.deepStrictEqual(recorded.calls(behind), [{ tool: "behind", input: { n: 1 } }])
      assert.lengthOf(recorded.calls(), 4)
      assert.deepStrictEqual(Mcp.check(mcp), [])
    })
  )
})
