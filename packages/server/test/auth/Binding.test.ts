/**
 * What a server hands out belongs to whom it was given: sessions, their streams, cursors, the state of a call that asks,
 * and the places of running calls (SEC-04).
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { rawRequest, rawToolCall, Recorder } from "@treadle/testing"
import { Ask, CurrentCall, Mcp } from "../../src/index.ts"
import { McpNode } from "../../src/node/index.ts"
import { empty } from "../fixtures/calling.ts"
import { listening } from "../fixtures/cells.ts"
import { compatCall, compatDoor, compatRequest, initialize } from "../fixtures/compatDoor.ts"
import { eventTail } from "../fixtures/eventTail.ts"
import { headersOf, posting } from "../fixtures/rawPeers.ts"
import { tokens } from "../fixtures/tokens.ts"

const nameForm = Ask.form({ message: "Who?", fields: { name: Schema.String } })
const events = new Recorder<string>()

const mcp = Mcp.make<{ readonly user?: string }>({ name: "suite", version: "1", principal: () => "whoever" })
  .tool("who", { description: "Tested" }, async (_, { principal }) => principal?.id)
  .tool("ask", { description: "Tested" }, () =>
    Effect.map(CurrentCall.ask("name", nameForm), (answer) => (answer.action === "accept" ? answer.content.name : "no"))
  )
  .tool("wait", { description: "Tested" }, (_, { principal }) =>
    Effect.andThen(
      Effect.sync(() => events.record(principal?.id ?? "nobody")),
      Effect.never
    )
  )
  .tool("last", { description: "Tested" }, async () => "")

const auth = tokens({ ada: [], eve: [] })
const as = (token: string) => ({ authorization: `Bearer ${token}` })
const open = compatDoor(mcp as unknown as Mcp<never>, { auth, limits: { pageSize: 2, runningCalls: 1 } })

describe("what was given to a principal of a token", () => {
  it.effect("D12 CHTTP-17: a session is unknown to any other, on every verb", () =>
    Effect.gen(function* () {
      const door = yield* open
      const session = yield* door.open(undefined, { headers: as("ada") })
      for (const verb of ["POST", "GET", "DELETE"]) {
        const sending = { verb, session, headers: { ...as("eve"), accept: "application/json, text/event-stream" } }
        const stolen = yield* door.send(verb === "POST" ? compatRequest(1, "ping") : undefined, sending)
        assert.strictEqual(stolen.status, 404, verb)
      }
      const own = yield* door.send(compatCall(2, "who"), { session, headers: as("ada") })
      assert.strictEqual(own.answer["result"].content[0].text, "https://login.example#ADA")
      const none = yield* door.send(compatRequest(3, "ping"), { session })
      assert.strictEqual(none.status, 401, "a session id is no authentication")
    })
  )

  it.effect("PAGE-04: a cursor is invalid for any other", () =>
    Effect.gen(function* () {
      const door = yield* open
      const list = (token: string, params: object = {}) => {
        const message = rawRequest(1, "tools/list", params)
        return door.send(message, { headers: { ...headersOf(message), ...as(token) } })
      }
      const cursor = (yield* list("ada")).answer["result"].nextCursor
      assert.isString(cursor)
      assert.strictEqual((yield* list("eve", { cursor })).answer["error"].code, -32602)
      assert.property((yield* list("ada", { cursor })).answer, "result")
    })
  )

  it.effect("B090 STATE-03: the state of a call that asks is invalid for any other", () =>
    Effect.gen(function* () {
      const door = yield* open
      const capabilities = { "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } } }
      const call = (token: string, round: object = {}) => {
        const message = rawRequest(1, "tools/call", { name: "ask", arguments: {}, ...round }, capabilities)
        return door.send(message, { headers: { ...headersOf(message), ...as(token) } })
      }
      const { requestState } = (yield* call("ada")).answer["result"]
      const inputResponses = { name: { action: "accept", content: { name: "Ada" } } }
      assert.strictEqual((yield* call("eve", { inputResponses, requestState })).answer["error"].code, -32602)
      const own = yield* call("ada", { inputResponses, requestState })
      assert.strictEqual(own.answer["result"].content[0].text, "Ada")
    })
  )

  it.effect("D13: the places of running calls are its own", () =>
    Effect.gen(function* () {
      const door = McpNode.handler(mcp as unknown as Mcp<never>, { auth, limits: { runningCalls: 1 } })
      const port = yield* listening((req, res) => door(req, res))
      const call = (token: string) => posting(port, rawToolCall(1, "wait"), as(token))
      const running = []
      for (const token of ["ada", "eve"]) {
        running.push(call(token))
        yield* Effect.promise(() => events.first((one) => one === `https://login.example#${token.toUpperCase()}`))
        assert.strictEqual((yield* Effect.promise(() => call(token).res)).statusCode, 429)
      }
      for (const { req } of running) req.destroy()
    })
  )

  it.effect("D14: a question of a session is answered by nobody else", () =>
    Effect.gen(function* () {
      const door = yield* open
      const handshake = initialize("2025-11-25", { elicitation: { form: {} } })
      const { session } = yield* door.send(handshake, { headers: as("ada") })
      const response = yield* Effect.promise(() => door.respond(compatCall(5, "ask"), { session, headers: as("ada") }))
      const tail = eventTail(response)
      const { id } = yield* tail.message
      const result = { action: "accept", content: { name: "Eve" } }
      const stolen = yield* door.send({ jsonrpc: "2.0", id, result }, { session, headers: as("eve") })
      assert.strictEqual(stolen.status, 404)
      const own = { jsonrpc: "2.0", id, result: { action: "accept", content: { name: "Ada" } } }
      assert.strictEqual((yield* door.send(own, { session, headers: as("ada") })).status, 202)
      assert.strictEqual((yield* tail.message)["result"].content[0].text, "Ada")
    })
  )
})

describe("the principal function of a server", () => {
  it.effect("is not asked where the door has auth, not even where it throws", () =>
    Effect.gen(function* () {
      const thrower = Mcp.make({
        name: "suite",
        version: "1",
        principal: () => {
          throw new Error("it must not be asked")
        }
      }).add(empty().tool("who", { description: "Tested" }, async (_, { principal }) => principal?.via))
      const door = yield* compatDoor(thrower, { auth })
      const message = rawToolCall(1, "who")
      const seen = yield* door.send(message, { headers: { ...headersOf(message), ...as("ada") } })
      assert.strictEqual(seen.answer["result"].content[0].text, "token")
    })
  )
})
