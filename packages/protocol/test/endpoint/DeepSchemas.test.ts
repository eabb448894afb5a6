/**
 * Schemas that refer to themselves or go on for ever: printed finitely and checked to the bottom, or refused with a
 * sentence.
 */
import { assert, describe, it } from "@effect/vitest"
import { toolShape } from "@treadle/protocol/endpoint"
import type { JsonObject } from "@treadle/protocol/json"
import { Ajv2020 } from "ajv/dist/2020.js"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as z from "zod/v4"

interface Folder {
  readonly name: string
  readonly files: ReadonlyArray<File>
}
interface File {
  readonly size: number
  readonly folder: Folder | null
}

const Folder = Schema.Struct({
  name: Schema.String.annotate({ description: "What people call it" }),
  files: Schema.Array(Schema.suspend((): Schema.Codec<File> => File)).annotate({ description: "All of them" })
}).annotate({ identifier: "Folder" })
const File: Schema.Codec<File> = Schema.Struct({
  size: Schema.Int,
  folder: Schema.NullOr(Schema.suspend((): Schema.Codec<Folder> => Folder))
}).annotate({ identifier: "File" })

const ZodFolder = z.object({
  name: z.string().describe("What people call it"),
  get files() {
    return z.array(ZodFile)
  }
})
const ZodFile = z.object({
  size: z.int(),
  get folder() {
    return ZodFolder.nullable()
  }
})

/** A folder in a file in a folder, with this at the bottom. */
const nested = (depth: number, bottom: unknown): unknown =>
  depth === 0 ? bottom : { name: "f", files: [{ size: depth, folder: nested(depth - 1, bottom) }] }

describe("two schemas that refer to each other", () => {
  const libraries = { Effect: Folder, Zod: ZodFolder }
  it.effect.each(["Effect", "Zod"] as const)(
    "B096 SCHEMA-08: of %s are published with references, take 50 levels and refuse a wrong leaf below them",
    (library) =>
      Effect.gen(function* () {
        const shape = toolShape({ input: libraries[library], output: libraries[library] })
        assert.deepStrictEqual(shape.faults, [])
        for (const schema of [shape.inputSchema, shape.outputSchema ?? {}]) {
          assert.isBelow(JSON.stringify(schema).length, 2_000)
          assert.include(JSON.stringify(schema), '"description":"What people call it"')
          const validate = new Ajv2020({ strict: true }).compile(schema)
          assert.isTrue(validate(nested(50, null)))
          assert.isFalse(validate(nested(50, 7)))
        }
        assert.deepStrictEqual(yield* shape.input.decode(nested(50, null)), nested(50, null))
        assert.deepStrictEqual(yield* shape.output?.encode(nested(50, null)) ?? Effect.succeed(null), nested(50, null))
        const { problems } = yield* Effect.flip(shape.input.decode(nested(50, 7)))
        assert.match(problems.join("\n"), /^files\[0\]\.folder\.files/)
      })
  )
})

describe("a value that nests deeper than the stack", () => {
  /** Made level by level, because it is deeper than the stack of this test too. */
  const deepest = (levels: number, bottom: unknown): unknown =>
    Array.from({ length: levels }).reduce((folder) => ({ name: "f", files: [{ size: 1, folder }] }), bottom)

  for (const [library, schema] of [
    ["Effect", Folder],
    ["Zod", ZodFolder]
  ] as const) {
    it.effect.each([5_000, 100_000])(`B096: does not fit an input or an output of ${library} at %i levels`, (levels) =>
      Effect.gen(function* () {
        const shape = toolShape({ input: schema, output: schema })
        for (const bottom of [null, { name: "f", files: [] }, 7]) {
          for (const decode of [shape.input.decode, shape.output?.decode ?? shape.input.decode]) {
            const { problems } = yield* Effect.flip(decode(deepest(levels, bottom)))
            assert.deepStrictEqual(problems, ["the value nests too deeply to be read"])
          }
        }
      })
    )
  }

  it.effect("D5: leaves what a schema dies of by itself a defect", () =>
    Effect.gen(function* () {
      const forever = (): number => forever() + 1
      const input = { text: Schema.String.check(Schema.makeFilter(() => forever() > 0)) }
      const defect = yield* Effect.flip(Effect.sandbox(toolShape({ input }).input.decode({ text: "x" })))
      assert.isTrue(Cause.hasDies(defect))
    })
  )
})

/** A Standard Schema of somebody else, that says its JSON Schema is this one. */
const foreign = (schema: JsonObject) => ({
  "~standard": {
    version: 1,
    vendor: "foreign",
    validate: (value: unknown) => ({ value }),
    jsonSchema: { input: () => schema, output: () => schema }
  }
})

const deep = (levels: number): JsonObject =>
  Array.from({ length: levels }).reduce<JsonObject>((inner) => ({ type: "object", properties: { a: inner } }), {
    type: "object"
  })

const circle: JsonObject = { type: "object" }
Object.assign(circle, { properties: { self: circle } })

describe("a hostile schema of somebody else", () => {
  it.each([
    ["that nests 20,000 deep", deep(20_000)],
    ["that contains itself", circle]
  ] as const)("B096 SCHEMA-08: %s is refused as input and as output, and the reason is its depth", (_, schema) => {
    for (const part of ["input", "output"] as const) {
      assert.deepStrictEqual(toolShape({ [part]: foreign(schema) }).faults, [
        {
          _tag: "UnrepresentableSchema",
          part,
          finding: { path: "", message: "the schema nests deeper than 64 levels" }
        }
      ])
    }
  })

  it.each<readonly [string, JsonObject]>([
    [
      "of 5,000 branches",
      { type: "object", anyOf: Array.from({ length: 5_000 }, (_, at) => ({ required: [`k${at}`] })) }
    ],
    ["that refers to all of itself", { type: "object", allOf: [{ $ref: "#" }] }]
  ])("B096: %s is published as it is", (_, schema) => {
    const { faults, inputSchema, outputSchema } = toolShape({ input: foreign(schema), output: foreign(schema) })
    assert.deepStrictEqual([faults, inputSchema, outputSchema], [[], schema, schema])
  })
})
