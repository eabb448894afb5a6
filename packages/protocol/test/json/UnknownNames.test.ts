import { assert, describe, it } from "@effect/vitest"
import { namesOf, unknownNames } from "../../src/json/index.ts"

const known = ["auth", "scopes", "timeout", "visible"]
const why = (name: string, what?: string) => unknownNames({ [name]: 1 }, known, what)

describe("names that are not known", () => {
  it("are told with the one that is near, or that begins like them", () => {
    assert.deepStrictEqual(why("scope"), [{ name: "scope", why: "there is no such setting; write scopes" }])
    assert.deepStrictEqual(why("authentication"), [
      { name: "authentication", why: "there is no such setting; write auth" }
    ])
    assert.deepStrictEqual(why("time"), [{ name: "time", why: "there is no such setting; write timeout" }])
    assert.deepStrictEqual(why("Timeout", "limit"), [{ name: "Timeout", why: "there is no such limit; write timeout" }])
  })

  it("are told with all that there are where none is near", () => {
    assert.deepStrictEqual(why("colour"), [
      { name: "colour", why: "there is no such setting; there are auth, scopes, timeout, visible" }
    ])
  })

  it("are none where all are known, or have no value", () => {
    assert.deepStrictEqual(unknownNames({ auth: 1, scope: undefined }, known), [])
    assert.deepStrictEqual(unknownNames({}, namesOf<{ readonly a?: 1 }>({ a: true })), [])
  })
})
