import { assert, describe, it } from "@effect/vitest"
import { nestsDeeper, tooDeep } from "@treadle/protocol/json"

/** A value with this many levels around `bottom`. */
const chain = (levels: number, bottom: unknown = {}): unknown =>
  Array.from({ length: levels }).reduce((next) => ({ next }), bottom)

const overflow = new RangeError("Maximum call stack size exceeded")
const problem = { problems: ["the value nests too deeply to be read"] }

describe("a value that nests", () => {
  it("B096: is measured in objects and in lists, wherever it is deepest, and however deep it is", () => {
    for (const [value, levels] of [
      [7, 0],
      [null, 0],
      [[], 0],
      [[7], 1],
      [{ a: [1], b: { c: [{}] }, d: 1 }, 3],
      [chain(31), 31],
      [chain(32), 32],
      [chain(33), 33],
      [[...Array.from({ length: 9 }, () => ({})), [[[chain(40)]]]], 44],
      [chain(100_000), 100_000]
    ] as const) {
      assert.isFalse(nestsDeeper(value, levels), `${levels}`)
      if (levels > 0) assert.isTrue(nestsDeeper(value, levels - 1), `${levels}`)
    }
  })

  it("B096: is the problem where the stack overflowed on it, and only there", () => {
    for (const thrown of [overflow, new Error("too much recursion")]) {
      assert.deepStrictEqual(tooDeep(thrown, chain(1_000)), problem)
    }
    assert.isUndefined(tooDeep(overflow, chain(50)), "whoever overflows on that has a bug")
    assert.isUndefined(tooDeep(new RangeError("Invalid array length"), chain(1_000)))
    assert.isUndefined(tooDeep("Maximum call stack", chain(1_000)))
  })
})
