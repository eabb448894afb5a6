/**
 * Log messages: natively for the request that names a level, in a session from the level on that it has set.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { rawCall, rawLogLevel, type RawPeer } from "@treadle/testing"
import { ask, chapter, errorOf, notifications } from "../fixtures/chapter.ts"

const levels = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]
const key = "io.modelcontextprotocol/logLevel"

const logged = (client: RawPeer, meta: object = {}) =>
  Effect.gen(function* () {
    const call = yield* rawCall(client, "levels", {}, meta)
    yield* call.answer
    assert.property(call.seen.events.at(-1), "result")
    return notifications(call)
  })

const named = (messages: ReadonlyArray<{ readonly [key: string]: any }>) => messages.map(({ params }) => params.level)

/** Asks for a level in the way of the era. */
const logsAt = (client: RawPeer, level: string) =>
  Effect.andThen(rawLogLevel(client, level), logged(client, client.era === "compat" ? {} : { [key]: level }))

export const logging = chapter("logging", (test) => {
  test(
    "LOG-04 LOG-07: sends what is at the asked level or above it, before the answer",
    ({ connect }) =>
      Effect.gen(function* () {
        const one = yield* connect()
        for (const [at, level] of levels.entries()) {
          const messages = yield* logsAt(one, level)
          assert.deepStrictEqual(named(messages), levels.slice(at))
        }
        assert.deepStrictEqual(yield* logsAt(one, "emergency"), [
          {
            jsonrpc: "2.0",
            method: "notifications/message",
            params: { level: "emergency", logger: "suite", data: { at: "emergency" } }
          }
        ])
      }),
    { needs: ["notifications"] }
  )

  test("LOG-02: sends nothing that was not asked for", ({ connect }) =>
    Effect.gen(function* () {
      const one = yield* connect()
      assert.deepStrictEqual(yield* logged(one), [])
      for (const level of ["loud", "", "DEBUG", 1, null])
        assert.deepStrictEqual(yield* logged(one, { [key]: level }), [])
    }))

  test(
    "LOG-02 BASE-17: takes the level of each request by itself",
    ({ connect }) =>
      Effect.gen(function* () {
        const one = yield* connect()
        assert.lengthOf(yield* logged(one, { [key]: "debug" }), 8)
        assert.deepStrictEqual(yield* logged(one), [])
        assert.lengthOf(yield* logged(one, { [key]: "alert" }), 2)
      }),
    { era: "native", needs: ["notifications"] }
  )

  test(
    "ERA-12: has no method for its level",
    ({ connect }) =>
      Effect.gen(function* () {
        assert.strictEqual((yield* errorOf(yield* connect(), "logging/setLevel", { level: "debug" })).code, -32601)
      }),
    { era: "native" }
  )

  test(
    "LOG-07: keeps the level of its session, whatever a request says, and each session its own",
    ({ connect }) =>
      Effect.gen(function* () {
        const [loud, quiet] = [yield* connect(), yield* connect()]
        assert.deepStrictEqual((yield* ask(loud, "logging/setLevel", { level: "debug" }))["result"], {})
        assert.lengthOf(yield* logged(loud, { [key]: "emergency" }), 8)
        assert.deepStrictEqual(yield* logged(quiet, { [key]: "debug" }), [])
      }),
    { era: "compat", needs: ["clients", "notifications"] }
  )

  test(
    "LOG-05: that is none of the eight is -32602 and changes nothing",
    ({ connect }) =>
      Effect.gen(function* () {
        const one = yield* connect()
        yield* ask(one, "logging/setLevel", { level: "alert" })
        for (const level of ["loud", "", "ERROR", 3, null, undefined, "__proto__"]) {
          assert.strictEqual((yield* errorOf(one, "logging/setLevel", { level })).code, -32602)
        }
        assert.deepStrictEqual(named(yield* logged(one)), ["alert", "emergency"])
      }),
    { era: "compat", needs: ["notifications"] }
  )
})
