import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import type { HttpScriptReply } from "@treadle/testing"
import {
  makeCacheStore,
  type CacheEntry,
  type CacheStore,
  type HttpSettings,
  type McpSession
} from "../../src/index.ts"
import { listed, reasonOf, result, rpcError } from "../fixtures.ts"
import { atLeast, cells, play, reading, type Part } from "../played.ts"

const contents = (uri: string) => [{ uri, text: "seat map" }]

/** A server whose lists and reads have these hints, and how often it was asked. */
const hinting = (hints: object | (() => object), more: Partial<Part> = {}) =>
  Effect.map(
    play({
      era: "native",
      answer: ({ id, method, params }) => {
        const given = typeof hints === "function" ? hints() : hints
        if (method === "resources/read") return result(id, { contents: contents(params.uri), ...given })
        const lists = { tools: [listed("a")], resources: [], resourceTemplates: [], prompts: [] }
        return result(id, { ...lists, ...given })
      },
      ...more
    }),
    (played) => ({ ...played, asked: (method = "tools/list") => played.of(method).length })
  )

/** Asks for the same list twice, and gives how often the server was asked. */
const twice = (session: McpSession, asked: () => number) =>
  Effect.gen(function* () {
    const before = asked()
    yield* session.listTools()
    yield* session.listTools()
    return asked() - before
  })

const hour = { ttlMs: 3_600_000 }
const publicHour = { ...hour, cacheScope: "public" }
const privateHour = { ...hour, cacheScope: "private" }

describe("what a server calls fresh", () => {
  it.effect("CACHE-04: is kept until its time is over, be it a list or a read", () =>
    Effect.gen(function* () {
      const { asked, session } = yield* hinting({ ttlMs: 1000, cacheScope: "private" })
      const asks = {
        "tools/list": session.listTools(),
        "resources/list": session.listResources(),
        "resources/templates/list": session.listTemplates(),
        "prompts/list": session.listPrompts(),
        "resources/read": session.readResource("box://a")
      }
      for (const [method, ask] of Object.entries(asks)) {
        const first: unknown = yield* ask
        yield* TestClock.adjust(999)
        assert.deepStrictEqual(yield* ask, first)
        assert.strictEqual(asked(method), 1, method)
        yield* TestClock.adjust(1)
        assert.deepStrictEqual(yield* ask, first)
        assert.strictEqual(asked(method), 2, method)
      }
    })
  )

  it.effect("CACHE-04: is fresh from when it was received, not from when it was asked for", () =>
    Effect.gen(function* () {
      const held: Array<HttpScriptReply> = []
      const { asked, heard, of, session } = yield* hinting(hour, {
        first: ({ json }, reply) => json.method === "tools/list" && held.push(reply) > 0
      })
      const listing = yield* Effect.forkChild(session.listTools(), { startImmediately: true })
      yield* heard("tools/list")
      yield* TestClock.adjust(5000)
      held[0]?.json(result(of("tools/list")[0].id, { tools: [], ttlMs: 1000 }))
      yield* Fiber.join(listing)
      yield* TestClock.adjust(999)
      yield* session.listTools()
      assert.strictEqual(asked(), 1)
    })
  )

  it.effect("CACHE-04: is not kept where the time is 0, negative, absent or no number", () =>
    Effect.gen(function* () {
      for (const hints of [{ ttlMs: 0 }, { ttlMs: -5 }, {}, { ttlMs: "1000" }, { ttlMs: null }]) {
        const { asked, session } = yield* hinting(hints)
        assert.strictEqual(yield* twice(session, asked), 2, JSON.stringify(hints))
      }
    })
  )

  it.effect("CACHE-03: answers nothing else than what was asked", () =>
    Effect.gen(function* () {
      const { asked, session } = yield* hinting(hour)
      for (const uri of ["box://a", "box://b", "box://a/1"]) {
        const [content] = (yield* session.readResource(uri)).contents
        assert.strictEqual(content?.uri, uri)
      }
      assert.strictEqual(asked("resources/read"), 3)
    })
  )

  it.effect("CACHE-09: of a list is as fresh as its least fresh page, and public only where all pages are", () =>
    Effect.gen(function* () {
      const store = makeCacheStore()
      const { another, of, session } = yield* play({
        era: "native",
        settings: { cache: { store } },
        answer: ({ id, params }) =>
          params.cursor === undefined
            ? result(id, { tools: [], nextCursor: "b", ttlMs: 5000, cacheScope: "public" })
            : result(id, { tools: [], ttlMs: 1000, cacheScope: "private" })
      })
      yield* session.listTools()
      yield* TestClock.adjust(999)
      yield* session.listTools()
      assert.strictEqual(of("tools/list").length, 2)
      yield* (yield* another({ cache: { store } })).listTools()
      assert.strictEqual(of("tools/list").length, 4)
      yield* TestClock.adjust(1)
      yield* session.listTools()
      assert.strictEqual(of("tools/list").length, 6)
    })
  )

  it.effect("MRTR-18 CACHE-02: is not kept where the server asked for input first", () =>
    Effect.gen(function* () {
      const { of, session } = yield* play({
        era: "native",
        settings: { answers: { roots: [] } },
        answer: ({ id, params }) =>
          params.inputResponses === undefined
            ? result(id, { resultType: "input_required", inputRequests: { where: { method: "roots/list" } }, ...hour })
            : result(id, { contents: contents(params.uri), ...hour })
      })
      yield* session.readResource("box://a")
      yield* session.readResource("box://a")
      assert.strictEqual(of("resources/read").length, 4)
    })
  )

  it.effect("is no error: the next one asks again", () =>
    Effect.gen(function* () {
      let down = true
      const { of, session } = yield* play({
        era: "native",
        answer: ({ id }) => (down ? rpcError(id, -32603, "x", hour) : result(id, { tools: [], ...hour }))
      })
      assert.strictEqual((yield* reasonOf(session.listTools()))._tag, "Rpc")
      down = false
      yield* session.listTools()
      yield* session.listTools()
      assert.strictEqual(of("tools/list").length, 2)
    })
  )
})

describe("whom it is kept for", () => {
  /** How often a server is asked by two sessions, one after the other. */
  const byTwo = (hints: object, one: HttpSettings, other: HttpSettings) =>
    Effect.gen(function* () {
      const { another, asked, session } = yield* hinting(hints, { settings: one })
      yield* session.listTools()
      yield* (yield* another(other)).listTools()
      return asked()
    })

  it.effect("CACHE-07 CACHE-12: public for all sessions that share a store, private for its own session", () =>
    Effect.gen(function* () {
      const store = () => ({ cache: { store: makeCacheStore() } })
      const shared = store()
      assert.strictEqual(yield* byTwo(publicHour, shared, shared), 1)
      assert.strictEqual(yield* byTwo(publicHour, store(), store()), 2)
      assert.strictEqual(yield* byTwo(privateHour, shared, shared), 2)
      assert.strictEqual(yield* byTwo(hour, shared, shared), 2)
      assert.strictEqual(yield* byTwo({ ...hour, cacheScope: "everyone" }, shared, shared), 2)
    })
  )

  it.effect("CACHE-07: private for all sessions of one context, and no other", () =>
    Effect.gen(function* () {
      const store = makeCacheStore()
      const of = (context: string) => ({ cache: { store, context } })
      assert.strictEqual(yield* byTwo(privateHour, of("ann"), of("ann")), 1)
      assert.strictEqual(yield* byTwo(privateHour, of("bob"), of("eve")), 2)
    })
  )

  it.effect("CACHE-12: for one server, also in a store that several share", () =>
    Effect.gen(function* () {
      const settings = { cache: { store: makeCacheStore(), context: "ann" } }
      const one = yield* hinting(publicHour, { settings })
      const other = yield* hinting(publicHour, { settings })
      yield* one.session.listTools()
      yield* other.session.listTools()
      assert.strictEqual(other.asked(), 1)
    })
  )

  it.effect("CACHE-07: private for the authorization it was asked with, public for all", () =>
    Effect.gen(function* () {
      for (const [hints, least] of [[privateHour, 2] as const, [publicHour, 1] as const]) {
        let token = "ann"
        const { asked, session } = yield* hinting(hints, {
          settings: { headers: () => ({ Authorization: `Bearer ${token}` }) }
        })
        yield* session.listTools()
        token = "bob"
        yield* session.listTools()
        assert.strictEqual(asked(), least)
        token = "ann"
        yield* session.listTools()
        assert.strictEqual(asked(), least)
      }
    })
  )

  it.effect("for nobody where the setting says so", () =>
    Effect.gen(function* () {
      const { asked, session } = yield* hinting(publicHour, { settings: { cache: false } })
      assert.strictEqual(yield* twice(session, asked), 2)
    })
  )
})

describe.each(cells)("a change that a server tells of $name", ({ era, over }) => {
  it.effect("CACHE-08: makes what it is about stale at once, and nothing else", () =>
    Effect.gen(function* () {
      const { asked, session, tell } = yield* hinting(hour, { era, over })
      const changes = yield* session.watch({ tools: true, resources: true, uris: ["box://a"] })
      const seen = yield* reading(changes)
      const everything = Effect.all([
        session.listTools(),
        session.listPrompts(),
        session.listResources(),
        session.listTemplates(),
        session.readResource("box://a"),
        session.readResource("box://a/r")
      ])
      const counts = () => [
        asked("tools/list"),
        asked("prompts/list"),
        asked("resources/list"),
        asked("resources/templates/list"),
        asked("resources/read")
      ]
      yield* everything
      yield* tell("notifications/tools/list_changed")
      yield* atLeast(seen, 1)
      yield* everything
      assert.deepStrictEqual(counts(), [2, 1, 1, 1, 2])
      yield* tell("notifications/resources/list_changed")
      yield* atLeast(seen, 2)
      yield* everything
      assert.deepStrictEqual(counts(), [2, 1, 2, 2, 2])
      yield* tell("notifications/resources/updated", { uri: "box://a/row/4" })
      yield* atLeast(seen, 3)
      yield* everything
      assert.deepStrictEqual(counts(), [2, 1, 2, 2, 3])
    })
  )

  it.effect("CACHE-08: keeps an answer from being kept that was under way meanwhile", () =>
    Effect.gen(function* () {
      let release = (): void => {}
      const held = new Promise<void>((resolve) => (release = resolve))
      const { heard, of, session, tell } = yield* play({
        era,
        over,
        answer: async ({ id }) => {
          const late = of("tools/list").length === 1
          if (late) await held
          return result(id, { tools: [], ...hour })
        }
      })
      const seen = yield* reading(yield* session.watch({ tools: true }))
      const listing = yield* Effect.forkChild(session.listTools(), { startImmediately: true })
      yield* heard("tools/list")
      yield* tell("notifications/tools/list_changed")
      yield* atLeast(seen, 1)
      release()
      yield* Fiber.join(listing)
      yield* session.listTools()
      yield* session.listTools()
      assert.strictEqual(of("tools/list").length, 2)
    })
  )
})

describe("a store of one's own", () => {
  it.effect("may give values, promises or effects, and gets JSON", () =>
    Effect.gen(function* () {
      const entries = new Map<string, CacheEntry>()
      const stores: ReadonlyArray<CacheStore> = [
        {
          get: async (key) => entries.get(key),
          set: async (key, entry) => void entries.set(key, entry),
          remove: async (key) => void entries.delete(key)
        },
        {
          get: (key) =>
            Effect.delay(
              Effect.sync(() => entries.get(key)),
              0
            ),
          set: (key, entry) => Effect.sync(() => void entries.set(key, entry)),
          remove: (key) => Effect.sync(() => void entries.delete(key))
        }
      ]
      for (const store of stores) {
        entries.clear()
        const { asked, session } = yield* hinting(publicHour, { settings: { cache: { store } } })
        assert.strictEqual(yield* twice(session, asked), 1)
        const [entry] = entries.values()
        assert.deepStrictEqual(JSON.parse(JSON.stringify(entry)), { value: [listed("a")], expires: hour.ttlMs })
      }
    })
  )

  it.effect("that fails, throws or rejects costs a request and nothing else", () =>
    Effect.gen(function* () {
      const broken = new Error("the disk is full")
      const stores: ReadonlyArray<() => never | Promise<never> | Effect.Effect<never, Error>> = [
        () => Effect.fail(broken),
        () => Effect.die(broken),
        () => Promise.reject(broken),
        () => {
          throw broken
        }
      ]
      for (const fail of stores) {
        const store: CacheStore = { get: fail, set: fail, remove: fail }
        const { asked, session, tell } = yield* hinting(publicHour, { settings: { cache: { store } } })
        const seen = yield* reading(yield* session.watch({ tools: true }))
        assert.strictEqual(yield* twice(session, asked), 2)
        yield* tell("notifications/tools/list_changed")
        yield* atLeast(seen, 1)
        assert.strictEqual(yield* twice(session, asked), 2)
      }
    })
  )

  it.effect(
    "CACHE-08: hears of a change from a session that only took from it, and gives nothing while it is slow",
    () =>
      Effect.gen(function* () {
        const inner = makeCacheStore()
        let slow = false
        const store: CacheStore = { ...inner, remove: (key) => (slow ? Effect.never : inner.remove(key)) }
        const { another, asked, session, tell } = yield* hinting(publicHour, { settings: { cache: { store } } })
        const other = yield* another({ cache: { store } })
        yield* session.listTools()
        yield* other.listTools()
        assert.strictEqual(asked(), 1)
        const seen = yield* reading(yield* other.watch({ tools: true }))
        yield* tell("notifications/tools/list_changed")
        yield* atLeast(seen, 1)
        yield* other.listTools()
        assert.strictEqual(asked(), 2)
        slow = true
        yield* tell("notifications/tools/list_changed")
        yield* atLeast(seen, 2)
        yield* other.listTools()
        assert.strictEqual(asked(), 3)
      })
  )
})

describe("makeCacheStore", () => {
  it("keeps what was set last, up to its capacity", () => {
    const store = makeCacheStore(2)
    const entry = { value: 1, expires: 1 }
    for (const key of ["a", "b", "a", "c"]) void store.set(key, entry)
    assert.deepStrictEqual(
      ["a", "b", "c"].map((key) => store.get(key)),
      [entry, undefined, entry]
    )
    void store.remove("a")
    assert.isUndefined(store.get("a"))
  })
})
