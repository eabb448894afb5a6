/**
 * How operations are found: what a query finds, in which order, and that any query is answered.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { endpointOf } from "@treadle/protocol/endpoint"
import { search, searchable, wordsOf } from "../../src/handler/OperationSearch.ts"

const operation = (name: string, description: string, title?: string) => ({
  ...searchable(endpointOf(name, { description, ...(title === undefined ? {} : { title }) })),
  id: name
})

const box = [
  operation("list_bills", "Shows what is on"),
  operation("get_show", "One bill", "A show"),
  operation("show", "Shows the hall"),
  operation("show_seats", "Free seats of a show"),
  operation("createHold", "Keeps seats for a while", "Hold seats"),
  operation("cancel_hold", "Gives the places back"),
  operation("report", "Everything about holding, seat by seat")
]

const found = (query: string): ReadonlyArray<string> => search(box, query).map(({ id }) => id)

describe("a search of operations", () => {
  it("finds all of them in the order of definition where nothing is asked for", () => {
    for (const query of ["", "  ", "\n"]) {
      assert.deepStrictEqual(
        found(query),
        box.map(({ id }) => id)
      )
    }
  })

  it("puts the name itself first, then names that begin with it, then words of names, titles and descriptions", () => {
    assert.deepStrictEqual(found("show"), ["show", "show_seats", "get_show", "list_bills"])
    assert.deepStrictEqual(found("SHOW_"), ["show_seats", "get_show", "show", "list_bills"])
    assert.deepStrictEqual(found("hold"), ["createHold", "cancel_hold", "report"])
    assert.deepStrictEqual(found("seat"), ["show_seats", "createHold", "report"])
    const longerFirst = [operation("hold_seats", "Holds"), operation("hold", "Holds")]
    assert.deepStrictEqual(
      search(longerFirst, "Hold").map(({ id }) => id),
      ["hold", "hold_seats"]
    )
  })

  it("counts whole words more than beginnings, and those more than what is within a word", () => {
    const words = [
      operation("a", "unseat"),
      operation("b", "seating"),
      operation("c", "seat"),
      operation("d", "x", "unseat"),
      operation("reseat", "x")
    ]
    assert.deepStrictEqual(
      search(words, "seat").map(({ id }) => id),
      ["reseat", "c", "b", "d", "a"]
    )
  })

  it("adds up the words of a query, whatever their order, and finds what has any of them", () => {
    assert.deepStrictEqual(found("seats hold"), ["createHold", "show_seats", "cancel_hold", "report"])
    assert.deepStrictEqual(found("hold seats"), found("seats hold"))
    assert.deepStrictEqual(found("hold hold hold seats"), found("seats hold"))
  })

  it("keeps the order of definition among those that weigh the same", () => {
    const same = ["z", "a", "m"].map((name) => operation(name, "Does a thing"))
    assert.deepStrictEqual(
      search(same, "thing").map(({ id }) => id),
      ["z", "a", "m"]
    )
    assert.deepStrictEqual(
      search(same.toReversed(), "thing").map(({ id }) => id),
      ["m", "a", "z"]
    )
  })

  it("finds nothing where no word is shared", () => {
    for (const query of ["elephant", "!!!", "?!", "ß"]) assert.deepStrictEqual(found(query), [])
  })

  it("reads a name in whatever way it is written, plurals, width of letters and other scripts included", () => {
    assert.deepStrictEqual(wordsOf("getShow2Now get_show, GET-SHOWS"), ["get", "show2", "now", "show"])
    assert.deepStrictEqual(wordsOf("ｓｅａｔ class Größe 座席"), ["seat", "class", "größe", "座席"])
    assert.deepStrictEqual(wordsOf(" . "), [])
  })

  it("reads no more than 256 letters and 16 words of a query", () => {
    assert.deepStrictEqual(found(`${"x".repeat(300)} hold`), [])
    const filler = Array.from({ length: 16 }, (_, index) => `q${index}q`).join(" ")
    assert.deepStrictEqual(found(`${filler} hold`), [])
    assert.isNotEmpty(found(`${filler.slice(0, -4)} hold`))
  })

  it.effect("answers any query, with some of the operations, each once, and with the same again", () =>
    Effect.gen(function* () {
      const checked = yield* Arbitrary.checkEffect(
        Arbitrary.all([Arbitrary.schema(Schema.String), Arbitrary.schema(Schema.Array(Schema.String))]),
        ([query, others]) =>
          Effect.sync(() => {
            const all = [...box, ...others.map((text, index) => operation(`${text}${index}`, text, query))]
            const once = search(all, query)
            assert.deepStrictEqual(search(all, query), once)
            assert.strictEqual(new Set(once).size, once.length)
            for (const one of once) assert.include(all, one)
            return true
          }),
        { runs: 300 }
      )
      assert.strictEqual(checked._tag, "Passed", Arbitrary.formatCheckFailure(checked))
    })
  )

  it.effect("finds an operation first by its own name", () =>
    Effect.gen(function* () {
      const name = Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_.-]{1,24}$/u))
      const checked = yield* Arbitrary.checkEffect(
        Arbitrary.schema(Schema.Array(name)),
        (names) =>
          Effect.sync(() => {
            const different = names.filter(
              (one, at) => names.findIndex((other) => other.toLowerCase() === one.toLowerCase()) === at
            )
            const all = different.map((one) => operation(one, different.join(" ")))
            return different.every((one) => search(all, one)[0]?.id === one)
          }),
        { runs: 200 }
      )
      assert.strictEqual(checked._tag, "Passed", Arbitrary.formatCheckFailure(checked))
    })
  )
})
