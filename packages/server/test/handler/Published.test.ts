/**
 * The schemas that are published, whatever library wrote them: an independent validator takes them, and they say no less
 * and no more than what is checked.
 */
import { assert, describe, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import { type } from "arktype"
import * as Effect from "effect/Effect"
import * as HashMap from "effect/HashMap"
import * as Schema from "effect/Schema"
import * as z from "zod/v4"
import { Arg, Mcp } from "../../src/index.ts"
import { defectText, empty, said, serving } from "../fixtures/calling.ts"
import { bothEras } from "../fixtures/eras.ts"

const inputs = {
  effect: {
    any: Schema.Array(Schema.Json),
    pair: Schema.Tuple([Schema.String, Schema.Int]),
    lists: Schema.Record(Schema.String, Schema.Array(Schema.String)),
    nested: Schema.Array(Schema.Array(Schema.Int)),
    nullable: Schema.NullOr(Schema.Array(Schema.Int)),
    when: Arg.optional(Schema.Date),
    big: Arg.optional(Schema.BigInt),
    one: Schema.Literals(["a", "b"])
  },
  zod: z.object({
    any: z.array(z.unknown()),
    pair: z.tuple([z.string(), z.int()]),
    lists: z.record(z.string(), z.array(z.string())),
    nested: z.array(z.array(z.int())),
    nullable: z.array(z.int()).nullable(),
    limit: z.int().default(5)
  }),
  arktype: type({ any: "unknown[]", pair: ["string", "number.integer"], nested: "number[][]", "more?": "string" })
}

const samples = {
  effect: { any: [1, null], pair: ["a", 1], lists: { a: ["x"] }, nested: [[1]], nullable: null, one: "a" },
  zod: { any: [1, null], pair: ["a", 1], lists: { a: ["x"] }, nested: [[1]], nullable: null },
  arktype: { any: [1, null], pair: ["a", 1], nested: [[1]] }
}

/** A Standard Schema of somebody else, whose lists do not say what is in them. */
const foreign = {
  "~standard": {
    version: 1 as const,
    vendor: "foreign",
    validate: (value: unknown) => ({ value: value as { readonly a: unknown } }),
    jsonSchema: {
      input: () => ({
        type: "object",
        properties: { a: { type: "array" }, b: { type: ["array", "null"] }, c: { anyOf: [{ type: "array" }] } }
      }),
      output: () => ({ type: "object" })
    }
  }
}

const mcp = empty()
  .tool("effect", { description: "Tested", input: inputs.effect }, async () => "")
  .tool("zod", { description: "Tested", input: inputs.zod }, async () => "")
  .tool("arktype", { description: "Tested", input: inputs.arktype }, async () => "")

const isObject = (node: unknown): node is { readonly [key: string]: unknown } =>
  typeof node === "object" && node !== null && !Array.isArray(node)

/** Every subschema, with the way to it. */
const walk = (node: unknown, path: string): ReadonlyArray<readonly [string, { readonly [key: string]: unknown }]> => {
  if (Array.isArray(node)) return node.flatMap((one, at) => walk(one, `${path}/${at}`))
  if (!isObject(node)) return []
  return [[path, node] as const, ...Object.entries(node).flatMap(([key, one]) => walk(one, `${path}/${key}`))]
}

describe("a published input schema", () => {
  it.effect("TOOL-07: is taken by an independent validator, which takes and refuses what the tool does", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(Mcp.check(mcp), [])
      const { list, result } = yield* serving(mcp, {})
      for (const { inputSchema, name } of yield* list) {
        const valid = new Ajv2020({ strict: true, strictTypes: false, strictTuples: false }).compile(inputSchema)
        const sample: object = samples[name as keyof typeof samples]
        const wrong: ReadonlyArray<object> = [
          {},
          { ...sample, pair: ["a"] },
          { ...sample, pair: ["a", "b"] },
          { ...sample, nested: [1] },
          { ...sample, any: "x" }
        ]
        assert.isTrue(valid(sample), `${name}: ${JSON.stringify(valid.errors)}`)
        assert.deepStrictEqual(yield* result(name, sample), { content: [] })
        for (const args of wrong) {
          assert.isFalse(valid(args), `${name} ${JSON.stringify(args)}`)
          assert.isTrue((yield* result(name, args)).isError, `${name} ${JSON.stringify(args)}`)
        }
      }
    })
  )

  it.effect("B022: says of every list what is in it, as does a published output schema", () =>
    Effect.gen(function* () {
      const listing = mcp
        .tool(
          "effectOut",
          { description: "Tested", output: Schema.Struct(inputs.effect) },
          async () => samples.effect as never
        )
        .tool("zodOut", { description: "Tested", output: inputs.zod }, async () => samples.zod as never)
        .tool("foreign", { description: "Tested", input: foreign }, async () => "")
      const { list } = yield* serving(listing, {})
      const arrays = (yield* list).flatMap(({ inputSchema, name, outputSchema }) =>
        [...walk(inputSchema, String(name)), ...walk(outputSchema, `${name} output`)].filter(([, node]) =>
          [node["type"]].flat().includes("array")
        )
      )
      assert.isAbove(arrays.length, 25)
      assert.deepStrictEqual(
        arrays.flatMap(([path, node]) => (Object.hasOwn(node, "items") ? [] : [path])),
        []
      )
    })
  )

  it.effect("D6: carries no bound that every integer has and no additionalProperties: true", () =>
    Effect.gen(function* () {
      const { list } = yield* serving(mcp, {})
      const text = JSON.stringify(yield* list)
      assert.notInclude(text, "9007199254740991")
      assert.notInclude(text, '"additionalProperties":true')
      assert.notInclude(text, "draft-07")
    })
  )
})

const create = { action: Schema.Literal("create"), name: Schema.String }
const remove = { action: Schema.Literal("delete"), id: Schema.String }

/** Inputs whose root is no plain object, each with arguments that fit and some that do not. */
const choices = {
  union: Schema.Union([Schema.Struct(create), Schema.Struct(remove)]),
  zodUnion: z.discriminatedUnion("action", [
    z.object({ action: z.literal("create"), name: z.string() }),
    z.object({ action: z.literal("delete"), id: z.string() })
  ]),
  zodBoth: z
    .object({ action: z.enum(["create", "delete"]) })
    .and(z.union([z.object({ name: z.string() }), z.object({ id: z.string() })])),
  zodRefined: z
    .object({ action: z.string(), name: z.string().optional(), id: z.string().optional() })
    .refine(({ id, name }) => id !== undefined || name !== undefined, "needs a name or an id")
}

describe("an input that is a choice", () => {
  const choosing = empty()
    .tool("union", { description: "Tested", input: choices.union }, async ({ action }) => action)
    .tool("zodUnion", { description: "Tested", input: choices.zodUnion }, async ({ action }) => action)
    .tool("zodBoth", { description: "Tested", input: choices.zodBoth }, async ({ action }) => action)
    .tool("zodRefined", { description: "Tested", input: choices.zodRefined }, async ({ action }) => action)

  it.effect("B007 TOOL-07: has an object at its root and all of its branches, in the same bytes in both eras", () =>
    Effect.gen(function* () {
      const { both } = yield* bothEras(choosing, {})
      const [native, compat] = (yield* both("tools/list")).map((answer) => JSON.stringify(answer["result"].tools))
      assert.strictEqual(native, compat)
      for (const { inputSchema, name } of JSON.parse(native ?? "[]")) {
        assert.strictEqual(inputSchema.type, "object", name)
        assert.include(JSON.stringify(inputSchema), '"id"', name)
        assert.isTrue(new Ajv2020({ strict: false }).compile(inputSchema)({ action: "delete", id: "1" }), name)
      }
    })
  )

  it.effect("B007: is checked branch by branch, in both eras", () =>
    Effect.gen(function* () {
      const { both } = yield* bothEras(choosing, {})
      for (const name of Object.keys(choices)) {
        for (const args of [
          { action: "delete", id: "1" },
          { action: "create", name: "a" }
        ]) {
          for (const answer of yield* both("tools/call", { name, arguments: args })) {
            assert.strictEqual(said(answer["result"]), args.action, name)
          }
        }
        for (const args of [{ action: "delete" }, {}]) {
          for (const answer of yield* both("tools/call", { name, arguments: args })) {
            assert.isTrue(answer["result"].isError, `${name} ${JSON.stringify(args)}`)
          }
        }
      }
    })
  )
})

/** What may be left out, by three libraries: all of it but `q`. */
const lenient = {
  effect: {
    q: Schema.String,
    limit: Arg.withDefault(Schema.Int, 10),
    opts: Arg.withDefault(Schema.Struct({ verbose: Arg.withDefault(Schema.Boolean, false) }), {}),
    tags: Arg.withDefault(Schema.Array(Schema.String), []),
    count: Arg.optional(Schema.FiniteFromString),
    note: Arg.optional(Schema.NullOr(Schema.String))
  },
  zod: z.object({
    q: z.string(),
    limit: z.int().default(10),
    opts: z.object({ verbose: z.boolean().default(false) }).prefault({}),
    tags: z.array(z.string()).default([]),
    count: z.string().transform(Number).optional(),
    note: z.string().nullable().optional()
  }),
  arktype: type({
    q: "string",
    limit: "number.integer = 10",
    tags: type("string[]").default(() => []),
    "count?": "string",
    "note?": "string | null"
  })
}

describe("an input with defaults", () => {
  const required = (node: unknown) => walk(node, "").flatMap(([, { required }]) => required ?? [])

  it.effect("B021 D6: requires only what has none, at every depth, shows them, and says what a caller sends", () =>
    Effect.gen(function* () {
      const got: Array<{ readonly limit: number }> = []
      const keep = async (input: { readonly limit: number }) => void got.push(input)
      const { list, result } = yield* serving(
        empty()
          .tool("effect", { description: "Tested", input: lenient.effect }, keep)
          .tool("zod", { description: "Tested", input: lenient.zod }, keep)
          .tool("arktype", { description: "Tested", input: lenient.arktype }, keep),
        {}
      )
      for (const { inputSchema, name } of yield* list) {
        assert.deepStrictEqual(required(inputSchema), ["q"], name)
        // ArkType does not print defaults for the side that callers write.
        if (name !== "arktype") {
          assert.deepInclude(inputSchema.properties.limit, { type: "integer", default: 10 }, name)
          assert.deepInclude(inputSchema.properties.tags, { default: [] }, name)
        }
        assert.strictEqual(inputSchema.properties.count.type, "string", name)
        const valid = new Ajv2020({ strict: true, strictTypes: false }).compile(inputSchema)
        const filled = { q: "a", limit: 10, tags: [], ...(name === "arktype" ? {} : { opts: { verbose: false } }) }
        for (const args of [{ q: "a" }, { q: "a", opts: {} }, { q: "a", note: null }, { q: "a", count: "7" }]) {
          assert.isTrue(valid(args), `${name} ${JSON.stringify(args)}`)
          assert.deepStrictEqual(yield* result(name, args), { content: [] }, `${name} ${JSON.stringify(args)}`)
          assert.deepInclude(got.at(-1), filled, `${name} ${JSON.stringify(args)}`)
        }
      }
    })
  )

  it.effect("B021 D4: says as an output what is sent, defaults included", () =>
    Effect.gen(function* () {
      const made = z.object({
        limit: z.int().default(10),
        at: z
          .string()
          .transform((text) => text.length)
          .pipe(z.int())
      })
      const { list, result } = yield* serving(
        empty().tool("t", { description: "Tested", output: made }, async () => ({ at: "four" }) as never),
        {}
      )
      const [tool] = yield* list
      const { structuredContent } = yield* result("t")
      assert.deepStrictEqual(structuredContent, { limit: 10, at: 4 })
      assert.isTrue(new Ajv2020({ strict: true }).compile(tool?.["outputSchema"])(structuredContent))
      assert.deepStrictEqual(tool?.["outputSchema"].required, ["limit", "at"])
    })
  )
})

describe("an output that JSON has no word for", () => {
  it.effect("B099: is published as the text that is sent, and what does not fit is a bug, not a message", () =>
    Effect.gen(function* () {
      const output = Schema.Struct({
        at: Schema.Date,
        big: Schema.BigInt,
        pairs: Schema.HashMap(Schema.String, Schema.Int)
      })
      const right = { at: new Date(0), big: 2n ** 64n, pairs: HashMap.make(["a", 1]) }
      const { list, result } = yield* serving(
        empty()
          .tool("right", { description: "Tested", output }, async () => right)
          .tool("wrong", { description: "Tested", output }, async () => ({ ...right, big: 1 }) as never)
          .tool("map", { description: "Tested", output }, async () => ({ ...right, pairs: new Map() }) as never),
        {},
        { onDefect: () => {} }
      )
      const [tool] = yield* list
      const { structuredContent } = yield* result("right")
      assert.deepInclude(structuredContent, { at: "1970-01-01T00:00:00.000Z", big: "18446744073709551616" })
      const valid = new Ajv2020({ strict: false, validateFormats: false }).compile(tool?.["outputSchema"])
      assert.isTrue(valid(structuredContent), JSON.stringify(valid.errors))
      for (const name of ["wrong", "map"]) assert.match(said(yield* result(name)), defectText)
    })
  )
})
