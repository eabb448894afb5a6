import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { effectCodec } from "../../src/endpoint/Codec.ts"
import { standardProblems, wireDecoder, type Misfit } from "../../src/json/index.ts"

const Seats = Schema.Struct({ seats: Schema.Array(Schema.Struct({ row: Schema.String, place: Schema.Finite })) })

const empty = (count: number) => ({ seats: Array.from({ length: count }, () => ({})) })

const problemsOf = (decoded: Result.Result<unknown, Misfit>): ReadonlyArray<string> =>
  Result.isFailure(decoded) ? decoded.failure.problems : []

const readers = [
  ["a payload", (value: unknown) => problemsOf(wireDecoder(Seats)(value))],
  ["an input", (value: unknown) => problemsOf(Effect.runSync(Effect.result(effectCodec(Seats, "input").decode(value))))]
] as const

describe.each(readers)("the problems of %s", (_, read) => {
  it("are all told, where they are few", () => {
    assert.deepStrictEqual(read(empty(2)), [
      "seats[0].row: is missing",
      "seats[0].place: is missing",
      "seats[1].row: is missing",
      "seats[1].place: is missing"
    ])
  })

  it("are told up to a hundred, and the others are counted", () => {
    const told = read(empty(500))
    assert.strictEqual(told.length, 101)
    assert.strictEqual(told[99], "seats[49].place: is missing")
    assert.strictEqual(told[100], "and 900 more")
  })

  it("are told up to the first, where the value is so large that they may be millions", () => {
    assert.deepStrictEqual(read(empty(100_000)), ["seats[0].row: is missing"])
  })
})

describe("the problems of a Standard Schema", () => {
  it("are told up to a hundred, and the others are counted", () => {
    const told = standardProblems(Array.from({ length: 250 }, (_, index) => ({ message: "is odd", path: [index] })))
    assert.strictEqual(told.length, 101)
    assert.deepStrictEqual(told.slice(99), ["[99]: is odd", "and 150 more"])
  })
})
