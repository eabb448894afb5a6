import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Endpoint } from "@treadle/protocol"
import { fact, getShow, ping, reasonOf } from "../fixtures.ts"
import { fixture, started, Witness, type ServerProgram } from "./serverProcess.ts"

const doors: { readonly [name: string]: ServerProgram } = {
  "over HTTP": { program: fixture("sdk-v2"), args: ["http"], path: "/mcp" },
  "over stdio": { program: fixture("sdk-v2"), args: ["stdio"] }
}

const walk = Endpoint.make("steps", { description: "Three steps" })
const wait = Endpoint.make("wait", { description: "Never ends" })
const wrong = Endpoint.make("get_show", {
  description: "x",
  input: { id: Schema.Int },
  output: Schema.Struct({ a: Schema.Int })
})

describe.each(Object.entries(doors))("a server on the official SDK %s", (_, server) => {
  const open = (witness = new Witness()) => Effect.flatten(started(server, witness))

  it.live("is discovered, listed and called", () =>
    Effect.gen(function* () {
      const session = yield* open()
      assert.deepInclude(session.server, { name: "official", version: "2.4.0" })
      assert.strictEqual(session.version, "2026-07-28")
      const tools = yield* session.listTools()
      assert.deepStrictEqual(
        tools.map((tool) => tool.name),
        ["get_show", "ping", "steps", "wait", "ask", "grow", "touch"]
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
      const session = yield* open()
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
      const session = yield* open()
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
      const witness = new Witness()
      const session = yield* open(witness)
      const fiber = yield* Effect.forkChild(session.call(wait)(), { startImmediately: true })
      yield* witness.until(({ text }) => text.includes("waiting"))
      yield* Fiber.interrupt(fiber)
      yield* witness.until(({ text }) => text.includes("aborted"))
      assert.strictEqual(yield* session.call(ping)(), "pong")
    })
  )
})
