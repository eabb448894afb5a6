import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import { TestClock } from "effect/testing"
import { linePair } from "@treadle/protocol/framing"
import { rawCall, rawToolCall } from "@treadle/testing"
import { Counters, CurrentCall, type Mcp, McpMemory } from "../../src/index.ts"
import { defectText, empty, said, serving } from "../fixtures/calling.ts"
import { quietAtEnd } from "../fixtures/quiet.ts"
import { pipePeer } from "../fixtures/rawPeers.ts"

const loud = { progressToken: "t", "io.modelcontextprotocol/logLevel": "debug" }
const plain = { description: "Tested" }

/** One client on a pipe, and all that came over it. */
const piped = <R>(mcp: Mcp<R>, scope: Scope.Scope) =>
  Effect.gen(function* () {
    const [near, far] = linePair()
    const served = yield* Scope.provide(quietAtEnd(McpMemory.serve(mcp, far, {})), scope)
    const lines: Array<string> = []
    return { lines, near, peer: pipePeer(near, (text) => lines.push(text)), served }
  })

describe("a cancelled call", () => {
  it.effect("CANCEL-05: sends nothing more, whatever its finalizers tell, die of or return", () =>
    Effect.gen(function* () {
      const tell = Effect.andThen(CurrentCall.progress(2), CurrentCall.log("error", "late"))
      const dead: Array<string> = []
      const mcp = empty()
        .tool("tells", plain, () => Effect.onInterrupt(Effect.never, () => tell))
        .tool("dies", plain, () => Effect.onInterrupt(Effect.never, () => Effect.die(new Error("in finalizer"))))
        .tool("stays", plain, () => Effect.uninterruptible(Effect.as(Effect.sleep(10), "whole")))
        .tool("catches", plain, () => Effect.catchCause(Effect.never, () => Effect.succeed("caught")))
        .tool("ping", plain, async () => "pong")
      const { peer, served } = yield* serving(mcp, {}, { onDefect: (_, { tool }) => dead.push(tool) })
      for (const name of ["tells", "dies", "stays", "catches"]) {
        const call = yield* rawCall(peer, name, {}, loud)
        yield* call.cancel
        yield* TestClock.adjust(10)
        const ping = yield* rawCall(peer, "ping")
        yield* ping.answer
        assert.deepStrictEqual(call.seen.events, [], name)
      }
      assert.deepStrictEqual(dead, ["dies"])
      assert.deepStrictEqual(served.counters(), Counters.none)
    })
  )

  it.effect("CANCEL-09: that has answered, or was cancelled before, is left alone", () =>
    Effect.gen(function* () {
      const ended: Array<string> = []
      const finalizer = Effect.sync(() => ended.push("x"))
      const mcp = empty()
        .tool("quick", plain, () => Effect.as(finalizer, "q"))
        .tool("slow", plain, () => Effect.onInterrupt(Effect.never, () => finalizer))
      const { peer } = yield* serving(mcp, {})
      const quick = yield* rawCall(peer, "quick")
      yield* quick.cancel
      assert.strictEqual((yield* quick.answer)["result"].content[0].text, "q")
      const slow = yield* rawCall(peer, "slow")
      yield* slow.cancel
      yield* slow.cancel
      assert.lengthOf(ended, 2)
    })
  )

  it.effect("gives its handler an aborted signal with the reason, also when it asks for one after the end", () =>
    Effect.gen(function* () {
      const seen: Array<unknown> = []
      const mcp = empty().tool("t", plain, (_, call) =>
        Effect.onInterrupt(Effect.never, () => Effect.sync(() => seen.push(call.signal.aborted, call.signal.reason)))
      )
      const { peer } = yield* serving(mcp, {})
      const call = yield* rawCall(peer, "t")
      yield* call.cancel
      assert.deepStrictEqual(seen, [true, "gone"])
    })
  )
})

describe("a stopping server", () => {
  it.effect("D17: answers on a pipe what it ends, and waits for finalizers that take their time", () =>
    Effect.gen(function* () {
      const finalized: Array<string> = []
      const slow = (ms: number) =>
        Effect.onInterrupt(Effect.never, () =>
          Effect.andThen(
            Effect.sleep(ms),
            Effect.sync(() => finalized.push(`${ms}`))
          )
        )
      const mcp = empty().tool("t", { ...plain, input: { ms: Schema.Int } }, ({ ms }) => slow(ms))
      const scope = yield* Scope.make()
      const { lines, peer, served } = yield* piped(mcp, scope)
      yield* peer.send(rawToolCall(1, "t", { ms: 10 }))
      const last = yield* peer.send(rawToolCall(2, "t", { ms: 20 }))
      yield* Effect.promise(() => Promise.resolve().then(() => undefined))
      const stopped = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
      yield* TestClock.adjust(4_999)
      assert.deepStrictEqual(finalized, [])
      assert.isTrue(served.isStopping())
      yield* TestClock.adjust(1)
      yield* TestClock.adjust(20)
      yield* last.answer
      yield* Fiber.join(stopped)
      assert.deepStrictEqual(finalized, ["10", "20"])
      assert.deepStrictEqual(
        lines
          .join("")
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line)),
        [1, 2].map((id) => ({ jsonrpc: "2.0", id, error: { code: -32603, message: "The server is stopping" } }))
      )
      assert.deepStrictEqual(served.counters(), Counters.none)
    })
  )

  it.effect("D17: refuses new calls and still answers what it refuses", () =>
    Effect.gen(function* () {
      const mcp = empty().tool("t", plain, async () => "")
      const { peer, served } = yield* serving(mcp, {})
      yield* served.stop
      const call = yield* rawCall(peer, "t")
      assert.deepStrictEqual((yield* call.answer)["error"], { code: -32603, message: "The server is stopping" })
    })
  )

  it.effect("D10: interrupts the calls of a pipe whose other end is gone", () =>
    Effect.gen(function* () {
      const gone = yield* Deferred.make<void>()
      const mcp = empty().tool("t", plain, () =>
        Effect.onInterrupt(Effect.never, () => Deferred.succeed(gone, undefined))
      )
      const scope = yield* Effect.scope
      const { near, peer, served } = yield* piped(mcp, scope)
      yield* peer.send(rawToolCall(1, "t"))
      near.close()
      yield* Deferred.await(gone)
      yield* served.idle
      assert.strictEqual(served.counters().calls, 0)
    })
  )
})

describe("a running call", () => {
  it.effect("TOOL-19: is given up at its timeout and not before, by the clock of the server", () =>
    Effect.gen(function* () {
      const mcp = empty().tool("t", { ...plain, timeout: 10_000 }, () => Effect.never)
      const { peer } = yield* serving(mcp, {})
      const call = yield* rawCall(peer, "t")
      yield* TestClock.adjust(9_999)
      assert.lengthOf(call.seen.events, 0)
      yield* TestClock.adjust(251)
      assert.strictEqual(said((yield* call.answer)["result"]), "t gave up after 10000 ms")
    })
  )

  it.effect("D5: that interrupts itself has a bug, and is answered as one", () =>
    Effect.gen(function* () {
      const mcp = empty()
        .tool("now", plain, () => Effect.interrupt)
        .tool("later", plain, () => Effect.andThen(Effect.yieldNow, Effect.interrupt))
      const { result } = yield* serving(mcp, {}, { onDefect: () => {} })
      assert.match(said(yield* result("now")), defectText)
      assert.match(said(yield* result("later")), defectText)
    })
  )

  it.effect("D5: is answered although onDefect itself throws or rejects, which is logged", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const logger = Logger.make(({ cause, message }) => lines.push(`${String(message)} ${Cause.pretty(cause)}`))
      const mcp = empty().tool("t", plain, () => Effect.die(undefined))
      const failures: ReadonlyArray<() => unknown> = [
        () => {
          throw new Error("thrown there")
        },
        () => Promise.reject(new Error("rejected there"))
      ]
      for (const onDefect of failures) {
        const { result } = yield* Effect.provide(
          serving(mcp, {}, { onDefect: () => onDefect() as void }),
          Logger.layer([logger])
        )
        assert.match(said(yield* result("t")), defectText)
      }
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      assert.include(lines.join("\n"), "onDefect itself failed Error: thrown there")
      assert.include(lines.join("\n"), "onDefect itself failed Error: rejected there")
    })
  )

  it.effect("PROG-02: sends numbers only, and logs of anything at all", () =>
    Effect.gen(function* () {
      const cycle: { self?: unknown } = {}
      cycle.self = cycle
      const mcp = empty().tool("t", plain, async (_, { log, progress }) => {
        progress(1, Number.POSITIVE_INFINITY)
        progress(Number.POSITIVE_INFINITY)
        progress(2, Number.NaN, "two")
        progress("3" as never)
        for (const data of [undefined, 1n, cycle, () => {}, null, { a: undefined }]) log("info", data)
        log("loud" as never, "x")
        return ""
      })
      const { peer } = yield* serving(mcp, {})
      const call = yield* rawCall(peer, "t", {}, loud)
      yield* call.answer
      const params = call.seen.events.slice(0, -1).map((message) => message["params"])
      assert.deepStrictEqual(params, [
        { progressToken: "t", progress: 1 },
        { progressToken: "t", progress: 2, message: "two" },
        { level: "info", data: null },
        { level: "info", data: "1" },
        { level: "info", data: "[object Object]" },
        { level: "info", data: null },
        { level: "info", data: null },
        { level: "info", data: {} }
      ])
    })
  )

  it.effect("D16: publishes what fits the schema of an extension, and has a bug where it does not", () =>
    Effect.gen(function* () {
      const Tick = Schema.Struct({ at: Schema.Date })
      const tick = (at: Date) => CurrentCall.publish("notifications/com.example/tick", Tick, { at })
      const mcp = empty()
        .tool("good", plain, () => tick(new Date(0)))
        .tool("bad", plain, () => tick("now" as never))
      const { peer, result } = yield* serving(mcp, {}, { onDefect: () => {} })
      const call = yield* rawCall(peer, "good")
      yield* call.answer
      assert.deepStrictEqual(call.seen.events[0], {
        jsonrpc: "2.0",
        method: "notifications/com.example/tick",
        params: { at: "1970-01-01T00:00:00.000Z" }
      })
      assert.match(said(yield* result("bad")), defectText)
    })
  )

  it.effect("has a scope of its own, closed before the answer", () =>
    Effect.gen(function* () {
      const events: Array<string> = []
      const mcp = empty().tool("t", plain, () =>
        Effect.gen(function* () {
          yield* Effect.addFinalizer(() => Effect.sync(() => events.push("closed")))
          events.push(yield* Effect.as(CurrentCall.meta, "used"))
          return "out"
        })
      )
      const { result } = yield* serving(mcp, {})
      events.push(said(yield* result("t")))
      assert.deepStrictEqual(events, ["used", "closed", "out"])
    })
  )
})
