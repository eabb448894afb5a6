import { assert, describe, it } from "@effect/vitest"
import { compareParams, mirrorParams, paramHeaders, type ParamHeader } from "@treadle/protocol/http"
import type { JsonObject } from "@treadle/protocol/json"
import { hostileJson, wellFormedText } from "@treadle/testing"
import * as Arbitrary from "effect/Arbitrary"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const schema: JsonObject = {
  type: "object",
  properties: {
    tenant: { type: "string", "x-mcp-header": "Tenant" },
    limit: { type: "integer", "x-mcp-header": "Limit" },
    dry: { type: "boolean", "x-mcp-header": "Dry-Run" },
    plain: { type: "string" },
    where: { type: "object", properties: { region: { type: "string", "x-mcp-header": "Region" } } }
  }
}

const headers = Result.getOrThrow(paramHeaders(schema))

const optional = <A>(values: Arbitrary.Arbitrary<A>) =>
  Arbitrary.flatMap(Arbitrary.schema(Schema.Boolean), (given) => (given ? values : Arbitrary.Constant(undefined)))

const args = Arbitrary.map(
  Arbitrary.all({
    tenant: optional(wellFormedText),
    limit: optional(Arbitrary.schema(Schema.Int)),
    dry: optional(Arbitrary.schema(Schema.Boolean)),
    region: optional(wellFormedText)
  }),
  ({ tenant, limit, dry, region }): JsonObject => ({
    ...(tenant === undefined ? {} : { tenant }),
    ...(limit === undefined ? {} : { limit }),
    ...(dry === undefined ? { dry: null } : { dry }),
    ...(region === undefined ? {} : { where: { region } })
  })
)

const lookup = (sent: Iterable<readonly [string, string]>) => {
  const table = new Map(sent)
  return (header: string) => table.get(header)
}

describe("mirrorParams and compareParams", () => {
  it.prop("XHDR-06 XHDR-10 what a client mirrors, a server finds equal", [args], ([one]) => {
    assert.isUndefined(compareParams(headers, one, lookup(mirrorParams(headers, one))))
  })

  it.prop("XHDR-10 taking away any one header is noticed", [args], ([one]) => {
    const sent = mirrorParams(headers, one)
    for (const [missing] of sent) {
      const rest = sent.filter(([header]) => header !== missing)
      assert.include(compareParams(headers, one, lookup(rest)), `must be repeated in the header ${missing}`)
    }
  })

  it.prop("XHDR-09b adding a header for an absent argument is noticed", [args], ([one]) => {
    const sent = mirrorParams(headers, one)
    for (const { header } of headers) {
      if (sent.some(([name]) => name === header)) continue
      assert.include(compareParams(headers, one, lookup([...sent, [header, "x"]])), `Header ${header} was sent, but`)
    }
  })

  it.prop("comparing is total over any arguments and any value", [hostileJson, wellFormedText], ([value, text]) => {
    for (const one of [value, { tenant: value, limit: value, where: value }]) {
      const said = compareParams(headers, one, () => text)
      assert.isTrue(said === undefined || said.length > 0)
    }
  })

  const one: JsonObject = { tenant: "日本", limit: 42, dry: false, where: { region: "" } }
  it("HDR-13 strings as they are, integers in decimal, booleans as words, nested ones too", () => {
    assert.deepStrictEqual(mirrorParams(headers, one), [
      ["mcp-param-tenant", "=?base64?5pel5pys?="],
      ["mcp-param-limit", "42"],
      ["mcp-param-dry-run", "false"],
      ["mcp-param-region", ""]
    ])
  })

  it.each([
    ["XHDR-11 an integer with a fraction of zeros", "mcp-param-limit", "42.0", undefined],
    ["XHDR-11 leading zeros", "mcp-param-limit", "042", undefined],
    ["XHDR-11 another integer", "mcp-param-limit", "43", "Header mcp-param-limit differs from the argument limit"],
    ["XHDR-11 an exponent", "mcp-param-limit", "4.2e1", "Header mcp-param-limit differs from the argument limit"],
    ["XHDR-11 hexadecimal", "mcp-param-limit", "0x2A", "Header mcp-param-limit differs from the argument limit"],
    ["XHDR-11 nothing", "mcp-param-limit", "", "Header mcp-param-limit differs from the argument limit"],
    ["HDR-06 another case", "mcp-param-dry-run", "False", "Header mcp-param-dry-run differs from the argument dry"],
    [
      "HDR-11 the undecoded text",
      "mcp-param-tenant",
      "日本",
      "Header mcp-param-tenant has a value that cannot be decoded"
    ],
    [
      "HDR-12 bad Base64",
      "mcp-param-tenant",
      "=?base64?x?=",
      "Header mcp-param-tenant has a value that cannot be decoded"
    ],
    ["HDR-07 white space around", "mcp-param-limit", " 42 ", undefined],
    ["a nested argument", "mcp-param-region", "eu", "Header mcp-param-region differs from the argument where.region"]
  ])("%s in %s: %j", (_, header, value, said) => {
    const sent = mirrorParams(headers, one).filter(([name]) => name !== header)
    assert.strictEqual(compareParams(headers, one, lookup([...sent, [header, value]])), said)
  })

  it("a property of the prototype is no argument", () => {
    const [tenant] = headers
    const inherited: ReadonlyArray<ParamHeader> =
      tenant === undefined ? [] : [{ ...tenant, path: ["constructor", "name"] }]
    assert.deepStrictEqual(mirrorParams(inherited, {}), [])
    assert.isUndefined(compareParams(inherited, {}, () => undefined))
  })
})

const refused = (properties: JsonObject, more: JsonObject = {}) => {
  const found = paramHeaders({ type: "object", properties, ...more })
  return Result.isFailure(found) ? found.failure : []
}

const marked = { type: "string", "x-mcp-header": "A" }

describe("paramHeaders", () => {
  it("XHDR-01 lists header, path and type in the order of the schema", () => {
    assert.deepStrictEqual(headers, [
      { header: "mcp-param-tenant", path: ["tenant"], type: "string" },
      { header: "mcp-param-limit", path: ["limit"], type: "integer" },
      { header: "mcp-param-dry-run", path: ["dry"], type: "boolean" },
      { header: "mcp-param-region", path: ["where", "region"], type: "string" }
    ])
  })

  it.each(["", "a b", "a:b", "é", "a\n", "(a)", 7, null, true])("XHDR-02 %j is no header name", (name) => {
    assert.deepStrictEqual(refused({ a: { type: "string", "x-mcp-header": name } }), [
      `a: ${JSON.stringify(name)} is no header name; use letters, digits and - _ . without spaces`
    ])
  })

  it("XHDR-02 names compare without case, over the whole schema", () => {
    assert.deepStrictEqual(
      refused({ a: marked, b: { type: "object", properties: { c: { ...marked, "x-mcp-header": "a" } } } }),
      ['b.c: the header "a" is used twice; names compare without case']
    )
  })

  it.each(["number", "array", "object", "null", undefined, ["string", "null"]])(
    "XHDR-03 the type %j cannot be mirrored",
    (type) => {
      const member: JsonObject = { ...(type === undefined ? {} : { type }), "x-mcp-header": "A" }
      assert.deepStrictEqual(refused({ a: member }), [
        "a: only a string, an integer or a boolean can be mirrored in a header"
      ])
    }
  )

  it.each(["items", "additionalProperties", "not", "if", "then", "else"])(
    "XHDR-04 an annotation inside %s is not reached",
    (key) => {
      assert.deepStrictEqual(refused({ a: { type: "object", [key]: marked } }), [
        `a: x-mcp-header inside "${key}" is not reached`
      ])
    }
  )

  it.each(["oneOf", "anyOf", "allOf", "prefixItems"])(
    "XHDR-04 an annotation inside a branch of %s is not reached",
    (key) => {
      assert.deepStrictEqual(refused({}, { [key]: [{ properties: { a: marked } }] }), [
        `the root: x-mcp-header inside "${key}" is not reached`
      ])
    }
  )

  it("XHDR-04 an annotation behind a $ref is not reached", () => {
    assert.deepStrictEqual(refused({ a: { $ref: "#/$defs/A" } }, { $defs: { A: marked } }), [
      'the root: x-mcp-header inside "$defs" is not reached'
    ])
  })

  it("XHDR-04 the root takes none", () => {
    assert.deepStrictEqual(refused({}, { "x-mcp-header": "A" }), ["the root: x-mcp-header belongs on a property"])
  })

  it("names every fault at once", () => {
    assert.strictEqual(
      refused({ a: { ...marked, type: "number" }, b: { ...marked, "x-mcp-header": "" }, c: { items: marked } }).length,
      3
    )
  })

  it.prop("is total over any schema", [hostileJson], ([node]) => {
    const found = paramHeaders({ type: "object", properties: { a: node, b: { properties: node } } })
    assert.isTrue(Result.isSuccess(found) || found.failure.length > 0)
  })
})
