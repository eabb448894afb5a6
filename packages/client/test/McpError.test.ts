import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import { TestClock } from "effect/testing"
import { Endpoint } from "@treadle/protocol"
import { McpClient, McpError, McpReason } from "../src/index.ts"
import { McpNodeClient } from "../src/node/index.ts"
import { getShow, opened, ping, reasonOf, result, rpcError, serving, ShowNotFound, textResult } from "./fixtures.ts"

describe("an error of a request", () => {
  it.effect("says whether it provably did not run", () =>
    Effect.gen(function* () {
      const { session } = yield* opened(serving((seen, reply) => reply.json(rpcError(seen.json.id, -32603, "x"))))
      const scope = yield* Scope.make()
      const closed = yield* Scope.provide(
        Effect.map(opened(serving()), (all) => all.session),
        scope
      )
      yield* Scope.close(scope, Exit.void)
      const failing: ReadonlyArray<readonly [boolean, Effect.Effect<unknown, unknown, Scope.Scope>]> = [
        [true, session.listPrompts().pipe(Effect.andThen(session.getPrompt("x")))],
        [true, session.call(getShow)({ id: 1.5 })],
        [true, closed.call(ping)()],
        [true, McpNodeClient.http("http://127.0.0.1:1/mcp")],
        [true, McpClient.http("not a URL")],
        [true, McpNodeClient.stdio({ command: "no-such-program-of-treadle" })],
        [true, session.callTool("x", {}, { timeout: Number.NaN })],
        [false, session.call(ping)()]
      ]
      for (const [notRun, effect] of failing) {
        const error = yield* Effect.flip(effect)
        assert.instanceOf(error, McpError)
        assert.strictEqual(error.notRun, notRun, error.message)
      }
    })
  )

  it.effect("names the limit that ended the wait", () =>
    Effect.gen(function* () {
      const { server, session } = yield* opened(serving(() => {}))
      const waiting = (options: object, tool: string) =>
        Effect.gen(function* () {
          const fiber = yield* Effect.forkChild(reasonOf(session.callTool(tool, {}, options)), {
            startImmediately: true
          })
          yield* Effect.promise(() => server.seen.first((seen) => seen.json.params.name === tool))
          yield* TestClock.adjust(600_000)
          return (yield* Fiber.join(fiber)).message
        })
      assert.strictEqual(
        yield* waiting({ timeout: 50 }, "a"),
        'no answer within 50 ms; it was cancelled. Give a longer "timeout" if it needs one'
      )
      assert.strictEqual(
        yield* waiting({ timeout: 80, maxTotalTimeout: 60 }, "b"),
        'it was not done within 60 ms in all; it was cancelled. Give a longer "maxTotalTimeout" if it needs one'
      )
    })
  )

  it.effect("refuses a limit that is none, before anything is sent", () =>
    Effect.gen(function* () {
      const { server, session } = yield* opened(serving())
      for (const timeout of [Number.NaN, -1, 0]) {
        const reason = yield* reasonOf(session.callTool("x", {}, { timeout }))
        assert.strictEqual(
          reason.message,
          `the time limit is not as agreed: it must be a number of milliseconds above 0, or Infinity, and is ${timeout}`
        )
      }
      assert.strictEqual(server.seen.events.length, 1)
    })
  )

  it.effect("D5: has the words of the server, where a declared error has none of its own", () =>
    Effect.gen(function* () {
      class Spoken extends Schema.TaggedError<Spoken>()("Spoken", { id: Schema.Int }) {
        override get message(): string {
          return `my own words for ${this.id}`
        }
      }
      const spoken = Endpoint.make("get_show", { description: "x", input: { id: Schema.Int }, errors: Spoken })
      const failure = (tag: string) =>
        textResult("There is no show 9.", { isError: true, structuredContent: { _tag: tag, id: 9 } })
      const { session } = yield* opened(
        serving((seen, reply) =>
          reply.json(result(seen.json.id, failure(seen.json.params.arguments.id === 1 ? "ShowNotFound" : "Spoken")))
        )
      )
      const silent = yield* Effect.flip(session.call(getShow)({ id: 1 }))
      assert.instanceOf(silent, ShowNotFound)
      assert.strictEqual(silent.message, "There is no show 9.")
      assert.strictEqual((yield* Effect.flip(session.call(spoken)({ id: 2 }))).message, "my own words for 9")
    })
  )

  it("names tool and server", () => {
    const error = new McpError({ reason: new McpReason.Closed({}), method: "tools/call", server: "box", tool: "x" })
    assert.match(error.message, /^tools\/call "x" at box: the session is closed/)
  })
})
