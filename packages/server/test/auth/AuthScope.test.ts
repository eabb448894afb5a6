/**
 * Laws of scopes that follow from others (AUTH-24).
 */
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { holdsScopes, isAuthScope, withImplied } from "../../src/AuthScope.ts"

const scope = Schema.Literals(["a", "b", "c", "d", "e", "__proto__", "constructor"])
const some = Schema.Array(scope)
const hierarchy = Schema.Array(Schema.Tuple([scope, some]))

/** A record whose keys may be any text. */
const recordOf = (pairs: ReadonlyArray<readonly [string, ReadonlyArray<string>]>) =>
  Object.fromEntries(pairs.map(([from, to]) => [from, to]))

const isWithin = (part: ReadonlyArray<string>, whole: ReadonlyArray<string>) =>
  assert.isTrue(holdsScopes(whole, part), `${part.join(" ")} within ${whole.join(" ")}`)

describe("scopes with everything that follows from them", () => {
  it.prop(
    "AUTH-24: hold what they were made of, and nothing more where nothing follows",
    [some, hierarchy],
    ([held, pairs]) => {
      isWithin(held, withImplied(held, recordOf(pairs)))
      assert.deepStrictEqual(new Set(withImplied(held, {})), new Set(held))
      assert.strictEqual(withImplied(held, undefined), held)
    }
  )

  it.prop("AUTH-24: hold what follows from what follows, in circles too", [some, hierarchy], ([held, pairs]) => {
    const implies = recordOf(pairs)
    const whole = withImplied(held, implies)
    for (const one of whole) isWithin(Object.hasOwn(implies, one) ? (implies[one] ?? []) : [], whole)
    assert.deepStrictEqual(withImplied(whole, implies), whole)
    assert.strictEqual(new Set(whole).size, whole.length)
  })

  it.prop(
    "AUTH-24: are at least those of fewer scopes, and hold nothing that no chain leads to",
    [some, some, hierarchy],
    ([few, more, pairs]) => {
      const implies = recordOf(pairs)
      isWithin(withImplied(few, implies), withImplied([...few, ...more], implies))
      const reached = new Set<string>([...few, ...pairs.flatMap(([, to]) => to)])
      for (const one of withImplied(few, implies)) assert.isTrue(reached.has(one))
      assert.deepStrictEqual(withImplied([], implies), [])
    }
  )
})

describe("one scope", () => {
  it("has no spaces, quotes or characters beyond ASCII (RFC 6749 section 3.3)", () => {
    for (const right of ["a", "files:read", "https://a.example/x", "!#[]~"]) assert.isTrue(isAuthScope(right), right)
    for (const wrong of ["", "a b", 'a"', "a\\", "é", "a\n", 5, undefined]) assert.isFalse(isAuthScope(wrong))
  })
})
