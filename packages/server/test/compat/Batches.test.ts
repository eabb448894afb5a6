/**
 * Arrays of messages: taken in sessions of 2025-03-26, over HTTP and over a pipe, and nowhere else.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import { Recorder, rawToolCall, type RawMessage } from "@treadle/testing"
import { Ask, CurrentCall, Mcp } from "../../src/index.ts"
import { cancelled, compatCall, compatDoor, compatPipe, compatRequest, initialize } from "../fixtures/compatDoor.ts"
import { eventTail } from "../fixtures/eventTail.ts"
import { headersOf } from "../fixtures/rawPeers.ts"

const batching = "2025-03-26"

const gated = () => {
  const gates = new Recorder<string>()
  const mcp = Mcp.make({ name: "suite", version: "1.0.0" })
    .tool("echo", { description: "Tested", input: { text: Schema.String } }, async ({ text }, { progress }) => {
      progress(1)
      return text
    })
    .tool("hold", { description: "Tested", input: { gate: Schema.String } }, async ({ gate }) => {
      await gates.first((one) => one === gate)
      return gate
    })
    .tool("ask", { description: "Tested" }, () =>
      Effect.map(CurrentCall.ask("folders", Ask.roots()), ({ roots }) => `${roots.length} folders`)
    )
  return { mcp, openGate: (gate: string) => Effect.sync(() => gates.record(gate)) }
}

const echo = (id: unknown, text = String(id), meta?: object) => compatCall(id, "echo", { text }, meta)
const ping = (id: unknown) => compatRequest(id, "ping")

/** A batch goes through what sends one message. */
const batch = (...messages: ReadonlyArray<unknown>) => messages as unknown as RawMessage

/** What was answered, by id: the text, the error code, or the result. */
const outcomes = (answers: unknown): Record<string, unknown> => {
  assert.isArray(answers)
  const said = (answer: any) => answer.error?.code ?? answer.result?.content?.[0].text ?? answer.result
  return Object.fromEntries((answers as ReadonlyArray<any>).map((answer) => [String(answer.id), said(answer)]))
}

describe("a batch in a session of 2025-03-26", () => {
  it.effect("BASE-24: is answered by one array, in any order, with each message served by itself", () =>
    Effect.gen(function* () {
      const { open, send } = yield* compatDoor(gated().mcp)
      const session = yield* open(batching)
      const got = yield* send(
        batch(ping(1), cancelled("x"), echo("two"), compatRequest(3, "nope"), 4, { jsonrpc: "2.0", id: 5, method: 5 }),
        { session }
      )
      assert.deepStrictEqual([got.status, got.type], [200, "application/json"])
      assert.deepStrictEqual(outcomes(got.answer), { 1: {}, two: "two", 3: -32601, undefined: -32600, 5: -32600 })
    })
  )

  it.effect("BASE-24: waits for the last of its calls", () =>
    Effect.gen(function* () {
      const { mcp, openGate } = gated()
      const { begin, open, served } = yield* compatDoor(mcp)
      const session = yield* open(batching)
      const got = yield* begin(
        batch(compatCall(1, "hold", { gate: "a" }), ping(2), compatCall(3, "hold", { gate: "b" })),
        {
          session
        }
      )
      yield* openGate("b")
      yield* openGate("a")
      assert.deepStrictEqual(outcomes((yield* Fiber.join(got)).answer), { 1: "a", 2: {}, 3: "b" })
      assert.strictEqual(served.counters().calls, 0)
    })
  )

  it.effect("CHTTP-02: that publishes something is answered by events, the array the last of them", () =>
    Effect.gen(function* () {
      const { open, send } = yield* compatDoor(gated().mcp)
      const session = yield* open(batching)
      const got = yield* send(batch(echo(1, "one", { progressToken: "t" }), echo(2)), { session })
      assert.strictEqual(got.type, "text/event-stream")
      assert.deepStrictEqual(
        got.messages.map((message) => message["method"] ?? outcomes(message)),
        ["notifications/progress", { 1: "one", 2: "2" }]
      )
    })
  )

  it.effect("BASE-24: without a request is accepted with 202 and no body, answers of the client included", () =>
    Effect.gen(function* () {
      const { open, respond, send, served } = yield* compatDoor(gated().mcp)
      const session = (yield* send(initialize(batching, { roots: {} }))).session ?? (yield* open(batching))
      const asking = eventTail(yield* Effect.promise(() => respond(compatCall(1, "ask"), { session })))
      const { id } = yield* asking.message
      const answer = { jsonrpc: "2.0", id, result: { roots: [] } }
      const got = yield* send(batch(cancelled("x"), answer, cancelled("y")), { session })
      assert.deepStrictEqual([got.status, got.text], [202, ""])
      assert.strictEqual((yield* asking.message)["result"].content[0].text, "0 folders")
      assert.strictEqual(served.counters().asks, 0)
    })
  )

  it.effect("CANCEL-05: whose every call was cancelled is answered by nothing", () =>
    Effect.gen(function* () {
      const { begin, open, send } = yield* compatDoor(gated().mcp)
      const session = yield* open(batching)
      const got = yield* begin(batch(compatCall(1, "hold", { gate: "a" })), { session })
      yield* send(batch(cancelled(1)), { session })
      assert.deepStrictEqual((yield* Fiber.join(got)).messages, [])
    })
  )

  it.effect("D11: holds nothing that speaks for itself, such as a native message", () =>
    Effect.gen(function* () {
      const { open, send, served } = yield* compatDoor(gated().mcp)
      const session = yield* open(batching)
      const native = rawToolCall("native", "hold", { gate: "a" })
      const { answer } = yield* send(batch(native, ping(1)), { session })
      assert.deepStrictEqual(outcomes(answer), { native: -32600, 1: {} })
      assert.strictEqual(served.counters().calls, 0)
    })
  )

  it.effect("INIT: never holds a handshake, which is refused by itself", () =>
    Effect.gen(function* () {
      const { open, send, served } = yield* compatDoor(gated().mcp)
      const session = yield* open(batching)
      const got = yield* send(batch(initialize(), ping(1)), { session })
      assert.deepStrictEqual([outcomes(got.answer), got.session], [{ 0: -32600, 1: {} }, undefined])
      assert.strictEqual(served.counters().sessions, 1)
    })
  )

  it.effect("D13: has 1 to 100 messages, else it is refused whole", () =>
    Effect.gen(function* () {
      const { open, send } = yield* compatDoor(gated().mcp)
      const session = yield* open(batching)
      const many = (count: number) => batch(...Array.from({ length: count }, (_, id) => ping(id)))
      assert.strictEqual(
        ((yield* send(many(100), { session })).answer as unknown as ReadonlyArray<unknown>).length,
        100
      )
      for (const count of [0, 101]) {
        const { answer, status } = yield* send(many(count), { session })
        assert.deepStrictEqual([status, answer["error"].code, "id" in answer], [400, -32600, false])
        assert.strictEqual(answer["error"].message, `A batch has 1 to 100 messages, not ${count}`)
      }
    })
  )

  it.effect("CHTTP-17: is 404 once the session has ended", () =>
    Effect.gen(function* () {
      const { open, send } = yield* compatDoor(gated().mcp)
      const session = yield* open(batching)
      yield* send(undefined, { verb: "DELETE", session })
      assert.strictEqual((yield* send(batch(ping(1)), { session })).status, 404)
    })
  )

  it.effect("BASE-24: is taken from a pipe too, and answered by one line", () =>
    Effect.gen(function* () {
      const { peer } = yield* compatPipe(gated().mcp)
      const before = yield* peer.send(batch(ping(1)))
      assert.strictEqual(
        (yield* Effect.promise(() => before.seen.first((message) => message["error"] !== undefined)))["error"].code,
        -32600
      )
      yield* (yield* peer.send(initialize(batching))).answer
      const sent = yield* peer.send(batch(ping(1), echo("two")))
      const answers = yield* Effect.promise(() => sent.seen.first((message) => Array.isArray(message)))
      assert.deepStrictEqual(outcomes(answers), { 1: {}, two: "two" })
    })
  )
})

describe("a batch anywhere else", () => {
  it.effect("BASE-24: is refused with -32600, whatever the revision of the session", () =>
    Effect.gen(function* () {
      const { open, send } = yield* compatDoor(gated().mcp)
      for (const version of ["2025-11-25", "2025-06-18", "2024-11-05"]) {
        const { answer, status } = yield* send(batch(ping(1)), { session: yield* open(version) })
        assert.deepStrictEqual([status, answer["error"].code], [400, -32600], version)
      }
    })
  )

  it.effect("BASE-24: is refused natively and where no session was opened, whatever the version header says", () =>
    Effect.gen(function* () {
      const on = yield* compatDoor(gated().mcp)
      const off = yield* compatDoor(gated().mcp, { sessions: "off" })
      const native = rawToolCall(1, "echo", { text: "x" })
      const session = yield* on.open(batching)
      const tries = [
        on.send(batch(native), { headers: headersOf(native) }),
        on.send(batch(native), { headers: headersOf(native), session }),
        on.send(batch(ping(1))),
        on.send(batch(initialize(batching))),
        off.send(batch(ping(1))),
        off.send(batch(ping(1)), { headers: { "mcp-protocol-version": batching } })
      ]
      for (const attempt of tries) {
        const { answer, status } = yield* attempt
        assert.deepStrictEqual([status, answer["error"].code], [400, -32600])
      }
    })
  )
})
