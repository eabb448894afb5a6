/** Names of tools on the wire: one for each, and back. */
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import { makeWireNames } from "../../src/model/WireNames.ts"

const names = Arbitrary.schema(
  Schema.Array(Schema.Union([Schema.String, Schema.Literals(["a.b", "a_b", "a/b", "", ".", "x".repeat(65)])]))
)

describe("names of tools on the wire", () => {
  it.prop("A8: are a bijection in the letters that services take", [names], ([all]) => {
    const wire = makeWireNames(all)
    const sent = all.map(wire.toWire)
    for (const name of sent) assert.match(name, /^[A-Za-z0-9_-]{1,64}$/)
    assert.deepStrictEqual(sent.map(wire.fromWire), [...all])
  })

  it("A8: tell a.b from a_b, and leave a name that fits as it is", () => {
    const { fromWire, toWire } = makeWireNames(["a.b", "a_b", "mcp__kb__search"])
    assert.strictEqual(toWire("a_b"), "a_b")
    assert.match(toWire("a.b"), /^a_b_[0-9a-z]{1,7}$/)
    assert.strictEqual(fromWire(toWire("a.b")), "a.b")
    assert.strictEqual(toWire("mcp__kb__search"), "mcp__kb__search")
  })

  it("stay the same whatever other tools there are, so that earlier calls keep their names", () => {
    const alone = makeWireNames(["a.b"]).toWire("a.b")
    assert.strictEqual(makeWireNames(["a/b", "a_b", "a.b"]).toWire("a.b"), alone)
  })

  it("give way to a tool whose own name is the folded one", () => {
    const folded = makeWireNames(["a.b"]).toWire("a.b")
    const { fromWire, toWire } = makeWireNames(["a.b", folded])
    assert.strictEqual(toWire(folded), folded)
    assert.notStrictEqual(toWire("a.b"), folded)
    assert.strictEqual(fromWire(toWire("a.b")), "a.b")
  })

  it("leave a name that the model made up as it is", () => {
    assert.strictEqual(makeWireNames(["a.b"]).fromWire("other"), "other")
  })
})
