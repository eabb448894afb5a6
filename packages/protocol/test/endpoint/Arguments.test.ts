/**
 * What a caller gives, as it is encoded by a client and decoded by a server.
 */
import { assert, describe, it } from "@effect/vitest"
import { Arg, toolShape } from "@treadle/protocol/endpoint"
import type { Misfit } from "@treadle/protocol/json"
import { hostileJson, inputCase } from "@treadle/testing"
import { Ajv2020 } from "ajv/dist/2020.js"
import { type } from "arktype"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as z from "zod/v4"

/** As text, which is how arguments travel. */
const sent = (json: unknown): unknown => JSON.parse(JSON.stringify(json))

const travel = (input: unknown, args: unknown) => {
  const { input: codec } = toolShape({ input })
  return Effect.flatMap(codec.encode(args), (json) => codec.decode(sent(json)))
}

const problems = (input: unknown, args: unknown): Effect.Effect<ReadonlyArray<string>, unknown> =>
  Effect.map(Effect.flip(toolShape({ input }).input.decode(args)), (misfit: Misfit) => misfit.problems)

describe("Arguments", () => {
  it.effect.prop("what a caller gives, the handler gets, with defaults filled in", [inputCase], ([one]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* travel(one.fields, one.args), one.input)
    })
  )

  it.effect.prop(
    "D6 what is given fits the schema that is published",
    [inputCase],
    ([one]) =>
      Effect.gen(function* () {
        const shape = toolShape({ input: one.fields })
        assert.deepStrictEqual(shape.faults, [])
        const validate = new Ajv2020({ strict: true }).compile(shape.inputSchema)
        const json = sent(yield* shape.input.encode(one.args))
        assert.isTrue(validate(json), JSON.stringify([shape.inputSchema, json]))
      }),
    { arbitrary: { runs: 30 } }
  )

  it.effect.prop("decoding any JSON gives an input or names each problem", [inputCase, hostileJson], ([one, json]) =>
    Effect.gen(function* () {
      const { input: codec } = toolShape({ input: one.fields })
      const said = yield* Effect.match(codec.decode(json), {
        onFailure: (misfit) => misfit.problems,
        onSuccess: () => ["fits"]
      })
      assert.isAbove(said.length, 0)
    })
  )

  it.effect("a client may leave out what has a default", () =>
    Effect.gen(function* () {
      const input = {
        limit: Arg.withDefault(Schema.Int, 20),
        day: Arg.withDefault(Schema.DateFromString, "2026-07-28"),
        note: Arg.optional(Schema.String)
      }
      const { input: codec } = toolShape({ input })
      assert.deepStrictEqual(yield* codec.decode({}), { limit: 20, day: new Date("2026-07-28") })
      assert.deepStrictEqual(yield* codec.encode({}), {})
      assert.deepStrictEqual(yield* codec.encode({ limit: 3 }), { limit: 3 })
      assert.deepStrictEqual(yield* travel(input, { note: "x", day: new Date(0) }), {
        limit: 20,
        day: new Date(0),
        note: "x"
      })
    })
  )

  it.effect("D5 every problem is named with its path", () =>
    Effect.gen(function* () {
      const input = {
        id: Schema.Int,
        who: Schema.Struct({ name: Schema.NonEmptyString, tags: Schema.Array(Schema.String) })
      }
      assert.deepStrictEqual(yield* problems(input, { id: "1", who: { name: "", tags: ["a", 2] } }), [
        "id: Expected number",
        "who.name: Expected a value with a length of at least 1",
        "who.tags[1]: Expected string"
      ])
      assert.deepStrictEqual(yield* problems(input, {}), ["id: is missing", "who: is missing"])
    })
  )

  it.effect("D6 unknown arguments are dropped, hostile ones too", () =>
    Effect.gen(function* () {
      const { input: codec, argumentNames } = toolShape({ input: { id: Schema.Int } })
      const hostile: unknown = JSON.parse('{"id":1,"more":2,"__proto__":{"id":3},"constructor":4}')
      assert.deepStrictEqual(yield* codec.decode(hostile), { id: 1 })
      assert.deepStrictEqual([...(argumentNames ?? [])], ["id"])
    })
  )

  it.effect("D6 a tool without input enforces the closed empty object that it publishes", () =>
    Effect.gen(function* () {
      for (const input of [undefined, {}, Schema.Struct({})]) {
        const { inputSchema, input: codec, faults } = toolShape({ input })
        assert.deepStrictEqual([inputSchema, faults], [{ type: "object", additionalProperties: false }, []])
        assert.deepStrictEqual(yield* codec.decode(undefined), {})
        assert.deepStrictEqual(yield* codec.decode({}), {})
        assert.deepStrictEqual(yield* codec.encode(undefined), {})
        assert.deepStrictEqual(yield* problems(input, { a: 1, "b c": 2 }), [
          "a: this tool takes no arguments",
          '["b c"]: this tool takes no arguments'
        ])
        for (const value of [null, [], "a", 1])
          assert.deepStrictEqual(yield* problems(input, value), ["Expected object"])
      }
    })
  )
})

const zodInput = z.object({ id: z.int().min(1), note: z.string().optional(), limit: z.int().default(20) })
const arkInput = type({ id: "number.integer >= 1", "note?": "string", limit: "number = 20" })

describe.each([
  ["Zod", zodInput],
  ["ArkType", arkInput]
])("Arguments of %s", (_, input) => {
  it.effect("callers send what goes in, handlers get what comes out", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* travel(input, { id: 1 }), { id: 1, limit: 20 })
      assert.deepStrictEqual(yield* travel(input, { id: 1, note: "x", limit: 3 }), { id: 1, note: "x", limit: 3 })
    })
  )

  it("publishes the input side, where a default may be left out", () => {
    const { inputSchema, faults } = toolShape({ input })
    assert.deepStrictEqual(faults, [])
    const validate = new Ajv2020({ strict: true }).compile(inputSchema)
    assert.isTrue(validate({ id: 1 }))
    assert.isTrue(validate({ id: 1, limit: 2, note: "" }))
    for (const wrong of [{}, { id: 0 }, { id: 1, limit: "2" }, { id: 1, note: 1 }]) assert.isFalse(validate(wrong))
    assert.notInclude(JSON.stringify(inputSchema), "9007199254740991")
  })

  it.effect("D5 every problem is led by its path", () =>
    Effect.gen(function* () {
      const said = yield* problems(input, { id: "1", limit: "x" })
      assert.deepStrictEqual(
        said.map((problem) => problem.split(":")[0]),
        ["id", "limit"]
      )
    })
  )
})

it.effect("a Standard Schema that answers later is waited for", () =>
  Effect.gen(function* () {
    const input = z.object({ id: z.int().refine(async (id) => id > 1, "too small") })
    assert.deepStrictEqual(yield* travel(input, { id: 2 }), { id: 2 })
    assert.deepStrictEqual(yield* problems(input, { id: 1 }), ["id: too small"])
  })
)
