/**
 * Two processes of one server behind a balancer that sends each request to the other one: what needs nothing from the
 * last request works, and what does says so.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { rawRequest, type RawMessage } from "@treadle/testing"
import { Ask, Counters, CurrentCall, type StateKey } from "../../src/index.ts"
import type { HttpSettings } from "../../src/http.ts"
import { able } from "../fixtures/askers.ts"
import { empty, said } from "../fixtures/calling.ts"
import { compatCall, compatDoor, compatRequest, initialize, type Sending } from "../fixtures/compatDoor.ts"
import { headersOf } from "../fixtures/rawPeers.ts"

const nameForm = Ask.form({ message: "Who?", fields: { name: Schema.String } })
const mcp = empty()
  .tool("t", { description: "Tested" }, async () => "x")
  .tool("told", { description: "Tested" }, () => Effect.as(CurrentCall.progress(1), "told"))
  .tool("ask", { description: "Tested" }, () =>
    Effect.map(CurrentCall.ask("name", nameForm), (answer) =>
      answer.action === "accept" ? `Hello, ${answer.content.name}!` : answer.action
    )
  )

const stateKeys: ReadonlyArray<StateKey> = [{ id: "a", secret: new Uint8Array(32).fill(1) }]

/** Each request goes to the process that did not get the last one. */
const balanced = (settings: HttpSettings) =>
  Effect.map(Effect.all([compatDoor(mcp, settings), compatDoor(mcp, settings)]), ([left, right]) => {
    let turn = 0
    return {
      left,
      right,
      send: (message: RawMessage, sending?: Sending) => (turn++ % 2 === 0 ? left : right).send(message, sending)
    }
  })

describe("two processes behind one address", () => {
  it.effect(
    "B087 STATE-05: serve native requests in turns, a question asked by one and answered to the other too",
    () =>
      Effect.gen(function* () {
        const { left, right, send } = yield* balanced({ stateKeys })
        const native = (method: string, params: object, meta: object = {}) => {
          const message = rawRequest(1, method, params, { "io.modelcontextprotocol/clientCapabilities": able, ...meta })
          return send(message, { headers: headersOf(message) })
        }
        const listed: Array<unknown> = []
        for (let round = 0; round < 25; round++) {
          listed.push((yield* native("tools/list", {})).answer["result"])
          assert.strictEqual(said((yield* native("tools/call", { name: "t" })).answer["result"]), "x")
          const told = yield* native("tools/call", { name: "told" }, { progressToken: round })
          assert.deepStrictEqual([told.messages.length, said(told.answer["result"])], [2, "told"])
          const asked = (yield* native("tools/call", { name: "ask" })).answer["result"]
          assert.strictEqual(asked.resultType, "input_required")
          const inputResponses = { name: { action: "accept", content: { name: "Ada" } } }
          const retry = { name: "ask", inputResponses, requestState: asked.requestState }
          assert.strictEqual(said((yield* native("tools/call", retry)).answer["result"]), "Hello, Ada!")
        }
        for (const one of listed) assert.deepStrictEqual(one, listed[0])
        for (const { served } of [left, right]) {
          assert.deepStrictEqual(served.counters(), Counters.none)
        }
      })
  )

  it.effect("B087 CHTTP-25: serve clients of the compat era in turns where sessions are off", () =>
    Effect.gen(function* () {
      const { send } = yield* balanced({ sessions: "off" })
      for (let round = 0; round < 25; round++) {
        const { answer, session } = yield* send(initialize())
        assert.deepStrictEqual([answer["result"].protocolVersion, session], ["2025-11-25", undefined])
        assert.lengthOf((yield* send(compatRequest(2, "tools/list"))).answer["result"].tools, 3)
        assert.strictEqual(said((yield* send(compatCall(3, "t"))).answer["result"]), "x")
      }
    })
  )

  it.effect("B087 CHTTP-17: say 404 to a session of the other, which goes on where it is", () =>
    Effect.gen(function* () {
      const { left, right } = yield* balanced({})
      const session = yield* left.open()
      for (const _ of [1, 2]) {
        const foreign = yield* right.send(compatCall(1, "t"), { session })
        assert.deepStrictEqual([foreign.status, foreign.answer["error"].code], [404, -32600])
        assert.strictEqual(said((yield* left.send(compatCall(1, "t"), { session })).answer["result"]), "x")
      }
    })
  )
})
