import { assert, describe, it } from "@effect/vitest"
import { Arg } from "@treadle/protocol"
import { wireDecoder } from "@treadle/protocol/json"
import { formAnswer, FormRequest, formSchema, FormSchema, type FormSource } from "@treadle/protocol/schema"
import { hostileJson } from "@treadle/testing"
import { Ajv2020 } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import * as Arbitrary from "effect/Arbitrary"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as z from "zod/v4"

const Size = Schema.Enum({ Small: "s", Large: "l" } as const)
const Day = Schema.Union([Schema.Literal("mon").annotate({ title: "Monday" }), Schema.Literal("tue")])

const fields = {
  text: Schema.String,
  name: Schema.String.check(Schema.isMinCodePoints(1), Schema.isMaxCodePoints(80)).annotate({
    title: "Your name",
    description: "As on the ticket"
  }),
  mail: Schema.String.annotate({ format: "email" }),
  when: Schema.DateTimeUtcFromString.pipe(Schema.annotateEncoded({ format: "date-time" })),
  named: Schema.String.annotate({ identifier: "Named", description: "by reference" }),
  price: Schema.Finite.check(Schema.isBetween({ minimum: 0.5, maximum: 9.5 })),
  seats: Schema.Int.check(Schema.isGreaterThan(0), Schema.isLessThan(9)).annotate({ default: 2 }),
  vip: Schema.Boolean.annotate({ default: false }),
  row: Schema.Literals(["front", "back"]).annotate({ default: "back" }),
  size: Size.annotate({ title: "Size" }),
  day: Day,
  days: Schema.Array(Schema.Literals(["mon", "tue"]))
    .check(Schema.isMinLength(1), Schema.isMaxLength(2))
    .annotate({ default: ["mon"] }),
  sizes: Schema.Array(Size),
  note: Schema.optionalKey(Schema.String),
  lang: Arg.withDefault(Schema.Literals(["en", "ja"]), "en")
}

/** What each field is published as (ELIC-05), and whether it is required. */
const published: { readonly [F in keyof typeof fields]: readonly [object, boolean] } = {
  text: [{ type: "string" }, true],
  name: [{ type: "string", minLength: 1, maxLength: 80, title: "Your name", description: "As on the ticket" }, true],
  mail: [{ type: "string", format: "email" }, true],
  when: [{ type: "string", format: "date-time" }, true],
  named: [{ type: "string", description: "by reference" }, true],
  price: [{ type: "number", minimum: 0.5, maximum: 9.5 }, true],
  seats: [{ type: "integer", minimum: 1, maximum: 8, default: 2 }, true],
  vip: [{ type: "boolean", default: false }, true],
  row: [{ type: "string", enum: ["front", "back"], default: "back" }, true],
  size: [
    {
      type: "string",
      title: "Size",
      oneOf: [
        { const: "s", title: "Small" },
        { const: "l", title: "Large" }
      ]
    },
    true
  ],
  day: [
    {
      type: "string",
      oneOf: [
        { const: "mon", title: "Monday" },
        { const: "tue", title: "tue" }
      ]
    },
    true
  ],
  days: [
    { type: "array", items: { type: "string", enum: ["mon", "tue"] }, minItems: 1, maxItems: 2, default: ["mon"] },
    true
  ],
  sizes: [
    {
      type: "array",
      items: {
        anyOf: [
          { const: "s", title: "Small" },
          { const: "l", title: "Large" }
        ]
      }
    },
    true
  ],
  note: [{ type: "string" }, false],
  lang: [{ type: "string", enum: ["en", "ja"], default: "en" }, false]
}

type Name = keyof typeof fields
const names = Object.keys(fields) as ReadonlyArray<Name>
const structOf = (name: Name): FormSource<object> => Schema.Struct({ [name]: fields[name] })

const validator = (schema: FormSchema) => {
  const ajv = new Ajv2020({ strict: false })
  addFormats.default(ajv)
  return ajv.compile(schema)
}

describe("formSchema", () => {
  it.each(names)("ELIC-04 ELIC-05 asks for %s", (name) => {
    const [field, required] = published[name]
    assert.deepStrictEqual<unknown>(
      formSchema(structOf(name)),
      Result.succeed({ type: "object", properties: { [name]: field }, ...(required ? { required: [name] } : {}) })
    )
  })

  it("ELIC-04 asks for all of them at once, in a request that is read as a form", () => {
    const form = Result.getOrThrow(formSchema(Schema.Struct(fields)))
    assert.deepStrictEqual<ReadonlyArray<string>>(Object.keys(form.properties), names)
    const request = { mode: "form", message: "Book", requestedSchema: form }
    assert.deepStrictEqual<unknown>(wireDecoder(FormRequest)(request), Result.succeed(request))
  })

  it("B092 a form without fields is one", () => {
    assert.deepStrictEqual<unknown>(formSchema(Schema.Struct({})), Result.succeed({ type: "object", properties: {} }))
  })

  it.each<readonly [string, FormSource<unknown>, string, RegExp]>([
    ["null", Schema.Struct({ a: Schema.NullOr(Schema.String) }), "a", /no null: use Schema.optionalKey/],
    ["undefined", Schema.Struct({ a: Schema.optional(Schema.String) }), "a", /use Schema.optionalKey/],
    ["a struct in it", Schema.Struct({ a: Schema.Struct({ b: Schema.String }) }), "a", /flat: lift the inner fields/],
    ["a list of text", Schema.Struct({ a: Schema.Array(Schema.String) }), "a", /use Schema.Array\(Schema.Literals/],
    ["a tuple", Schema.Struct({ a: Schema.NonEmptyArray(Schema.Literals(["x"])) }), "a", /use Schema.Array with/],
    ["numbers to choose", Schema.Struct({ a: Schema.Literals([1, 2]) }), "a", /use Schema.Literals of strings/],
    ["other unions", Schema.Struct({ a: Schema.Union([Schema.String, Schema.Boolean]) }), "a", /two fields/],
    ["a pattern", Schema.Struct({ a: Schema.String.check(Schema.isPattern(/^a/u)) }), "a", /no patterns: use a format/],
    [
      "a pattern that is not even printed",
      Schema.Struct({ a: Schema.String.check(Schema.isPattern(/^a/)) }),
      "a",
      /u flag/
    ],
    [
      "another format",
      Schema.Struct({ a: Schema.String.annotate({ format: "uuid" }) }),
      "a",
      /email, uri, date, date-time/
    ],
    [
      "an exclusive bound",
      Schema.Struct({ a: Schema.Finite.check(Schema.isGreaterThan(0)) }),
      "a",
      /isGreaterThanOrEqualTo/
    ],
    ["a step", Schema.Struct({ a: Schema.Finite.check(Schema.isMultipleOf(0.5)) }), "a", /multipleOf/],
    // @effect-diagnostics-next-line schemaNumber:off
    ["infinity", Schema.Struct({ a: Schema.Number }), "a", /use Schema.Finite or Schema.Int/],
    ["anything", Schema.Struct({ a: Schema.Unknown }), "a", /strings, numbers, booleans and choices only/],
    [
      "a least length in code units",
      Schema.Struct({ a: Schema.String.check(Schema.isMinLength(3)) }),
      "a",
      /isMinCodePoints\(3\)/
    ],
    ["a default of another kind", Schema.Struct({ a: Schema.Int.annotate({ default: "x" as never }) }), "a", /default/],
    [
      "a default that is no choice",
      Schema.Struct({ a: Schema.Literals(["x"]).annotate({ default: "y" as never }) }),
      "a",
      /default "y" is none of the choices/
    ],
    ["more than its fields", Schema.Record(Schema.String, Schema.String), "", /leave the record out/],
    ["names that are no text", Schema.Struct({ [Symbol("a")]: Schema.String }), "", /names of a form are strings/],
    ["no struct", Schema.String, "", /use Schema.Struct/]
  ])("ELIC-05 refuses %s, and names the field and the cure", (_, schema, path, message) => {
    const form = formSchema(schema)
    assert.isTrue(Result.isFailure(form))
    if (Result.isFailure(form)) {
      assert.deepStrictEqual(
        form.failure.map((finding) => finding.path),
        [path]
      )
      assert.match(form.failure[0]?.message ?? "", message)
    }
  })

  it("names the fields that are no schemas of Effect", () => {
    const form = formSchema(Schema.Struct({ a: z.string() as never, b: Schema.String, c: 5 as never }))
    const message = "is no Effect Schema; forms take fields of Effect schemas"
    assert.deepStrictEqual(
      form,
      Result.fail([
        { path: "a", message },
        { path: "c", message }
      ])
    )
  })

  it("names every field that does not fit at once", () => {
    const form = formSchema(Schema.Struct({ a: Schema.Unknown, b: Schema.String, c: Schema.NullOr(Schema.Int) }))
    assert.deepStrictEqual(Result.isFailure(form) ? form.failure.map(({ path }) => path) : [], ["a", "c"])
  })
})

describe("formAnswer", () => {
  it.each(names.filter((name) => name !== "when"))(
    "ELIC-06 what fits %s by the form is read, and nothing else is",
    (name) => {
      const schema = structOf(name)
      const valid = validator(Result.getOrThrow(formSchema(schema)))
      const read = formAnswer(schema)
      const [field] = published[name]
      const required = published[name][1] && !("default" in field)
      for (const value of [
        "",
        "Ada",
        "front",
        "s",
        "mon",
        "en",
        "a@b.example",
        0,
        1,
        8,
        9,
        0.5,
        true,
        [],
        ["mon"],
        ["s"],
        null,
        {}
      ]) {
        const answer = { [name]: value }
        if (name !== "mail") assert.strictEqual(Result.isSuccess(read(answer)), valid(answer), JSON.stringify(answer))
      }
      assert.strictEqual(Result.isFailure(read({})), required)
    }
  )

  it("ELIC-06 fills in the defaults that the form offered", () => {
    const { days, lang, note, row, seats, vip } = fields
    const read = formAnswer(Schema.Struct({ days, lang, note, row, seats, vip }))
    const defaults = { days: ["mon"], lang: "en", row: "back", seats: 2, vip: false }
    for (const none of [{}, undefined, null]) assert.deepStrictEqual<unknown>(read(none), Result.succeed(defaults))
    assert.deepStrictEqual<unknown>(read({ seats: 3, vip: true }), Result.succeed({ ...defaults, seats: 3, vip: true }))
  })

  it("decodes what the form sends as text", () => {
    const read = formAnswer(Schema.Struct({ at: fields.when }))
    const decoded = read({ at: "2026-07-28T00:00:00Z" })
    assert.strictEqual(Result.isSuccess(decoded) && decoded.success.at.epochMilliseconds, Date.UTC(2026, 6, 28))
    assert.isTrue(Result.isFailure(read({ at: "tomorrow" })))
  })

  it("B092 names every field of an answer that breaks the form", () => {
    const { name, price, seats } = fields
    const read = formAnswer(Schema.Struct({ name, price, seats }))({ name: "", seats: 1.5 })
    assert.isTrue(Result.isFailure(read))
    if (Result.isFailure(read)) {
      assert.deepStrictEqual(
        read.failure.problems.map((problem) => problem.split(":")[0]),
        ["name", "price", "seats"]
      )
    }
  })

  const answers = Arbitrary.map(Arbitrary.all([hostileJson, Arbitrary.schema(Schema.Literals(names))]), (pair) => pair)
  it.prop("is total over any JSON", [answers], ([[value, name]]) => {
    const read = formAnswer(structOf(name))
    for (const content of [value, { [name]: value }]) {
      const decoded = read(content)
      if (Result.isFailure(decoded)) assert.isAbove(decoded.failure.problems.length, 0)
    }
  })
})
