/**
 * The catalog of a server: how it is listed, and what `search_operations` shows to whom.
 */
import { assert, describe, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import * as Effect from "effect/Effect"
import type { Mcp } from "../../src/index.ts"
import { defectText, empty, said } from "../fixtures/calling.ts"
import { both, box, call, found, invoke, listed, nothing, plain, type Ctx } from "../fixtures/catalogBox.ts"

describe("the catalog", () => {
  it.effect("D3: is two tools after all others, and only where it is asked for", () =>
    Effect.gen(function* () {
      const { asks } = yield* both(box.catalog().tool("late", plain, nothing))
      for (const ask of asks) {
        const tools = yield* listed(ask)
        assert.deepStrictEqual(
          tools.map(({ name }) => name),
          ["list_shows", "late", "search_operations", "invoke"]
        )
        const [searching, invoking] = tools.slice(2)
        assert.deepStrictEqual(searching?.["annotations"], { readOnlyHint: true, openWorldHint: false })
        assert.deepStrictEqual(searching?.["inputSchema"].properties.limit, {
          type: "integer",
          minimum: 1,
          maximum: 50,
          default: 10,
          description: "How many to show at the most"
        })
        assert.isUndefined(invoking?.["outputSchema"])
        assert.deepStrictEqual(invoking?.["inputSchema"].required, ["name"])
      }
      const without = yield* both(box)
      assert.lengthOf(yield* listed(without.native()), 1)
      const { error } = yield* without.native()("tools/call", { name: "invoke", arguments: { name: "get_show" } })
      assert.strictEqual(error.code, -32602)
    })
  )

  it.effect("D8: is offered by a server that has no other tools, and finds nothing where there is nothing", () =>
    Effect.gen(function* () {
      const { asks } = yield* both(empty<Ctx>().catalog())
      for (const ask of asks) {
        assert.deepStrictEqual((yield* call(ask, "search_operations"))["structuredContent"], {
          operations: [],
          total: 0
        })
        assert.deepStrictEqual(yield* invoke(ask, "x"), {
          content: [{ type: "text", text: 'There is no operation "x". Use search_operations to see what there is.' }],
          isError: true
        })
      }
    })
  )

  it.effect(
    "D3: says of invoke what the operations that it runs may do together, and takes what is unsaid as the worst",
    () =>
      Effect.gen(function* () {
        const hintsOf = (mcp: Mcp<never, Ctx>) =>
          Effect.scoped(
            Effect.flatMap(both(mcp), ({ native }) =>
              Effect.map(listed(native()), (tools) => tools.find(({ name }) => name === "invoke")?.["annotations"])
            )
          )
        const careful = { readOnly: false, destructive: false, idempotent: true, openWorld: false }
        const some = empty<Ctx>()
          .tool("tool", { ...plain, hints: { readOnly: true } }, nothing)
          .operation("a", { ...plain, hints: { readOnly: true, openWorld: false } }, nothing)
        assert.deepStrictEqual(yield* hintsOf(some.catalog()), { readOnlyHint: true, openWorldHint: false })
        assert.deepStrictEqual(
          yield* hintsOf(some.operation("b", { ...plain, hints: { readOnly: true } }, nothing).catalog()),
          { readOnlyHint: true }
        )
        const more = some.operation("b", { ...plain, hints: careful }, nothing)
        assert.deepStrictEqual(yield* hintsOf(more.catalog({ allow: ["b"] })), {
          readOnlyHint: false,
          destructiveHint: false,
          idempotentHint: true,
          openWorldHint: false
        })
        assert.deepStrictEqual(yield* hintsOf(more.operation("c", plain, nothing).catalog({ allow: () => true })), {
          readOnlyHint: false,
          destructiveHint: true,
          idempotentHint: false
        })
      })
  )
})

describe("search_operations", () => {
  it.effect("D3: shows an operation with its schemas, and with its hints as the author said them", () =>
    Effect.gen(function* () {
      const { asks } = yield* both(box.catalog({ allow: ["create_hold"] }))
      for (const ask of asks) {
        const { content, structuredContent } = yield* call(ask, "search_operations", { query: "show", limit: 1 })
        const [shown] = structuredContent.operations
        const { inputSchema, outputSchema, ...rest } = shown
        assert.deepStrictEqual(rest, {
          name: "get_show",
          title: "A show",
          description: "One bill",
          annotations: { readOnlyHint: true, openWorldHint: false }
        })
        assert.deepStrictEqual(inputSchema, {
          type: "object",
          properties: { id: { type: "integer" } },
          required: ["id"]
        })
        assert.lengthOf(outputSchema.anyOf, 2)
        assert.deepStrictEqual(JSON.parse(content[0].text), structuredContent)
        const hold = (yield* call(ask, "search_operations", { query: "create_hold" }))["structuredContent"]
          .operations[0]
        assert.deepStrictEqual(Object.keys(hold), ["name", "description", "inputSchema"])
        const schema = (yield* listed(ask)).find(({ name }) => name === "search_operations")?.["outputSchema"]
        const ajv = new Ajv2020({ strict: true })
        assert.isTrue(ajv.validate(schema, structuredContent), ajv.errorsText())
      }
    })
  )

  it.effect("D3: finds what invoke runs: read-only operations, and others as the author allows", () =>
    Effect.gen(function* () {
      const rows: ReadonlyArray<readonly [Mcp<never, Ctx>, ReadonlyArray<string>]> = [
        [box.catalog(), ["get_show"]],
        [box.catalog({ allow: ["wipe"] }), ["get_show", "wipe"]],
        [box.catalog({ allow: ({ about }) => about.hints?.destructive !== true }), ["get_show", "create_hold"]],
        [box.catalog({ allow: (async () => true) as never }), ["get_show"]],
        [box.catalog({ allow: () => true }), ["get_show", "create_hold", "wipe"]]
      ]
      for (const [mcp, names] of rows) {
        const { asks } = yield* both(mcp)
        for (const ask of asks) assert.deepStrictEqual(yield* found(ask), names)
        const admin = yield* both(mcp, { admin: true })
        assert.deepStrictEqual(yield* found(admin.native()), [...names, "audit"])
      }
    })
  )

  it.effect("shows ten at the most, or as many as asked for up to fifty, and says how many there are", () =>
    Effect.gen(function* () {
      let many = empty<Ctx>()
      for (let n = 0; n < 60; n++)
        many = many.operation(`op_${n}` as "op", { ...plain, hints: { readOnly: true } }, nothing)
      const { native } = yield* both(many.catalog())
      for (const [args, length] of [
        [{}, 10],
        [{ limit: 50 }, 50],
        [{ limit: 1 }, 1],
        [{ query: "op_59" }, 10]
      ] as const) {
        const { structuredContent } = yield* call(native(), "search_operations", args)
        assert.lengthOf(structuredContent.operations, length)
        assert.strictEqual(structuredContent.total, 60)
        assert.strictEqual(structuredContent.operations[0].name, "query" in args ? "op_59" : "op_0")
      }
      for (const limit of [0, 51, 1.5, "1", null]) {
        const refused = yield* call(native(), "search_operations", { limit })
        assert.isTrue(refused["isError"])
        assert.match(said(refused as never), /^Invalid arguments for search_operations:\n- limit: /)
      }
    })
  )

  it.effect("is answered as a bug of the server where visible of an operation throws", () =>
    Effect.gen(function* () {
      const throws = box.operation(
        "odd",
        { ...plain, hints: { readOnly: true }, visible: () => JSON.parse("{") },
        nothing
      )
      const { asks } = yield* both(throws.catalog())
      for (const ask of asks) {
        assert.match(said((yield* call(ask, "search_operations")) as never), defectText)
        const { error } = yield* ask("tools/call", { name: "invoke", arguments: { name: "odd" } })
        assert.strictEqual(error.code, -32603)
        assert.strictEqual(said((yield* invoke(ask, "get_show", { id: 1 })) as never), '{"id":1}')
      }
    })
  )
})
