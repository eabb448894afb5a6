/**
 * What is wrong with a catalog, and how it follows what changes while it is served.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { TestClock } from "effect/testing"
import { rawRequest } from "@treadle/testing"
import { describeBuildError, Mcp } from "../../src/index.ts"
import { directPeer } from "../../src/McpDirect.ts"
import { empty, said } from "../fixtures/calling.ts"
import { both, box, found, invoke, listed, nothing, plain, type Ctx } from "../fixtures/catalogBox.ts"
import { directRawPeer } from "../fixtures/rawPeers.ts"

const at = /CatalogChecks\.test\.ts:\d+/g

const reasons = (mcp: Mcp<never, Ctx>): ReadonlyArray<string> =>
  Mcp.check(mcp).map((error) => describeBuildError(error).replaceAll(at, "here"))

const hold = (mcp: Mcp<never, Ctx> = empty<Ctx>()) => mcp.operation("create_hold", plain, nothing)

describe("building a catalog", () => {
  it("D1: takes one without operations, and one that allows what there is", () => {
    assert.deepStrictEqual(reasons(empty<Ctx>().catalog()), [])
    assert.deepStrictEqual(reasons(hold(empty<Ctx>().catalog({ allow: ["create_hold"] }))), [])
    assert.deepStrictEqual(reasons(hold(empty<Ctx>().add(empty<Ctx>().catalog({ allow: ["create_hold"] })))), [])
  })

  it("D1: names the places of a tool and of the catalog that take the same name", () => {
    const taken = empty<Ctx>().tool("invoke", plain, nothing).operation("search_operations", plain, nothing)
    assert.deepStrictEqual(reasons(taken), [])
    const cure = "Rename what is not of the catalog, or leave catalog(…) out."
    assert.deepStrictEqual(reasons(taken.catalog()), [
      `tool "invoke" is added 2 times (here, here), once by catalog(…). ${cure}`,
      `operation "search_operations" is added 2 times (here, here), once by catalog(…). ${cure}`
    ])
  })

  it("D1: says of each name that it allows and that is no operation what it may be", () => {
    const mcp = hold().tool("get_show", plain, nothing)
    assert.deepStrictEqual(reasons(mcp.catalog({ allow: ["create_hodl", "get_show", "elephant", 5 as never] })), [
      'catalog (here): allow has "create_hodl", which is no operation: write "create_hold".',
      'catalog (here): allow has "get_show", which is a tool and is called by its name: leave it out, or add it with operation(…).',
      'catalog (here): allow has "elephant", which is no operation: add it with operation(…), or leave it out.',
      "catalog (here): allow has 5, which is no name."
    ])
  })

  it("D1: refuses options that are none, what throws, and a second catalog", () => {
    assert.deepStrictEqual(reasons(hold().catalog({ allow: "create_hold" as never })), [
      'catalog (here): allow must be an array of names or a function; write allow: ["create_hold"].'
    ])
    assert.deepStrictEqual(reasons(hold().catalog("all" as never)), [
      'catalog (here): its options must be an object; write catalog({ allow: ["create_hold"] }).'
    ])
    const throwing = () => {
      throw new TypeError("no")
    }
    assert.deepStrictEqual(reasons(hold().tool("t", plain, nothing).catalog({ allow: throwing })), [
      'catalog (here): allow threw for "create_hold": TypeError: no.'
    ])
    assert.deepStrictEqual(reasons(hold().catalog().add(empty<Ctx>().catalog())), [
      "catalog (here): it is declared 2 times (here, here): declare it once, on the server that is served."
    ])
  })

  it("says what is wrong with an operation itself, whoever asks about it", () => {
    const broken = empty<Ctx>().operation("broken", undefined as never, nothing)
    assert.deepStrictEqual(reasons(broken.catalog({ allow: () => true })), [
      'operation "broken" (here): it has no description; a model chooses a tool by it.'
    ])
  })
})

const extra = (text: string, names = ["found"]) =>
  names.reduce(
    (mcp, name) => mcp.operation(name as "found", { ...plain, hints: { readOnly: true } }, async () => text),
    empty<Ctx>()
  )

describe("a catalog that is served", () => {
  it.effect("D3: has what was added, what replaced it, and nothing of what was removed", () =>
    Effect.gen(function* () {
      const { asks, served } = yield* both(box.catalog())
      for (const ask of asks) assert.deepStrictEqual(yield* found(ask), ["get_show"])
      yield* served.live.add(extra("first"))
      yield* served.live.replace(extra("second", ["found", "other"]))
      for (const ask of asks) {
        assert.deepStrictEqual(yield* found(ask), ["get_show", "found", "other"])
        assert.strictEqual(said((yield* invoke(ask, "found")) as never), "second")
      }
      yield* served.live.remove({ operations: ["found"] })
      yield* served.live.replace(empty<Ctx>().tool("other", plain, async () => "promoted"))
      for (const ask of asks) {
        assert.deepStrictEqual(yield* found(ask), ["get_show"])
        assert.match(said((yield* invoke(ask, "found")) as never), /^There is no operation "found"\./)
        assert.match(said((yield* invoke(ask, "other")) as never), /^"other" is a tool/)
      }
    })
  )

  it.effect("D1: keeps its names, its settings and its own tools to itself", () =>
    Effect.gen(function* () {
      const { native, served } = yield* both(box.catalog({ allow: ["create_hold"] }))
      const refused = (part: Mcp<never, Ctx>) =>
        Effect.map(Effect.flip(served.live.replace(part)), ({ errors }) =>
          errors.map((error) => describeBuildError(error).replaceAll(/\w+\.(?:test\.)?ts:\d+/g, "here"))
        )
      assert.deepStrictEqual(yield* refused(empty<Ctx>().tool("invoke", plain, nothing)), [
        'tool "invoke" is added 2 times (here, here), once by catalog(…). Rename what is not of the catalog, or leave catalog(…) out.'
      ])
      assert.deepStrictEqual(yield* refused(empty<Ctx>().catalog()), [
        "catalog (here): it is there from the start or not at all: declare it where the server is made (here)."
      ])
      assert.deepStrictEqual((yield* served.live.remove({ tools: ["invoke", "search_operations"] })).tools, [])
      yield* served.live.remove({ operations: ["create_hold"] })
      yield* served.live.add(hold())
      assert.deepStrictEqual(yield* found(native(), { query: "create" }), ["create_hold"])
    })
  )

  it.effect(
    "D1: asks what decides about operations of those that are added later too, and takes none that it throws for",
    () =>
      Effect.gen(function* () {
        let strict = false
        const allow = ({ name }: { readonly name: string }) => {
          if (name === "bad" || strict) throw new Error("no")
          return name === "late"
        }
        const { native, served } = yield* both(hold().catalog({ allow }))
        assert.deepStrictEqual(yield* found(native()), [])
        yield* served.live.add(empty<Ctx>().operation("late", plain, nothing))
        assert.deepStrictEqual(yield* found(native()), ["late"])
        assert.include(
          (yield* Effect.flip(served.live.add(empty<Ctx>().operation("bad", plain, nothing)))).message,
          'allow threw for "bad": Error: no'
        )
        assert.deepStrictEqual(yield* found(native()), ["late"])
        strict = true
        yield* served.live.add(empty<Ctx>().tool("t", plain, nothing))
        assert.deepStrictEqual(yield* found(native()), [])
      })
  )

  it.effect("TOOL-04: tells of another list of tools where the hints of invoke become others, and not otherwise", () =>
    Effect.gen(function* () {
      const { native, served } = yield* both(extra("start").catalog({ allow: () => true }))
      const peer = directRawPeer(directPeer(served, {}))
      const listening = yield* peer.send(
        rawRequest("listen", "subscriptions/listen", { notifications: { toolsListChanged: true } })
      )
      const told = () =>
        listening.seen.events.filter(({ method }) => method === "notifications/tools/list_changed").length
      const readOnly = Effect.map(listed(native()), (tools) => tools.at(-1)?.["annotations"].readOnlyHint)
      const steps: ReadonlyArray<readonly [Mcp<never, Ctx>, boolean, number]> = [
        [extra("more", ["other"]), true, 0],
        [empty<Ctx>().operation("changing", plain, nothing), false, 1],
        [empty<Ctx>().operation("changing_too", plain, nothing), false, 1],
        [extra("no more", ["changing", "changing_too"]), true, 2]
      ]
      for (const [part, expected, count] of steps) {
        yield* served.live.replace(part)
        yield* TestClock.adjust(60)
        assert.deepStrictEqual([yield* readOnly, told()], [expected, count])
      }
    })
  )

  it.effect("D1: is as it was where a layer of what is added cannot be built", () =>
    Effect.gen(function* () {
      const { native, served } = yield* both(box.catalog())
      const broken = extra("never").provide(Layer.effectDiscard(Effect.die(new Error("no"))))
      yield* Effect.exit(served.live.add(broken))
      assert.deepStrictEqual(yield* found(native()), ["get_show"])
      yield* served.live.add(extra("then"))
      assert.strictEqual(said((yield* invoke(native(), "found")) as never), "then")
    })
  )
})
