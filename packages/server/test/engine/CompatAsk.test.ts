import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { TestClock } from "effect/testing"
import { Ask, Counters, CurrentCall } from "../../src/index.ts"
import { compatAsker } from "../fixtures/askers.ts"
import { empty, said } from "../fixtures/calling.ts"

const plain = { description: "Tested" }
const nameForm = Ask.form({ message: "Who?", fields: { name: Schema.String } })
const silent = () => undefined
const quiet = { ...Counters.none, sessions: 1 }

const asking = empty()
  .tool("t", plain, () => Effect.as(CurrentCall.ask("name", nameForm), "answered"))
  .tool("race", plain, async (_, { ask }) =>
    Promise.race([ask("name", nameForm), Promise.resolve("first")]).then(String)
  )
  .tool("brief", { ...plain, timeout: 500 }, () => Effect.as(CurrentCall.ask("name", nameForm), "answered"))

const started = Effect.fnUntraced(function* (name: string, limits = {}) {
  const client = yield* compatAsker(asking, silent, { limits })
  client.send({ id: "call", method: "tools/call", params: { name, arguments: {} } })
  const request = yield* Effect.promise(() =>
    client.seen.first((message) => message["method"] === "elicitation/create")
  )
  return { ...client, request, answer: client.answerTo("call") }
})

const cancelled = (request: { readonly [key: string]: unknown }) => (message: { readonly [key: string]: any }) =>
  message["method"] === "notifications/cancelled" && message["params"].requestId === request["id"]

describe("a question that a session does not answer", () => {
  it.effect("TIME-02 D14: fails after limits.askTimeout, and the client is told that it is withdrawn", () =>
    Effect.gen(function* () {
      const { answer, request, seen, served } = yield* started("t", { askTimeout: 1000 })
      assert.strictEqual(served.counters().asks, 1)
      yield* TestClock.adjust(1250)
      assert.strictEqual(said((yield* answer)["result"]), `Nobody answered "name" within 1000 ms`)
      assert.isTrue((yield* answer)["result"].isError)
      assert.isDefined(seen.events.find(cancelled(request)))
      assert.deepStrictEqual(served.counters(), quiet)
    })
  )

  it.effect("CANCEL-02: ends with its call when that is cancelled", () =>
    Effect.gen(function* () {
      const { send, served } = yield* started("t")
      send({ method: "notifications/cancelled", params: { requestId: "call" } })
      yield* Effect.yieldNow
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(served.counters(), quiet)
    })
  )

  it.effect("D10: ends with its pipe", () =>
    Effect.gen(function* () {
      const { near, served } = yield* started("t")
      near.close()
      yield* Effect.yieldNow
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(served.counters(), { ...quiet, sessions: 0 })
    })
  )

  it.effect("D14: is withdrawn where the call goes on without it", () =>
    Effect.gen(function* () {
      const { answer, request, seen, served } = yield* started("race")
      assert.strictEqual(said((yield* answer)["result"]), "first")
      const kinds = seen.events.map((message) => (cancelled(request)(message) ? "withdrawn" : message["id"]))
      assert.deepStrictEqual(kinds, ["init", request["id"], "withdrawn", "call"])
      assert.deepStrictEqual(served.counters(), quiet)
    })
  )

  it.effect("D14: does not use up the time of its tool", () =>
    Effect.gen(function* () {
      const { answer, request, send } = yield* started("brief")
      yield* TestClock.adjust(5000)
      send({ id: request["id"], result: { action: "accept", content: { name: "Ada" } } })
      assert.strictEqual(said((yield* answer)["result"]), "answered")
    })
  )
})

describe("the answer of a session", () => {
  it.effect("ELIC-08: that is an error or is malformed fails the question", () =>
    Effect.gen(function* () {
      const refused = yield* started("t")
      refused.send({ id: refused.request["id"], error: { code: -1, message: "User rejected" } })
      const { result } = yield* refused.answer
      assert.deepStrictEqual([result.isError, said(result)], [true, `The client did not answer "name": User rejected`])
      const malformed = yield* started("t")
      malformed.send({ id: malformed.request["id"], result: { action: "accept", content: {} } })
      assert.strictEqual((yield* malformed.answer)["error"].code, -32602)
    })
  )

  it.effect("BASE-10: to nothing is dropped", () =>
    Effect.gen(function* () {
      const { near, request, send, served, answer } = yield* started("t")
      for (const id of ["ask-99", 7, "call", "__proto__"]) send({ id, result: { action: "decline" } })
      near.write(`{"jsonrpc":"2.0","error":{"code":1,"message":"x"}}\n`)
      assert.strictEqual(served.counters().asks, 1)
      send({ id: request["id"], result: { action: "decline" } })
      assert.strictEqual(said((yield* answer)["result"]), "answered")
    })
  )
})
