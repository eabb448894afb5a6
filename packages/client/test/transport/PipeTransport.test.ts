import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import { linePair, type LinePort } from "@treadle/protocol/framing"
import { Recorder } from "@treadle/testing"
import { McpClient, type PipeSettings, type Progress } from "../../src/index.ts"
import { readLines } from "../farEnd.ts"
import { discoverResult, fact, list, ping, reasonOf, result, rpcError, textResult } from "../fixtures.ts"

/** The server's end of a pipe: lines as they come, and raw writing. */
class Far {
  readonly lines = new Recorder<any>()
  readonly #port: LinePort

  constructor(port: LinePort, answer: (line: any, far: Far) => void) {
    this.#port = port
    const onLine = (line: any): void => {
      this.lines.record(line)
      if (line.method === "server/discover") this.send(result(line.id, discoverResult))
      else answer(line, this)
    }
    readLines(port, onLine, () => this.lines.record("end"))
  }

  send(value: object): void {
    this.write(`${JSON.stringify(value)}\n`)
  }

  write(text: string): void {
    this.#port.write(text)
  }

  close(): void {
    this.#port.close()
  }

  /** The next line of a method. */
  heard(method: string): Effect.Effect<any> {
    return Effect.promise(() => this.lines.first((line) => line.method === method))
  }
}

const piped = (answer: (line: any, far: Far) => void, settings?: PipeSettings) =>
  Effect.gen(function* () {
    const [near, farEnd] = linePair()
    const far = new Far(farEnd, answer)
    const session = yield* McpClient.pipe(near, settings)
    return { far, session }
  })

const nothing = () => {}

describe("a session over a pipe", () => {
  it.effect("BASE-04: matches concurrent answers by id, in whatever order they come", () =>
    Effect.gen(function* () {
      const held: Array<any> = []
      const { session } = yield* piped((line, far) => {
        held.push(line)
        if (held.length < 20) return
        for (const one of held.toReversed()) far.send(result(one.id, textResult(one.params.name)))
      })
      const names = Array.from({ length: 20 }, (_, index) => `t${index}`)
      const texts = yield* Effect.forEach(names, (name) => session.callTool(name), { concurrency: "unbounded" })
      assert.deepStrictEqual(
        texts.map((one) => one.content[0]?.["text" as "type"]),
        names as any
      )
      assert.strictEqual(new Set(held.map((line) => line.id)).size, 20)
    })
  )

  it.effect("B001 B045: skips what is no message for it, reports each with its text, and goes on", () =>
    Effect.gen(function* () {
      const noise: Array<string> = []
      const { session } = yield* piped(
        (line, far) => {
          far.write('Starting up...\n\n{"level":"info","msg":"ready"}\n[]\n{"id":1}\n')
          far.send(rpcError(null, -32700, "x"))
          far.send(result("nope", {}))
          far.send({ jsonrpc: "2.0", id: line.id, error: { code: "E1", message: "x" } })
          far.send({ jsonrpc: "2.0", method: "notifications/message", params: { level: "loud" } })
          far.send(result(line.id, textResult("ok")))
        },
        { onNoise: (text) => noise.push(text) }
      )
      assert.strictEqual(yield* session.call(ping)(), "ok")
      assert.strictEqual(yield* session.call(ping)(), "ok")
      assert.strictEqual(noise.length, 16, noise.join("\n"))
      assert.deepStrictEqual(noise.slice(0, 2), ["Starting up...", '{"level":"info","msg":"ready"}'])
    })
  )

  it.effect("B096: fails the request whose answer nests too deeply, reports it, and goes on", () =>
    Effect.gen(function* () {
      const noise: Array<string> = []
      let levels = 600
      const { session } = yield* piped(
        (line, far) => {
          const deep = JSON.parse("[".repeat(levels) + "]".repeat(levels))
          far.send({ jsonrpc: "2.0", method: "notifications/x", params: { deep } })
          far.send(result(line.id, { ...textResult("ok"), _meta: { deep } }))
        },
        { onNoise: (_, why) => noise.push(why) }
      )
      const { reason } = yield* Effect.flip(session.call(ping)())
      assert.strictEqual(reason._tag, "Undecodable")
      const why = "Invalid request: the message nests deeper than 512 levels"
      assert.include(reason.message, why)
      assert.deepStrictEqual(noise, [why, why])
      levels = 500
      assert.strictEqual(yield* session.call(ping)(), "ok")
    })
  )

  it.effect("skips a line that is longer than the limit", () =>
    Effect.gen(function* () {
      const noise: Array<string> = []
      const { session } = yield* piped(
        (line, far) => {
          far.write(`${"x".repeat(2000)}\n`)
          far.send(result(line.id, textResult("ok")))
        },
        { lineLimit: 1000, onNoise: (_, why) => noise.push(why) }
      )
      assert.strictEqual(yield* session.call(ping)(), "ok")
      assert.deepStrictEqual(noise, ["a line is longer than 1000 bytes"])
    })
  )

  it.effect("gives progress to the call with its token, and other notifications to the only call there is", () =>
    Effect.gen(function* () {
      const { far, session } = yield* piped(nothing)
      const seen: { [tool: string]: Array<Progress> } = { a: [], b: [] }
      const calls = ["a", "b"].map((tool) =>
        session.callTool(tool, {}, { onProgress: (progress) => seen[tool]?.push(progress) })
      )
      const fiber = yield* Effect.forkChild(Effect.all(calls, { concurrency: 2 }), { startImmediately: true })
      yield* Effect.promise(() => far.lines.first((line) => line.params?.name === "b"))
      const [first, second] = far.lines.events.slice(1)
      for (const [line, progress] of [
        [first, 1],
        [second, 5],
        [first, 2]
      ]) {
        const progressToken = line.params._meta.progressToken
        far.send({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken, progress } })
      }
      for (const line of [second, first]) far.send(result(line.id, textResult("x")))
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(seen, { a: [{ done: 1 }, { done: 2 }], b: [{ done: 5 }] })
    })
  )

  it.effect("gives any other notification to the only request there is, and to nobody where there are two", () =>
    Effect.gen(function* () {
      const { far, session } = yield* piped(nothing)
      const log = (data: string) =>
        far.send({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data } })
      const first = yield* session.open(ping)()
      const call = yield* far.heard("tools/call")
      log("one")
      yield* Stream.runHead(first.notifications)
      const second = yield* session.open(list)()
      const other = yield* Effect.promise(() => far.lines.first((line) => line.params?.name === "list"))
      log("two")
      for (const { id } of [call, other]) far.send(result(id, textResult("x")))
      const logs = Stream.map(first.notifications, (one) => one.params?.["data"])
      assert.deepStrictEqual(yield* Stream.runCollect(logs), ["one"])
      assert.deepStrictEqual(yield* Stream.runCollect(second.notifications), [])
    })
  )

  it.effect("BASE-05: answers -32601 to a request of the server", () =>
    Effect.gen(function* () {
      const { far, session } = yield* piped((line, far) => {
        if (line.method !== "tools/call") return
        far.send({ jsonrpc: "2.0", id: "s1", method: "roots/list" })
        far.send(result(line.id, textResult("ok")))
      })
      yield* session.call(ping)()
      const answer = yield* Effect.promise(() => far.lines.first((line) => line.error !== undefined))
      assert.deepInclude(answer, { id: "s1" })
      assert.strictEqual(answer.error.code, -32601)
    })
  )
})

describe("a request on a pipe that is given up", () => {
  it.effect("CANCEL-01 CANCEL-02: is followed by notifications/cancelled with its id", () =>
    Effect.gen(function* () {
      const { far, session } = yield* piped(nothing)
      const fiber = yield* Effect.forkChild(session.call(ping)(), { startImmediately: true })
      const call = yield* far.heard("tools/call")
      yield* Fiber.interrupt(fiber)
      const cancelled = yield* far.heard("notifications/cancelled")
      assert.deepStrictEqual(cancelled, {
        jsonrpc: "2.0",
        method: "notifications/cancelled",
        params: { requestId: call.id }
      })
    })
  )

  it.effect("TIME-02 CANCEL-10: says that the time was over", () =>
    Effect.gen(function* () {
      const { far, session } = yield* piped(nothing)
      const fiber = yield* Effect.forkChild(reasonOf(session.call(ping)({}, { timeout: 50 })), {
        startImmediately: true
      })
      yield* far.heard("tools/call")
      yield* TestClock.adjust(50)
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "TimedOut")
      assert.strictEqual((yield* far.heard("notifications/cancelled")).params.reason, "no answer within 50 ms")
    })
  )

  it.effect("CANCEL-03 CANCEL-09: is not cancelled once it was answered", () =>
    Effect.gen(function* () {
      const { far, session } = yield* piped((line, far) => far.send(result(line.id, textResult("ok"))))
      const call = yield* session.open(ping)()
      yield* call.result
      yield* call.cancel
      yield* session.call(ping)()
      assert.isFalse(far.lines.events.some((line) => line.method === "notifications/cancelled"))
    })
  )

  it.effect("CANCEL-06 A72: drops a late answer and counts it", () =>
    Effect.gen(function* () {
      const noise: Array<string> = []
      const { far, session } = yield* piped(nothing, { onNoise: (_, why) => noise.push(why) })
      const fiber = yield* Effect.forkChild(session.call(ping)(), { startImmediately: true })
      const call = yield* far.heard("tools/call")
      yield* Fiber.interrupt(fiber)
      far.send(result(call.id, textResult("late")))
      const next = yield* Effect.forkChild(session.call(ping)(), { startImmediately: true })
      const second = yield* Effect.promise(() =>
        far.lines.first((line) => line.method === "tools/call" && line.id !== call.id)
      )
      far.send(result(second.id, textResult("ok")))
      assert.strictEqual(yield* Fiber.join(next), "ok")
      assert.deepStrictEqual(noise, [])
      assert.deepInclude(session.counters(), { late: 1, waiting: 0 })
    })
  )

  it.effect("CANCEL-03: is never sent while the pipe is full, and needs no notification then", () =>
    Effect.gen(function* () {
      const [near, farEnd] = linePair(100)
      const far = new Far(farEnd, nothing)
      const session = yield* McpClient.pipe(near)
      farEnd.pause()
      const big = yield* Effect.forkChild(session.callTool("big", { text: "x".repeat(200) }), {
        startImmediately: true
      })
      const small = yield* Effect.forkChild(session.callTool("small"), { startImmediately: true })
      yield* Fiber.interrupt(small)
      farEnd.resume()
      const call = yield* far.heard("tools/call")
      far.send(result(call.id, textResult("ok")))
      yield* Fiber.join(big)
      assert.deepStrictEqual(
        far.lines.events.map((line) => line.params.name ?? line.method),
        ["server/discover", "big"]
      )
    })
  )

  it.effect("waits for room in the pipe, and keeps the order", () =>
    Effect.gen(function* () {
      const [near, farEnd] = linePair(100)
      const far = new Far(farEnd, (line, far) => far.send(result(line.id, textResult(line.params.name))))
      const session = yield* McpClient.pipe(near)
      const names = Array.from({ length: 10 }, (_, index) => `t${index}`)
      yield* Effect.forEach(names, (name) => session.callTool(name, { text: "x".repeat(200) }), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(
        far.lines.events.slice(1).map((line) => line.params.name),
        names
      )
    })
  )
})

describe("the end of a pipe", () => {
  it.effect("fails whoever waits, and every later request, with Closed", () =>
    Effect.gen(function* () {
      const { far, session } = yield* piped(nothing, { name: "box", whyEnded: () => "it fell over" })
      const waiting = yield* Effect.forkChild(
        Effect.all([reasonOf(session.call(ping)()), reasonOf(session.listTools())], { concurrency: 2 }),
        { startImmediately: true }
      )
      yield* far.heard("tools/list")
      far.close()
      for (const reason of yield* Fiber.join(waiting)) {
        assert.deepInclude(reason, { _tag: "Closed", detail: "it fell over" })
      }
      const later = yield* Effect.flip(session.callTool("seat"))
      assert.strictEqual(later.message, `tools/call "seat" at box: it fell over`)
    })
  )

  it.effect("while the session is opened fails the opening", () =>
    Effect.gen(function* () {
      const [near, far] = linePair()
      far.close()
      assert.strictEqual((yield* reasonOf(McpClient.pipe(near)))._tag, "Closed")
    })
  )

  it.effect("comes with the scope of the session: what waits is cancelled and fails with Closed", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { far, session } = yield* Scope.provide(piped(nothing), scope)
      const waiting = yield* Effect.forkChild(reasonOf(session.call(ping)()), { startImmediately: true })
      const call = yield* far.heard("tools/call")
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual((yield* Fiber.join(waiting))._tag, "Closed")
      yield* Effect.promise(() => far.lines.first((line) => line === "end"))
      assert.strictEqual(fact(far.lines.events.at(-2).params, "requestId"), call.id)
    })
  )
})
