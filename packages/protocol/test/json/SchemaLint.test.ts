/**
 * One test for each way in which an Effect Schema says more than the JSON Schema that is printed of it.
 */
import { assert, describe, it } from "@effect/vitest"
import { lintSchema, printSchema, type SchemaFinding } from "@treadle/protocol/json"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const lint = (schema: Schema.Constraint, side: "input" | "output" = "input"): ReadonlyArray<SchemaFinding> =>
  lintSchema(schema, printSchema(schema), side)

/** The findings of a schema as a member of a list in a struct, where its path is longest. */
const lintMember = (schema: Schema.Constraint) =>
  lint(Schema.Struct({ guests: Schema.Array(Schema.Struct({ of: schema })) }))

const encoded = "annotate what is sent: schema.pipe(Schema.annotateEncoded({ … }))"

class Described extends Schema.Class<Described>("Described")(
  { id: Schema.Int },
  { description: "A user", title: "User" }
) {}

describe("lintSchema finds", () => {
  it.each<readonly [string, Schema.Constraint, ReadonlyArray<string>]>([
    [
      "the description of a Schema.Number",
      // @effect-diagnostics-next-line schemaNumber:off
      Schema.Number.annotate({ description: "Price" }),
      ['its description "Price" is lost in JSON Schema: use Schema.Finite or Schema.Int instead of Schema.Number']
    ],
    [
      "Schema.optional",
      Schema.optional(Schema.String),
      ["Schema.optional publishes and sends null: use Schema.optionalKey"]
    ],
    [
      "a least length in code units",
      Schema.String.check(Schema.isMinLength(2)),
      ["a smaller least length is published than is checked: use Schema.isMinCodePoints(2)"]
    ],
    [
      "a range of lengths in code units",
      Schema.String.check(Schema.isBetweenLength(2, 9)),
      ["a smaller least length is published than is checked: use Schema.isBetweenCodePoints(2, 9)"]
    ],
    [
      "a pattern without the u flag",
      Schema.String.check(Schema.isPattern(/^a/)),
      ["the pattern /^a/ is not published: write it with the u flag, /^a/u"]
    ],
    [
      "a pattern with the i flag",
      Schema.String.check(Schema.isPattern(/^a/iu)),
      ["the pattern /^a/iu is not published: only the u flag is; say the others in the pattern"]
    ],
    [
      "the description of a date",
      Schema.DateFromString.annotate({ description: "When" }),
      [`its description "When" is lost in JSON Schema: ${encoded}`]
    ],
    [
      "the description of a UTC date",
      Schema.DateTimeUtcFromString.annotate({ description: "When" }),
      [`its description "When" is lost in JSON Schema: ${encoded}`]
    ],
    [
      "the title of a URL",
      Schema.URLFromString.annotate({ title: "Link" }),
      [`its title "Link" is lost in JSON Schema: ${encoded}`]
    ],
    [
      "description and title of a class",
      Described,
      [
        `its description "A user" is lost in JSON Schema: ${encoded}`,
        `its title "User" is lost in JSON Schema: ${encoded}`
      ]
    ],
    [
      "a declaration without a JSON form",
      Schema.declare((value): value is Map<string, string> => value instanceof Map),
      ["it has no JSON form, so nothing would describe it: give it one with Schema.decodeTo or Schema.link"]
    ],
    [
      "an instance of a class of somebody else",
      Schema.instanceOf(WeakRef),
      ["it has no JSON form, so nothing would describe it: give it one with Schema.decodeTo or Schema.link"]
    ],
    [
      "the description of a check that is not printed",
      Schema.String.check(Schema.makeFilter((text: string) => text.length > 1, { description: "Two or more" })),
      ['its description "Two or more" is lost in JSON Schema: annotate the schema of the member itself']
    ]
  ])("%s, and says where and what to do", (_, schema, messages) => {
    assert.deepStrictEqual(
      lintMember(schema),
      messages.map((message) => ({ path: "guests[0].of", message }))
    )
  })

  it("a default that only the constructor knows, in an input", () => {
    const schema = Schema.Struct({ limit: Schema.Int.pipe(Schema.withConstructorDefault(Effect.succeed(1))) })
    assert.deepStrictEqual(lint(schema), [
      { path: "limit", message: "a constructor default does not reach the caller: use Arg.withDefault" }
    ])
    assert.deepStrictEqual(lint(schema, "output"), [])
  })

  it("a description that is lost here and printed for another member", () => {
    const schema = Schema.Struct({
      from: Schema.DateFromString.annotate({ description: "A day" }),
      note: Schema.String.annotate({ description: "A day" })
    })
    assert.deepStrictEqual(lint(schema), [
      { path: "from", message: `its description "A day" is lost in JSON Schema: ${encoded}` }
    ])
  })

  it("losses in unions, records, pairs and behind a suspension", () => {
    const lost = Schema.DateFromString.annotate({ description: "When" })
    const paths = [
      Schema.Union([Schema.Struct({ a: lost }), Schema.Struct({ b: Schema.String })]),
      Schema.Record(Schema.String, lost),
      Schema.Tuple([Schema.String, lost]),
      Schema.Struct({ later: Schema.suspend(() => lost) }),
      lost
    ].map((schema) => lint(schema).map((finding) => finding.path))
    assert.deepStrictEqual(paths, [["a"], ['["*"]'], ["[1]"], ["later"], [""]])
  })

  it("every loss at once", () => {
    const schema = Schema.Struct({ a: Schema.optional(Schema.String), b: Schema.String.check(Schema.isPattern(/a/)) })
    assert.deepStrictEqual(
      lint(schema).map((finding) => finding.path),
      ["a", "b"]
    )
  })
})

interface Tree {
  readonly kids: ReadonlyArray<Tree>
}
const Tree: Schema.Codec<Tree> = Schema.Struct({
  kids: Schema.Array(Schema.suspend((): Schema.Codec<Tree> => Tree)).annotate({ description: "Below" })
}).annotate({ identifier: "Tree", description: "A tree" })

describe("lintSchema finds nothing in", () => {
  it.each<readonly [string, Schema.Constraint]>([
    ["a described integer", Schema.Int.annotate({ description: "d", title: "t" })],
    // @effect-diagnostics-next-line schemaNumber:off
    ["a number without annotations", Schema.Number],
    ["an optional key", Schema.optionalKey(Schema.String.annotate({ description: "d" }))],
    ["a description on a key", Schema.String.annotateKey({ description: "d" })],
    ["a non-empty string", Schema.NonEmptyString],
    ["a least length in code points", Schema.String.check(Schema.isMinCodePoints(3))],
    ["a greatest length", Schema.String.check(Schema.isMaxLength(3))],
    ["a list with a least length", Schema.Array(Schema.Int).check(Schema.isMinLength(3))],
    ["a pattern with the u flag", Schema.String.check(Schema.isPattern(/^a/u))],
    ["a described check that is printed", Schema.String.check(Schema.isMinLength(1, { description: "d" }))],
    ["a description before a check", Schema.String.annotate({ description: "d" }).check(Schema.isMinLength(1))],
    ["a date, described as it is sent", Schema.DateFromString.pipe(Schema.annotateEncoded({ description: "d" }))],
    ["nullish or a string", Schema.NullishOr(Schema.String)],
    ["a default without annotation", Schema.Int.pipe(Schema.withDecodingDefaultKey(Effect.succeed(3)))],
    ["a choice of one", Schema.Union([Schema.Struct({ a: Schema.Int })], { mode: "oneOf" })],
    ["an enum", Schema.Enum({ A: "a" })],
    ["a big integer", Schema.BigInt],
    ["a map", Schema.ReadonlyMap(Schema.String, Schema.Int)],
    ["an option", Schema.Option(Schema.Int)],
    ["bytes", Schema.Uint8ArrayFromBase64],
    ["a brand", Schema.String.pipe(Schema.brand("Id")).annotate({ description: "d" })],
    ["a header annotation", Schema.String.annotate({ "x-mcp-header": "A" })],
    ["a described recursive schema", Tree]
  ])("%s", (_, schema) => {
    assert.deepStrictEqual(lintMember(schema), [])
  })

  it("two structs that share an identifier", () => {
    const point = (key: string) => Schema.Struct({ [key]: Schema.Int }).annotate({ identifier: "Point" })
    const schema = Schema.Struct({ a: point("x"), b: point("y") })
    assert.deepStrictEqual(lint(schema), [])
    assert.deepStrictEqual(Object.keys(printSchema(schema)["$defs"] ?? {}), ["Point", "Point_1"])
  })
})
