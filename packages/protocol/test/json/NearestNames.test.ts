import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { nearestNames } from "../../src/json/NearestNames.ts"

const names = ["create_hold", "cancel_hold", "create_show", "get_show", "a"]

describe("the nearest names", () => {
  it("are those that the fewest letters make, nearest first, and the first defined of those as near", () => {
    assert.deepStrictEqual(nearestNames("create_hodl", names), ["create_hold"])
    assert.deepStrictEqual(nearestNames("create_how", names), ["create_show", "create_hold"])
    assert.deepStrictEqual(nearestNames("seat_x", ["seat_b", "seat_a"]), ["seat_b", "seat_a"])
    assert.deepStrictEqual(nearestNames("create_hown", ["create_hold", "create_show"]), ["create_hold", "create_show"])
    assert.deepStrictEqual(nearestNames("CREATE_HOLD", names)[0], "create_hold")
    assert.deepStrictEqual(nearestNames("ab", names), ["a"])
  })

  it("are none where more than a quarter of the letters would have to be others", () => {
    assert.deepStrictEqual(nearestNames("elephant", names), [])
    assert.deepStrictEqual(nearestNames("x".repeat(100_000), names), [])
    assert.deepStrictEqual(nearestNames("anything", []), [])
  })

  it("are no more than asked for", () => {
    const many = Array.from({ length: 50 }, (_, index) => `tool_${index}`)
    assert.deepStrictEqual(nearestNames("tool_7", many), ["tool_7", "tool_0", "tool_1"])
    assert.lengthOf(nearestNames("tool_7", many, 5), 5)
  })

  it.effect("are found for any text, and a name is nearest to itself", () =>
    Effect.gen(function* () {
      const checked = yield* Arbitrary.checkEffect(
        Arbitrary.schema(Schema.Tuple([Schema.String, Schema.Array(Schema.String)])),
        ([text, others]) =>
          Effect.sync(() => {
            const known = [...others, text]
            const near = nearestNames(text, known)
            return near.length <= 3 && (text.length > 128 || near[0]?.toLowerCase() === text.toLowerCase())
          }),
        { runs: 200 }
      )
      assert.strictEqual(checked._tag, "Passed", Arbitrary.formatCheckFailure(checked))
    })
  )
})
