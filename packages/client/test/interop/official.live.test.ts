import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Endpoint } from "@treadle/protocol"
import { Recorder } from "@treadle/testing"
import { McpClient, type McpError, type McpSession } from "../../src/index.ts"
import { McpNodeClient } from "../../src/node/index.ts"
import type * as Scope from "effect/Scope"
import { fact, getShow, ping, reasonOf } from "../fixtures.ts"

const program = fileURLToPath(new URL("official-server.mjs", import.meta.url))

/** The server as a child process that listens. */
const listening = (onStderr: (text: string) => void): Effect.Effect<string, never, Scope.Scope> =>
  Effect.flatMap(
    Effect.acquireRelease(
      Effect.sync(() => spawn(process.execPath, [program, "http"], { stdio: "pipe" })),
      (child) => Effect.promise(() => new Promise((resolve) => child.once("exit", resolve).stdin.end()))
    ),
    (child) =>
      Effect.promise(async () => {
        child.stderr.setEncoding("utf8").on("data", onStderr)
        const port = await new Promise((resolve) => child.stdout.once("data", resolve))
        return `http://127.0.0.1:${String(port).trim()}/mcp`
      })
  )

const doors: {
  readonly [name: string]: (onStderr: (text: string) => void) => Effect.Effect<McpSession, McpError, Scope.Scope>
} = {
  "over HTTP": (onStderr) => Effect.flatMap(listening(onStderr), (url) => McpClient.http(url)),
  "over stdio": (onStderr) => McpNodeClient.stdio({ command: process.execPath, args: [program, "stdio"], onStderr })
}

const walk = Endpoint.make("steps", { description: "Three steps" })
const wait = Endpoint.make("wait", { description: "Never ends" })
const wrong = Endpoint.make("get_show", {
  description: "x",
  input: { id: Schema.Int },
  output: Schema.Struct({ a: Schema.Int })
})

describe.each(Object.entries(doors))("a server on the official SDK %s", (_, open) => {
  it.live("is discovered, listed and called", () =>
    Effect.gen(function* () {
      const session = yield* open(() => {})
      assert.deepInclude(session.server, { name: "official", version: "2.4.0" })
      assert.strictEqual(session.version, "2026-07-28")
      const tools = yield* session.listTools()
      assert.deepStrictEqual(
        tools.map((tool) => tool.name),
        ["get_show", "ping", "steps", "wait"]
      )
      assert.deepStrictEqual(yield* session.call(getShow)({ id: 1 }), { id: 1, title: "Hämlet 😀" })
      assert.strictEqual(yield* session.call(ping)(), "pong")
      const all = yield* Effect.forEach([1, 2, 3, 4, 5], (id) => session.call(getShow)({ id }), { concurrency: 5 })
      assert.deepStrictEqual(
        all.map((show) => show.id),
        [1, 2, 3, 4, 5]
      )
    })
  )

  it.live("fails as it does: a failed tool, an unknown one, a result of another form", () =>
    Effect.gen(function* () {
      const session = yield* open(() => {})
      assert.deepInclude(yield* reasonOf(session.call(getShow)({ id: 9 })), {
        _tag: "ToolFailed",
        message: "no show 9"
      })
      assert.strictEqual(fact(yield* reasonOf(session.callTool("nothing")), "code"), -32602)
      assert.strictEqual((yield* reasonOf(session.call(wrong)({ id: 1 })))._tag, "Undecodable")
    })
  )

  it.live("PROG-01: tells its progress", () =>
    Effect.gen(function* () {
      const session = yield* open(() => {})
      const call = yield* session.open(walk)()
      assert.strictEqual(yield* call.result, "walked")
      const seen = yield* Stream.runCollect(call.progress)
      assert.deepStrictEqual(
        seen,
        [1, 2, 3].map((done) => ({ done, total: 3 }))
      )
    })
  )

  it.live("CANCEL-02: hears that a call was given up, and serves the next one", () =>
    Effect.gen(function* () {
      const heard = new Recorder<string>()
      const session = yield* open((text) => heard.record(text))
      const fiber = yield* Effect.forkChild(session.call(wait)(), { startImmediately: true })
      yield* Effect.promise(() => heard.first((text) => text.includes("waiting")))
      yield* Fiber.interrupt(fiber)
      yield* Effect.promise(() => heard.first((text) => text.includes("aborted")))
      assert.strictEqual(yield* session.call(ping)(), "pong")
    })
  )
})
