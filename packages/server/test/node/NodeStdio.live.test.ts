/**
 * Standard input and output of a real process: framing, faults, the end of the input, and who may write where.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { crumbs, rawRequest, rawToolCall, Recorder, type RawMessage } from "@treadle/testing"
import type { Limits } from "../../src/index.ts"
import { assertSaidQuiet } from "../fixtures/quiet.ts"
import { bundled } from "../fixtures/bundled.ts"
import { childProcess } from "../fixtures/rawPeers.ts"

/** A process that serves, with the lines it wrote. */
const started = (limits: Partial<Limits> = {}) =>
  Effect.gen(function* () {
    const child = yield* childProcess(bundled("stdioChild"), [JSON.stringify(limits)])
    const lines = new Recorder<RawMessage>()
    let rest = ""
    child.stream.stdout.on("data", (text: string) => {
      const parts = (rest + text).split("\n")
      rest = parts.pop() ?? ""
      for (const line of parts) lines.record(JSON.parse(line))
    })
    const errors = new Recorder<string>()
    child.stream.stderr.on("data", () => errors.record(child.stderr()))
    return {
      ...child,
      lines,
      rest: () => rest,
      answer: (id: unknown) => Effect.promise(() => lines.first((line) => line["id"] === id)),
      told: (text: string) => Effect.promise(() => errors.first((all) => all.includes(text))),
      /** How it ended by itself: with nothing under way. */
      exited: Effect.promise(async () => {
        const how = await child.exit
        assertSaidQuiet(child.stderr())
        return how
      })
    }
  })

const line = (message: object): string => `${JSON.stringify(message)}\n`
const echo = (id: unknown, text: string): string => line(rawToolCall(id, "echo", { text }))
const cancel = (requestId: unknown) =>
  line({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } })
const textOf = (answer: RawMessage): string => answer["result"].content[0].text

describe("a line", () => {
  it.live("STDIO-01 B049 B066 D11: that is bad is answered, and the next one is served", () =>
    Effect.gen(function* () {
      const child = yield* started({ lineBytes: 10_000 })
      const bad: ReadonlyArray<readonly [string | Uint8Array, number, unknown]> = [
        ["not json\n", -32700, undefined],
        [Buffer.from([0x22, 0xff, 0x22, 10]), -32700, undefined],
        [`${JSON.stringify("x".repeat(20_000))}\n`, -32600, undefined],
        ['{"id":99,"method":"tools/list"}\n', -32600, 99],
        ['{"jsonrpc":"1.0","id":98,"method":"x"}\n', -32600, 98],
        ['{"jsonrpc":"2.0","id":97,"method":5}\n', -32600, 97],
        ['{"jsonrpc":"2.0","id":96,"method":"tools/list","params":"x"}\n', -32600, 96],
        ["{}\n", -32600, undefined],
        ['"text"\n', -32600, undefined],
        ["5\n", -32600, undefined],
        ["[]\n", -32600, undefined],
        ['{"jsonrpc":"2.0","id":null,"method":"tools/list"}\n', -32600, undefined],
        ['{"jsonrpc":"2.0","id":94,"method":"initialize"}\n', -32602, 94],
        ['{"jsonrpc":"2.0","id":95,"method":"tools/list"}\n', -32602, 95]
      ]
      for (const [bytes] of bad) child.write(bytes)
      child.write("\n\r\n  \n")
      child.write(echo("good", "still here"))
      assert.strictEqual(textOf(yield* child.answer("good")), "still here")
      assert.deepStrictEqual(
        child.lines.events.slice(0, -1).map((one) => [one["error"].code, one["id"], Object.hasOwn(one, "id")]),
        bad.map(([, code, id]) => [code, id, id !== undefined])
      )
      assert.deepInclude(child.lines.events.at(-2)?.["error"].data, { supported: ["2026-07-28"] })
    })
  )

  it.live("BASE-15 B043: that is a notification is never answered, however bad its parameters are", () =>
    Effect.gen(function* () {
      const child = yield* started()
      for (const params of [undefined, {}, { requestId: {} }, { requestId: 999 }, 5, [1], null, "x"]) {
        child.write(line({ jsonrpc: "2.0", method: "notifications/cancelled", params }))
        child.write(line({ jsonrpc: "2.0", method: "notifications/unknown", params }))
      }
      child.write(echo(1, "x"))
      yield* child.answer(1)
      assert.lengthOf(child.lines.events, 1)
    })
  )

  it.live("STDIO-01: reads alike after a byte order mark, with CRLF, cut anywhere, with its end missing", () =>
    Effect.gen(function* () {
      const child = yield* started()
      child.write(`\uFEFF${echo(1, "é🎭").trimEnd()}\r\n`)
      assert.strictEqual(textOf(yield* child.answer(1)), "é🎭")
      for (const crumb of crumbs(Buffer.from(echo(2, "é🎭\n")))) {
        child.write(crumb)
        yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      }
      assert.strictEqual(textOf(yield* child.answer(2)), "é🎭\n")
      child.write(echo(3, "last").trimEnd())
      child.endInput()
      assert.strictEqual(textOf(yield* child.answer(3)), "last")
      assert.deepStrictEqual(yield* child.exited, { code: 0, signal: null })
    })
  )

  it.live("BASE-04 CANCEL-02: with an id that still runs is refused, and the id is free again once cancelled", () =>
    Effect.gen(function* () {
      const child = yield* started()
      const wait = line(rawToolCall(0, "wait"))
      child.write(wait + wait + echo("mark", ""))
      yield* child.answer("mark")
      assert.deepStrictEqual(
        child.lines.events.map((one) => [one["id"], one["error"]?.code]),
        [
          [undefined, -32600],
          ["mark", undefined]
        ]
      )
      child.write(cancel("0") + cancel(0) + echo(0, "free"))
      assert.strictEqual(textOf(yield* child.answer(0)), "free")
      yield* child.told("interrupted")
      assert.lengthOf(child.lines.events, 3)
    })
  )
})

describe("the end of the input", () => {
  it.live("D10 STDIO-06: lets running calls finish, answers them, and exits with 0", () =>
    Effect.gen(function* () {
      const child = yield* started()
      child.write(line(rawToolCall(1, "pause", { ms: 150 })))
      child.endInput()
      assert.deepStrictEqual(yield* child.exited, { code: 0, signal: null })
      assert.strictEqual(textOf(yield* child.answer(1)), "rested")
      assert.strictEqual(child.rest(), "")
      assert.include(child.stderr(), "stdio returned")
    })
  )

  it.live("D10 SUB-09: ends what listens with its result, and does not wait for it", () =>
    Effect.gen(function* () {
      const child = yield* started({ drain: 60_000 })
      child.write(line(rawRequest("ear", "subscriptions/listen", { notifications: { toolsListChanged: true } })))
      yield* Effect.promise(() =>
        child.lines.first(({ method }) => method === "notifications/subscriptions/acknowledged")
      )
      child.endInput()
      assert.deepStrictEqual(yield* child.exited, { code: 0, signal: null })
      const { result } = yield* child.answer("ear")
      assert.strictEqual(result.resultType, "complete")
      assert.strictEqual(result._meta["io.modelcontextprotocol/subscriptionId"], "ear")
    })
  )

  it.live("D10: interrupts what outlasts the drain, says so, and exits with 0", () =>
    Effect.gen(function* () {
      const child = yield* started({ drain: 100 })
      child.write(line(rawToolCall(1, "wait")))
      child.endInput()
      assert.deepStrictEqual(yield* child.exited, { code: 0, signal: null })
      assert.include(child.stderr(), "interrupted")
      assert.deepStrictEqual(yield* child.answer(1), {
        jsonrpc: "2.0",
        id: 1,
        error: { code: -32603, message: "The server is stopping" }
      })
    })
  )

  for (const [signal, code] of [
    ["SIGTERM", 143],
    ["SIGINT", 130]
  ] as const) {
    it.live(`D10: comes early with ${signal}: handlers are interrupted, finalizers run, and the code says why`, () =>
      Effect.gen(function* () {
        const child = yield* started()
        child.write(line(rawToolCall(1, "wait")))
        yield* child.told("began")
        child.stream.kill(signal)
        assert.deepStrictEqual(yield* child.exited, { code, signal: null })
        assert.include(child.stderr(), "interrupted")
        assert.include(child.stderr(), "stdio returned")
      })
    )
  }

  it.live("STDIO-06: is all it takes to end a server that was never asked anything", () =>
    Effect.gen(function* () {
      const child = yield* started()
      child.endInput()
      assert.deepStrictEqual(yield* child.exited, { code: 0, signal: null })
      assert.deepStrictEqual(child.lines.events, [])
    })
  )
})

describe("standard output", () => {
  it.live(
    "STDIO-02 STDIO-04: carries messages only; logs, defects and whatever a handler prints go to standard error",
    () =>
      Effect.gen(function* () {
        const child = yield* started()
        child.write(line(rawToolCall(1, "chatty")) + line(rawToolCall(2, "boom")))
        assert.strictEqual(textOf(yield* child.answer(1)), "quiet")
        assert.match(textOf(yield* child.answer(2)), /internal error/)
        child.endInput()
        yield* child.exited
        assert.lengthOf(child.lines.events, 2)
        for (const text of [
          "by log\n",
          "by logError",
          "by Console.error",
          "by console.error",
          "by console.log",
          "half a line",
          "the detail"
        ]) {
          assert.include(child.stderr(), text)
        }
      })
  )

  it.live("B066 D13: holds handlers and reading back while it is full, and loses nothing", () =>
    Effect.gen(function* () {
      const child = yield* started()
      child.stream.stdout.pause()
      child.write(line(rawToolCall(1, "flood", { count: 1_000 }, { progressToken: 1 })))
      let refused = 0
      for (let at = 0; at < 200; at++) if (!child.write(echo(`e${at}`, "y".repeat(8_192)))) refused++
      yield* Effect.sleep(300)
      assert.notInclude(child.stderr(), "flooded")
      assert.isAbove(refused, 0)
      child.stream.stdout.resume()
      assert.strictEqual(textOf(yield* child.answer(1)), "whole")
      for (let at = 0; at < 200; at++) yield* child.answer(`e${at}`)
      const progress = child.lines.events.flatMap((one) => one["params"]?.progress ?? [])
      assert.deepStrictEqual(
        progress,
        Array.from({ length: 1_000 }, (_, at) => at + 1)
      )
    })
  )

  it.live("STDIO-06: that nobody reads any more ends the server without a crash", () =>
    Effect.gen(function* () {
      const child = yield* started({ drain: 100 })
      child.write(echo(1, "x"))
      yield* child.answer(1)
      child.stream.stdout.destroy()
      for (let at = 0; at < 20; at++) {
        child.write(echo(at, "z".repeat(1_000)))
        yield* Effect.sleep(10)
      }
      assert.deepStrictEqual(yield* child.exited, { code: 0, signal: null })
      assert.notInclude(child.stderr(), "EPIPE")
    })
  )
})
