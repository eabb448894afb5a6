import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import type { Change } from "../../src/index.ts"
import { compatServing, initializeResult, opened, ping, reasonOf, result } from "../fixtures.ts"
import { atLeast, everything, play, reading, type Played } from "../played.ts"

const missed: ReadonlyArray<Change> = [
  { _tag: "ToolsChanged", missed: true },
  { _tag: "ResourceUpdated", uri: "box://a", missed: true }
]
const tools: Change = { _tag: "ToolsChanged", missed: false }

const changedTools = "notifications/tools/list_changed"
const watched = { tools: true, uris: ["box://a"] }

/** Lets the clock run in small steps until a message has come. */
const until = ({ of }: Pick<Played, "of">, method: string, nth: number) =>
  Effect.gen(function* () {
    for (let waited = 0; of(method).length < nth; waited += 50) {
      assert.isBelow(waited, 120_000, `${method} did not come again`)
      yield* TestClock.adjust(50)
      yield* turn
    }
  })

/** Lets sockets be read. */
const turn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

/** Lets so much time pass, and sockets be read meanwhile. */
const pass = (millis: number) =>
  Effect.gen(function* () {
    for (let waited = 0; waited < millis; waited += 250) {
      yield* TestClock.adjust(250)
      for (let turns = 0; turns < 8; turns++) yield* turn
    }
  })

const now = Effect.clockWith((clock) => clock.currentTimeMillis)

describe("a subscription that is lost", () => {
  it.effect("SUB-09 SUB-10 A52 A53: is made again first, then each thing may have changed, once", () =>
    Effect.gen(function* () {
      for (const how of ["end", "cut"] as const) {
        const played = yield* play({ era: "native" })
        const { session, tell } = played
        const one = yield* reading(yield* session.watch(watched))
        const other = yield* reading(yield* session.watch({ tools: true }))
        const before = played.of("subscriptions/listen").length
        yield* played[how]
        yield* until(played, "subscriptions/listen", before + 1)
        assert.deepStrictEqual(yield* atLeast(one, 2), missed, how)
        assert.deepStrictEqual(yield* atLeast(other, 1), missed.slice(0, 1), how)
        yield* tell(changedTools)
        assert.deepStrictEqual(yield* atLeast(one, 3), [...missed, tools], how)
        assert.strictEqual(played.voices(), 1)
      }
    })
  )

  it.effect("A52: gives nothing before it is there again", () =>
    Effect.gen(function* () {
      let silent = false
      const played = yield* play({ era: "native", honoured: (asked) => (silent ? undefined : asked) })
      const seen = yield* reading(yield* played.session.watch(watched))
      silent = true
      yield* played.cut
      yield* until(played, "subscriptions/listen", 2)
      yield* turn
      assert.deepStrictEqual(seen.events, [])
      silent = false
      yield* until(played, "subscriptions/listen", 3)
      assert.deepStrictEqual(yield* atLeast(seen, 2), missed)
    })
  )

  it.effect("is sure of a change that nobody had fetched before the loss", () =>
    Effect.gen(function* () {
      const played = yield* play({ era: "native" })
      const changes = yield* played.session.watch(watched)
      const probe = yield* reading(yield* played.session.watch({ tools: true }))
      yield* played.tell(changedTools)
      yield* atLeast(probe, 1)
      yield* played.cut
      yield* until(played, "subscriptions/listen", 3)
      yield* atLeast(probe, 2)
      assert.deepStrictEqual(yield* atLeast(yield* reading(changes), 2), [tools, ...missed.slice(1)])
    })
  )

  it.effect("CACHE-08: makes stale what is watched, since nobody can say whether it changed", () =>
    Effect.gen(function* () {
      const played = yield* play({
        era: "native",
        answer: ({ id }) => ({ jsonrpc: "2.0", id, result: { tools: [], ttlMs: 10_000_000 } })
      })
      const seen = yield* reading(yield* played.session.watch(watched))
      yield* played.session.listTools()
      yield* played.cut
      yield* until(played, "subscriptions/listen", 2)
      yield* atLeast(seen, 2)
      yield* played.session.listTools()
      assert.strictEqual(played.of("tools/list").length, 2)
    })
  )

  it.effect("SUB-10: is asked for with growing waits while it is refused or does not last", () =>
    Effect.gen(function* () {
      const times: Array<number> = []
      let refusing = false
      const played = yield* play({
        era: "native",
        first: ({ json }, reply) => {
          if (json.method !== "subscriptions/listen" || !refusing) return false
          reply.destroy()
          return true
        }
      })
      const seen = yield* reading(yield* played.session.watch(watched))
      refusing = true
      yield* played.cut
      for (let nth = 2; nth <= 9; nth++) {
        yield* until(played, "subscriptions/listen", nth)
        times.push(yield* now)
      }
      const waits = times.slice(1).map((time, index) => time - (times[index] ?? 0))
      assert.isAbove(waits.at(-1) ?? 0, 2000, String(waits))
      assert.isAtMost(Math.max(...waits), 5100, String(waits))
      assert.isAbove(waits[4] ?? 0, waits[0] ?? 0, String(waits))
      assert.deepStrictEqual(seen.events, [])
      refusing = false
      yield* until(played, "subscriptions/listen", 10)
      assert.deepStrictEqual(yield* atLeast(seen, 2), missed)
    })
  )

  it.effect("is none where the pipe is gone: the streams end with Closed", () =>
    Effect.gen(function* () {
      for (const era of ["native", "compat"] as const) {
        const { cut, session } = yield* play({ era, over: "pipe" })
        const seen = yield* reading(yield* session.watch(watched))
        yield* cut
        assert.deepStrictEqual(yield* atLeast(seen, 1), ["end"])
        assert.strictEqual(session.counters().watching, 0)
      }
    })
  )
})

describe("the stream of a compat server", () => {
  it.effect("CHTTP-12 A52: that is cut is opened again, and then each thing may have changed, once", () =>
    Effect.gen(function* () {
      for (const how of ["end", "cut"] as const) {
        const played = yield* play({ era: "compat" })
        const { of, session, tell } = played
        const seen = yield* reading(yield* session.watch(watched))
        yield* played[how]
        yield* until(played, "GET", 2)
        assert.deepStrictEqual(yield* atLeast(seen, 2), missed, how)
        yield* tell(changedTools)
        assert.deepStrictEqual(yield* atLeast(seen, 3), [...missed, tools], how)
        assert.strictEqual(of("resources/subscribe").length, 1)
      }
    })
  )

  it.effect("A52 A53 CHTTP-17: that is lost with its session is opened and subscribed again in a new one", () =>
    Effect.gen(function* () {
      let known = "s1"
      const played = yield* play({
        era: "compat",
        first: ({ headers, verb }, reply) => {
          const session = headers["mcp-session-id"]
          if (session === undefined || session === known || verb === "DELETE") return false
          reply.raw("", {}, 404)
          return true
        }
      })
      const { of, sent, session, tell } = played
      const seen = yield* reading(yield* session.watch(watched))
      known = "s2"
      yield* played.cut
      yield* until(played, "resources/subscribe", 2)
      assert.deepStrictEqual(yield* atLeast(seen, 2), missed)
      assert.deepStrictEqual(
        of("resources/subscribe").map(({ headers }) => headers["mcp-session-id"]),
        ["s1", "s2"]
      )
      yield* tell(changedTools)
      assert.deepStrictEqual(yield* atLeast(seen, 3), [...missed, tools])
      assert.deepInclude(session.counters(), { links: 2, watching: 1 })
      assert.strictEqual(sent.events.filter(({ method }) => method === "initialize").length, 2)
    })
  )

  it.effect("D21 A52: that there is none, where the session is lost, is subscribed again in a new one", () =>
    Effect.gen(function* () {
      const known = { session: "s1" }
      const played = yield* play({
        era: "compat",
        answer: ({ id }) => result(id, {}),
        first: ({ headers, verb }, reply) => {
          const session = headers["mcp-session-id"]
          if (verb === "GET") reply.raw("", {}, 405)
          else if (session === undefined || session === known.session || verb === "DELETE") return false
          else reply.raw("", {}, 404)
          return true
        }
      })
      const { of, session } = played
      known.session = "s2"
      yield* reading(yield* session.watch(watched))
      assert.deepStrictEqual(
        of("resources/subscribe").map(({ headers }) => headers["mcp-session-id"]),
        ["s1", "s2"]
      )
      assert.deepInclude(session.counters(), { links: 2, watching: 1 })
    })
  )

  it.effect("SUB-03 B088: whose subscription is not answered times out, and another one is not held up", () =>
    Effect.gen(function* () {
      let deaf = true
      const { heard, session } = yield* play({
        era: "compat",
        answer: ({ id }) => (deaf ? undefined : result(id, {})),
        settings: { timeout: 500, ping: false }
      })
      const watching = yield* Effect.forkChild(reasonOf(Effect.scoped(session.watch(watched))), {
        startImmediately: true
      })
      yield* heard("resources/subscribe")
      yield* TestClock.adjust(500)
      assert.deepInclude(yield* Fiber.join(watching), { _tag: "TimedOut", after: 500 })
      deaf = false
      yield* reading(yield* session.watch(watched))
      assert.strictEqual(session.counters().watching, 1)
    })
  )

  const streamed = (get: Parameters<typeof opened>[0]) => {
    const usual = compatServing(undefined, { initialized: { ...initializeResult, capabilities: everything } })
    return opened((seen, reply) => (seen.verb === "GET" ? get(seen, reply) : usual(seen, reply)))
  }

  it.effect("B017: that is none, by status or by text, is asked for once, and calls go on", () =>
    Effect.gen(function* () {
      for (const get of [
        (_: unknown, reply: any) => reply.raw("hello", { "content-type": "text/plain" }),
        (_: unknown, reply: any) => reply.raw("", {}, 405),
        (_: unknown, reply: any) => reply.raw("", {}, 404)
      ]) {
        const { server, session } = yield* streamed(get)
        yield* reading(yield* session.watch({ tools: true }))
        yield* pass(30_000)
        assert.strictEqual(server.seen.events.filter(({ verb }) => verb === "GET").length, 1)
        assert.strictEqual(yield* session.call(ping)(), "ok")
      }
    })
  )

  it.effect("B017: that is always empty is asked for at most 6 times in 30 s, and calls go on", () =>
    Effect.gen(function* () {
      const { server, session } = yield* streamed((_, reply) => reply.stream().end())
      const seen = yield* reading(yield* session.watch({ tools: true }))
      yield* pass(30_000)
      const count = server.seen.events.filter(({ verb }) => verb === "GET").length
      assert.isAtMost(count, 6)
      assert.isAtLeast(count, 4)
      assert.isAtMost(seen.events.length, count)
      assert.strictEqual(yield* session.call(ping)(), "ok")
    })
  )

  it.effect("CHTTP-05: that says how long to wait is not asked for sooner", () =>
    Effect.gen(function* () {
      const { server, session } = yield* streamed(async (_, reply) => {
        const stream = reply.stream()
        await stream.write("retry: 20000\n\n")
        stream.end()
      })
      yield* reading(yield* session.watch({ tools: true }))
      yield* pass(19_000)
      const count = () => server.seen.events.filter(({ verb }) => verb === "GET").length
      assert.strictEqual(count(), 1)
      yield* pass(2000)
      assert.strictEqual(count(), 2)
    })
  )
})
