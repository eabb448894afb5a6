import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as z from "zod/v4"
import { TestClock } from "effect/testing"
import { Endpoint } from "@treadle/protocol"
import { ClientRequest } from "@treadle/protocol/schema"
import {
  fact,
  getShow,
  hold,
  list,
  opened,
  ping,
  reasonOf,
  result,
  serving,
  ShowNotFound,
  textResult
} from "./fixtures.ts"

/** A session whose calls all have this result. */
const resulting = (body: object) =>
  Effect.map(opened(serving((seen, reply) => reply.json(result(seen.json.id, body)))), ({ session }) => session)

describe("session.call", () => {
  it.effect("gives the decoded output", () =>
    Effect.gen(function* () {
      const session = yield* resulting(textResult("x", { structuredContent: { id: 1, title: "Hamlet" } }))
      assert.deepStrictEqual(yield* session.call(getShow)({ id: 1 }), { id: 1, title: "Hamlet" })
    })
  )

  it.effect("D4: takes a value that is no object out of its wrapper", () =>
    Effect.gen(function* () {
      const session = yield* resulting(textResult("x", { structuredContent: { value: [4, 5] } }))
      assert.deepStrictEqual(yield* session.call(hold)({ show: 1 }), [4, 5])
    })
  )

  it.effect("gives the text of a tool without an output schema", () =>
    Effect.gen(function* () {
      const image = { type: "image", data: "AA==", mimeType: "image/png" }
      const session = yield* resulting({ content: [{ type: "text", text: "a" }, image, { type: "text", text: "b" }] })
      assert.strictEqual(yield* session.call(ping)(), "a\nb")
    })
  )

  it.effect("D5: fails with the class of a declared error, whatever the output schema says", () =>
    Effect.gen(function* () {
      const body = { _tag: "ShowNotFound", id: 9 }
      const session = yield* resulting(textResult("no", { isError: true, structuredContent: body }))
      const error = yield* Effect.flip(session.call(getShow)({ id: 9 }))
      assert.instanceOf(error, ShowNotFound)
      const id = session
        .call(getShow)({ id: 9 })
        .pipe(Effect.catchTag("ShowNotFound", (error) => Effect.succeed(error.id)))
      assert.strictEqual(yield* id, 9)
    })
  )

  it.effect("D5: fails with a declared error that has no class", () =>
    Effect.gen(function* () {
      const body = { _tag: "SoldOut", left: 2 }
      const session = yield* resulting(textResult("no", { isError: true, structuredContent: body }))
      assert.deepStrictEqual(yield* Effect.flip(session.call(hold)({ show: 1 })), { _tag: "SoldOut", left: 2 })
    })
  )

  it.effect("B006 B012: fails with ToolFailed and the text of any other failed result, unchecked", () =>
    Effect.gen(function* () {
      for (const structuredContent of [undefined, { error: { code: "E1" } }, { id: 1, title: "x" }]) {
        const more = structuredContent === undefined ? {} : { structuredContent }
        const session = yield* resulting(textResult("quota exceeded", { isError: true, ...more }))
        const reason = yield* reasonOf(session.call(getShow)({ id: 1 }))
        assert.strictEqual(reason._tag, "ToolFailed")
        assert.strictEqual(reason.message, "quota exceeded")
        assert.deepStrictEqual(fact(reason, "content"), [{ type: "text", text: "quota exceeded" }])
        assert.deepStrictEqual(fact(reason, "structuredContent"), structuredContent)
      }
    })
  )

  it.effect("TOOL-11: fails with Undecodable and every problem where the output is missing or wrong", () =>
    Effect.gen(function* () {
      const missing = yield* reasonOf((yield* resulting(textResult("x"))).call(getShow)({ id: 1 }))
      assert.strictEqual(missing._tag, "Undecodable")
      assert.include(missing.message, "structuredContent")
      const wrong = yield* resulting(textResult("x", { structuredContent: { id: "1", title: 5 } }))
      const problems = fact(yield* reasonOf(wrong.call(getShow)({ id: 1 })), "problems")
      assert.isArray(problems)
      assert.match(String(problems), /id: .*title: /)
    })
  )

  it.effect("BASE-09 BASE-10: reads a result without resultType, and refuses an unknown one", () =>
    Effect.gen(function* () {
      const older = { content: [{ type: "text", text: "old" }] }
      assert.strictEqual(yield* (yield* resulting(older)).call(ping)(), "old")
      const reason = yield* reasonOf((yield* resulting(textResult("x", { resultType: "later" }))).call(ping)())
      assert.strictEqual(reason._tag, "Undecodable")
    })
  )

  it.effect("encodes the input, and lets whatever has a default be left out", () =>
    Effect.gen(function* () {
      const at = Endpoint.make("at", {
        description: "x",
        input: z.object({ n: z.int().default(3), at: z.coerce.date() })
      })
      const when = Endpoint.make("when", { description: "x", input: { on: Schema.Date } })
      const { server, session } = yield* opened(serving())
      yield* session.call(list)()
      yield* session.call(list)({ limit: 3 })
      yield* session.call(ping)()
      yield* session.call(at)({ at: new Date(0) })
      yield* session.call(when)({ on: new Date(0) })
      assert.deepStrictEqual(
        server.seen.events.slice(1).map((seen) => seen.json.params.arguments),
        [{}, { limit: 3 }, {}, { at: "1970-01-01T00:00:00.000Z" }, { on: "1970-01-01T00:00:00.000Z" }]
      )
    })
  )

  it.effect("names every problem of an input that does not fit, and sends nothing", () =>
    Effect.gen(function* () {
      const { server, session } = yield* opened(serving())
      // @ts-expect-error the input is checked by the compiler first
      const reason = yield* reasonOf(session.call(getShow)({ id: "1" }))
      assert.strictEqual(reason._tag, "Undecodable")
      assert.include(reason.message, "the input")
      assert.strictEqual(server.seen.events.length, 1)
    })
  )

  it.effect("gives content blocks beside the value with reply", () =>
    Effect.gen(function* () {
      const body = textResult("x", { structuredContent: { id: 1, title: "Hamlet" }, _meta: { "box.example/row": 4 } })
      const reply = yield* (yield* resulting(body)).reply(getShow)({ id: 1 })
      assert.deepStrictEqual(reply, {
        value: { id: 1, title: "Hamlet" },
        content: [{ type: "text", text: "x" }],
        meta: { "box.example/row": 4 }
      })
    })
  )

  it.effect("may be run again: each run is a request of its own", () =>
    Effect.gen(function* () {
      const { server, session } = yield* opened(serving())
      const call = session.call(ping)()
      yield* call
      yield* call
      assert.strictEqual(new Set(server.seen.events.map((seen) => seen.json.id)).size, 3)
    })
  )
})

describe("the time limit of a request", () => {
  it.effect("TIME-01 TIME-02 TIME-03: fails with TimedOut and cancels on the wire", () =>
    Effect.gen(function* () {
      const { server, session } = yield* opened(serving(() => {}))
      const waiting = session.call(getShow)({ id: 1 }, { timeout: 250 })
      const caught = waiting.pipe(Effect.catchReason("McpError", "TimedOut", (reason) => Effect.succeed(reason.after)))
      const fiber = yield* Effect.forkChild(caught, { startImmediately: true })
      const call = yield* Effect.promise(() => server.seen.first((seen) => seen.json.method === "tools/call"))
      yield* TestClock.adjust(250)
      assert.strictEqual(yield* Fiber.join(fiber), 250)
      yield* Effect.promise(() => call.gone)
    })
  )

  it.effect("TIME-01: is 60 s by default, or what the session was given", () =>
    Effect.gen(function* () {
      for (const [settings, after] of [[{}, 60_000] as const, [{ timeout: 1234 }, 1234] as const]) {
        const { server, session } = yield* opened(
          serving(() => {}),
          settings
        )
        const fiber = yield* Effect.forkChild(reasonOf(session.listTools()), { startImmediately: true })
        yield* Effect.promise(() => server.seen.first((seen) => seen.json.method === "tools/list"))
        yield* TestClock.adjust(after - 1)
        assert.isUndefined(fiber.pollUnsafe())
        yield* TestClock.adjust(1)
        assert.deepInclude(yield* Fiber.join(fiber), { _tag: "TimedOut", after, method: "tools/list" })
      }
    })
  )
})

describe("session.callTool and session.request", () => {
  it.effect("give results as they came, failed ones included", () =>
    Effect.gen(function* () {
      const body = textResult("no", { isError: true, structuredContent: 5 })
      const session = yield* resulting(body)
      assert.deepStrictEqual(yield* session.callTool("any", { x: 1 }), body)
      assert.deepStrictEqual(yield* session.request(ClientRequest.callTool("any")), body)
    })
  )

  it.effect("know the server by its own word", () =>
    Effect.gen(function* () {
      const session = yield* resulting(textResult("x"))
      assert.deepStrictEqual(session.server, { name: "box", version: "1.2.3" })
      assert.strictEqual(session.version, "2026-07-28")
      assert.strictEqual(session.instructions, "Sell tickets")
    })
  )

  it.effect("name method, tool and server in the message of an error", () =>
    Effect.gen(function* () {
      const { server, session } = yield* opened(serving((_, reply) => reply.raw("", {}, 503)))
      const error = yield* Effect.flip(session.callTool("seat", {}))
      assert.strictEqual(
        error.message,
        `tools/call "seat" at ${server.url}: HTTP 503: the server is not available now; try again later`
      )
    })
  )
})
