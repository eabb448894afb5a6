/**
 * Generators of JSON Schemas as strangers write them: every keyword with values that fit it and values that do not,
 * names and texts that mean something to a compiler, references that lead anywhere.
 */
import type { Json, JsonObject } from "@treadle/protocol/json"
import type { Tool } from "@treadle/protocol/schema"
import { json } from "@treadle/testing"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"

type Arb<A> = Arbitrary.Arbitrary<A>

const below = (count: number): Arb<number> =>
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: count - 1 })))

const oneOf = <A>(values: ReadonlyArray<A>): Arb<A> => Arbitrary.map(below(values.length), (at) => values[at]!)

const either = <A>(...choices: ReadonlyArray<Arb<A>>): Arb<A> =>
  Arbitrary.flatMap(below(choices.length), (at) => choices[at]!)

const list = <A>(of: Arb<A>, maxLength: number): Arb<ReadonlyArray<A>> => Arbitrary.array(of, { maxLength })

/** Names and texts that end comments, strings and lines, or that objects have anyway. */
export const telling = [
  "a",
  "b",
  "_tag",
  "value",
  "message",
  "name",
  "__proto__",
  "constructor",
  "toString",
  "then",
  "*/ evil() /*",
  "`${evil()}`",
  '"); evil(); ("',
  "\u2028evil()\u2029",
  "// @ts-nocheck",
  "\n@ts-ignore\n",
  "\u202e\u0000\ud800",
  "1",
  "a b",
  "#/x~y%",
  ""
]

const word: Arb<string> = oneOf(telling)

const types: ReadonlyArray<Json> = [
  "object",
  "object",
  "object",
  "array",
  "string",
  "integer",
  "number",
  "boolean",
  "null",
  ["string", "null"],
  ["object", "integer"],
  "any",
  [],
  7
]

const references = [
  "#",
  "#/$defs/a",
  "#/$defs/b",
  "#/$defs/%2A%2F",
  "#/properties/a",
  "#/nothing",
  "#%",
  "x",
  "https://x.example/s"
]

const counts: ReadonlyArray<Json> = [0, 1, 2, 3, -1, 1.5, 1e300, "2", null]

const values: Arb<Json> = either<Json>(
  word,
  oneOf<Json>([null, true, 0, -0, 1.5, 2 ** 60, [], {}, [1, "a"], { a: 1 }]),
  json
)

const object = (entries: ReadonlyArray<readonly [string, Json]>): JsonObject => {
  const out: { [key: string]: Json } = {}
  for (const [key, value] of entries)
    Object.defineProperty(out, key, { value, enumerable: true, configurable: true, writable: true })
  return out
}

/** Each keyword with what may stand in it. */
const keywords = (inside: Arb<Json>): ReadonlyArray<readonly [string, Arb<Json>]> => {
  const schemas = list(inside, 3)
  const named = Arbitrary.map(list(Arbitrary.all([word, inside]), 3), object)
  return [
    ["type", oneOf(types)],
    ["type", oneOf(types)],
    ["type", oneOf(types)],
    ["properties", named],
    ["properties", named],
    ["required", list(word, 3)],
    ["additionalProperties", inside],
    ["patternProperties", named],
    ["items", either<Json>(inside, schemas)],
    ["prefixItems", schemas],
    ["additionalItems", inside],
    ["anyOf", schemas],
    ["oneOf", schemas],
    ["allOf", schemas],
    ["not", inside],
    ["if", inside],
    ["$ref", oneOf<Json>(references)],
    ["enum", list(values, 3)],
    ["const", values],
    ["default", values],
    ["examples", list(values, 2)],
    ["description", word],
    ["title", word],
    ["format", word],
    ["pattern", either<Json>(word, oneOf<Json>(["^a/b$", "(", "[\u2028]", "^(a+)+$"]))],
    ["x-mcp-header", values],
    ...["minimum", "maximum", "exclusiveMinimum", "multipleOf", "minLength", "maxLength", "minItems", "maxItems"].map(
      (name) => [name, oneOf(counts)] as const
    ),
    ["minProperties", oneOf(counts)],
    ["uniqueItems", oneOf<Json>([true, false, 1])],
    ["contains", inside]
  ]
}

const leaf: Arb<Json> = either<Json>(
  oneOf<Json>([true, false, {}, null, 3, { type: "string" }, { type: "integer" }, { $ref: "#/$defs/a" }]),
  json
)

const schemaOf = (depth: number): Arb<Json> => {
  const inside = depth === 0 ? leaf : either(leaf, schemaOf(depth - 1))
  const known = keywords(inside)
  const pair = Arbitrary.flatMap(below(known.length), (at) =>
    Arbitrary.map(known[at]![1], (value) => [known[at]![0], value] as const)
  )
  return Arbitrary.map(list(pair, 5), object)
}

const definitions = Arbitrary.map(Arbitrary.all([schemaOf(2), schemaOf(1), schemaOf(1)]), ([a, b, star]) => ({
  a,
  b,
  "*/": star
}))

/** Any JSON Schema, with definitions that its references may name. */
export const hostileSchema: Arb<JsonObject> = Arbitrary.map(
  Arbitrary.all([schemaOf(3), definitions]),
  ([schema, $defs]) => ({
    ...(schema as JsonObject),
    $defs
  })
)

/** Any list of tools. */
export const hostileTools: Arb<ReadonlyArray<Tool>> = list(
  Arbitrary.map(
    Arbitrary.all([word, word, word, hostileSchema, hostileSchema, Arbitrary.schema(Schema.Boolean)]),
    ([name, description, title, input, output, hasOutput]): Tool => ({
      name,
      title,
      description,
      inputSchema: { ...input, type: "object" },
      ...(hasOutput ? { outputSchema: output } : {})
    })
  ),
  4
)

/** A tool as it is listed. */
export const listedTool = (name: string, inputSchema: JsonObject, more: Partial<Tool> = {}): Tool => ({
  name,
  inputSchema: { ...inputSchema, type: "object" },
  ...more
})

const nested = (levels: number): JsonObject => {
  let schema: JsonObject = { type: "string" }
  for (let level = 0; level < levels; level++) schema = { type: "object", properties: { a: schema } }
  return schema
}

const definitionsOf = (length: number, each: (at: number) => JsonObject): JsonObject => ({
  ...Object.fromEntries(Array.from({ length }, (_, at) => [`d${at}`, each(at)])),
  [`d${length}`]: { type: "string" }
})

/** Definitions of which each leads to the next. */
const chain = (length: number): JsonObject => ({
  properties: { first: { $ref: "#/$defs/d0" } },
  $defs: definitionsOf(length, (at) => ({
    type: "object",
    properties: { next: { $ref: `#/$defs/d${at + 1}` }, at: { const: at } }
  }))
})

/** Definitions of which each leads to the next in two ways. */
const laughs: JsonObject = {
  properties: { first: { $ref: "#/$defs/d0", default: 1 } },
  $defs: definitionsOf(40, (at) => ({ anyOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] }))
}

const circular = (name: string, a: JsonObject, b: JsonObject = {}): Tool =>
  listedTool(name, { properties: { a: { $ref: "#/$defs/a" } }, $defs: { a, b } })

/** Schemas that would overflow a stack, a compiler or an afternoon. */
export const extremeTools: ReadonlyArray<Tool> = [
  listedTool("deep", nested(60)),
  listedTool("deeper", nested(5000)),
  listedTool("chain", chain(150)),
  listedTool("long_chain", chain(5000)),
  listedTool("laughs", laughs),
  circular("alias", { $ref: "#/$defs/b" }, { $ref: "#/$defs/a" }),
  circular("union", { anyOf: [{ $ref: "#/$defs/a" }, { type: "string" }] }),
  circular("all", { allOf: [{ $ref: "#/$defs/a" }, { minLength: 1 }] }),
  circular("own_default", {
    type: "object",
    properties: {
      a: { $ref: "#/$defs/a", default: 5 },
      b: { type: "array", items: { $ref: "#/$defs/a" }, default: [5] }
    }
  }),
  circular("beside", { $ref: "#/$defs/a", minLength: 1 }),
  listedTool("default", { properties: { a: { type: "object", default: nested(5000) } } }),
  listedTool("wide", {
    properties: Object.fromEntries(Array.from({ length: 3000 }, (_, at) => [`m${at}`, { type: "string" }]))
  })
]
