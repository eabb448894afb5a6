import { makeToolNames, type ToolEntry } from "@treadle/client/names"
import { assert, describe, it } from "@effect/vitest"
import { anyText } from "@treadle/testing"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"

/** Few letters, so that lists are full of names that fold or join to the same. */
const likeName = Arbitrary.schema(
  Schema.Array(Schema.Literals(["a", "_", "__", ".", "é", "mcp", "-", "x".repeat(30)])).check(Schema.isMaxLength(4))
).pipe(Arbitrary.map((parts) => parts.join("")))

const entry = (part: Arbitrary.Arbitrary<string>): Arbitrary.Arbitrary<ToolEntry> =>
  Arbitrary.flatMap(part, (server) => Arbitrary.map(part, (tool) => ({ server, tool })))

const listOf = (part: Arbitrary.Arbitrary<string>) => Arbitrary.array(entry(part), { maxLength: 40 })

const pairs = (entries: ReadonlyArray<ToolEntry>) => [...new Map(entries.map((e) => [JSON.stringify(e), e])).values()]

const namesOf = (entries: ReadonlyArray<ToolEntry>) => {
  const names = makeToolNames(entries)
  return entries.map(({ server, tool }) => names.toModel(server, tool))
}

describe.each([
  ["names that nearly meet", likeName],
  ["any texts", anyText]
])("names for models of %s", (_, part) => {
  it.prop("A8: are as many as there are tools, and lead back to them", [listOf(part)], ([entries]) => {
    const names = makeToolNames(entries)
    const distinct = pairs(entries)
    assert.strictEqual(new Set(namesOf(distinct)).size, distinct.length)
    for (const one of distinct) assert.deepStrictEqual(names.fromModel(names.toModel(one.server, one.tool)), one)
  })

  it.prop("A8: have the letters and the length that providers take", [listOf(part)], ([entries]) => {
    for (const name of namesOf(entries)) assert.match(name, /^mcp__[A-Za-z0-9_-]{2,59}$/)
  })

  it.prop("A8: do not follow from the order of the list", [listOf(part)], ([entries]) => {
    assert.deepStrictEqual(namesOf(entries.toReversed()), namesOf(entries).toReversed())
  })

  it.prop(
    "A8: are given to tools outside the list too, and are none of the list",
    [listOf(part), entry(part)],
    ([entries, { server, tool }]) => {
      const others = entries.filter((one) => one.server !== server || one.tool !== tool)
      const names = makeToolNames(others)
      const name = names.toModel(server, tool)
      assert.match(name, /^mcp__[A-Za-z0-9_-]{2,59}$/)
      assert.isUndefined(names.fromModel(name))
    }
  )
})

describe("names for models", () => {
  it("A8: a.b and a_b have different names, and the one that needs no change keeps its own", () => {
    const names = makeToolNames([
      { server: "s", tool: "a.b" },
      { server: "s", tool: "a_b" }
    ])
    assert.strictEqual(names.toModel("s", "a_b"), "mcp__s__a_b")
    assert.strictEqual(names.toModel("s", "a.b"), "mcp__s__a_b_7falrtg5")
  })

  it("are folded without a hash where nobody else wants the folded name", () => {
    assert.deepStrictEqual(namesOf([{ server: "Büro 1", tool: "pages.search" }]), ["mcp__B_ro_1__pages_search"])
  })

  it("tell servers apart whose names hold the separator", () => {
    const names = makeToolNames([
      { server: "a__b", tool: "c" },
      { server: "a", tool: "b__c" }
    ])
    assert.strictEqual(names.toModel("a", "b__c"), "mcp__a__b__c")
    assert.match(names.toModel("a__b", "c"), /^mcp__a__b__c_[0-9a-z]{8}$/)
  })

  it("are cut at 64 with a hash, and tell long tools apart by their ends", () => {
    const long = "x".repeat(80)
    const [one, other] = namesOf([
      { server: "s", tool: `${long}1` },
      { server: "s", tool: `${long}2` }
    ])
    assert.strictEqual(one, `mcp__s__${"x".repeat(47)}_n6pnpstp`)
    assert.notStrictEqual(one, other)
  })

  it("stay when a tool is added that wants another one", () => {
    const tools = ["a.b", "a_b", "y".repeat(70)].map((tool) => ({ server: "s", tool }))
    assert.deepStrictEqual(namesOf([...tools, { server: "t", tool: "z" }]).slice(0, 3), namesOf(tools))
  })

  it("stay apart when a tool calls itself as the hashed name of another", () => {
    const taken = makeToolNames([
      { server: "s", tool: "a.b" },
      { server: "s", tool: "a_b" }
    ]).toModel("s", "a.b")
    const mean = { server: "s", tool: taken.slice("mcp__s__".length) }
    const names = makeToolNames([{ server: "s", tool: "a.b" }, { server: "s", tool: "a_b" }, mean])
    assert.deepStrictEqual(names.fromModel(taken), mean)
    assert.deepStrictEqual(names.fromModel(names.toModel("s", "a.b")), { server: "s", tool: "a.b" })
  })

  it("are made of thousands of tools that fold to one name, each its own", () => {
    const entries = Array.from({ length: 20_000 }, (_, at) => ({ server: "s", tool: String.fromCharCode(0x4e00 + at) }))
    assert.strictEqual(new Set(namesOf(entries)).size, entries.length)
  })
})
