/** The state of a breaker, whatever order calls come back in. */
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import { Breaker, type CallEnd } from "../../src/model/Breaker.ts"

const opened = () => {
  const breaker = new Breaker({})
  for (const _ of [1, 2, 3]) breaker.record("failed", false, 0)
  return breaker
}

describe("a breaker", () => {
  it("A156: heeds no call that began before it opened", () => {
    for (const late of ["failed", "answered", "nothing"] as const) {
      const breaker = opened()
      breaker.record(late, false, 4000)
      assert.deepStrictEqual(breaker.admit(4999), { wait: 1 })
      assert.deepStrictEqual(breaker.admit(5000), { probe: true })
      breaker.record(late, false, 5001)
      assert.deepStrictEqual(breaker.admit(5002), { wait: 0 })
    }
  })

  it("A156: takes the first cooldown for the longest one where it is longer", () => {
    const breaker = new Breaker({ failures: 1, cooldown: 90_000 })
    breaker.record("failed", false, 0)
    assert.deepStrictEqual(breaker.admit(90_000), { probe: true })
    breaker.record("failed", true, 90_000)
    assert.deepStrictEqual(breaker.admit(90_001), { wait: 89_999 })
  })

  const steps = Arbitrary.schema(
    Schema.Array(
      Schema.Struct({
        wait: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 70_000 })),
        outcome: Schema.Literals(["answered", "failed", "nothing"])
      })
    )
  )

  it.prop("A156: lets one call through at a time while it is open, and is never shut for good", [steps], ([all]) => {
    const breaker = new Breaker({ failures: 1 })
    let now = 0
    for (const { outcome, wait } of all) {
      now += wait
      const admission = breaker.admit(now)
      if ("wait" in admission) {
        assert.isAbove(admission.wait, 0)
        assert.isAtMost(admission.wait, 60_000)
      } else {
        if (admission.probe) assert.deepStrictEqual(breaker.admit(now), { wait: 0 })
        breaker.record(outcome satisfies CallEnd, admission.probe, now)
      }
    }
    assert.notProperty(breaker.admit(now + 60_000), "wait")
  })
})
