/**
 * What is written of schemas as other people's servers publish them.
 */
import { assert, describe, it } from "@effect/vitest"
import type { JsonObject } from "@treadle/protocol/json"
import { contractOf } from "../../src/typegen/index.ts"
import { endpointsOf } from "./generated.ts"
import { listedTool } from "./hostileSchemas.ts"

/** The code of one required argument, and the notes about it. */
const argument = (schema: JsonObject, more: JsonObject = {}): readonly [string, ReadonlyArray<string>] => {
  const { notes, text } = contractOf([listedTool("t", { properties: { a: schema }, required: ["a"], ...more })])
  const [, code = text] = /\n {2}input: \{\s*(?:\/\/[^\n]*\n\s*)*a: ([\s\S]*?)\s*\}\n\}\)\n/.exec(text) ?? []
  return [code.replaceAll(/\s+/g, " "), notes.map(({ message, path }) => `${path}: ${message}`)]
}

const text: JsonObject = { type: "string" }
const whole: JsonObject = { type: "integer" }

describe("an argument of a foreign tool", () => {
  it.each<readonly [string, JsonObject, string]>([
    ["anything", {}, "Schema.Json"],
    ["nothing", { not: {} }, "Schema.Never"],
    ["null", { const: null }, "Schema.Null"],
    [
      "a nullable type",
      { type: ["string", "null"], minLength: 1 },
      "Schema.NullOr(Schema.String.check(Schema.isMinCodePoints(1)))"
    ],
    [
      "an optional of Pydantic",
      { anyOf: [whole, { type: "null" }], title: "A" },
      'Schema.NullOr(Schema.Int).annotate({ title: "A" })'
    ],
    ["a list of types", { type: ["integer", "boolean"] }, "Schema.Union([Schema.Int, Schema.Boolean])"],
    ["an enum without a type", { enum: ["a", 1, true, null] }, 'Schema.NullOr(Schema.Literals(["a", 1, true]))'],
    ["an enum with values of another type", { type: "string", enum: ["a", 1, "a"] }, 'Schema.Literal("a")'],
    [
      "a number",
      { type: "number", exclusiveMinimum: 0, format: "double" },
      'Schema.Finite.check(Schema.isGreaterThan(0)).annotate({ format: "double" })'
    ],
    ["a list of anything", { type: "array" }, "Schema.Array(Schema.Json)"],
    [
      "a tuple",
      { type: "array", prefixItems: [whole, text], minItems: 1, items: false },
      "Schema.Tuple([Schema.Int, Schema.optionalKey(Schema.String)])"
    ],
    [
      "a tuple of draft 7",
      { type: "array", items: [whole], additionalItems: text },
      "Schema.TupleWithRest(Schema.Tuple([Schema.optionalKey(Schema.Int)]), [Schema.String])"
    ],
    ["a map", { type: "object", additionalProperties: whole }, "Schema.Record(Schema.String, Schema.Int)"],
    [
      "a closed empty object",
      { type: "object", additionalProperties: false },
      "Schema.Record(Schema.String, Schema.Never)"
    ],
    [
      "an object with a required member that it does not name",
      { type: "object", properties: { b: text }, required: ["c"] },
      "Schema.Struct({ b: Schema.optionalKey(Schema.String), c: Schema.Json })"
    ],
    [
      "an open object",
      { type: "object", properties: { b: whole }, additionalProperties: true },
      "Schema.StructWithRest(Schema.Struct({ b: Schema.optionalKey(Schema.Int) }), [ Schema.Record(Schema.String, Schema.Unknown) ])"
    ],
    [
      "what one of two members must be there for",
      { type: "object", properties: { b: text, c: text }, oneOf: [{ required: ["b"] }, { required: ["c"] }] },
      "Schema.Union([ Schema.Struct({ b: Schema.String, c: Schema.optionalKey(Schema.String) }), Schema.Struct({ b: Schema.optionalKey(Schema.String), c: Schema.String }) ])"
    ],
    [
      "all of two objects",
      {
        allOf: [
          { type: "object", properties: { b: text }, required: ["b"] },
          { type: "object", properties: { c: whole, b: { minLength: 2 } } }
        ]
      },
      "Schema.Struct({ b: Schema.String.check(Schema.isMinCodePoints(2)), c: Schema.optionalKey(Schema.Int) })"
    ],
    [
      "all of one type twice",
      {
        allOf: [
          { type: "number", minimum: 1 },
          { type: "integer", minimum: 3 }
        ]
      },
      "Schema.Int.check(Schema.isGreaterThanOrEqualTo(3))"
    ]
  ])("is %s", (_, schema, code) => {
    assert.deepStrictEqual(argument(schema), [code, []])
  })

  it.each<readonly [string, JsonObject, string, string]>([
    [
      "a reference elsewhere",
      { $ref: "https://x.example/s" },
      "Schema.Unknown",
      '"$ref": "https://x.example/s" is not understood: it names no part of this schema, and nothing is fetched'
    ],
    ["a condition alone", { if: text }, "Schema.Unknown", '"if" is not checked'],
    ["a condition on a type", { ...text, not: { const: "x" } }, "Schema.String", '"not" is not checked'],
    ["a type that is none", { type: "date" }, "Schema.Unknown", '"type" is not understood'],
    [
      "a missing type",
      { properties: { b: text } },
      "Schema.Struct({ b: Schema.optionalKey(Schema.String) })",
      '"type" is missing: it is read as object'
    ],
    [
      "an enum of objects",
      { enum: [{ b: 1 }] },
      "Schema.Unknown",
      '"enum" is not understood: it is no list of scalars'
    ],
    [
      "patterns of names",
      { type: "object", patternProperties: { "^x": whole } },
      "Schema.Record(Schema.String, Schema.Json)",
      '"patternProperties" is not checked'
    ],
    [
      "a type for all other members",
      { type: "object", properties: { b: text }, additionalProperties: whole },
      "Schema.StructWithRest(Schema.Struct({ b: Schema.optionalKey(Schema.String) }), [ Schema.Record(Schema.String, Schema.Unknown) ])",
      '"additionalProperties" is read as anything'
    ],
    [
      "an expression that is none",
      { ...text, pattern: "(" },
      "Schema.String",
      '"pattern" is not checked: it is no regular expression with the u flag'
    ],
    [
      "a bound that is none",
      { ...text, minLength: -1 },
      "Schema.String",
      '"minLength" is not checked: its value is none that JSON Schema allows'
    ],
    [
      "a default of another type",
      { ...whole, default: "3" },
      "Schema.Int",
      '"default" is left out: it is no value of its own schema'
    ],
    [
      "two expressions",
      { allOf: [{ ...text, pattern: "a" }, { pattern: "b" }] },
      "Schema.String.check(Schema.isPattern(/a/u))",
      '"pattern" is said twice, and only one of both is checked'
    ],
    [
      "a member that every object has",
      { type: "object", properties: { constructor: text, b: text } },
      "Schema.Struct({ b: Schema.optionalKey(Schema.String) })",
      'the member "constructor" is left out: every JavaScript object has one of this name'
    ]
  ])("with %s is the loosest that is right, and a note says so", (_, schema, code, note) => {
    assert.deepStrictEqual(argument(schema), [code, [`input.a: ${note}`]])
  })

  it("notes stand in the text, at the member that they are about", () => {
    const { text } = contractOf([
      listedTool("t", { properties: { a: { type: "object", properties: { b: { if: {} } } } } })
    ])
    assert.match(text, /\n( +)\/\/ "if" is not checked\n\1b: Schema.optionalKey\(Schema.Unknown\)\n/)
  })

  it("a member called __proto__ is one like any other", () => {
    const properties = JSON.parse('{"__proto__":{"type":"string"},"b":{"type":"integer"}}')
    const { text } = contractOf([listedTool("t", { properties, required: ["__proto__"] })])
    const schema = endpointsOf(text).get("t")?.shape.inputSchema
    assert.deepStrictEqual(Object.entries(schema?.["properties"] ?? {}), Object.entries(properties))
    assert.deepStrictEqual(schema?.["required"], ["__proto__"])
  })

  it("definitions of one name and content are written once, others by another name", () => {
    const tool = (name: string, b: JsonObject) =>
      listedTool(name, {
        properties: { s: { $ref: "#/$defs/show" } },
        $defs: { show: { type: "object", properties: { b } } }
      })
    const { text: code } = contractOf([tool("one", whole), tool("two", whole), tool("three", text)])
    assert.deepStrictEqual(
      [...code.matchAll(/export const (\w+) = Schema/g)].map(([, name]) => name),
      ["Show", "Show2"]
    )
    assert.deepStrictEqual(
      [...code.matchAll(/s: Arg.optional\((\w+)\)/g)].map(([, name]) => name),
      ["Show", "Show", "Show2"]
    )
  })
})

const tagged = (tag: string, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties: { _tag: { type: "string", const: tag }, ...more },
  required: ["_tag", ...Object.keys(more)]
})
const value: JsonObject = { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] }
const wrapped = (schema: JsonObject): JsonObject => ({
  type: "object",
  properties: { value: schema },
  required: ["value"]
})

/** The lines of an endpoint about what comes back, with the errors that are written. */
const comesBack = (outputSchema: JsonObject): ReadonlyArray<string> => {
  const { text } = contractOf([listedTool("t", { additionalProperties: false }, { outputSchema })])
  return text
    .split("\n")
    .filter((line) => /^ {2}(?:output|errors|\/\/)|TaggedError|TaggedStruct|^\/\*\* Its/.test(line))
}

describe("what a foreign tool returns", () => {
  it.each<readonly [string, JsonObject, ReadonlyArray<string>]>([
    ["an object", value, ["  output: Schema.Struct({ ok: Schema.Boolean })"]],
    ["a value that is no object", wrapped({ type: "array", items: whole }), ["  output: Schema.Array(Schema.Int)"]],
    [
      "an object called value",
      wrapped(value),
      ["  output: Schema.Struct({ value: Schema.Struct({ ok: Schema.Boolean }) })"]
    ],
    [
      "a value or an error",
      { type: "object", anyOf: [value, tagged("Gone"), tagged("Sold", { left: whole })] },
      [
        'export class Gone extends Schema.TaggedError<Gone>()("Gone", {}) {}',
        'export class Sold extends Schema.TaggedError<Sold>()("Sold", { left: Schema.Int }) {}',
        "  output: Schema.Struct({ ok: Schema.Boolean }),",
        "  errors: [Gone, Sold]"
      ]
    ],
    [
      "an error whose members an error class cannot have",
      { type: "object", anyOf: [value, tagged("Odd", { stack: whole }), tagged("not-so", { message: text })] },
      [
        'export const Odd = Schema.TaggedStruct("Odd", { stack: Schema.Int })',
        'export class NotSo extends Schema.TaggedError<NotSo>("NotSo")("not-so", { message: Schema.String }) {}',
        "  output: Schema.Struct({ ok: Schema.Boolean }),",
        "  errors: [Odd, NotSo]"
      ]
    ],
    [
      "one of several tagged values, which are no errors",
      { type: "object", anyOf: [tagged("A"), tagged("B")] },
      [
        "  // it is read as any object: an endpoint would wrap it",
        "  output: Schema.Record(Schema.String, Schema.Json)"
      ]
    ],
    [
      "a tagged value before another",
      { type: "object", anyOf: [tagged("A"), value] },
      [
        "  // it is read as any object: an endpoint would wrap it",
        "  output: Schema.Record(Schema.String, Schema.Json)"
      ]
    ],
    [
      "a list",
      { type: "array", items: whole },
      [
        "/** Its output is no object; it is left out, because endpoints read objects: session.callTool gives it as it came. */"
      ]
    ],
    [
      "a text with a pattern, which is not run",
      { ...value, properties: { ok: { ...text, pattern: "^(a+)+$" } } },
      ["  output: Schema.Struct({"]
    ]
  ])("is %s", (_, schema, lines) => {
    assert.deepStrictEqual(comesBack(schema), lines)
  })
})

describe("the names of a contract", () => {
  it.each([
    ["get_show", "getShow"],
    ["LIST-ALL.shows", "listAllShows"],
    ["HTTPGet", "httpGet"],
    ["3d", "tool3d"],
    ["delete", "deleteTool"],
    ["then", "thenTool"],
    ["contract", "contractTool"],
    ["élan", "lan"],
    ["日本", "tool"],
    ["", "tool"]
  ])("%j is %s", (name, constant) => {
    const { text } = contractOf([listedTool(name, {})])
    assert.include(text, `export const contract = { ${constant} }\n`)
  })

  it("are kept apart, and a tool that is listed twice is written once", () => {
    const { notes, text } = contractOf(["a_b", "a-b", "a.b", "a_b"].map((name) => listedTool(name, {})))
    assert.include(text, "export const contract = { aB, aB2, aB3 }\n")
    assert.deepStrictEqual(notes, [{ tool: "a_b", path: "", message: "it is left out: the name is listed twice" }])
  })
})
