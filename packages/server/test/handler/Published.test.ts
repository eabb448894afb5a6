/**
 * The schemas that are published, whatever library wrote them: an independent validator takes them, and they say no less
 * and no more than what is checked.
 */
import { assert, describe, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import { type } from "arktype"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as z from "zod/v4"
import { Arg, Mcp } from "../../src/index.ts"
import { empty, serving } from "../fixtures/calling.ts"

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

const mcp = empty()
  .tool("effect", { description: "", input: inputs.effect }, async () => "")
  .tool("zod", { description: "", input: inputs.zod }, async () => "")
  .tool("arktype", { description: "", input: inputs.arktype }, async () => "")

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

  it.effect("B022: says of every list what is in it", () =>
    Effect.gen(function* () {
      const { list } = yield* serving(mcp, {})
      const bare = (yield* list).flatMap(({ inputSchema, name }) =>
        walk(inputSchema, String(name)).flatMap(([path, node]) =>
          [node["type"]].flat().includes("array") && !Object.hasOwn(node, "items") ? [path] : []
        )
      )
      assert.deepStrictEqual(bare, [])
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
