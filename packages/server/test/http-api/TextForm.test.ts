/** What values look like as text: every value of a form comes back, and forms that text cannot tell are refused. */
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { JsonObject } from "@treadle/protocol/json"
import { printSchema } from "@treadle/protocol/json"
import { formOf, fromTexts, pathProblem, queryProblem, toTexts } from "../../src/http-api/TextForm.ts"

const form = (schema: Schema.Top) => {
  const printed = printSchema(schema as never) as JsonObject
  return formOf(printed, printed)
}

const there = (schema: Schema.Top, value: unknown) => {
  const texts = toTexts(value as never)
  return fromTexts(form(schema), typeof texts === "string" ? [texts] : texts)
}

const told: ReadonlyArray<readonly [string, Schema.Codec<unknown>]> = [
  ["text", Schema.String],
  ["a whole number", Schema.Int],
  ["a number", Schema.Finite],
  ["true or false", Schema.Boolean],
  ["a choice", Schema.Literals(["stalls", "1", "true", "null", ""])],
  ["a choice of numbers", Schema.Literals([1, 2, 30])],
  ["a number or null", Schema.NullOr(Schema.Int)],
  ["a word or a number", Schema.Union([Schema.Literal("all"), Schema.Int])],
  ["numbers", Schema.Array(Schema.Int)],
  ["texts", Schema.Array(Schema.String)],
  ["a checked number", Schema.Int.check(Schema.isBetween({ minimum: -5, maximum: 5 }))]
]

describe("TextForm", () => {
  it.effect.each(told)("brings every value of %s back", ([, schema]) =>
    Effect.gen(function* () {
      assert.isUndefined(queryProblem(form(schema)))
      const checked = yield* Arbitrary.checkEffect(
        Arbitrary.schema(schema),
        (value) =>
          Effect.sync(() => {
            const json = JSON.parse(JSON.stringify(value))
            assert.deepStrictEqual(there(schema, json), json)
            return true
          }),
        { runs: 100 }
      )
      assert.strictEqual(checked._tag, "Passed", Arbitrary.formatCheckFailure(checked))
    })
  )

  it("keeps text that is no value as it is, so that the schema says what is wrong", () => {
    const numbers = form(Schema.Int)
    for (const text of ["", "x", "01", "+1", "1e999", " 1", "0x10", "Infinity"]) {
      assert.strictEqual(fromTexts(numbers, [text]), text)
    }
    assert.deepStrictEqual(fromTexts(numbers, ["1", "2"]), ["1", "2"])
    assert.strictEqual(fromTexts(form(Schema.Boolean), ["yes"]), "yes")
  })

  it("takes one value of a list as a list", () => {
    assert.deepStrictEqual(fromTexts(form(Schema.Array(Schema.Int)), ["7"]), [7])
  })

  it.each<readonly [string, Schema.Top, string]>([
    ["text or a number", Schema.Union([Schema.String, Schema.Int]), "may be text or a number"],
    ["text or null", Schema.NullOr(Schema.String), "may be text or null"],
    ["a word that is a number too", Schema.Union([Schema.Literal("1"), Schema.Int]), 'the text "1" or the value'],
    ["an object", Schema.Struct({ a: Schema.Int }), "may be an object"],
    ["anything", Schema.Json, "may be"],
    ["a list or one", Schema.Union([Schema.Int, Schema.Array(Schema.Int)]), "may be a list or one value"],
    ["lists of lists", Schema.Array(Schema.Array(Schema.Int)), "may be a list of lists"],
    ["a list of objects", Schema.Array(Schema.Struct({ a: Schema.Int })), "may be an object"],
    ["a pair", Schema.Tuple([Schema.Int, Schema.String]), "may be a list whose places differ"]
  ])("refuses %s", (_, schema, why) => {
    assert.include(queryProblem(form(schema)), why)
    assert.isDefined(pathProblem(form(schema)))
  })

  it("refuses lists in a path", () => {
    assert.include(pathProblem(form(Schema.Array(Schema.Int))), "may be a list")
    assert.isUndefined(pathProblem(form(Schema.Int)))
  })

  it("follows references, and does not follow them for ever", () => {
    const root = { $defs: { Id: { type: "integer" }, Loop: { $ref: "#/$defs/Loop" } } }
    assert.strictEqual(fromTexts(formOf({ $ref: "#/$defs/Id" }, root), ["3"]), 3)
    assert.isDefined(queryProblem(formOf({ $ref: "#/$defs/Loop" }, root)))
    assert.isDefined(queryProblem(formOf({ $ref: "#/$defs/None" }, root)))
    assert.isDefined(queryProblem(formOf({ $ref: "#/$defs/100%" }, root)))
  })
})
