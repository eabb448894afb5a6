/**
 * Whom an operation sees: the headers of the request that brought the call, through every door, and nobody where HTTP
 * did not bring it.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { rawToolCall, type RawMessage } from "@treadle/testing"
import { McpHttp } from "../../src/http.ts"
import { McpRouter } from "../../src/http-router/index.ts"
import { McpNode } from "../../src/node/index.ts"
import { empty, serving } from "../fixtures/calling.ts"
import { listening } from "../fixtures/cells.ts"
import { compatCall, compatDoor, compatPipe, initialize } from "../fixtures/compatDoor.ts"
import { eventTail } from "../fixtures/eventTail.ts"
import { hallMcp, HallLive, hallTools } from "../fixtures/hallApi.ts"
import { headersOf } from "../fixtures/rawPeers.ts"

type Headers = Record<string, string>
type Ask = (headers: Headers) => Effect.Effect<RawMessage>

const call = rawToolCall(1, "who")

const init = (headers: Headers, message: RawMessage = call): RequestInit => ({
  method: "POST",
  headers: { ...headersOf(message), ...headers },
  body: JSON.stringify(message)
})

const asking =
  (send: (init: RequestInit) => Promise<Response>): Ask =>
  (headers) =>
    Effect.promise(async () => (await send(init(headers))).json())

const closing = <D extends { readonly close: () => Promise<void> }>(open: () => D) =>
  Effect.acquireRelease(Effect.sync(open), (door) => Effect.promise(() => door.close()))

const overNode = Effect.gen(function* () {
  const door = yield* closing(() => McpNode.handler(hallMcp))
  const port = yield* listening((req, res) => door(req, res))
  return asking((one) => fetch(`http://127.0.0.1:${port}/mcp`, one))
})

const overFetch = Effect.map(
  closing(() => McpHttp.fetch(hallMcp)),
  (door) => asking((one) => door(new Request("http://localhost/mcp", one)))
)

const inTheSameRouter = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => {
      const routes = Layer.mergeAll(HallLive, McpRouter.layer(empty().add(hallTools.mcp), { path: "/mcp" }))
      return HttpRouter.toWebHandler(Layer.provide(routes, HttpServer.layerServices), { disableLogger: true })
    }),
    ({ dispose }) => Effect.promise(dispose)
  ),
  ({ handler }) => asking((one) => handler(new Request("http://localhost/mcp", one)))
)

const inASession = Effect.gen(function* () {
  const { open, send } = yield* compatDoor(hallMcp)
  const session = yield* open()
  return (headers: Headers) => Effect.map(send(compatCall(1, "who"), { session, headers }), ({ answer }) => answer)
})

const inABatch = Effect.gen(function* () {
  const { open, send } = yield* compatDoor(hallMcp)
  const session = yield* open("2025-03-26")
  const batch = [compatCall(1, "who")] as unknown as RawMessage
  return (headers: Headers) => Effect.map(send(batch, { session, headers }), ({ answer }) => answer[0])
})

const overTwoEndpoints = Effect.gen(function* () {
  const door = yield* closing(() => McpHttp.sse(hallMcp))
  const send = (path: string, one: RequestInit) => door(new Request(`http://localhost${path}`, one))
  const stream = eventTail(yield* Effect.promise(() => send("/sse", { headers: { accept: "text/event-stream" } })))
  const address = `/sse${(yield* stream.next)?.data ?? ""}`
  const post = (message: RawMessage, headers: Headers) => Effect.promise(() => send(address, init(headers, message)))
  yield* Effect.andThen(post(initialize("2024-11-05"), {}), stream.message)
  return (headers: Headers) => Effect.andThen(post(compatCall(1, "who"), headers), stream.message)
})

const ways: ReadonlyArray<{ readonly name: string; readonly start: Effect.Effect<Ask, never, Scope.Scope> }> = [
  { name: "node:http", start: overNode },
  { name: "fetch", start: overFetch },
  { name: "the router that serves the api itself", start: inTheSameRouter },
  { name: "a session", start: inASession },
  { name: "a batch", start: inABatch },
  { name: "HTTP+SSE", start: overTwoEndpoints }
]

describe.each(ways)("an operation called over $name", ({ start }) => {
  it.live("sees the caller's own headers, and none of the message or the connection", () =>
    Effect.gen(function* () {
      const ask = yield* start
      const told = {
        authorization: "Bearer ada",
        cookie: "a=1; b=2",
        traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "x-agent": "robot",
        "x-forwarded-for": "203.0.113.7"
      }
      const { content, isError, structuredContent } = (yield* ask(told))["result"]
      assert.strictEqual(isError, undefined, JSON.stringify(content))
      const { headers, name } = structuredContent.value
      assert.strictEqual(name, "Ada")
      const { accept, host: _, "user-agent": __, ...rest } = headers
      for (const [header, value] of Object.entries(told)) assert.strictEqual(rest[header], value, header)
      assert.strictEqual(accept, "application/json")
      const strangers = Object.keys(rest).filter((header) => !(header in told))
      assert.deepStrictEqual(
        strangers.filter((header) => !header.startsWith("sec-fetch-") && header !== "accept-language"),
        []
      )
    })
  )

  it.live("is refused by the api's own security, with the error of the middleware", () =>
    Effect.gen(function* () {
      const ask = yield* start
      for (const headers of [{}, { authorization: "Bearer eve" }]) {
        const { isError, structuredContent } = (yield* ask(headers))["result"]
        assert.deepStrictEqual([isError, structuredContent], [true, { _tag: "Unknown" }])
      }
    })
  )

  it.live("is told what a header lacks that is no argument", () =>
    Effect.gen(function* () {
      const ask = yield* start
      const { content, isError } = (yield* ask({ authorization: "Bearer ada" }))["result"]
      assert.isTrue(isError)
      assert.strictEqual(content[0].text, 'Invalid arguments for who:\n- ["x-agent"]: is missing')
    })
  )
})

describe("an operation called without HTTP", () => {
  it.effect("sees nobody, on a pipe and in the same process", () =>
    Effect.gen(function* () {
      const { result } = yield* serving(hallMcp, {})
      assert.deepStrictEqual((yield* result("who")).structuredContent, { _tag: "Unknown" })
      const { peer } = yield* compatPipe(hallMcp)
      const { answer } = yield* peer.send(call)
      assert.deepStrictEqual((yield* answer)["result"].structuredContent, { _tag: "Unknown" })
    })
  )
})
