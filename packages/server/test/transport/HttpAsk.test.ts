import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { rawToolCall } from "@treadle/testing"
import { McpHttp, type FetchDoor } from "../../src/http.ts"
import { Ask, CurrentCall } from "../../src/index.ts"
import { empty, said } from "../fixtures/calling.ts"
import { eventTail } from "../fixtures/eventTail.ts"
import { headersOf } from "../fixtures/rawPeers.ts"

const nameForm = Ask.form({ message: "Who?", fields: { name: Schema.String } })
const mcp = empty().tool("greet", { description: "Tested" }, () =>
  Effect.map(CurrentCall.ask("name", nameForm), (answer) =>
    answer.action === "accept" ? `Hello, ${answer.content.name}!` : answer.action
  )
)

const door = Effect.acquireRelease(
  Effect.sync(() => McpHttp.fetch(mcp)),
  (open) => Effect.promise(() => open.close())
)

const post = (open: FetchDoor<{}>, message: object, headers: Record<string, string>): Effect.Effect<Response> =>
  Effect.promise(() =>
    open(
      new Request("http://localhost/mcp", {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
        body: JSON.stringify(message)
      })
    )
  )

const opened = Effect.fnUntraced(function* (open: FetchDoor<{}>) {
  const params = {
    protocolVersion: "2025-11-25",
    capabilities: { elicitation: {} },
    clientInfo: { name: "asked", version: "1" }
  }
  const response = yield* post(open, { jsonrpc: "2.0", id: 1, method: "initialize", params }, {})
  return { "mcp-session-id": response.headers.get("mcp-session-id") ?? "" }
})

const call = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "greet" } }

describe("a question over HTTP", () => {
  it.effect(
    "CHTTP-03 CHTTP-05: of a session is a request on the stream of its call, answered with a POST of its own",
    () =>
      Effect.gen(function* () {
        const open = yield* door
        const [session, stranger] = [yield* opened(open), yield* opened(open)]
        const response = yield* post(open, call, session)
        assert.strictEqual(response.headers.get("content-type"), "text/event-stream")
        const next = eventTail(response).message
        const request = yield* next
        assert.strictEqual(request["method"], "elicitation/create")
        const answer = { jsonrpc: "2.0", id: request["id"], result: { action: "accept", content: { name: "Ada" } } }
        const forged = { ...answer, result: { action: "accept", content: { name: "Eve" } } }
        assert.strictEqual((yield* post(open, forged, stranger)).status, 202)
        assert.strictEqual((yield* post(open, answer, {})).status, 400)
        assert.strictEqual((yield* post(open, answer, { "mcp-session-id": "gone" })).status, 404)
        assert.strictEqual((yield* post(open, answer, session)).status, 202)
        assert.strictEqual(said((yield* next)["result"]), "Hello, Ada!")
      })
  )

  it.effect("D9: of a session whose request takes JSON only fails, and the model is told so", () =>
    Effect.gen(function* () {
      const open = yield* door
      const response = yield* post(open, call, { ...(yield* opened(open)), accept: "application/json" })
      const { result } = yield* Effect.promise(() => response.json())
      assert.isTrue(result.isError)
      assert.strictEqual(said(result), "The client cannot be asked: its request takes no event stream as the reply")
    })
  )

  it.effect("CHTTP-19: ends with its session", () =>
    Effect.gen(function* () {
      const open = yield* door
      const session = yield* opened(open)
      const response = yield* post(open, call, session)
      const next = eventTail(response).message
      yield* next
      const ended = yield* Effect.promise(() =>
        open(new Request("http://localhost/mcp", { method: "DELETE", headers: session }))
      )
      assert.strictEqual(ended.status, 204)
      assert.strictEqual((yield* next)["error"].message, "The session has ended")
    })
  )

  it.effect("META-08 HTTP-20: of a native client that lacks the capability is a 400, and with it one JSON result", () =>
    Effect.gen(function* () {
      const open = yield* door
      const lacking = rawToolCall(1, "greet")
      const refused = yield* post(open, lacking, headersOf(lacking))
      assert.strictEqual(refused.status, 400)
      const { error } = yield* Effect.promise(() => refused.json())
      assert.deepStrictEqual(error.data, { requiredCapabilities: { elicitation: { form: {} } } })
      const able = rawToolCall(2, "greet", {}, { "io.modelcontextprotocol/clientCapabilities": { elicitation: {} } })
      const asking = yield* post(open, able, headersOf(able))
      assert.strictEqual(asking.headers.get("content-type"), "application/json")
      const { result } = yield* Effect.promise(() => asking.json())
      assert.strictEqual(result.resultType, "input_required")
      assert.isUndefined(result.ttlMs)
    })
  )
})
