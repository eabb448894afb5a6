/** Routes over real sockets: paths as no client of the web would send them, bodies, and clients that go away. */
import { connect } from "node:net"
import { createServer } from "node:http"
import { NodeHttpServer } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import { Recorder } from "@treadle/testing"
import { Endpoint, type Mcp } from "../../src/index.ts"
import { HttpRoutes } from "../../src/http-api/index.ts"
import { empty } from "../fixtures/calling.ts"
import { kiosk } from "../fixtures/kiosk.ts"

/** Serves until the scope closes. @returns the port */
const listening = (mcp: Mcp<never>) =>
  Effect.gen(function* () {
    const app = HttpRouter.serve(HttpRoutes.layer(mcp), { disableLogger: true, disableListenLog: true })
    const server = NodeHttpServer.layer(() => createServer(), { port: 0, host: "127.0.0.1" })
    const { address } = Context.get(yield* Layer.build(Layer.provideMerge(app, server)), HttpServer.HttpServer)
    return "port" in address ? address.port : 0
  })

/** Sends bytes, and gives all that comes back. */
const raw = (port: number, text: string) =>
  Effect.promise(
    () =>
      new Promise<string>((resolve, reject) => {
        const socket = connect(port, "127.0.0.1", () => socket.write(text))
        let got = ""
        socket.on("data", (data) => (got += String(data)))
        socket.on("close", () => resolve(got))
        socket.on("error", reject)
      })
  )

const get = (port: number, target: string) =>
  Effect.map(raw(port, `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`), (reply) => {
    const [head = "", ...body] = reply.split("\r\n\r\n")
    const status = Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1])
    return { status, json: head.includes("json"), body: body.join("\r\n\r\n") }
  })

describe("a path over a socket", () => {
  it.live.each([
    ["/say/a%2Fb", 200, "said a/b"],
    ["/say/a%252Fb", 200, "said a%2Fb"],
    ["/say/%C3%BC%20x", 200, "said ü x"],
    ["/say/a?b", 200, "said a"],
    ["/SAY/Ada", 200, "said Ada"],
    ["/say/a%3Bb?c;d", 200, "said a;b"],
    ["/say/a;b", 400, 'A \\";\\" of a path must be sent as %3B'],
    ["/say/..", 400, "must not be"],
    ["/say/.", 400, "must not be"],
    ["/say/%2e%2e", 400, "must not be"],
    ["/say/%2E.", 400, "must not be"],
    ["/say/%00", 400, "must not hold NUL"],
    ["/say/a%00b", 400, "must not hold NUL"],
    ["/say/", 404, "Nothing is served"],
    ["/say", 404, "Nothing is served"],
    ["/say//Ada", 400, "empty part"],
    ["/say//", 404, "Nothing is served"],
    ["//say/Ada", 200, "said Ada"],
    ["/shows//?a=//", 200, "[{"],
    ["/say/Ada?a=//", 200, "said Ada"],
    ["/say/a/b", 404, "Nothing is served"],
    ["/say/../shows/1", 404, "Nothing is served"],
    ["/say/%ff", 404, "Nothing is served"],
    [`/say/${"x".repeat(101)}`, 414, "too long"],
    ["/shows/%31", 200, '{"id":1'],
    ["/shows/1%2F..", 400, "id"]
  ] as const)("%s is answered %i, and stays in its place", ([target, status, text]) =>
    Effect.gen(function* () {
      const reply = yield* get(yield* listening(kiosk), target)
      assert.strictEqual(reply.status, status, reply.body)
      assert.include(reply.body, text)
      assert.strictEqual(reply.json, !text.startsWith("said"))
    })
  )
})

describe("a client over a socket", () => {
  it.live("D10: that goes away ends its call", () =>
    Effect.gen(function* () {
      const events = new Recorder<string>()
      const wait = Endpoint.make("wait", { description: "Tested", http: "POST /wait" })
      const mcp = empty().tool(wait, (_, { signal }) => {
        events.record("began")
        signal.addEventListener("abort", () => events.record("aborted"))
        return Effect.never
      })
      const port = yield* listening(mcp)
      const socket = connect(port, "127.0.0.1")
      socket.write("POST /wait HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n")
      yield* Effect.promise(() => events.first((event) => event === "began"))
      socket.destroy()
      yield* Effect.promise(() => events.first((event) => event === "aborted"))
    })
  )

  it.live.each([
    ['{"title":"Late"}', 200],
    ['{"title":"Sp\u00e4t"}', 200],
    ["", 400],
    ["{", 400],
    [`{"title":"${"x".repeat(5_000_000)}"}`, 413]
  ] as const)("sends a body of a length, and is answered", ([body, status]) =>
    Effect.gen(function* () {
      const port = yield* listening(kiosk)
      const head =
        "PUT /shows/3 HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Type: application/json\r\n" +
        `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n`
      assert.include(yield* raw(port, head + (status === 413 ? "" : body)), `HTTP/1.1 ${status}`)
    })
  )

  it.live("sends bytes that are no text, and is told so", () =>
    Effect.gen(function* () {
      const port = yield* listening(kiosk)
      const reply = yield* Effect.promise(() =>
        fetch(`http://127.0.0.1:${port}/shows/3`, {
          method: "PUT",
          headers: { "content-type": "application/json" },
          body: new Uint8Array([0xff, 0xfe])
        }).then(async (response) => [response.status, await response.text()] as const)
      )
      assert.strictEqual(reply[0], 400)
      assert.include(reply[1], "not UTF-8")
    })
  )

  it.live("sends a body in chunks, and is answered", () =>
    Effect.gen(function* () {
      const port = yield* listening(kiosk)
      const reply = yield* raw(
        port,
        "PUT /shows/3 HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Type: application/json\r\n" +
          'Transfer-Encoding: chunked\r\n\r\n9\r\n{"title":\r\n7\r\n"Late"}\r\n0\r\n\r\n'
      )
      assert.include(reply, "HTTP/1.1 200")
      assert.include(reply, "3 is Late")
    })
  )
})
