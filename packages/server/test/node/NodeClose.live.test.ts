/**
 * Readers that are slow, and the end of a server: sockets decide both, so these run in real time.
 */
import { assert, describe, it } from "@effect/vitest"
import { connect, type Socket } from "node:net"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { rawToolCall, Recorder, type RawMessage } from "@treadle/testing"
import { Ask, CurrentCall } from "../../src/index.ts"
import { McpNode } from "../../src/node/index.ts"
import { empty } from "../fixtures/calling.ts"
import { listening } from "../fixtures/cells.ts"
import { compatCall, initialize } from "../fixtures/compatDoor.ts"
import { eventTail } from "../fixtures/eventTail.ts"
import { eventMessages, headersOf, posting } from "../fixtures/rawPeers.ts"

const plain = { description: "Tested" }
const token = { progressToken: "t" }

/** The bytes of a request. */
const written = (message: RawMessage): string => {
  const body = JSON.stringify(message)
  const headers = { host: "localhost", "content-length": String(Buffer.byteLength(body)), ...headersOf(message) }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST /mcp HTTP/1.1\r\n${lines.join("")}\r\n${body}`
}

/** A connection that reads nothing until it is told to. */
const stalled = (port: number, message: RawMessage) =>
  Effect.acquireRelease(
    Effect.sync((): Socket => {
      const socket = connect({ port, host: "127.0.0.1", highWaterMark: 1 } as never)
      socket.on("error", () => {})
      socket.pause()
      socket.write(written(message))
      return socket
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

const kilobytes = "x".repeat(8_192)

/** A tool that publishes many large messages, each one once there is room for it. */
const publishing = (events: Recorder<string>, count: number) =>
  empty().tool("t", plain, () =>
    Effect.gen(function* () {
      for (let done = 1; done <= count; done++) {
        yield* CurrentCall.progress(done, count, kilobytes)
        events.record(`sent ${done}`)
      }
      return "whole"
    }).pipe(Effect.onInterrupt(() => Effect.sync(() => events.record("interrupted"))))
  )

/** Waits until nothing more happens for a while, because there is no event for "it stands still". */
const still = (events: Recorder<string>) =>
  Effect.gen(function* () {
    for (let seen = -1; seen !== events.events.length;) {
      seen = events.events.length
      yield* Effect.sleep(100)
    }
    return events.events.length
  })

describe("a reader that stalls", () => {
  it.live("D13: holds the handler back, and gets every message once it reads again", () =>
    Effect.gen(function* () {
      const events = new Recorder<string>()
      const door = McpNode.handler(publishing(events, 2_000))
      const port = yield* listening((req, res) => door(req, res))
      const socket = yield* stalled(port, rawToolCall(1, "t", {}, token))
      yield* Effect.promise(() => events.first((event) => event === "sent 1"))
      const sent = yield* still(events)
      assert.isBelow(sent, 2_000)
      let text = ""
      socket.setEncoding("utf8").on("data", (piece: string) => (text += piece))
      socket.resume()
      yield* Effect.promise(() => events.first((event) => event === "sent 2000"))
      yield* Effect.promise(
        () =>
          new Promise<void>((resolve) => {
            const look = () => (text.includes('"whole"') ? resolve() : void setImmediate(look))
            look()
          })
      )
      const body = text.slice(text.indexOf("\r\n\r\n") + 4).replaceAll(/\r\n[0-9a-f]+\r\n|^[0-9a-f]+\r\n/g, "")
      const numbers = eventMessages(body.slice(0, body.lastIndexOf("data: "))).map((one) => one["params"].progress)
      assert.deepStrictEqual(
        numbers,
        Array.from({ length: 2_000 }, (_, at) => at + 1)
      )
    })
  )

  it.live("HTTP-17: that goes away ends the handler that waits for it", () =>
    Effect.gen(function* () {
      const events = new Recorder<string>()
      const door = McpNode.handler(publishing(events, 1_000_000))
      const port = yield* listening((req, res) => door(req, res))
      const socket = yield* stalled(port, rawToolCall(1, "t", {}, token))
      yield* Effect.promise(() => events.first((event) => event === "sent 1"))
      yield* still(events)
      socket.destroy()
      yield* Effect.promise(() => events.first((event) => event === "interrupted"))
    })
  )

  it.live("D13: loses what an async handler tells beyond a bound, and still gets the answer", () =>
    Effect.gen(function* () {
      const events = new Recorder<string>()
      const mcp = empty().tool("t", plain, async (_, { progress }) => {
        for (let done = 1; done <= 5_000; done++) progress(done, 5_000, kilobytes)
        events.record("told")
        return "whole"
      })
      const door = McpNode.handler(mcp, { limits: { unreadBytes: 100_000 } })
      const port = yield* listening((req, res) => door(req, res))
      const socket = yield* stalled(port, rawToolCall(1, "t", {}, token))
      yield* Effect.promise(() => events.first(() => true))
      let text = ""
      const whole = new Promise<void>((resolve) =>
        socket.setEncoding("utf8").on("data", (piece: string) => {
          text += piece
          if (text.includes('"whole"')) resolve()
        })
      )
      socket.resume()
      yield* Effect.promise(() => whole)
      assert.isBelow(text.length, 5_000 * kilobytes.length)
      assert.isAbove(text.length, 50_000)
    })
  )
})

describe("closing", () => {
  const waiting = (events: Recorder<string>) =>
    empty()
      .tool("wait", plain, () =>
        Effect.andThen(
          Effect.sync(() => events.record("began")),
          Effect.onInterrupt(Effect.never, () => Effect.sync(() => events.record("interrupted")))
        )
      )
      .tool("ping", plain, async () => "pong")
      .tool("big", plain, async () => "x".repeat(20_000_000))

  it.live("D17: refuses new calls with 503 and connection: close, waits the grace, says that it is stopping", () =>
    Effect.gen(function* () {
      const events = new Recorder<string>()
      const door = McpNode.handler(waiting(events), { limits: { grace: 300 } })
      const port = yield* listening((req, res) => door(req, res))
      const running = posting(port, rawToolCall(1, "wait"))
      yield* Effect.promise(() => events.first((event) => event === "began"))
      const closed = door.close()
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      const late = posting(port, rawToolCall(2, "ping"))
      const response = yield* Effect.promise(() => late.res)
      assert.deepStrictEqual([response.statusCode, response.headers.connection], [503, "close"])
      assert.include(JSON.parse(yield* Effect.promise(() => late.text)).error.message, "stopping")
      yield* Effect.promise(() => closed)
      assert.include(events.events, "interrupted")
      assert.deepStrictEqual(JSON.parse(yield* Effect.promise(() => running.text)), {
        jsonrpc: "2.0",
        id: 1,
        error: { code: -32603, message: "The server is stopping" }
      })
      yield* Effect.promise(() => door.close())
    })
  )

  it.live("D17: of a server of its own ends, although clients hold connections, stall or never finish a request", () =>
    Effect.gen(function* () {
      const events = new Recorder<string>()
      const server = yield* Effect.promise(() => McpNode.listen(waiting(events), { limits: { grace: 100 } }))
      const idle = connect(server.port, "127.0.0.1").on("error", () => {})
      const half = connect(server.port, "127.0.0.1").on("error", () => {})
      half.write(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\nContent-Type: application/json\r\n\r\n{"
      )
      yield* stalled(server.port, rawToolCall(1, "big"))
      const running = posting(server.port, rawToolCall(1, "wait"))
      yield* Effect.promise(() => events.first((event) => event === "began"))
      yield* Effect.promise(() => server.close())
      assert.isFalse(server.server.listening)
      assert.include(yield* Effect.promise(() => running.text), "The server is stopping")
      yield* Effect.promise(() => server.close())
      idle.destroy()
      half.destroy()
    })
  )

  it.live("before the first request leaves nothing open, and later requests are refused", () =>
    Effect.gen(function* () {
      const door = McpNode.handler(waiting(new Recorder()))
      const port = yield* listening((req, res) => door(req, res))
      yield* Effect.promise(() => door[Symbol.asyncDispose]())
      const { res } = posting(port, rawToolCall(1, "ping"))
      assert.strictEqual((yield* Effect.promise(() => res)).statusCode, 503)
    })
  )

  it.live("D17 D14: of a server of its own takes the answers that running calls wait for", () =>
    Effect.gen(function* () {
      const mcp = empty().tool("greet", plain, () =>
        Effect.map(CurrentCall.ask("name", Ask.form({ message: "Who?", fields: { name: Schema.String } })), (answer) =>
          answer.action === "accept" ? `Hello, ${answer.content.name}!` : answer.action
        )
      )
      const server = yield* Effect.promise(() => McpNode.listen(mcp))
      const post = (message: RawMessage, session = "") =>
        fetch(server.url, {
          method: "POST",
          headers: {
            "content-type": "application/json",
            accept: "application/json, text/event-stream",
            ...(session === "" ? {} : { "mcp-session-id": session })
          },
          body: JSON.stringify(message)
        })
      const opened = yield* Effect.promise(() => post(initialize("2025-11-25", { elicitation: {} })))
      const session = opened.headers.get("mcp-session-id") ?? ""
      yield* Effect.promise(() => opened.text())
      const stream = eventTail(yield* Effect.promise(() => post(compatCall(1, "greet"), session)))
      const { id } = yield* stream.message
      const closing = server.close()
      const answer = { jsonrpc: "2.0", id, result: { action: "accept", content: { name: "Ada" } } }
      assert.strictEqual((yield* Effect.promise(() => post(answer, session))).status, 202)
      assert.strictEqual((yield* stream.message)["result"].content[0].text, "Hello, Ada!")
      yield* Effect.promise(() => closing)
    })
  )
})
