import { assert, describe, it } from "@effect/vitest"
import { toolShape, type ShapeFault } from "@treadle/protocol/endpoint"
import type { JsonObject } from "@treadle/protocol/json"
import { Ajv2020 } from "ajv/dist/2020.js"
import { type } from "arktype"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as z from "zod/v4"

class Show extends Schema.Class<Show>("Show")({ id: Schema.Int, title: Schema.String }) {}
class NotFound extends Schema.TaggedError<NotFound>()("NotFound", { id: Schema.Int }) {}
class SoldOut extends Schema.TaggedError<SoldOut>()("SoldOut", { at: Schema.DateFromString }) {}

const ajv = () => new Ajv2020({ strict: true, strictRequired: false })
const said = (fault: ShapeFault): string =>
  fault._tag === "UnrepresentableSchema"
    ? `${fault.part}: ${fault.finding.message}`
    : `${fault._tag}: ${"message" in fault ? fault.message : fault.tag}`
const faults = (definition: Parameters<typeof toolShape>[0]) => toolShape(definition).faults.map(said)

const create = { action: Schema.Literal("create"), name: Schema.String }
const remove = { action: Schema.Literal("delete"), id: Schema.String }

describe("The input of a tool", () => {
  it.each<readonly [string, unknown]>([
    ["Effect", Schema.Union([Schema.Struct(create), Schema.Struct(remove)])],
    [
      "Zod",
      z.discriminatedUnion("action", [
        z.object({ action: z.literal("create"), name: z.string() }),
        z.object({ action: z.literal("delete"), id: z.string() })
      ])
    ],
    [
      "Zod intersected",
      z
        .object({ action: z.enum(["create", "delete"]) })
        .and(z.union([z.object({ name: z.string() }), z.object({ id: z.string() })]))
    ],
    ["ArkType", type({ action: "'create'", name: "string" }).or({ action: "'delete'", id: "string" })]
  ])("B007 TOOL-07 a union of %s has type object at its root and all of its branches", (_, input) => {
    const { inputSchema, faults, argumentNames } = toolShape({ input })
    assert.deepStrictEqual([inputSchema["type"], faults, argumentNames], ["object", [], undefined])
    const validate = ajv().compile(inputSchema)
    assert.isTrue(validate({ action: "delete", id: "1" }))
    assert.isTrue(validate({ action: "create", name: "a" }))
    assert.isFalse(validate({ action: "delete" }))
    assert.isFalse(validate({}))
  })

  it("B007 a refined object is still that object", () => {
    const input = z.object({ from: z.int(), to: z.int() }).refine(({ from, to }) => from <= to)
    assert.deepStrictEqual(toolShape({ input }).faults, [])
    assert.deepStrictEqual(toolShape({ input }).inputSchema["required"], ["from", "to"])
  })

  it.each<readonly [string, unknown]>([
    ["a string", Schema.String],
    ["a list", Schema.Array(Schema.Int)],
    ["an object or a string", Schema.Union([Schema.Struct(create), Schema.String])],
    ["a Zod string", z.string()],
    ["an ArkType list", type("string[]")]
  ])("D1 %s is not promotable", (_, input) => {
    assert.deepStrictEqual(faults({ input }), [
      "NotPromotable: the input of a tool is an object with a member for each argument"
    ])
  })

  it("D1 what Zod cannot print is unrepresentable, and does not throw", () => {
    assert.deepStrictEqual(faults({ input: z.object({ at: z.date() }) }), [
      "input: it cannot be printed as JSON Schema (Date cannot be represented in JSON Schema): use a schema that has a JSON form"
    ])
    assert.deepStrictEqual(faults({ output: z.object({ of: z.map(z.string(), z.string()) }) }), [
      "output: it cannot be printed as JSON Schema (Map cannot be represented in JSON Schema): use a schema that has a JSON form"
    ])
  })

  it("D1 what Effect cannot print is unrepresentable, and does not throw", () => {
    const input = { [Symbol.for("a")]: Schema.String, b: Schema.Int }
    assert.deepStrictEqual(faults({ input, output: Schema.Struct(input), errors: { Bad: input } }), [
      "input: it cannot be printed as JSON Schema (Objects property names must be strings): use a schema that has a JSON form",
      "output: it cannot be printed as JSON Schema (Objects property names must be strings): use a schema that has a JSON form",
      "errors: it cannot be printed as JSON Schema (Objects property names must be strings): use a schema that has a JSON form"
    ])
  })

  it("SCHEMA-05 a Standard Schema whose JSON Schema leaves the document is unrepresentable", () => {
    assert.deepStrictEqual(
      faults({ input: foreign({ type: "object", properties: { a: { $ref: "https://a.example/s" } } }) }),
      ['input: "$ref": "https://a.example/s" leaves the document, and references are not fetched']
    )
  })

  it.each(["#/$defs/%", "#/$defs/", "#", "#nowhere", ""])(
    "a Standard Schema with the reference %j at its root is no object, and does not throw",
    ($ref) => {
      assert.deepStrictEqual(faults({ input: foreign({ $ref }) }), [
        "NotPromotable: the input of a tool is an object with a member for each argument"
      ])
    }
  )

  it("SCHEMA-09 every keyword of a Standard Schema is published as it is", () => {
    const schema: JsonObject = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      $defs: { address: { $anchor: "address", type: "object" } },
      properties: { a: { $ref: "#/$defs/address" }, b: { $ref: "#address" } },
      allOf: [{ anyOf: [{ required: ["a"] }, { required: ["b"] }] }],
      if: { required: ["a"] },
      else: { required: ["b"] },
      additionalProperties: false
    }
    assert.deepStrictEqual(toolShape({ input: foreign(schema) }).inputSchema, schema)
  })

  it("XHDR-02 XHDR-03 annotations become headers, wrong ones faults", () => {
    const input = (name: string) => ({ tenant: Schema.String.annotate({ "x-mcp-header": name }) })
    assert.deepStrictEqual(toolShape({ input: input("Tenant") }).headers, [
      { header: "mcp-param-tenant", path: ["tenant"], type: "string" }
    ])
    assert.deepStrictEqual(faults({ input: input("a b") }), [
      'InvalidHeaderAnnotation: tenant: "a b" is no header name; use letters, digits and - _ . without spaces'
    ])
  })
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

describe("The output of a tool", () => {
  const value: JsonObject = { type: "string" }
  const wrapped = (schema: JsonObject): JsonObject => ({
    type: "object",
    properties: { value: schema },
    required: ["value"]
  })

  it.each<readonly [string, unknown, JsonObject, unknown, unknown]>([
    [
      "a struct goes as it is",
      Schema.Struct({ id: Schema.Int }),
      { type: "object", properties: { id: { type: "integer" } }, required: ["id"] },
      { id: 1 },
      { id: 1 }
    ],
    ["a string is wrapped", Schema.String, wrapped(value), "a", { value: "a" }],
    [
      "a list is wrapped",
      Schema.Array(Schema.String),
      wrapped({ type: "array", items: value }),
      ["a"],
      { value: ["a"] }
    ],
    [
      "a nullable struct is wrapped",
      Schema.NullOr(Schema.Struct({})),
      wrapped({ anyOf: [{ not: { type: "null" } }, { type: "null" }] }),
      null,
      { value: null }
    ],
    [
      "a union of structs is wrapped",
      Schema.Union([Schema.Struct({ a: Schema.String }), Schema.Struct({ b: Schema.String })]),
      wrapped({
        anyOf: [
          { type: "object", properties: { a: value }, required: ["a"] },
          { type: "object", properties: { b: value }, required: ["b"] }
        ]
      }),
      { b: "x" },
      { value: { b: "x" } }
    ],
    [
      "a Zod object goes as it is",
      z.object({ n: z.number() }),
      {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        type: "object",
        properties: { n: { type: "number" } },
        required: ["n"],
        additionalProperties: false
      },
      { n: 1 },
      { n: 1 }
    ],
    [
      "an ArkType list is wrapped, its dialect said at the root",
      type("string[]"),
      { $schema: "https://json-schema.org/draft/2020-12/schema", ...wrapped({ type: "array", items: value }) },
      ["a"],
      { value: ["a"] }
    ]
  ])("D4 %s", (_, output, schema, returned, travelled) => {
    const shape = toolShape({ output })
    assert.deepStrictEqual([shape.outputSchema, shape.faults], [schema, []])
    const sent = Effect.runSync(shape.output?.encode(returned) ?? Effect.succeed(null))
    assert.deepStrictEqual<unknown>(sent, travelled)
    assert.isTrue(ajv().compile(schema)(sent))
    assert.deepStrictEqual(Effect.runSync(shape.output?.decode(sent) ?? Effect.succeed(null)), returned)
  })

  it.effect("D4 a plain object for a class is made into the class, in lists too", () =>
    Effect.gen(function* () {
      const { output } = toolShape({ output: Schema.Array(Show) })
      assert.isDefined(output)
      assert.deepStrictEqual<unknown>(yield* output.encode([{ id: 1, title: "a" }, new Show({ id: 2, title: "b" })]), {
        value: [
          { id: 1, title: "a" },
          { id: 2, title: "b" }
        ]
      })
      const wrong = yield* Effect.flip(output.encode([{ id: 1, title: 2 }]))
      assert.isAbove(wrong.problems.length, 0)
      const back = yield* output.decode({ value: [{ id: 1, title: "a" }] })
      assert.isTrue(Array.isArray(back) && back[0] instanceof Show)
    })
  )

  it.effect("D4 members that a Zod output does not name stay behind", () =>
    Effect.gen(function* () {
      const { output } = toolShape({ output: z.object({ n: z.number() }) })
      assert.deepStrictEqual<unknown>(yield* output?.encode({ n: 1, secret: 2 }) ?? Effect.succeed(null), { n: 1 })
    })
  )

  it.effect("what did not travel as agreed names its problems", () =>
    Effect.gen(function* () {
      const { output } = toolShape({ output: Schema.Array(Schema.Int) })
      for (const content of [undefined, null, [], { value: ["a"] }, {}]) {
        const misfit = yield* Effect.flip(output?.decode(content) ?? Effect.succeed(null))
        assert.isAbove((misfit as { problems: ReadonlyArray<string> }).problems.length, 0)
      }
    })
  )

  it("without an output there is no schema, with errors neither", () => {
    assert.deepStrictEqual([toolShape({}).outputSchema, toolShape({}).output], [undefined, undefined])
    assert.isUndefined(toolShape({ errors: NotFound }).outputSchema)
  })
})

describe("The errors of a tool", () => {
  const at = new Date("2026-07-28T00:00:00.000Z")
  it.effect("D5 a declared error comes back as its class, whatever form its declaration has", () =>
    Effect.gen(function* () {
      for (const errors of [NotFound, [NotFound], [NotFound, SoldOut], Schema.Union([SoldOut, NotFound])]) {
        const shape = toolShape({ errors }).errors
        assert.isDefined(shape)
        const json = JSON.parse(JSON.stringify(yield* shape.encode(new NotFound({ id: 9 }))))
        assert.deepStrictEqual(json, { _tag: "NotFound", id: 9 })
        const back = yield* shape.decode(json)
        assert.instanceOf(back, NotFound)
        assert.deepStrictEqual([back.id, back._tag], [9, "NotFound"])
      }
    })
  )

  it.effect("D5 members of an error travel in their JSON form", () =>
    Effect.gen(function* () {
      const shape = toolShape({ errors: [NotFound, SoldOut] }).errors
      assert.isDefined(shape)
      const json = yield* shape.encode(new SoldOut({ at }))
      assert.deepStrictEqual<unknown>(json, { _tag: "SoldOut", at: at.toISOString() })
      const back = yield* shape.decode(json)
      assert.isTrue(back instanceof SoldOut && back.at.getTime() === at.getTime())
    })
  )

  it.effect("D5 an error without a class is its tag and its fields", () =>
    Effect.gen(function* () {
      const shape = toolShape({ errors: { SoldOut: { left: Schema.Int }, Closed: {} } })
      assert.isDefined(shape.errors)
      assert.deepStrictEqual(shape.faults, [])
      for (const error of [{ _tag: "SoldOut", left: 2 }, { _tag: "Closed" }]) {
        const json = yield* shape.errors.encode(error)
        assert.deepStrictEqual(yield* shape.errors.decode(JSON.parse(JSON.stringify(json))), error)
      }
    })
  )

  it.effect("D5 a plain object for an error class is made into the class before it is sent", () =>
    Effect.gen(function* () {
      const shape = toolShape({ errors: [NotFound, SoldOut] }).errors
      assert.isDefined(shape)
      assert.deepStrictEqual<unknown>(yield* shape.encode({ _tag: "NotFound", id: 9 }), { _tag: "NotFound", id: 9 })
      const wrong = yield* Effect.flip(shape.encode({ _tag: "NotFound", id: "9" }))
      assert.isAbove(wrong.problems.length, 0)
    })
  )

  it.effect("what is no declared error decodes to none", () =>
    Effect.gen(function* () {
      const shape = toolShape({ errors: [NotFound, SoldOut] }).errors
      for (const content of [
        undefined,
        null,
        {},
        { _tag: "Other" },
        { _tag: "NotFound" },
        { _tag: "NotFound", id: "9" }
      ]) {
        const misfit = yield* Effect.flip(shape?.decode(content) ?? Effect.succeed(null))
        assert.isAbove((misfit as { problems: ReadonlyArray<string> }).problems.length, 0)
      }
    })
  )

  it("D5 the published schema admits the value and each error, and nothing else", () => {
    const { outputSchema, faults } = toolShape({ output: Schema.Array(Show), errors: [NotFound, SoldOut] })
    assert.deepStrictEqual([outputSchema?.["type"], faults], ["object", []])
    const validate = ajv().compile(outputSchema ?? {})
    for (const right of [{ value: [{ id: 1, title: "a" }] }, { _tag: "NotFound", id: 1 }, { _tag: "SoldOut", at: "x" }])
      assert.isTrue(validate(right))
    for (const wrong of [{ value: [{ id: 1 }] }, { _tag: "NotFound" }, [], null, {}]) assert.isFalse(validate(wrong))
  })

  it("D5 definitions of one name in value and error are kept apart", () => {
    const part = (of: Schema.Codec<unknown>) =>
      Schema.Struct({ inner: Schema.Struct({ of }).annotate({ identifier: "Inner" }) }).annotate({ identifier: "Part" })
    const { outputSchema } = toolShape({
      output: Schema.Struct({ part: part(Schema.String) }),
      errors: { Bad: { part: part(Schema.Int) } }
    })
    const validate = ajv().compile(outputSchema ?? {})
    assert.isTrue(validate({ part: { inner: { of: "a" } } }))
    assert.isTrue(validate({ _tag: "Bad", part: { inner: { of: 1 } } }))
    assert.isFalse(validate({ _tag: "Bad", part: { inner: { of: true } } }))
    assert.isFalse(validate({ part: { inner: { of: 1 } } }))
  })

  it("D5 a recursive Zod output beside errors still refers to itself", () => {
    const cat = z.object({
      name: z.string(),
      get kids() {
        return z.array(cat)
      }
    })
    const { outputSchema } = toolShape({ output: cat, errors: NotFound })
    const validate = ajv().compile(outputSchema ?? {})
    assert.isTrue(validate({ name: "a", kids: [{ name: "b", kids: [] }] }))
    assert.isTrue(validate({ _tag: "NotFound", id: 1 }))
    assert.isFalse(validate({ name: "a", kids: [{ _tag: "NotFound", id: 1 }] }))
  })

  it("D1 two errors of one tag are ambiguous, in a union too", () => {
    class Other extends Schema.TaggedError<Other>("Other")("NotFound", { why: Schema.String }) {}
    assert.deepStrictEqual(faults({ errors: [NotFound, Other, NotFound, SoldOut] }), ["AmbiguousErrors: NotFound"])
    assert.deepStrictEqual(faults({ errors: Schema.Union([NotFound, Other]) }), ["AmbiguousErrors: NotFound"])
  })

  it("D5 a union of errors is published as the list of them", () => {
    const output = Schema.Struct({ id: Schema.Int })
    assert.deepStrictEqual(
      toolShape({ output, errors: Schema.Union([NotFound, SoldOut]) }).outputSchema,
      toolShape({ output, errors: [NotFound, SoldOut] }).outputSchema
    )
  })

  it("D1 an error that loses what it says is unrepresentable", () => {
    assert.deepStrictEqual(faults({ errors: { Bad: { why: Schema.optional(Schema.String) } } }), [
      "errors: Schema.optional publishes and sends null: use Schema.optionalKey"
    ])
  })
})

it("D1 every fault of a definition is named at once", () => {
  assert.deepStrictEqual(
    faults({
      input: { a: Schema.optional(Schema.String), b: Schema.Finite.annotate({ "x-mcp-header": "B" }) },
      output: Schema.Struct({ c: Schema.instanceOf(WeakRef) }),
      errors: [NotFound, NotFound]
    }),
    [
      "input: Schema.optional publishes and sends null: use Schema.optionalKey",
      "output: it has no JSON form, so nothing would describe it: give it one with Schema.decodeTo or Schema.link",
      "AmbiguousErrors: NotFound",
      "InvalidHeaderAnnotation: b: only a string, an integer or a boolean can be mirrored in a header"
    ]
  )
})
