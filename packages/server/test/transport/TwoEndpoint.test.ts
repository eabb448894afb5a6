/**
 * The deprecated HTTP+SSE transport at both of its doors, by hand and with the official client.
 */
import { assert, describe, it } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js"
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Recorder, type RawMessage } from "@treadle/testing"
import { McpHttp, type FetchDoor } from "../../src/http.ts"
import { Ask, Change, Counters, CurrentCall, Mcp } from "../../src/index.ts"
import { McpNode } from "../../src/node/index.ts"
import { listening } from "../fixtures/cells.ts"
import { compatCall, compatRequest, initialize } from "../fixtures/compatDoor.ts"
import { eventTail } from "../fixtures/eventTail.ts"
import { quietAtEnd } from "../fixtures/quiet.ts"

const events = new Recorder<string>()

const mcp = Mcp.make<{ readonly user?: string }>({ name: "suite", version: "1.0.0", principal: ({ user }) => user })
  .tool("echo", { description: "Tested", input: { text: Schema.String } }, async ({ text }, { progress }) => {
    progress(1)
    return text
  })
  .tool("hold", { description: "Tested", input: { name: Schema.String } }, ({ name }) =>
    Effect.onInterrupt(
      Effect.andThen(
        Effect.sync(() => events.record(`began ${name}`)),
        Effect.never
      ),
      () => Effect.sync(() => events.record(`ended ${name}`))
    )
  )
  .tool("wait", { description: "Tested", input: { name: Schema.String } }, async (input) => {
    events.record(`began ${input.name}`)
    await events.first((one) => one === `go ${input.name}`)
    return input.name
  })
  .tool("greet", { description: "Tested" }, () =>
    Effect.map(CurrentCall.ask("name", Ask.form({ message: "Who?", fields: { name: Schema.String } })), (answer) =>
      answer.action === "accept" ? `Hello, ${answer.content.name}!` : answer.action
    )
  )
  .tool("folders", { description: "Tested" }, () =>
    Effect.map(CurrentCall.ask("folders", Ask.roots()), ({ roots }) => `${roots.length} folders`)
  )

type Send = (path: string, init?: RequestInit, user?: string) => Promise<Response>

/** Each door, as something that takes a path and what is sent there. */
const doors = [
  {
    name: "fetch",
    start: (settings: Parameters<typeof McpHttp.sse>[1] = {}) =>
      Effect.map(
        quietAtEnd(
          Effect.acquireRelease(
            Effect.sync((): FetchDoor<{ readonly user?: string }> => McpHttp.sse(mcp, settings)),
            (door) => Effect.promise(() => door.close())
          )
        ),
        (door) => ({
          door,
          send: ((path, init, user) =>
            door(new Request(`http://localhost${path}`, init), user === undefined ? {} : { user })) as Send
        })
      )
  },
  {
    name: "node:http",
    start: (settings: Parameters<typeof McpNode.sse>[1] = {}) =>
      Effect.gen(function* () {
        const door = yield* quietAtEnd(
          Effect.acquireRelease(
            Effect.sync(() => McpNode.sse(mcp, settings)),
            (open) => Effect.promise(() => open.close())
          )
        )
        const port = yield* listening((req, res) => {
          const user = req.headers["x-user"]
          door(req, res, typeof user === "string" ? { user } : {})
        })
        const send: Send = (path, init, user) =>
          fetch(`http://127.0.0.1:${port}${path}`, {
            ...init,
            headers: { ...(init?.headers as Record<string, string>), ...(user === undefined ? {} : { "x-user": user }) }
          })
        return { door, send }
      })
  }
]

const opening: RequestInit = { headers: { accept: "text/event-stream" } }
const posting = (message: unknown): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(message)
})

/** Opens a stream and shakes hands on it. */
const opened = (send: Send, user?: string, capabilities: object = {}) =>
  Effect.gen(function* () {
    const response = yield* Effect.promise(() => send("/sse", opening, user))
    const tail = eventTail(response)
    const first = yield* tail.next
    const post = (message: unknown, by = user) =>
      Effect.promise(() =>
        send(new URL(first?.data ?? "", "http://x/sse").href.slice("http://x".length), posting(message), by)
      )
    yield* post(initialize("2024-11-05", capabilities))
    const hello = yield* tail.message
    return { first, hello, post, response, ...tail }
  })

describe.each(doors)("the HTTP+SSE transport over $name", ({ name, start }) => {
  it.live("CHTTP-26: names the address for messages first, accepts them with 202, and answers on the stream", () =>
    Effect.gen(function* () {
      const { send } = yield* start()
      const { first, hello, message, post, response, cancel } = yield* opened(send)
      assert.strictEqual(response.headers.get("content-type"), "text/event-stream")
      assert.strictEqual(first?.event, "endpoint")
      assert.match(first?.data ?? "", /^\?sessionId=[0-9a-f-]{36}$/)
      assert.strictEqual(hello["result"].protocolVersion, "2024-11-05")
      const accepted = yield* post(compatCall(1, "echo", { text: "hi" }, { progressToken: "t" }))
      assert.deepStrictEqual([accepted.status, yield* Effect.promise(() => accepted.text())], [202, ""])
      assert.strictEqual((yield* message)["method"], "notifications/progress")
      assert.strictEqual((yield* message)["result"].content[0].text, "hi")
      yield* cancel
    })
  )

  it.live("CHTTP-26: sends clients where the setting says", () =>
    Effect.gen(function* () {
      for (const [messages, address] of [
        ["/app/messages", /^\/app\/messages\?sessionId=[^?&]+$/],
        ["/app/messages?tenant=7", /^\/app\/messages\?tenant=7&sessionId=[^?&]+$/]
      ] as const) {
        const { send } = yield* start({ messages })
        const tail = eventTail(yield* Effect.promise(() => send("/sse", opening)))
        assert.match((yield* tail.next)?.data ?? "", address)
        yield* tail.cancel
      }
    })
  )

  it.live("ROOT CSUB: asks, and tells of changes, on the stream", () =>
    Effect.gen(function* () {
      const { door, send } = yield* start()
      const { message, post, cancel } = yield* opened(send, undefined, { roots: {} })
      yield* post(compatCall(1, "folders"))
      const asked = yield* message
      assert.strictEqual(asked["method"], "roots/list")
      yield* post({ jsonrpc: "2.0", id: asked["id"], result: { roots: [] } })
      assert.strictEqual((yield* message)["result"].content[0].text, "0 folders")
      door.live.changed(Change.tools)
      assert.strictEqual((yield* message)["method"], "notifications/tools/list_changed")
      yield* cancel
    })
  )

  it.live("D12: a closed stream interrupts its calls, and its address is gone", () =>
    Effect.gen(function* () {
      const { send } = yield* start()
      const { cancel, post } = yield* opened(send)
      yield* post(compatCall(1, "hold", { name }))
      yield* Effect.promise(() => events.first((one) => one === `began ${name}`))
      yield* cancel
      yield* Effect.promise(() => events.first((one) => one === `ended ${name}`))
      assert.strictEqual((yield* post(compatRequest(2, "ping"))).status, 404)
    })
  )

  it.live("CHTTP-23: an address belongs to whoever opened its stream", () =>
    Effect.gen(function* () {
      const { send } = yield* start()
      const { cancel, message, post } = yield* opened(send, "ada")
      assert.strictEqual((yield* post(compatRequest(1, "ping"), "eve")).status, 404)
      assert.strictEqual((yield* post(compatRequest(2, "ping"))).status, 202)
      assert.strictEqual((yield* message)["id"], 2)
      yield* cancel
    })
  )

  it.live("D13: an address that nobody opened is 404, other verbs are 405, and what is no JSON is 400", () =>
    Effect.gen(function* () {
      const { send } = yield* start()
      const status = (path: string, init: RequestInit) => Effect.promise(async () => (await send(path, init)).status)
      for (const path of ["/sse", "/sse?sessionId=", "/sse?sessionId=x", "/sse?sessionId=__proto__"]) {
        assert.strictEqual(yield* status(path, posting(initialize())), 404, path)
        const refused = yield* Effect.promise(() => send(path, posting(initialize())))
        assert.include(
          yield* Effect.promise(() => refused.text()),
          "Clients that speak Streamable HTTP belong at another path of this server, usually /mcp"
        )
      }
      assert.strictEqual(yield* status("/sse", { method: "DELETE" }), 405)
      assert.strictEqual(yield* status("/sse", { method: "PUT" }), 405)
      assert.strictEqual(yield* status("/sse", { ...posting(1), body: "{" }), 400)
      assert.strictEqual(yield* status("/sse", { headers: { accept: "application/json" } }), 406)
    })
  )

  it.live("HTTP-19: takes POST and GET whatever was said of sessions, and a 405 says so", () =>
    Effect.gen(function* () {
      const { door, send } = yield* start({ sessions: "off" })
      for (const method of ["DELETE", "PUT"]) {
        const refused = yield* Effect.promise(() => send("/sse", { method }))
        assert.deepStrictEqual([refused.status, refused.headers.get("allow")], [405, "POST, GET"])
      }
      const { cancel } = yield* opened(send)
      assert.deepStrictEqual(door.counters(), { ...Counters.none, streams: 1, sessions: 1 })
      yield* cancel
    })
  )

  it.live("D13: there are only so many streams", () =>
    Effect.gen(function* () {
      const { send } = yield* start({ limits: { sessions: 1 } })
      const { cancel } = yield* opened(send)
      assert.strictEqual((yield* Effect.promise(() => send("/sse", opening))).status, 503)
      yield* cancel
    })
  )

  it.live("D17: a call that ends in the grace is answered before its stream ends", () =>
    Effect.gen(function* () {
      const { door, send } = yield* start()
      const { all, post } = yield* opened(send)
      const gate = `answered ${name}`
      yield* post(compatCall(7, "wait", { name: gate }))
      yield* Effect.promise(() => events.first((one) => one === `began ${gate}`))
      const closing = door.close()
      yield* Effect.sync(() => events.record(`go ${gate}`))
      yield* Effect.promise(() => closing)
      assert.deepStrictEqual(
        (yield* all).map(({ message }) => message?.["result"]?.content[0].text),
        [gate]
      )
    })
  )

  it.live("D17: streams end when the door closes", () =>
    Effect.gen(function* () {
      const { door, send } = yield* start()
      const { all } = yield* opened(send)
      yield* Effect.promise(() => door.close())
      assert.deepStrictEqual(yield* all, [])
    })
  )
})

it.live("CHTTP-26: the official client lists, calls and is asked over HTTP+SSE", () =>
  Effect.gen(function* () {
    const door = yield* Effect.acquireRelease(
      Effect.sync(() => McpNode.sse(mcp)),
      (open) => Effect.promise(() => open.close())
    )
    const port = yield* listening((req, res) => door(req, res, {}))
    const client = new Client({ name: "official", version: "1.0.0" }, { capabilities: { elicitation: {} } })
    client.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content: { name: "Ada" } }))
    yield* Effect.acquireRelease(
      Effect.promise(() => client.connect(new SSEClientTransport(new URL(`http://127.0.0.1:${port}/sse`)))),
      () => Effect.promise(() => client.close())
    )
    const { tools } = yield* Effect.promise(() => client.listTools())
    assert.deepStrictEqual(
      tools.map(({ name }) => name),
      ["echo", "hold", "wait", "greet", "folders"]
    )
    const result: RawMessage = yield* Effect.promise(() => client.callTool({ name: "greet" }))
    assert.strictEqual(result["content"][0].text, "Hello, Ada!")
  })
)
