import { assert, describe, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import * as Schema from "effect/Schema"
import * as z from "zod/v4"
import { Arg, Content, Endpoint, Reply } from "../../src/index.ts"
import { defectText, empty, said, serving } from "../fixtures/calling.ts"

const text = (said: string) => [{ type: "text", text: said }]

/** The result of a tool that returns this. */
const returning = <O extends Schema.ConstraintCodec<unknown, unknown, never, never> | z.ZodType>(
  output: O,
  value: unknown
) =>
  Effect.scoped(
    Effect.flatMap(
      serving(
        empty().tool("t", { description: "Tested", output }, () => Effect.succeed(value as never)),
        {},
        { onDefect: () => {} }
      ),
      ({ result }) => result("t")
    )
  )

/** The result of a tool without an output that returns this. */
const bare = (value: unknown) =>
  Effect.scoped(
    Effect.flatMap(
      serving(
        empty().tool("t", { description: "Tested" }, async () => value as never),
        {}
      ),
      ({ result }) => result("t")
    )
  )

class Seat extends Schema.Class<Seat>("Seat")({ row: Schema.String, on: Schema.Int }) {
  get label() {
    return `${this.row}${this.on}`
  }
}

describe("a value", () => {
  it.effect("D4: goes in a wrapper where it is no object, with the same JSON as text and a bare string bare", () =>
    Effect.gen(function* () {
      const rows: ReadonlyArray<readonly [Parameters<typeof returning>[0], unknown, unknown, string]> = [
        [Schema.String, "hi", "hi", "hi"],
        [Schema.String, '{"a":1}', '{"a":1}', '{"a":1}'],
        [Schema.Array(Schema.Int), [1, 2], [1, 2], '{"value":[1,2]}'],
        [Schema.NullOr(Schema.Int), null, null, '{"value":null}'],
        [Schema.Boolean, false, false, '{"value":false}'],
        [Schema.Union([Schema.Int, Schema.Struct({ a: Schema.Int })]), { a: 1 }, { a: 1 }, '{"value":{"a":1}}'],
        [z.array(z.string()), ["a"], ["a"], '{"value":["a"]}']
      ]
      for (const [output, value, sent, printed] of rows) {
        assert.deepStrictEqual(yield* returning(output, value), {
          content: text(printed),
          structuredContent: { value: sent }
        })
      }
    })
  )

  it.effect("D4: is published in the same wrapper", () =>
    Effect.gen(function* () {
      const mcp = empty()
        .tool("list", { description: "Tested", output: Schema.Array(Schema.Int) }, async () => [1])
        .tool("one", { description: "Tested", output: Schema.Struct({ a: Schema.Int }) }, async () => ({ a: 1 }))
        .tool("none", { description: "Tested" }, async () => "x")
      const { list } = yield* serving(mcp, {})
      assert.deepStrictEqual(
        (yield* list).map(({ outputSchema }) => outputSchema),
        [
          {
            type: "object",
            properties: { value: { type: "array", items: { type: "integer" } } },
            required: ["value"]
          },
          { type: "object", properties: { a: { type: "integer" } }, required: ["a"] },
          undefined
        ]
      )
    })
  )

  it.effect("D4 TOOL-10: has blocks and _meta beside it where the handler replies with them", () =>
    Effect.gen(function* () {
      const picture = Content.image(new Uint8Array([1, 2]), "image/png")
      assert.deepStrictEqual(yield* returning(Schema.Struct({ a: Schema.Int }), Reply.of({ a: 1 }, picture)), {
        content: [...text('{"a":1}'), { type: "image", data: "AQI=", mimeType: "image/png" }],
        structuredContent: { a: 1 }
      })
      assert.deepStrictEqual(yield* bare(Reply.text(Content.text("a"), Content.link("x://1", "one"))), {
        content: [...text("a"), { type: "resource_link", uri: "x://1", name: "one" }]
      })
      const mcp = empty().tool("t", { description: "Tested" }, async () =>
        Reply.withMeta(Reply.text(), { "com.example/n": 1, "io.modelcontextprotocol/serverInfo": "forged" })
      )
      const { peer } = yield* serving(mcp, {})
      const call = yield* peer.send({ id: 1, method: "tools/call", params: rawParams("t") })
      assert.deepStrictEqual((yield* call.answer)["result"], {
        resultType: "complete",
        content: [],
        _meta: { "com.example/n": 1, "io.modelcontextprotocol/serverInfo": { name: "suite", version: "1.0.0" } }
      })
    })
  )

  it.effect("D4: may be a plain object where a class is declared, nested and in lists", () =>
    Effect.gen(function* () {
      const plain = { row: "B", on: 7 }
      assert.deepStrictEqual((yield* returning(Seat, plain)).structuredContent, plain)
      assert.deepStrictEqual((yield* returning(Seat, new Seat(plain))).structuredContent, plain)
      const nested = Schema.Struct({ best: Seat, all: Schema.Array(Seat) })
      const value = { best: plain, all: [new Seat({ row: "C", on: 1 }), plain] }
      assert.deepStrictEqual((yield* returning(nested, value)).structuredContent, {
        best: plain,
        all: [{ row: "C", on: 1 }, plain]
      })
      assert.deepStrictEqual((yield* returning(Schema.Array(Seat), [plain])).structuredContent, { value: [plain] })
    })
  )

  it.effect("D4 B099: is text without an output schema, as JSON has it, or nothing", () =>
    Effect.gen(function* () {
      const rows: ReadonlyArray<readonly [unknown, ReadonlyArray<unknown>]> = [
        ["a\nb", text("a\nb")],
        [undefined, []],
        [null, []],
        ["", []],
        [5, text("5")],
        [{ a: 1 }, text('{"a":1}')],
        [{ d: new Date(0) }, text('{"d":"1970-01-01T00:00:00.000Z"}')],
        [{ u: undefined, n: Number.NaN, i: Infinity }, text('{"n":null,"i":null}')],
        [new Seat({ row: "A", on: 1 }), text('{"row":"A","on":1}')],
        [new Map([[1, 2]]), text("{}")]
      ]
      for (const [value, content] of rows) assert.deepStrictEqual(yield* bare(value), { content })
    })
  )

  it.effect("TOOL-11 D4 B099: is a defect where it does not fit its output, or has no JSON form", () =>
    Effect.gen(function* () {
      const cycle: { self?: unknown } = {}
      cycle.self = cycle
      const getter = Object.defineProperty({}, "a", {
        enumerable: true,
        get: () => {
          throw new Error("getter")
        }
      })
      const struct = Schema.Struct({ a: Schema.Int })
      for (const value of [undefined, null, {}, { a: "1" }, { a: 10n }, [], "x", getter, { a: Number.NaN }]) {
        assert.match(said(yield* returning(struct, value)), defectText)
      }
      for (const value of [{ a: 10n }, cycle, getter, () => "x", Symbol("x"), { toJSON: () => undefined }]) {
        assert.match(said(yield* bare(value)), defectText, String(typeof value))
      }
      for (const output of [Schema.Unknown, Schema.Json, z.unknown(), z.any()]) {
        for (const value of [undefined, () => {}, cycle]) {
          const answer = yield* returning(output, value)
          assert.isTrue(answer.isError === true || "structuredContent" in answer, JSON.stringify(answer))
        }
      }
      const meta = Reply.withMeta(Reply.text(), { n: 10n as never })
      assert.match(said(yield* bare(meta)), defectText)
      assert.match(said(yield* bare(Reply.text({ type: "text", text: 10n } as never))), defectText)
      assert.match(said(yield* bare(Reply.text(undefined as never))), defectText)
    })
  )

  it.effect("B099: is encoded by its schema: dates as text, members that a Zod schema does not name stay behind", () =>
    Effect.gen(function* () {
      const dated = Schema.Struct({ at: Schema.Date, big: Schema.BigInt })
      assert.deepStrictEqual((yield* returning(dated, { at: new Date(0), big: 10n })).structuredContent, {
        at: "1970-01-01T00:00:00.000Z",
        big: "10"
      })
      const user = z.object({ name: z.string() })
      assert.deepStrictEqual((yield* returning(user, { name: "a", password: "b" })).structuredContent, { name: "a" })
    })
  )
})

const rawParams = (name: string) => ({
  name,
  _meta: {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {}
  }
})

class NotFound extends Schema.TaggedError<NotFound>()("NotFound", { id: Schema.Int }) {}

describe("a declared error", () => {
  const find = Endpoint.make("find", {
    description: "Tested",
    input: { id: Schema.Int },
    output: Schema.Array(Schema.Struct({ id: Schema.Int })),
    errors: [NotFound, Schema.TaggedStruct("SoldOut", { left: Schema.Int })]
  })
  const mcp = empty().tool(find, ({ id }) => {
    if (id === 0) return Effect.fail(new NotFound({ id }))
    return id < 0 ? Effect.fail({ _tag: "SoldOut" as const, left: 1 }) : Effect.succeed([{ id }])
  })

  it.effect("D5 TOOL-11: fits the published schema as the value does, in an independent validator", () =>
    Effect.gen(function* () {
      const { list, result } = yield* serving(mcp, {})
      const [tool] = yield* list
      const { outputSchema } = tool ?? {}
      assert.strictEqual(outputSchema.type, "object")
      assert.lengthOf(outputSchema.anyOf, 3)
      const valid = new Ajv2020({ strict: true, allErrors: true }).compile(outputSchema)
      for (const id of [1, 0, -1]) {
        const { structuredContent } = yield* result("find", { id })
        assert.isTrue(valid(structuredContent), JSON.stringify(structuredContent))
      }
      for (const wrong of [{}, { value: 1 }, { _tag: "Other" }, { _tag: "NotFound" }]) assert.isFalse(valid(wrong))
    })
  )

  it.effect("D5: may be thrown, rejected, failed with, given to fail, in Effects and promises alike", () =>
    Effect.gen(function* () {
      const e = new NotFound({ id: 3 })
      const errors = { description: "Tested", errors: NotFound }
      const { result } = yield* serving(
        empty()
          .tool("effect", errors, () => Effect.fail(e))
          .tool("reject", errors, () => Promise.reject(e))
          .tool("throw", errors, () => {
            throw e
          })
          .tool("fail", errors, (_, { fail }) => fail(e))
          .tool("later", errors, async (_, { fail }) => {
            await Promise.resolve()
            return fail(e)
          })
          .tool("die", errors, () => Effect.die(e)),
        {}
      )
      for (const name of ["effect", "reject", "throw", "fail", "later"]) {
        assert.deepStrictEqual((yield* result(name)).structuredContent, { _tag: "NotFound", id: 3 }, name)
      }
      assert.match(said(yield* result("die")), defectText)
    })
  )
})

describe("arguments", () => {
  it.effect("D6: that are unknown are dropped and logged at debug", () =>
    Effect.gen(function* () {
      const seen: Array<unknown> = []
      const lines: Array<string> = []
      const logger = Logger.make(({ logLevel, message }) => lines.push(`${logLevel} ${String(message)}`))
      const mcp = empty().tool("t", { description: "Tested", input: { a: Schema.Int } }, async (input) => {
        seen.push(input)
        return ""
      })
      const { result } = yield* Effect.provideService(
        Effect.provide(serving(mcp, {}), Logger.layer([logger])),
        References.MinimumLogLevel,
        "Debug"
      )
      yield* result("t", { a: 1, b: 2, "odd name": 3 })
      assert.deepStrictEqual(seen, [{ a: 1 }])
      assert.deepStrictEqual(lines, ['Debug t ignored arguments it does not have: "b", "odd name"'])
    })
  )

  it.effect("D6 TOOL-07: of a tool without input are refused by name, and it is published as closed", () =>
    Effect.gen(function* () {
      const { list, result } = yield* serving(
        empty()
          .tool("a", { description: "Tested" }, async () => "")
          .tool("b", { description: "Tested", input: {} }, async () => "")
          .tool("c", { description: "Tested", input: Schema.Struct({}) }, async () => ""),
        {}
      )
      for (const { inputSchema, name } of yield* list) {
        assert.deepStrictEqual(inputSchema, { type: "object", additionalProperties: false })
        const answer = yield* result(name, { x: 1, y: 2 })
        assert.isTrue(answer.isError)
        assert.match(said(answer), /- x: .*no arguments\n- y: /)
        assert.deepStrictEqual(yield* result(name, {}), { content: [] })
      }
    })
  )

  it.effect("B021 D6: get their defaults, and what has one is not published as required", () =>
    Effect.gen(function* () {
      const seen: Array<unknown> = []
      const input = {
        q: Schema.String,
        limit: Arg.withDefault(Schema.Int, 10, "How many"),
        opts: Arg.withDefault(Schema.Struct({ verbose: Arg.withDefault(Schema.Boolean, false) }), {})
      }
      const { list, result } = yield* serving(
        empty().tool("t", { description: "Tested", input }, async (got) => {
          seen.push(got)
          return ""
        }),
        {}
      )
      const [tool] = yield* list
      const valid = new Ajv2020({ strict: true }).compile(tool?.["inputSchema"])
      for (const args of [{ q: "a" }, { q: "a", opts: {} }]) {
        assert.isTrue(valid(args))
        yield* result("t", args)
      }
      const filled = { q: "a", limit: 10, opts: { verbose: false } }
      assert.deepStrictEqual(seen, [filled, filled])
      assert.deepStrictEqual(tool?.["inputSchema"].properties.limit, {
        type: "integer",
        default: 10,
        description: "How many"
      })
      assert.notInclude(JSON.stringify(tool), "9007199254740991")
    })
  )

  it.effect("B007: of a union are published with an object at the root and checked branch by branch", () =>
    Effect.gen(function* () {
      const input = Schema.Union([
        Schema.Struct({ action: Schema.Literal("create"), name: Schema.String }),
        Schema.Struct({ action: Schema.Literal("delete"), id: Schema.String })
      ])
      const { list, result } = yield* serving(
        empty().tool("t", { description: "Tested", input }, async (got) => got.action),
        {}
      )
      const [tool] = yield* list
      assert.strictEqual(tool?.["inputSchema"].type, "object")
      const valid = new Ajv2020({ strict: true }).compile(tool?.["inputSchema"])
      assert.isTrue(valid({ action: "delete", id: "1" }))
      assert.isFalse(valid({ action: "delete" }))
      assert.isFalse(valid({}))
      assert.strictEqual(said(yield* result("t", { action: "delete", id: "1" })), "delete")
      assert.isTrue((yield* result("t", { action: "delete" })).isError)
    })
  )

  it.effect("TOOL-16: that a Zod schema refuses are named with their paths, asynchronous checks included", () =>
    Effect.gen(function* () {
      const input = z.object({
        guests: z.array(z.object({ name: z.string() })),
        code: z.string().refine(async (code) => code === "ok", "is not known")
      })
      const { result } = yield* serving(
        empty().tool("t", { description: "Tested", input }, async () => "in"),
        {}
      )
      const answer = yield* result("t", { guests: [{ name: "a" }, { name: 5 }], code: "no" })
      assert.match(said(answer), /- guests\[1\]\.name: .*\n?/)
      assert.strictEqual(said(yield* result("t", { guests: [], code: "ok" })), "in")
      assert.match(said(yield* result("t", { guests: [], code: "no" })), /- code: is not known/)
    })
  )
})

describe("a listed tool", () => {
  it.effect("D7 TOOL-09: shows hints as they were said, false included, and nothing that was not said", () =>
    Effect.gen(function* () {
      const { list } = yield* serving(
        empty()
          .tool("a", { description: "Tested", hints: { readOnly: false, destructive: false } }, async () => "")
          .tool("b", { description: "Tested", hints: {} }, async () => "")
          .tool("c", { description: "d", title: "C", meta: { "com.example/x": 1 } }, async () => ""),
        {}
      )
      const tools = yield* list
      assert.deepStrictEqual(tools[0]?.["annotations"], { readOnlyHint: false, destructiveHint: false })
      assert.notProperty(tools[1], "annotations")
      assert.deepStrictEqual(tools[2], {
        name: "c",
        title: "C",
        description: "d",
        inputSchema: { type: "object", additionalProperties: false },
        _meta: { "com.example/x": 1 }
      })
    })
  )
})
