/**
 * What time and repetition do to a protected door: streams end with their tokens, and a verifier that is out of order fills
 * no log.
 */
import { assert, describe, it } from "@effect/vitest"
import { request as httpRequest } from "node:http"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/testing/TestClock"
import { rawToolCall, type RawMessage } from "@treadle/testing"
import { httpDoorParts } from "../../src/McpHttp.ts"
import { Mcp, ProtectedResource, TokenVerifier } from "../../src/index.ts"
import { McpNode } from "../../src/node/index.ts"
import { webExchange } from "../../src/transport/WebExchange.ts"
import { empty } from "../fixtures/calling.ts"
import { cellMcp } from "../fixtures/cells.ts"
import { initialize } from "../fixtures/compatDoor.ts"
import { headersOf } from "../fixtures/rawPeers.ts"
import { issuer, resource, tokens, unreachable } from "../fixtures/tokens.ts"

const bearer = { authorization: "Bearer all" }

/** Tokens that last an hour from the first moment of the clock. */
const hourly = ProtectedResource.make({
  resource,
  authorizationServers: [issuer],
  verifier: TokenVerifier.make(() =>
    Effect.succeed({ issuer, subject: "ada", scopes: [], claims: {}, expiresAt: 3_600_000 })
  )
})

/** A door on the clock of the test. */
const open = (auth: ProtectedResource) =>
  Effect.map(Mcp.served(empty(), { auth, door: "http" } as object), (served) => {
    const parts = httpDoorParts(served, { auth, hosts: "any" })
    const send = (init: RequestInit) =>
      Effect.promise(() => webExchange(parts, new Request("http://localhost/mcp", init), { context: {} }))
    return { served, send }
  })

const posted = (message: RawMessage, more: object = {}): RequestInit => ({
  method: "POST",
  headers: { ...headersOf(message), ...bearer, ...more },
  body: JSON.stringify(message)
})

const listen: RawMessage = {
  ...rawToolCall(1, "any"),
  method: "subscriptions/listen",
  params: { ...rawToolCall(1, "any").params, notifications: { toolsListChanged: true }, name: undefined }
}

describe("a stream that was opened with a token", () => {
  it.effect("ends a minute after the token is over, without a word, so that its client comes back with another", () =>
    Effect.gen(function* () {
      const { send, served } = yield* open(hourly)
      const response = yield* send(posted(listen))
      assert.strictEqual(response.status, 200)
      const reading = response.text()
      yield* TestClock.adjust("60 minutes")
      assert.strictEqual(served.counters().listeners, 1)
      yield* TestClock.adjust("61 seconds")
      assert.strictEqual(served.counters().listeners, 0)
      const text = yield* Effect.promise(() => reading)
      assert.include(text, "notifications/subscriptions/acknowledged")
      assert.notInclude(text, '"result"')
      assert.isAbove(yield* Clock.currentTimeMillis, 3_600_000)
    })
  )

  it.effect("ends as long after it in the compat era, where its session goes on", () =>
    Effect.gen(function* () {
      const { send, served } = yield* open(hourly)
      const opened = yield* send(posted(initialize()))
      const headers = {
        ...bearer,
        accept: "text/event-stream",
        "mcp-session-id": opened.headers.get("mcp-session-id") ?? "",
        "mcp-protocol-version": "2025-11-25"
      }
      const response = yield* send({ headers })
      assert.strictEqual(response.status, 200)
      const reading = response.text()
      yield* TestClock.adjust("60 minutes")
      assert.strictEqual(served.counters().streams, 1)
      yield* TestClock.adjust("61 seconds")
      assert.deepInclude(served.counters(), { streams: 0, sessions: 1 })
      assert.notInclude(yield* Effect.promise(() => reading), '"result"')
    })
  )
})

describe("a verifier that can say nothing", () => {
  it.effect("is told of once a minute, with how many requests it concerned", () =>
    Effect.gen(function* () {
      const told: Array<string> = []
      const logger = Logger.make<unknown, void>(
        ({ logLevel, message }) => void told.push(`${logLevel}: ${String(message)}`)
      )
      const { send } = yield* Effect.provide(open(unreachable), Logger.layer([logger]))
      const ask = Effect.map(send(posted(rawToolCall(1, "any"))), ({ status }) => assert.strictEqual(status, 503))
      const lines = () => told.filter((line) => line.includes("A token cannot be verified"))
      for (let count = 0; count < 20; count++) yield* ask
      assert.lengthOf(lines(), 1)
      yield* TestClock.adjust("61 seconds")
      yield* ask
      assert.lengthOf(lines(), 2)
      assert.include(
        lines()[1],
        "answered 503, as 19 others were since the last time that this was told: https://login.example/keys"
      )
    })
  )
})

describe("a caller that waits to be told to send its body", () => {
  /** What it hears, in order. */
  const heard = (port: number, headers: object, path = "/mcp") =>
    Effect.promise(
      () =>
        new Promise<ReadonlyArray<unknown>>((resolve, reject) => {
          const message = rawToolCall(1, "echo", { text: "hi" })
          const events: Array<unknown> = []
          const sent = { ...headersOf(message), ...headers, expect: "100-continue" }
          const req = httpRequest({ port, host: "127.0.0.1", path, method: "POST", agent: false, headers: sent })
          req.on("continue", () => {
            events.push("continue")
            req.end(JSON.stringify(message))
          })
          req.on("response", (res) => {
            resolve([...events, res.statusCode])
            req.destroy()
          })
          req.on("error", reject)
          req.flushHeaders()
        })
    )

  it.effect("is told so once its token is good, and never where it is refused", () =>
    Effect.gen(function* () {
      const server = yield* Effect.acquireRelease(
        Effect.promise(() => McpNode.listen(cellMcp(), { auth: tokens() })),
        ({ close }) => Effect.promise(close)
      )
      assert.deepStrictEqual(yield* heard(server.port, {}), [401])
      assert.deepStrictEqual(yield* heard(server.port, { authorization: "Bearer other" }), [401])
      assert.deepStrictEqual(yield* heard(server.port, bearer, "/other"), [404])
      assert.deepStrictEqual(yield* heard(server.port, bearer), ["continue", 200])
    })
  )
})
