import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { TestClock } from "effect/testing"
import { Ask, CurrentCall, Mcp, StateStore, type StateKey } from "../../src/index.ts"
import { directPeer } from "../../src/McpDirect.ts"
import { attempt, nativeAsker } from "../fixtures/askers.ts"
import { empty, said, serving } from "../fixtures/calling.ts"
import { directRawPeer } from "../fixtures/rawPeers.ts"
import { quietAtEnd } from "../fixtures/quiet.ts"

const plain = { description: "Tested" }
const nameForm = Ask.form({ message: "Who?", fields: { name: Schema.String } })
const input = { of: Schema.optionalKey(Schema.String), and: Schema.optionalKey(Schema.Int) }

const handler = () =>
  Effect.map(CurrentCall.ask("name", nameForm), (answer) =>
    answer.action === "accept" ? `Hello, ${answer.content.name}!` : answer.action
  )

const asking = empty()
  .tool("ask", { ...plain, input }, handler)
  .tool("other", { ...plain, input }, handler)
  .tool("once", { ...plain, once: true }, handler)

const inputResponses = { name: { action: "accept", content: { name: "Ada" } } }
const invalid = {
  code: -32602,
  message: "The requestState is not valid for this request; send the request again without it"
}
const key = (id: string, byte: number): StateKey => ({ id, secret: new Uint8Array(32).fill(byte) })
const ask = nativeAsker(asking, () => undefined, { stateKeys: [key("a", 1)] })

/** A value with this many levels in it. */
const nested = (levels: number): unknown => Array.from({ length: levels }).reduce((inner) => [inner], 0)

describe("a request that asks", () => {
  it.effect("B096: is sealed, opened and answered at the deepest that a message may be", () =>
    Effect.gen(function* () {
      const defects: Array<unknown> = []
      const onDefect = (error: unknown) => void defects.push(error)
      const mcp = empty().tool("ask", { ...plain, input: { of: Schema.optionalKey(Schema.Json) } }, handler)
      const { peer } = yield* nativeAsker(mcp, () => undefined, {
        onDefect,
        limits: { nesting: 1_000 }
      })
      const refusal = { code: -32600, message: "Invalid request: the message nests deeper than 1000 levels" }
      const { requestState } = (yield* attempt(peer, "ask", { of: nested(990) }))["result"]
      const round = { inputResponses, requestState }
      assert.strictEqual(said((yield* attempt(peer, "ask", { of: nested(990) }, round))["result"]), "Hello, Ada!")
      assert.deepStrictEqual((yield* attempt(peer, "ask", { of: nested(100_000) }))["error"], refusal)
      assert.deepStrictEqual((yield* attempt(peer, "ask", { of: nested(100_000) }, round))["error"], refusal)
      const answers = { name: { ...inputResponses.name, _meta: { deep: nested(100_000) } } }
      const deep = { ...round, inputResponses: answers }
      assert.deepStrictEqual((yield* attempt(peer, "ask", { of: nested(990) }, deep))["error"], refusal)
      assert.deepStrictEqual(defects, [])
    })
  )
})

describe("a state that comes back", () => {
  it.effect("B090 STATE-02: is refused where any character of it was changed, added or left out", () =>
    Effect.gen(function* () {
      const { peer } = yield* ask
      const { requestState } = (yield* attempt(peer, "ask"))["result"]
      const state = String(requestState)
      const changed = [...state].map(
        (char, at) => state.slice(0, at) + (char === "A" ? "B" : "A") + state.slice(at + 1)
      )
      const cut = [...state].map((_, at) => state.slice(0, at))
      for (const one of [
        ...changed,
        ...cut,
        `${state}-TAMPERED`,
        `${state}=`,
        ` ${state}`,
        "",
        ".",
        "a.",
        7,
        null,
        {}
      ]) {
        const answer = yield* attempt(peer, "ask", {}, { inputResponses, requestState: one })
        assert.deepStrictEqual(answer["error"], invalid, JSON.stringify(one))
      }
      const whole = yield* attempt(peer, "ask", {}, { inputResponses, requestState })
      assert.strictEqual(said(whole["result"]), "Hello, Ada!")
    })
  )

  it.effect("STATE-03: belongs to its tool and its arguments, whose order does not matter", () =>
    Effect.gen(function* () {
      const { peer } = yield* ask
      const { requestState } = (yield* attempt(peer, "ask", { of: "x", and: 1 }))["result"]
      const misplaced = [
        ["other", { of: "x", and: 1 }],
        ["ask", { of: "y", and: 1 }],
        ["ask", { of: "x" }],
        ["ask", { of: "x", and: "1" }]
      ] as const
      for (const [name, args] of misplaced) {
        const answer = yield* attempt(peer, name, args, { inputResponses, requestState })
        assert.deepStrictEqual(answer["error"], invalid, JSON.stringify([name, args]))
      }
      const again = yield* attempt(peer, "ask", { and: 1, of: "x" }, { inputResponses, requestState })
      assert.strictEqual(said(again["result"]), "Hello, Ada!")
    })
  )

  it.effect("B090 STATE-03: belongs to its principal", () =>
    Effect.gen(function* () {
      const mcp = Mcp.make<{ user?: string }>({ name: "suite", version: "1.0.0", principal: ({ user }) => user }).add(
        asking
      )
      const served = yield* quietAtEnd(Mcp.served(mcp))
      const peer = (user?: string) => directRawPeer(directPeer(served, user === undefined ? {} : { user }))
      const { requestState } = (yield* attempt(peer("ada"), "ask"))["result"]
      for (const other of [peer("eve"), peer()]) {
        const answer = yield* attempt(other, "ask", {}, { inputResponses, requestState })
        assert.deepStrictEqual(answer["error"], invalid)
      }
      const own = yield* attempt(peer("ada"), "ask", {}, { inputResponses, requestState })
      assert.strictEqual(said(own["result"]), "Hello, Ada!")
    })
  )

  it.effect("STATE-03: expires after limits.askTimeout", () =>
    Effect.gen(function* () {
      const { peer } = yield* nativeAsker(asking, () => undefined, { limits: { askTimeout: 1000 } })
      const { requestState } = (yield* attempt(peer, "ask"))["result"]
      yield* TestClock.adjust(999)
      const round = { inputResponses, requestState }
      assert.strictEqual(said((yield* attempt(peer, "ask", {}, round))["result"]), "Hello, Ada!")
      yield* TestClock.adjust(1)
      assert.deepStrictEqual((yield* attempt(peer, "ask", {}, round))["error"], invalid)
    })
  )

  it.effect("STATE-05: is opened by every key and sealed by the first, and by no other server", () =>
    Effect.gen(function* () {
      const served = (...stateKeys: ReadonlyArray<StateKey>) => serving(asking, {}, { stateKeys })
      const old = yield* served(key("a", 1))
      const { requestState } = (yield* attempt(old.peer, "ask"))["result"]
      assert.match(requestState, /^a\./)
      const secret = Redacted.make(new Uint8Array(32).fill(2))
      const rotated = yield* served({ id: "b", secret }, key("a", 1))
      const round = { inputResponses, requestState }
      assert.strictEqual(said((yield* attempt(rotated.peer, "ask", {}, round))["result"]), "Hello, Ada!")
      assert.match((yield* attempt(rotated.peer, "ask"))["result"].requestState, /^b\./)
      for (const foreign of [yield* served(key("b", 2)), yield* served(key("a", 2)), yield* serving(asking, {})]) {
        assert.deepStrictEqual((yield* attempt(foreign.peer, "ask", {}, round))["error"], invalid)
      }
    })
  )

  it.effect("D14: is spent where its tool says once, and its tool alone", () =>
    Effect.gen(function* () {
      const { peer } = yield* ask
      const stateless = yield* attempt(peer, "once", {}, { inputResponses })
      assert.strictEqual(stateless["result"].resultType, "input_required")
      for (const [name, again] of [
        ["once", "refused"],
        ["ask", "Hello, Ada!"]
      ] as const) {
        const { requestState } = (yield* attempt(peer, name))["result"]
        const malformed = yield* attempt(peer, name, {}, { inputResponses: { name: 1 }, requestState })
        assert.strictEqual(malformed["error"].code, -32602)
        const first = yield* attempt(peer, name, {}, { inputResponses, requestState })
        assert.strictEqual(said(first["result"]), "Hello, Ada!")
        const second = yield* attempt(peer, name, {}, { inputResponses, requestState })
        assert.strictEqual(second["error"] === undefined ? said(second["result"]) : "refused", again)
      }
    })
  )
})

describe("keys", () => {
  it.effect("STATE-05: are warned of once where none are given", () =>
    Effect.gen(function* () {
      const lines: Array<unknown> = []
      const logger = Logger.make(({ message }) => void lines.push(message))
      const { peer } = yield* Effect.provide(serving(asking, {}), Logger.layer([logger]))
      yield* attempt(peer, "ask")
      yield* attempt(peer, "ask")
      assert.lengthOf(lines, 1)
      assert.match(String(lines[0]), /^requestState is sealed with a key of this process/)
    })
  )

  it.effect("D14: of the wrong length or the same name are refused when serving starts", () =>
    Effect.gen(function* () {
      for (const stateKeys of [[{ id: "a", secret: new Uint8Array(16) }], [key("a", 1), key("a", 2)]]) {
        const exit = yield* Effect.exit(serving(asking, {}, { stateKeys }))
        assert.match(String(exit), /stateKeys\[\d\]\.(?:secret|id): /)
      }
    })
  )
})

describe("the store of spent states", () => {
  it.effect("STATE-04: refuses what was spent, and everything while it is full of what has not expired", () =>
    Effect.gen(function* () {
      const store = StateStore.memory(2)
      const spent = [
        yield* store.spend("a", 10, 0),
        yield* store.spend("a", 10, 1),
        yield* store.spend("b", 20, 1),
        yield* store.spend("c", 30, 9),
        yield* store.spend("c", 30, 10),
        yield* store.spend("b", 20, 10)
      ]
      assert.deepStrictEqual(spent, [true, false, true, false, true, false])
    })
  )
})
