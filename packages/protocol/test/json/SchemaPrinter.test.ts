import { assert, describe, it } from "@effect/vitest"
import { Arg } from "@treadle/protocol/endpoint"
import { lintSchema, printSchema, structured, unwrap, wrap, type Json, type JsonObject } from "@treadle/protocol/json"
import { json } from "@treadle/testing"
import { Ajv2020 } from "ajv/dist/2020.js"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

interface Tree {
  readonly value: number
  readonly kids: ReadonlyArray<Tree>
}
const treeNamed = (identifier: string) => {
  const tree: Schema.Codec<Tree> = Schema.Struct({
    value: Schema.Int,
    kids: Schema.Array(Schema.suspend((): Schema.Codec<Tree> => tree))
  }).annotate({ identifier })
  return tree
}
const treeSchema = (name: string): JsonObject => ({
  type: "object",
  properties: { value: { type: "integer" }, kids: { type: "array", items: { $ref: `#/$defs/${name}` } } },
  required: ["value", "kids"]
})

class User extends Schema.Class<User>("User")({ id: Schema.Int, name: Schema.NonEmptyString }) {}
class Gone extends Schema.TaggedError<Gone>()("Gone", { id: Schema.Int }) {}

const Create = Schema.Struct({ action: Schema.Literal("create"), name: Schema.String })
const Delete = Schema.Struct({ action: Schema.Literal("delete"), id: Schema.String })

/** A schema, how it is printed, and values that it takes and does not take. */
type Row = readonly [
  name: string,
  schema: Schema.Codec<unknown, unknown>,
  printed: JsonObject,
  fit: ReadonlyArray<Json>,
  misfit: ReadonlyArray<Json>
]

const row = <S extends Schema.Codec<unknown, unknown>>(
  name: string,
  schema: S,
  printed: JsonObject,
  fit: ReadonlyArray<Json>,
  misfit: ReadonlyArray<Json>
): Row => [name, schema, printed, fit, misfit]

const rows: ReadonlyArray<Row> = [
  row("a string", Schema.String, { type: "string" }, ["", "a"], [1, null, []]),
  row(
    "an integer, without the bounds of safe ones",
    Schema.Int,
    { type: "integer" },
    [0, -3, 9007199254740991],
    [1.5, "1", null]
  ),
  row("a finite number", Schema.Finite, { type: "number" }, [0, 1.5, -1e300], ["1", null]),
  row("a boolean", Schema.Boolean, { type: "boolean" }, [true, false], [0, "true", null]),
  row(
    "bounds that say something",
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5 })),
    { type: "integer", minimum: 1, maximum: 5 },
    [1, 5],
    [0, 6]
  ),
  row("a non-empty string", Schema.NonEmptyString, { type: "string", minLength: 1 }, ["a"], [""]),
  row(
    "a length in code points",
    Schema.String.check(Schema.isMinCodePoints(2)),
    { type: "string", minLength: 2 },
    ["ab", "😀😀"],
    ["a", "😀"]
  ),
  row(
    "a pattern with the u flag",
    Schema.String.check(Schema.isPattern(/^[a-z]+$/u)),
    { type: "string", pattern: "^[a-z]+$" },
    ["abc"],
    ["", "A"]
  ),
  row(
    "literals",
    Schema.Literals(["stalls", "balcony"]),
    { type: "string", enum: ["stalls", "balcony"] },
    ["stalls"],
    ["", "Stalls", null]
  ),
  row(
    "an enum, titled",
    Schema.Enum({ Low: "low", High: "high" }),
    {
      anyOf: [
        { type: "string", enum: ["low"], title: "Low" },
        { type: "string", enum: ["high"], title: "High" }
      ]
    },
    ["low"],
    ["Low"]
  ),
  row(
    "null or a string",
    Schema.NullOr(Schema.String),
    { anyOf: [{ type: "string" }, { type: "null" }] },
    [null, ""],
    [1]
  ),
  row(
    "a list",
    Schema.Array(Schema.Int),
    { type: "array", items: { type: "integer" } },
    [[], [1, 2]],
    [["a"], {}, null]
  ),
  row(
    "a list of at least two",
    Schema.Array(Schema.Int).check(Schema.isMinLength(2)),
    { type: "array", items: { type: "integer" }, minItems: 2 },
    [[1, 2]],
    [[1]]
  ),
  row(
    "a pair",
    Schema.Tuple([Schema.String, Schema.Int]),
    { type: "array", prefixItems: [{ type: "string" }, { type: "integer" }], minItems: 2, maxItems: 2, items: {} },
    [["a", 1]],
    [["a"], ["a", 1, 2], [1, "a"]]
  ),
  row(
    "a record",
    Schema.Record(Schema.String, Schema.Int),
    { type: "object", additionalProperties: { type: "integer" } },
    [{}, { a: 1 }],
    [{ a: "1" }, []]
  ),
  row(
    "a struct, open, with an optional member",
    Schema.Struct({ a: Schema.String, b: Schema.optionalKey(Schema.Int) }),
    { type: "object", properties: { a: { type: "string" }, b: { type: "integer" } }, required: ["a"] },
    [{ a: "" }, { a: "", b: 1 }, { a: "", more: true }],
    [{}, { a: "", b: null }, { a: "", b: "1" }, [], null]
  ),
  row(
    "defaults",
    Schema.Struct({
      limit: Arg.withDefault(Schema.Int, 20, "How many"),
      day: Arg.withDefault(Schema.DateFromString, "2026-07-28")
    }),
    {
      type: "object",
      properties: {
        limit: { type: "integer", description: "How many", default: 20 },
        day: { type: "string", default: "2026-07-28" }
      }
    },
    [{}, { limit: 3 }, { day: "2026-01-01" }],
    [{ limit: "3" }, { limit: null }]
  ),
  row(
    "descriptions on members and on keys",
    Schema.Struct({
      a: Schema.String.annotate({ title: "A", description: "own", examples: ["x"] }),
      b: Schema.String.annotateKey({ description: "key" }),
      c: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThan(0))).annotateKey({ description: "both" })
    }),
    {
      type: "object",
      properties: {
        a: { type: "string", title: "A", description: "own", examples: ["x"] },
        b: { type: "string", description: "key" },
        c: { type: "integer", exclusiveMinimum: 0, description: "both" }
      },
      required: ["a", "b"]
    },
    [
      { a: "", b: "" },
      { a: "", b: "", c: 1 }
    ],
    [{ a: "" }, { a: "", b: "", c: 0 }]
  ),
  row(
    "a header annotation",
    Schema.Struct({ tenant: Schema.String.annotate({ "x-mcp-header": "Tenant" }) }),
    { type: "object", properties: { tenant: { type: "string", "x-mcp-header": "Tenant" } }, required: ["tenant"] },
    [{ tenant: "a" }],
    [{}]
  ),
  row(
    "a class, by its fields",
    User,
    {
      type: "object",
      properties: { id: { type: "integer" }, name: { type: "string", minLength: 1 } },
      required: ["id", "name"]
    },
    [{ id: 1, name: "a" }],
    [{ id: 1 }, { id: 1, name: "" }]
  ),
  row(
    "an error class, by its tag",
    Gone,
    {
      type: "object",
      properties: { _tag: { type: "string", enum: ["Gone"] }, id: { type: "integer" } },
      required: ["_tag", "id"]
    },
    [{ _tag: "Gone", id: 1 }],
    [{ id: 1 }, { _tag: "Other", id: 1 }]
  ),
  row(
    "a union",
    Schema.Union([Create, Delete]),
    {
      anyOf: [
        {
          type: "object",
          properties: { action: { type: "string", enum: ["create"] }, name: { type: "string" } },
          required: ["action", "name"]
        },
        {
          type: "object",
          properties: { action: { type: "string", enum: ["delete"] }, id: { type: "string" } },
          required: ["action", "id"]
        }
      ]
    },
    [
      { action: "create", name: "a" },
      { action: "delete", id: "1" }
    ],
    [{ action: "delete" }, {}, { action: "create", id: "1" }]
  ),
  row(
    "what is sent for a date",
    Schema.DateFromString.pipe(Schema.annotateEncoded({ description: "When" })),
    { type: "string", description: "When" },
    ["2026-07-28"],
    [1]
  ),
  row(
    "bytes",
    Schema.Uint8ArrayFromBase64,
    { type: "string", format: "byte", contentEncoding: "base64" },
    ["AQI="],
    [1]
  ),
  row("any JSON", Schema.Json, {}, [null, 1, { a: [] }], []),
  row(
    "a recursive schema: its root in place, its definition kept",
    treeNamed("Tree"),
    { ...treeSchema("Tree"), $defs: { Tree: treeSchema("Tree") } },
    [{ value: 1, kids: [{ value: 2, kids: [] }] }],
    [{ value: 1, kids: [{ value: 2 }] }]
  ),
  row(
    "a recursive schema with a name that a reference escapes",
    treeNamed("a/b ~"),
    { ...treeSchema("a~1b%20~0"), $defs: { "a/b ~": treeSchema("a~1b%20~0") } },
    [{ value: 1, kids: [{ value: 2, kids: [] }] }],
    [{ value: 1, kids: [{ value: 2 }] }]
  ),
  row(
    "a member that is a definition",
    Schema.Struct({ tree: treeNamed("Tree") }),
    {
      type: "object",
      properties: { tree: { $ref: "#/$defs/Tree" } },
      required: ["tree"],
      $defs: { Tree: treeSchema("Tree") }
    },
    [{ tree: { value: 1, kids: [] } }],
    [{ tree: {} }]
  )
]

const ajv = () => {
  const validator = new Ajv2020({ strict: true, allErrors: true, formats: { byte: true, "date-time": true } })
  validator.addVocabulary(["x-mcp-header"])
  return validator
}

describe.each(rows)("printSchema of %s", (_, schema, printed, fit, misfit) => {
  it("prints exactly what says something", () => {
    assert.deepStrictEqual(printSchema(schema), printed)
  })

  it("D6 what is published is what is checked", () => {
    const validate = ajv().compile(printSchema(schema))
    const decode = Schema.decodeUnknownResult(Schema.toCodecJson(schema))
    for (const value of fit) {
      assert.deepStrictEqual([validate(value), Result.isSuccess(decode(value))], [true, true], JSON.stringify(value))
    }
    for (const value of misfit) {
      assert.deepStrictEqual([validate(value), Result.isSuccess(decode(value))], [false, false], JSON.stringify(value))
    }
  })

  it("loses nothing", () => {
    assert.deepStrictEqual(lintSchema(schema, printSchema(schema), "input"), [])
    assert.deepStrictEqual(lintSchema(schema, printSchema(schema), "output"), [])
  })

  it.prop(
    "D4 what is wrapped is unwrapped, and is published as an object",
    [json],
    ([value]) => {
      const rule = structured(printed)
      assert.strictEqual(unwrap(rule, wrap(rule, value)), value)
      assert.strictEqual(rule.schema["type"], "object")
    },
    { arbitrary: { runs: 20 } }
  )

  it("D4 a value fits the published schema as it travels, and only as it travels", () => {
    const rule = structured(printSchema(schema))
    const validate = ajv().compile(rule.schema)
    for (const value of fit) assert.isTrue(validate(wrap(rule, value)), JSON.stringify(value))
    for (const value of misfit) assert.isFalse(validate(wrap(rule, value)), JSON.stringify(value))
  })
})

describe("structured", () => {
  it.each<readonly [string, JsonObject, boolean]>([
    ["an object", { type: "object" }, false],
    ["a string", { type: "string" }, true],
    ["a list", { type: "array" }, true],
    ["a union, of objects too", { anyOf: [{ type: "object" }] }, true],
    ["an object or null", { type: ["object", "null"] }, true],
    ["anything", {}, true]
  ])("D4 %s is wrapped: %3$s", (_, schema, wrapped) => {
    assert.strictEqual(structured(schema).wrapped, wrapped)
    if (!wrapped) assert.strictEqual(structured(schema).schema, schema)
  })

  it("D4 what did not travel as agreed unwraps to nothing", () => {
    const rule = structured({ type: "string" })
    for (const value of [undefined, null, "a", [], {}, Object.create({ value: "inherited" })]) {
      assert.isUndefined(unwrap(rule, value))
    }
  })

  it("SCHEMA-04 definitions and dialect stand at the root, and references to the old root still lead there", () => {
    const dialect = "https://json-schema.org/draft/2020-12/schema"
    const rule = structured({ $schema: dialect, anyOf: [{ type: "string" }, { type: "array", items: { $ref: "#" } }] })
    assert.deepStrictEqual(rule.schema, {
      $schema: dialect,
      type: "object",
      properties: { value: { $ref: "#/$defs/Root" } },
      required: ["value"],
      $defs: { Root: { anyOf: [{ type: "string" }, { type: "array", items: { $ref: "#/$defs/Root" } }] } }
    })
    const validate = ajv().compile(rule.schema)
    assert.isTrue(validate({ value: [["a"], "b"] }))
    assert.isFalse(validate({ value: [[1]] }))
  })
})
