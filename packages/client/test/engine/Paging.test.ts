import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { drainPages, maxPages } from "../../src/engine/lists/Paging.ts"
import { listed, opened, reasonOf, result, serving } from "../fixtures.ts"

/** A session whose list has these pages, by cursor; the first has none. */
const paged = (pages: { readonly [cursor: string]: object }) =>
  opened(serving((seen, reply) => reply.json(result(seen.json.id, pages[seen.json.params.cursor ?? "first"] ?? {}))))

describe("session.listTools", () => {
  it.effect("PAGE-01 PAGE-02: follows every cursor, the empty one too", () =>
    Effect.gen(function* () {
      const { server, session } = yield* paged({
        first: { tools: [listed("a")], nextCursor: "" },
        "": { tools: [listed("b")], nextCursor: "x y" },
        "x y": { tools: [listed("c")] }
      })
      const tools = yield* session.listTools()
      assert.deepStrictEqual(
        tools.map((tool) => tool.name),
        ["a", "b", "c"]
      )
      assert.deepStrictEqual(
        server.seen.events.slice(1).map((seen) => seen.json.params.cursor),
        [undefined, "", "x y"]
      )
    })
  )

  it.effect("fails where a cursor comes again, or a page is none", () =>
    Effect.gen(function* () {
      const circle = yield* paged({ first: { tools: [], nextCursor: "a" }, a: { tools: [], nextCursor: "a" } })
      assert.include((yield* reasonOf(circle.session.listTools())).message, `the cursor "a" came twice`)
      assert.strictEqual(circle.server.seen.events.length, 3)
      const none = yield* paged({ first: { tools: "none" } })
      assert.strictEqual((yield* reasonOf(none.session.listTools()))._tag, "Undecodable")
    })
  )

  it.effect("gives what was read of a list without an end to who hears of that, and does not keep it", () =>
    Effect.gen(function* () {
      const fresh = { ttlMs: 60_000, cacheScope: "private" }
      const circle = yield* paged({
        first: { tools: [listed("a")], nextCursor: "a", ...fresh },
        a: { tools: [listed("b")], nextCursor: "a", ...fresh }
      })
      const heard: Array<string> = []
      const list = circle.session.listTools({ onEndless: (why) => void heard.push(why) })
      for (const _ of ["once", "again"]) {
        const tools = yield* list
        assert.deepStrictEqual(
          tools.map(({ name }) => name),
          ["a", "b"]
        )
      }
      assert.deepStrictEqual(heard, Array(2).fill('the cursor "a" came twice'))
      assert.strictEqual(circle.server.seen.events.length, 5)
    })
  )

  it.effect("fails after 1024 pages", () =>
    Effect.gen(function* () {
      let asked = 0
      const endless = drainPages(
        () => Effect.succeed({ tools: [], nextCursor: `c${++asked}` }),
        "tools",
        (reason) => reason
      )
      assert.include((yield* Effect.flip(endless)).message, "1024 pages")
      assert.strictEqual(asked, maxPages)
    })
  )

  it.effect("fails where its pages are together too large, whatever their cursors say", () =>
    Effect.gen(function* () {
      let asked = 0
      const page = ["x".repeat(1024 * 1024)]
      const endless = drainPages(
        () => Effect.succeed({ tools: page, nextCursor: `c${++asked}` }),
        "tools",
        (reason) => reason
      )
      assert.include((yield* Effect.flip(endless)).message, "larger than 67108864 characters")
      assert.strictEqual(asked, 64)
    })
  )

  it.effect("leaves out an entry that cannot be read, with a warning, and keeps the rest as they are", () =>
    Effect.gen(function* () {
      const warnings: Array<string> = []
      const logger = Logger.make(({ message }) => void warnings.push(String(message)))
      const strange = {
        ...listed("strange"),
        "x-later": [1],
        inputSchema: { type: "object", $ref: "http://127.0.0.1:9/x" }
      }
      const { session } = yield* paged({ first: { tools: [listed("a"), { name: "bad" }, 5, strange] } })
      const tools = yield* Effect.provide(session.listTools(), Logger.layer([logger]))
      assert.deepStrictEqual(tools as ReadonlyArray<unknown>, [listed("a"), strange])
      assert.include(warnings.join(), `"bad"`)
    })
  )

  it.effect("says no more of entries that cannot be read than fits a line of a log", () =>
    Effect.gen(function* () {
      const warnings: Array<string> = []
      const logger = Logger.make(({ message }) => void warnings.push(String(message)))
      const faulty = Array.from({ length: 1000 }, (_, n) => ({ name: `${n} ${"x".repeat(10_000)}`, inputSchema: 5 }))
      const { session } = yield* paged({ first: { tools: [...faulty, listed("a")] } })
      const tools = yield* Effect.provide(session.listTools(), Logger.layer([logger]))
      assert.strictEqual(tools.length, 1)
      assert.strictEqual(warnings.length, 1)
      assert.isBelow(warnings.join().length, 11_000)
      assert.match(warnings.join(), /So are 980 others\.$/)
    })
  )
})
