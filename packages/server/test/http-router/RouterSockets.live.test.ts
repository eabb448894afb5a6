/** The router over real sockets: bodies as they travel, clients that go away, and what has read a body before. */
import { connect } from "node:net"
import { request as httpRequest } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as HttpEffect from "effect/http/HttpEffect"
import * as HttpMiddleware from "effect/http/HttpMiddleware"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { rawHandshake, rawToolCall, Recorder, type RawMessage } from "@treadle/testing"
import { CurrentCall } from "../../src/index.ts"
import { empty } from "../fixtures/calling.ts"
import { cellMcp, exchange, routed } from "../fixtures/cells.ts"
import { headersOf, posting } from "../fixtures/rawPeers.ts"

const echo = rawToolCall(1, "echo", { text: "Grüße" })

/** A request as it travels. @param framing what says how long the body is, and the body itself */
const head = (message: RawMessage, lines: ReadonlyArray<string>) =>
  [
    "POST /mcp HTTP/1.1",
    "host: 127.0.0.1",
    "connection: close",
    ...Object.entries(headersOf(message)).map(([name, value]) => `${name}: ${value}`),
    ...lines
  ].join("\r\n") + "\r\n\r\n"

/** Sends bytes, and gives all that comes back. */
const spoken = (port: number, ...pieces: ReadonlyArray<string | Uint8Array>) =>
  Effect.promise(
    () =>
      new Promise<string>((resolve, reject) => {
        let got = ""
        const socket = connect(port, "127.0.0.1", () => {
          for (const piece of pieces) socket.write(piece)
        })
        socket.setEncoding("utf8").on("data", (data: string) => (got += data))
        socket.on("close", () => resolve(got))
        socket.on("error", reject)
      })
  )

const chunked = (bytes: Uint8Array, size: number): Buffer => {
  const pieces: Array<Uint8Array> = []
  for (let at = 0; at < bytes.length; at += size) {
    const piece = bytes.subarray(at, at + size)
    pieces.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from("\r\n"))
  }
  return Buffer.concat([...pieces, Buffer.from("0\r\n\r\n")])
}

describe("a body at the router", () => {
  const bytes = Buffer.from(JSON.stringify(echo))

  it.live("B046: is read with its length, in chunks that cut characters, and after Expect: 100-continue", () =>
    Effect.gen(function* () {
      const { port } = yield* routed(cellMcp(), {})
      const sized = [`content-length: ${bytes.length}`]
      for (const [lines, body] of [
        [sized, bytes],
        [["transfer-encoding: chunked"], chunked(bytes, 7)],
        [[...sized, "expect: 100-continue"], bytes]
      ] as const) {
        const said = yield* spoken(port, head(echo, lines), body)
        assert.include(said, "HTTP/1.1 200 OK", lines.join())
        assert.include(said, '"text":"Grüße"')
      }
    })
  )

  it.live("B024: that is not UTF-8 is refused, also where it comes in chunks", () =>
    Effect.gen(function* () {
      const { port } = yield* routed(cellMcp(), {})
      const cut = Buffer.from(bytes.toString("latin1").replace("\u00c3\u00bc", "\u00fc"), "latin1")
      for (const [line, body] of [
        [`content-length: ${cut.length}`, cut],
        ["transfer-encoding: chunked", chunked(cut, 11)]
      ] as const) {
        const said = yield* spoken(port, head(echo, [line]), body)
        assert.include(said, "HTTP/1.1 400 Bad Request", line)
        assert.include(said, "not UTF-8")
      }
    })
  )

  it.live("B046 D13: over the limit is answered 413, readable while the client is still sending", () =>
    Effect.gen(function* () {
      const { port } = yield* routed(cellMcp(), { limits: { bodyBytes: 20_000 } })
      const large = Buffer.alloc(400_000, 32)
      for (const length of [large.length, undefined]) {
        const { status, text } = yield* Effect.promise(
          () =>
            new Promise<{ readonly status: number | undefined; readonly text: string }>((resolve) => {
              const headers = { ...headersOf(echo), ...(length === undefined ? {} : { "content-length": length }) }
              const req = httpRequest({ port, path: "/mcp", method: "POST", agent: false, headers }, (res) => {
                let text = ""
                res.setEncoding("utf8").on("data", (piece: string) => (text += piece))
                res.on("end", () => resolve({ status: res.statusCode, text }))
              })
              req.on("error", () => {})
              req.write(large)
              req.end()
            })
        )
        assert.strictEqual(status, 413)
        assert.include(JSON.parse(text).error.message, "limits.bodyBytes")
      }
    })
  )

  it.live("D13: that the application has read is taken from its request", () =>
    Effect.gen(function* () {
      const reading = HttpMiddleware.make((app) =>
        Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ text }) => Effect.andThen(Effect.ignore(text), app))
      )
      const { port } = yield* routed(cellMcp(), {}, reading)
      const seen = yield* Effect.promise(() =>
        exchange(port, "POST", Object.entries(headersOf(echo)), JSON.stringify(echo))
      )
      assert.deepStrictEqual([seen.status, seen.json.result.content[0].text], [200, "Grüße"])
    })
  )

  it.live("B071: of a request without a Host (HTTP/1.0) is not read", () =>
    Effect.gen(function* () {
      const { port } = yield* routed(cellMcp(), {})
      const said = yield* spoken(
        port,
        "POST /mcp HTTP/1.0\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}"
      )
      assert.match(said, /^HTTP\/1\.1 403[^]*The Host header is missing/)
    })
  )

  it.live("D10: that breaks off runs nothing, and the next request is served", () =>
    Effect.gen(function* () {
      const { port } = yield* routed(cellMcp(), {})
      const socket = connect(port, "127.0.0.1")
      yield* Effect.promise(
        () =>
          new Promise<void>((resolve) => {
            socket.on("close", () => resolve())
            socket.write(head(echo, [`content-length: ${bytes.length}`]))
            socket.write(bytes.subarray(0, 20), () => socket.destroy())
          })
      )
      const said = yield* spoken(port, head(echo, [`content-length: ${bytes.length}`]), bytes)
      assert.include(said, "HTTP/1.1 200 OK")
    })
  )
})

describe("a client of the router that goes away", () => {
  const waiting = (spoke: boolean, middleware?: HttpMiddleware.HttpMiddleware) =>
    Effect.gen(function* () {
      const [began, ended] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const mcp = empty().tool("wait", { description: "Tested" }, () =>
        Effect.andThen(
          Effect.andThen(spoke ? CurrentCall.progress(1) : Effect.void, Deferred.succeed(began, undefined)),
          Effect.never
        ).pipe(Effect.onInterrupt(() => Deferred.succeed(ended, undefined)))
      )
      const { port } = yield* routed(mcp, {}, middleware)
      return { port, began: Deferred.await(began), ended: Deferred.await(ended) }
    })

  it.live("HTTP-17 D10: ends its call before anything was said", () =>
    Effect.gen(function* () {
      const { began, ended, port } = yield* waiting(false)
      const { req } = posting(port, rawToolCall(1, "wait"))
      yield* began
      req.destroy()
      yield* ended
    })
  )

  it.live("HTTP-17 D10: ends its call in the middle of a stream", () =>
    Effect.gen(function* () {
      const { ended, port } = yield* waiting(true)
      const { req, res } = posting(port, rawToolCall(1, "wait", {}, { progressToken: 1 }))
      assert.strictEqual((yield* Effect.promise(() => res)).headers["content-type"], "text/event-stream")
      req.destroy()
      yield* ended
    })
  )

  it.live("HTTP-17 D10: ends its call where the application answers something else", () =>
    Effect.gen(function* () {
      const other = HttpMiddleware.make((app) =>
        HttpEffect.withPreResponseHandler(app, () => Effect.succeed(HttpServerResponse.empty({ status: 204 })))
      )
      const { ended, port } = yield* waiting(true, other)
      const { res } = posting(port, rawToolCall(1, "wait", {}, { progressToken: 1 }))
      assert.strictEqual((yield* Effect.promise(() => res)).statusCode, 204)
      yield* ended
    })
  )

  it.live("D10: ends no call of its session", () =>
    Effect.gen(function* () {
      const [began, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const events = new Recorder<string>()
      const mcp = empty().tool("wait", { description: "Tested" }, () =>
        Effect.andThen(Deferred.succeed(began, undefined), Deferred.await(go)).pipe(
          Effect.onExit((exit) => Effect.sync(() => events.record(exit._tag)))
        )
      )
      const { port } = yield* routed(mcp, {})
      const json = { "content-type": "application/json", accept: "application/json, text/event-stream" }
      const send = (message: unknown, headers: Record<string, string>) => {
        const req = httpRequest({ port, path: "/mcp", method: "POST", agent: false, headers: { ...json, ...headers } })
        req.on("error", () => {})
        req.end(JSON.stringify(message))
        return req
      }
      const opened = yield* Effect.promise(() =>
        exchange(port, "POST", Object.entries(json), JSON.stringify(rawHandshake()))
      )
      const call = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "wait", arguments: {} } }
      const req = send(call, { "mcp-session-id": opened.headers["mcp-session-id"] ?? "" })
      yield* Deferred.await(began)
      yield* Effect.promise(
        () =>
          new Promise<void>((resolve) => {
            req.on("close", () => resolve())
            req.destroy()
          })
      )
      yield* Effect.promise(() => exchange(port, "PUT", Object.entries(json), ""))
      yield* Deferred.succeed(go, undefined)
      assert.strictEqual(yield* Effect.promise(() => events.first(() => true)), "Success")
    })
  )
})
