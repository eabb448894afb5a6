import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import { ping, reasonOf, result, rpcError, textResult } from "../fixtures.ts"
import { atLeast, play, reading, type Part, type Played } from "../played.ts"

/** Lets the event loop read what has arrived, as one that is not late does. */
const turns = Effect.promise(async () => {
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setTimeout(resolve, 0))
})

/** Lets time pass, in steps that are no longer than what happens in between. */
const pass = (seconds: number, step = 10) =>
  Effect.gen(function* () {
    for (let left = seconds; left > 0; left -= step) {
      yield* TestClock.adjust(Math.min(left, step) * 1000)
      yield* turns
    }
  })

/** A compat session on a pipe, whose server answers pings while it does. */
const idle = (more: Partial<Part> & { readonly answers?: () => boolean } = {}) => {
  const { answers = () => true, ...part } = more
  return play({
    era: "compat",
    over: "pipe",
    answer: ({ id, method }) => {
      if (method === "ping") return answers() ? result(id, {}) : undefined
      return result(id, textResult("ok"))
    },
    ...part
  })
}

const pings = ({ of }: Played): number => of("ping").length

const isLost = ({ sent }: Played): boolean => sent.events.some(({ method }) => method === "end")

describe("an idle compat session", () => {
  it.effect("A66 INIT-11: is pinged after 30 s without traffic, and again after the next", () =>
    Effect.gen(function* () {
      const played = yield* idle()
      yield* pass(29)
      assert.strictEqual(pings(played), 0)
      yield* pass(1)
      assert.strictEqual(pings(played), 1)
      yield* pass(29)
      assert.strictEqual(pings(played), 1)
      yield* pass(1)
      assert.strictEqual(pings(played), 2)
      assert.strictEqual(played.session.counters().links, 1)
    })
  )

  it.effect("A66: is not pinged while anything is heard of the server", () =>
    Effect.gen(function* () {
      const played = yield* idle()
      for (let times = 0; times < 4; times++) {
        yield* pass(20)
        yield* played.session.callTool("a")
        yield* pass(20)
        yield* played.tell("notifications/tools/list_changed")
      }
      yield* pass(29)
      assert.strictEqual(pings(played), 0)
      yield* pass(1)
      assert.strictEqual(pings(played), 1)
    })
  )

  it.effect("A67: is lost after three pings that were not answered within 10 s each", () =>
    Effect.gen(function* () {
      const played = yield* idle({ answers: () => false })
      yield* pass(59)
      assert.strictEqual(pings(played), 3)
      assert.isFalse(isLost(played))
      yield* pass(1)
      assert.strictEqual(pings(played), 3)
      assert.isTrue(isLost(played))
      assert.strictEqual((yield* reasonOf(played.session.callTool("a")))._tag, "Closed")
    })
  )

  it.effect("A67: is opened anew by whoever needs it next, and whoever waited is told", () =>
    Effect.gen(function* () {
      let deaf = true
      const played = yield* idle({
        over: "http",
        answer: ({ id, method, params }) => {
          if (method === "ping") return deaf ? undefined : result(id, {})
          return params?.name === "stuck" ? undefined : result(id, textResult("ok"))
        }
      })
      const waiting = yield* Effect.forkChild(reasonOf(played.session.callTool("stuck", {}, { timeout: Infinity })), {
        startImmediately: true
      })
      yield* played.heard("tools/call")
      yield* pass(60)
      assert.strictEqual((yield* Fiber.join(waiting))._tag, "Closed")
      deaf = false
      yield* played.session.callTool("a")
      assert.deepInclude(played.session.counters(), { links: 2, waiting: 0 })
      assert.strictEqual(played.of("tools/call").at(-1).headers["mcp-session-id"], "s2")
      assert.strictEqual(played.of("DELETE").length, 0)
    })
  )

  it.effect("A67: starts counting anew with one answer, be it an error", () =>
    Effect.gen(function* () {
      let count = 0
      const played = yield* idle({
        answer: ({ id }) => (++count % 3 === 0 ? rpcError(id, -32601, "what is a ping?") : undefined)
      })
      yield* pass(200)
      assert.isAtLeast(pings(played), 9)
      assert.isFalse(isLost(played))
    })
  )

  it.effect("A68: that is busy with a long call is not lost while it answers pings", () =>
    Effect.gen(function* () {
      const played = yield* idle({
        answer: ({ id, method }) => (method === "ping" ? result(id, {}) : undefined)
      })
      const { of, session } = played
      const call = yield* session.open(ping)()
      yield* played.heard("tools/call")
      yield* pass(300)
      assert.strictEqual(pings(played), 10)
      assert.isFalse(isLost(played))
      assert.strictEqual(of("notifications/cancelled").length, 0)
      yield* call.cancel
    })
  )

  it.effect("A68: that says anything instead of an answer is there", () =>
    Effect.gen(function* () {
      const played = yield* idle({ answers: () => false })
      for (let times = 0; times < 5; times++) {
        yield* pass(31)
        yield* played.tell("notifications/message", { level: "info", data: "still busy" })
        yield* pass(9)
      }
      assert.isFalse(isLost(played))
    })
  )

  it.effect("is lost at once where the server no longer knows it", () =>
    Effect.gen(function* () {
      const played = yield* idle({
        over: "http",
        first: ({ json }, reply) => {
          if (json?.method !== "ping") return false
          reply.raw("", {}, 404)
          return true
        }
      })
      yield* pass(30)
      yield* played.heard("ping")
      yield* turns
      yield* played.session.callTool("a")
      assert.strictEqual(played.session.counters().links, 2)
      assert.deepStrictEqual([pings(played), played.of("tools/call").length], [1, 1])
    })
  )

  it.effect("is pinged as the settings say, or never", () =>
    Effect.gen(function* () {
      const often = yield* idle({
        answers: () => false,
        settings: { ping: { interval: 5000, timeout: 2000, misses: 2 } }
      })
      yield* pass(8, 1)
      assert.strictEqual(pings(often), 2)
      assert.isFalse(isLost(often))
      yield* pass(1)
      assert.isTrue(isLost(often))
      const never = yield* idle({ answers: () => false, settings: { ping: false } })
      yield* pass(300)
      assert.strictEqual(pings(never), 0)
      assert.isFalse(isLost(never))
    })
  )

  it.live("A69: is not lost by an event loop that is late: what arrived meanwhile is read first", () =>
    Effect.gen(function* () {
      const played = yield* idle({ over: "http", settings: { ping: { interval: 40, timeout: 150, misses: 1 } } })
      yield* played.heard("ping", 1)
      for (let times = 0; times < 5; times++) {
        const count = pings(played)
        yield* Effect.promise(() => played.sent.first(() => pings(played) > count))
        const until = performance.now() + 200
        while (performance.now() < until);
      }
      yield* played.session.callTool("a")
      assert.strictEqual(played.session.counters().links, 1)
    })
  )
})

describe("a native subscription over HTTP", () => {
  const watching = (settings: Part["settings"] = {}) =>
    Effect.gen(function* () {
      const played = yield* play({ era: "native", settings })
      const seen = yield* reading(yield* played.session.watch({ tools: true }))
      return { ...played, seen }
    })

  it.effect("INIT-11: is never pinged, and lost after three intervals of silence", () =>
    Effect.gen(function* () {
      const played = yield* watching()
      yield* pass(89)
      assert.strictEqual(played.of("subscriptions/listen").length, 1)
      yield* pass(6)
      yield* played.heard("subscriptions/listen", 2)
      assert.deepStrictEqual(yield* atLeast(played.seen, 1), [{ _tag: "ToolsChanged", missed: true }])
      assert.strictEqual(pings(played), 0)
    })
  )

  it.effect("is kept by comments and by events alike", () =>
    Effect.gen(function* () {
      const played = yield* watching()
      for (let times = 0; times < 3; times++) {
        yield* pass(80)
        yield* played.comment
        yield* turns
        yield* pass(80)
        yield* played.tell("notifications/tools/list_changed")
        yield* atLeast(played.seen, times + 1)
      }
      assert.strictEqual(played.of("subscriptions/listen").length, 1)
    })
  )

  it.effect("is as patient as the setting says, and for ever without pings", () =>
    Effect.gen(function* () {
      const quick = yield* watching({ ping: { interval: 2000 } })
      yield* pass(5)
      assert.strictEqual(quick.of("subscriptions/listen").length, 1)
      yield* pass(3)
      assert.strictEqual(quick.of("subscriptions/listen").length, 2)
      const patient = yield* watching({ ping: false })
      yield* TestClock.adjust("10 days")
      yield* turns
      assert.strictEqual(patient.of("subscriptions/listen").length, 1)
    })
  )
})
