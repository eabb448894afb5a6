import { assert, describe, it } from "@effect/vitest"
import {
  anyOfObjects,
  embed,
  hasObjectRoot,
  lean,
  maxSchemaDepth,
  objectRoot,
  refuseSchema,
  resolveRoot,
  type Json,
  type JsonObject
} from "@treadle/protocol/json"
import { hostileJson } from "@treadle/testing"

const text: JsonObject = { type: "string" }
const ref = (name: string): JsonObject => ({ $ref: `#/$defs/${name}` })
const object = (properties: JsonObject): JsonObject => ({ type: "object", properties })

describe("resolveRoot", () => {
  it.each<readonly [string, JsonObject, JsonObject, JsonObject]>([
    ["leaves a root that is no reference", object({ a: text }), {}, object({ a: text })],
    [
      "keeps the definitions that a root needs",
      object({ a: ref("A") }),
      { A: text },
      { ...object({ a: ref("A") }), $defs: { A: text } }
    ],
    ["puts a definition in the place of the reference", ref("A"), { A: object({}) }, object({})],
    [
      "keeps what stands beside the reference",
      { ...ref("A"), title: "t" },
      { A: object({}) },
      { ...object({}), title: "t" }
    ],
    ["follows a chain", ref("A"), { A: ref("B"), B: text }, { ...text, $defs: { B: text } }],
    [
      "keeps the definition of a recursive root",
      ref("A"),
      { A: object({ a: ref("A") }) },
      { ...object({ a: ref("A") }), $defs: { A: object({ a: ref("A") }) } }
    ],
    [
      "knows an escaped name for the same one",
      ref("A~1B%20~0"),
      { "A/B ~": object({ a: ref("A~1B%20~0") }) },
      { ...object({ a: ref("A~1B%20~0") }), $defs: { "A/B ~": object({ a: ref("A~1B%20~0") }) } }
    ],
    [
      "keeps a definition that is referred to from within",
      ref("A"),
      { A: object({ b: ref("A/properties/c"), c: text }) },
      { ...object({ b: ref("A/properties/c"), c: text }), $defs: { A: object({ b: ref("A/properties/c"), c: text }) } }
    ],
    ["leaves a reference to nothing", ref("A"), {}, ref("A")],
    ["leaves a reference that is no text of a URI", ref("%"), { "%": text }, { ...ref("%"), $defs: { "%": text } }]
  ])("%s", (_, schema, definitions, expected) => {
    assert.deepStrictEqual(resolveRoot(schema, definitions), expected)
  })

  it("ends on a circle of references", () => {
    assert.deepStrictEqual(resolveRoot(ref("A"), { A: ref("B"), B: ref("A") })["$defs"], { A: ref("B"), B: ref("A") })
  })
})

const nest = (levels: number): Json => (levels === 0 ? {} : { items: nest(levels - 1) })

describe("refuseSchema", () => {
  it.each<readonly [string, Json]>([
    ["same-document references", { $ref: "#/$defs/A", $defs: { A: { $ref: "#anchor", $anchor: "anchor" } } }],
    ["a reference to the root", { properties: { a: { $ref: "#" } } }],
    ["a property that is named $ref", { properties: { $ref: { type: "string" } } }],
    ["true", true],
    ["the deepest that is allowed", nest(maxSchemaDepth)]
  ])("SCHEMA-05 passes %s", (_, schema) => {
    assert.isUndefined(refuseSchema(schema))
  })

  it.each([
    "https://a.example/schema.json",
    "http://127.0.0.1/x",
    "other.json",
    "file:///etc/passwd",
    "//a.example/x",
    "urn:a:b"
  ])("SCHEMA-05 SCHEMA-07 refuses a reference to %s, wherever it stands", (target) => {
    const why = `"$ref": ${JSON.stringify(target)} leaves the document, and references are not fetched`
    assert.strictEqual(refuseSchema({ $ref: target }), why)
    assert.strictEqual(refuseSchema({ allOf: [{}, { properties: { a: { items: { $ref: target } } } }] }), why)
  })

  it("SCHEMA-08 refuses a schema that nests too deep, without running out of stack", () => {
    assert.strictEqual(refuseSchema(nest(maxSchemaDepth + 1)), "the schema nests deeper than 64 levels")
    assert.isDefined(refuseSchema(JSON.parse(`${'{"items":'.repeat(50_000)}{}${"}".repeat(50_000)}`)))
  })

  it.prop("is total", [hostileJson], ([schema]) => {
    assert.include(["string", "undefined"], typeof refuseSchema(schema))
  })
})

describe("objectRoot", () => {
  const branch = (name: string): JsonObject => ({ type: "object", required: [name] })
  it.each<readonly [string, JsonObject, boolean]>([
    ["an object", object({}), true],
    ["B007 a union of objects", { anyOf: [branch("a"), branch("b")] }, true],
    ["B007 a choice of objects", { oneOf: [branch("a"), branch("b")] }, true],
    ["B007 an intersection with an object", { allOf: [{ required: ["b"] }, branch("a")] }, true],
    ["B007 a union of references to objects", { anyOf: [ref("A"), branch("b")], $defs: { A: branch("a") } }, true],
    ["B007 unions within unions", { anyOf: [{ oneOf: [branch("a"), branch("c")] }, branch("b")] }, true],
    ["a union with something else", { anyOf: [branch("a"), text] }, false],
    ["an intersection without an object", { allOf: [{ required: ["b"] }] }, false],
    ["a union of nothing", { anyOf: [] }, false],
    ["a reference to nothing", ref("A"), false],
    ["a circle", { anyOf: [ref("A")], $defs: { A: { anyOf: [ref("A")] } } }, false],
    ["a list of types", { type: ["object", "null"] }, false],
    ["anything", {}, false]
  ])("%s has an object root: %s", (_, schema, expected) => {
    const root = objectRoot(schema)
    if (expected) assert.deepStrictEqual(root, { ...schema, type: "object" })
    else assert.isUndefined(root)
    assert.strictEqual(root !== undefined && hasObjectRoot(root), expected)
  })
})

describe("anyOfObjects", () => {
  const leaf = (type: string): JsonObject => ({ type: "object", properties: { p: { type } } })
  const nested = (type: string): JsonObject => ({
    ...object({ item: ref("Item") }),
    $defs: { Item: object({ x: ref("Leaf") }), Leaf: leaf(type) }
  })

  it("admits what any of the given ones admits", () => {
    assert.deepStrictEqual(anyOfObjects([object({ a: text }), object({ b: text })]), {
      type: "object",
      anyOf: [object({ a: text }), object({ b: text })]
    })
  })

  it("shares definitions that are the same", () => {
    const { $defs, ...schema } = nested("string")
    assert.deepStrictEqual(anyOfObjects([nested("string"), nested("string")]), {
      type: "object",
      anyOf: [schema, schema],
      $defs: $defs ?? {}
    })
  })

  it("keeps definitions of one name apart, and what refers to them", () => {
    assert.deepStrictEqual(anyOfObjects([nested("string"), nested("integer"), nested("string")]), {
      type: "object",
      anyOf: [object({ item: ref("Item") }), object({ item: ref("Item_2") }), object({ item: ref("Item") })],
      $defs: {
        Item: object({ x: ref("Leaf") }),
        Leaf: leaf("string"),
        Item_2: object({ x: ref("Leaf_2") }),
        Leaf_2: leaf("integer")
      }
    })
  })

  it("takes no name that is in use already", () => {
    const one = (type: string, more: JsonObject): JsonObject => ({
      ...object({ a: ref("A") }),
      $defs: { A: { type }, ...more }
    })
    assert.deepStrictEqual(anyOfObjects([one("string", {}), one("integer", { A_2: text })])["$defs"], {
      A: { type: "string" },
      A_2: { type: "integer" },
      A_2_2: text
    })
  })
})

describe("embed", () => {
  it("SCHEMA-04 takes $schema and $defs to the root of the new document", () => {
    assert.deepStrictEqual(embed({ $schema: "d", $defs: { A: text }, type: "array", items: ref("A") }), {
      schema: { type: "array", items: ref("A") },
      definitions: { A: text },
      dialect: { $schema: "d" }
    })
  })

  it("SCHEMA-04 leads references to the old root to a definition", () => {
    const tree = object({
      kids: { items: { $ref: "#" } },
      first: { $ref: "#/properties/kids/items" },
      named: { $ref: "#tree" }
    })
    assert.deepStrictEqual(embed({ ...tree, $defs: { Root: text, B: { $ref: "#" } } }), {
      schema: ref("Root_2"),
      definitions: {
        Root: text,
        B: ref("Root_2"),
        Root_2: object({
          kids: { items: ref("Root_2") },
          first: ref("Root_2/properties/kids/items"),
          named: { $ref: "#tree" }
        })
      },
      dialect: {}
    })
  })
})

describe("lean", () => {
  it.each<readonly [string, JsonObject, JsonObject]>([
    [
      "D6 the bounds of safe integers",
      { type: "integer", minimum: -9007199254740991, maximum: 9007199254740991 },
      { type: "integer" }
    ],
    [
      "D6 additionalProperties: true, at any depth",
      { items: { type: "object", additionalProperties: true } },
      { items: { type: "object" } }
    ],
    [
      "an allOf of descriptions, bounds and extension keys",
      { type: "string", minLength: 1, allOf: [{ description: "d" }, { maxLength: 2, "x-mcp-header": "A" }] },
      { type: "string", minLength: 1, description: "d", maxLength: 2, "x-mcp-header": "A" }
    ]
  ])("removes %s", (_, schema, expected) => {
    assert.deepStrictEqual(lean(schema), expected)
  })

  it.each<readonly [string, JsonObject]>([
    ["other bounds", { type: "integer", minimum: 0, maximum: 9007199254740990 }],
    [
      "the same bounds on numbers, where they say something",
      { type: "number", minimum: -9007199254740991, maximum: 9007199254740991 }
    ],
    ["an allOf that says a bound again", { type: "string", minLength: 1, allOf: [{ minLength: 2 }] }],
    ["an allOf of schemas", { type: "object", allOf: [{ required: ["a"] }, { anyOf: [{}] }, true] }],
    ["a closed object", { type: "object", additionalProperties: false }],
    ["properties with such names", object({ minimum: text, additionalProperties: text })],
    [
      "data that looks like it",
      {
        const: { additionalProperties: true },
        default: { maximum: 9007199254740991 },
        enum: [{ additionalProperties: true }]
      }
    ],
    ["extension keys", { type: "string", "x-mcp-header": "Tenant", "x-note": { additionalProperties: true } }]
  ])("keeps %s", (_, schema) => {
    assert.deepStrictEqual(lean(schema), schema)
  })

  it.prop("is total, and does nothing the second time", [hostileJson], ([schema]) => {
    const once = lean({ properties: { a: schema } })
    assert.deepStrictEqual(lean(once), once)
  })
})
