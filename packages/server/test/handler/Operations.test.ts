/**
 * Operations that are no tools: defined like tools, and neither listed nor called as tools.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as z from "zod/v4"
import { describeBuildError, Endpoint, Mcp, type McpBuildError } from "../../src/index.ts"
import { empty } from "../fixtures/calling.ts"
import { bothEras } from "../fixtures/eras.ts"

const plain = { description: "Tested" }
const nothing = async () => ""
const hold = Endpoint.make("create_hold", { description: "Holds seats", input: { seats: Schema.Int } })

const names = (answer: { readonly [key: string]: any }): ReadonlyArray<string> =>
  answer["result"].tools.map(({ name }: { readonly name: string }) => name)

const described = (mcp: Mcp<never>): ReadonlyArray<string> => Mcp.check(mcp).map(describeBuildError)

const kindOf = (error: McpBuildError) => ("kind" in error ? error.kind : undefined)

describe("an operation that is no tool", () => {
  it.effect("D3: is not listed, and a call of it is answered as one of a tool that is not there", () =>
    Effect.gen(function* () {
      const mcp = empty().tool("a", plain, nothing).operation(hold, nothing).tool("b", plain, nothing)
      const { compat, native } = yield* bothEras(mcp, {})
      for (const ask of [native(), yield* compat()]) {
        assert.deepStrictEqual(names(yield* ask("tools/list")), ["a", "b"])
        const { error } = yield* ask("tools/call", { name: "create_hold", arguments: { seats: 1 } })
        assert.deepStrictEqual(error, { code: -32602, message: 'Unknown tool "create_hold"; see tools/list' })
      }
    })
  )

  it.effect("D8: makes no tools of a server that has none", () =>
    Effect.gen(function* () {
      const { native } = yield* bothEras(empty().operation(hold, nothing), {})
      const { result } = yield* native()("server/discover")
      assert.deepStrictEqual(result.capabilities, {})
      assert.strictEqual((yield* native()("tools/list"))["error"].code, -32601)
    })
  )

  it("D1: is told where its function and its options stand, where they are the other way round", () => {
    const turned = empty().operation(hold, { timeout: 5 } as never, nothing as never)
    const [reason, ...others] = described(turned)
    assert.deepStrictEqual(others, [])
    assert.match(
      reason ?? "",
      /^operation "create_hold" \(.*\): it has no handler; pass a function, and options after it\.$/
    )
  })

  it("takes a contract with its function and options, or a definition like that of a tool", () => {
    const mcp = Mcp.make<{ user: string }>({ name: "suite", version: "1.0.0" })
      .operation(hold, nothing, {
        scopes: ["seats:write"],
        timeout: 5,
        once: true,
        visible: ({ user }) => user === "a"
      })
      .operation("cancel_hold", { ...plain, input: z.object({ id: z.int() }), timeout: 7 }, async ({ id }) => `${id}`)
      .operation(hold, nothing)
    const [first, second, third] = mcp.definition.entries.operations
    assert.deepStrictEqual(
      [first, second, third].map((entry) => [entry?.endpoint.name, entry?.promoted, entry?.settings.timeout]),
      [
        ["create_hold", false, 5],
        ["cancel_hold", false, 7],
        ["create_hold", false, undefined]
      ]
    )
    assert.strictEqual(first?.endpoint, hold)
    assert.deepInclude(first?.settings, { scopes: ["seats:write"], once: true })
    assert.isFunction(first?.settings.visible)
    assert.deepStrictEqual(second?.endpoint.shape.inputSchema["required"], ["id"])
  })

  it("keeps a layer that is provided to it", () => {
    class Seats extends Context.Service<Seats, number>()("Seats") {}
    const mcp = empty()
      .operation("seats", { ...plain, output: Schema.Int }, () => Effect.map(Seats, (seats) => seats))
      .provide(Layer.succeed(Seats)(7))
    assert.lengthOf(mcp.definition.entries.operations[0]?.layers ?? [], 1)
    assert.deepStrictEqual(Mcp.check(mcp), [])
  })

  it("D1: shares its names with tools, and is named as what it is where it is wrong", () => {
    const both = described(empty().tool("same", plain, nothing).operation("same", plain, nothing))
    assert.lengthOf(both, 1)
    assert.match(
      both[0] ?? "",
      /^tool "same" is added 2 times \(Operations\.test\.ts:\d+, Operations\.test\.ts:\d+\)\. Rename all but one\.$/
    )
    const operations = described(empty().operation("same", plain, nothing).operation("same", plain, nothing))
    assert.match(operations[0] ?? "", /^operation "same" is added 2 times \(/)

    const wrong = empty()
      .operation("a b" as "ab", { description: "" }, 1 as never)
      .operation("listed", { ...plain, input: z.array(z.string()) as never }, nothing)
      .operation("tagged", { ...plain, errors: [Schema.TaggedStruct("E", {}), Schema.TaggedStruct("E", {})] }, nothing)
    assert.deepStrictEqual(
      Mcp.check(wrong).map((error) => [error._tag, kindOf(error)]),
      [
        ["InvalidToolName", "operation"],
        ["InvalidDefinition", "operation"],
        ["InvalidDefinition", "operation"],
        ["NotPromotable", "operation"],
        ["AmbiguousErrors", "operation"]
      ]
    )
    for (const text of described(wrong)) assert.match(text, /^operation "[^"]+" \(Operations\.test\.ts:\d+\)/)
  })
})

describe("a change of operations", () => {
  const started = () => empty().tool("a", plain, nothing).operation("x", plain, nothing)

  it.effect("is a change of tools only where a tool comes or goes", () =>
    Effect.gen(function* () {
      const { native, served } = yield* bothEras(started(), {})
      yield* served.live.add(empty().operation("y", plain, nothing))
      yield* served.live.replace(empty().operation("a", plain, nothing).tool("x", plain, nothing))
      assert.deepStrictEqual(names(yield* native()("tools/list")), ["x"])
      assert.deepStrictEqual(yield* served.live.remove({ tools: ["a", "x"], operations: ["a", "x", "y", "z"] }), {
        tools: ["x"],
        operations: ["a", "y"],
        prompts: [],
        resources: [],
        templates: []
      })
    })
  )

  it.effect("D1: is refused where tools were said to stay, and needs no list of tools", () =>
    Effect.gen(function* () {
      const fixed = yield* bothEras(Mcp.make({ name: "s", version: "1", live: { tools: false } }).add(started()), {})
      const { errors } = yield* Effect.flip(fixed.served.live.add(empty().operation("y", plain, nothing)))
      assert.deepStrictEqual(
        errors.map((error) => [error._tag, kindOf(error)]),
        [["NotLive", "operation"]]
      )
      const without = yield* bothEras(empty(), {})
      yield* without.served.live.add(empty().operation("y", plain, nothing))
    })
  )
})
