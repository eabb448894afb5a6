import { assert, describe, it } from "@effect/vitest"
import { demandIn } from "../../src/flow/Challenge.ts"
import { scopesAmong, scopesFor } from "../../src/flow/Scopes.ts"

const offer = { supported: ["a", "b"], metadata: { scopes_supported: ["a", "b", "offline_access"] } }
const wishes = { wanted: [], challenged: [], requested: [] }

describe("scopes", () => {
  it("AUTH-19: are those of the challenge, else those of the resource, else none", () => {
    assert.deepStrictEqual(scopesFor({ ...wishes, challenged: ["c"] }, offer, false), ["c"])
    assert.deepStrictEqual(scopesFor(wishes, offer, false), ["a", "b"])
    assert.deepStrictEqual(scopesFor(wishes, { supported: [], metadata: {} }, true), [])
  })

  it("AUTH-23: are asked for in addition to those asked for before, each once", () => {
    assert.deepStrictEqual(scopesFor({ ...wishes, requested: ["r"], challenged: ["w", "r"] }, offer, false), ["r", "w"])
    assert.deepStrictEqual(scopesFor({ wanted: ["x"], requested: ["r"], challenged: [] }, offer, false), ["r", "x"])
  })

  it("AUTH-29: have offline access among them where a refresh is of use and the server offers it", () => {
    assert.deepStrictEqual(scopesFor(wishes, offer, true), ["a", "b", "offline_access"])
    assert.deepStrictEqual(scopesFor(wishes, { ...offer, metadata: {} }, true), ["a", "b"])
    assert.deepStrictEqual(scopesFor(wishes, { ...offer, supported: [] }, true), [])
  })

  it("of a hostile server are cut to what a scope can be, and to a number that an address can carry", () => {
    assert.deepStrictEqual(scopesAmong(["ok", "", 'qu"ote', "sp ace", "back\\slash", "é", "x".repeat(257), "ok"]), [
      "ok"
    ])
    const many = Array.from({ length: 1000 }, (_, index) => `s${index}`)
    assert.lengthOf(scopesAmong(many), 100)
    assert.lengthOf(demandIn(401, `Bearer scope="${many.join(" ")}"`).scopes, 100)
  })
})

describe("what a refusal demands (AUTH-02, AUTH-20)", () => {
  it("is what the challenges for tokens say, and nothing of any other", () => {
    const demand = demandIn(
      403,
      'Basic scope="no", DPoP error="insufficient_scope", Bearer scope="a b", error_description="why", resource_metadata="https://h/m"'
    )
    assert.deepStrictEqual(demand, {
      metadata: "https://h/m",
      scopes: ["a", "b"],
      more: true,
      error: "insufficient_scope",
      description: "why"
    })
    const nothing = { metadata: undefined, scopes: [], more: false, error: undefined, description: undefined }
    assert.deepStrictEqual(demandIn(401, null), nothing)
  })
})
