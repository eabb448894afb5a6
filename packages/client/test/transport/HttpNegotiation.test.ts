/**
 * What a client says of its messages over HTTP, and what it reads from what a server says of its own.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { compatServing, fact, opened, ping, reasonOf, result, serving, textResult } from "../fixtures.ts"

const decoded = (header: unknown): string => {
  const [, base64] = /^=\?base64\?(.*)\?=$/.exec(String(header)) ?? []
  return base64 === undefined ? String(header) : Buffer.from(base64, "base64").toString("utf8")
}

describe("HTTP negotiation", () => {
  it.effect.each(["native", "compat"] as const)("B011 B044: every POST takes both forms and is plain JSON, %s", (era) =>
    Effect.gen(function* () {
      const { server, session } = yield* opened(era === "native" ? serving() : compatServing())
      yield* session.call(ping)()
      const posts = server.seen.events.filter(({ verb }) => verb === "POST")
      assert.isAtLeast(posts.length, era === "native" ? 2 : 4)
      for (const { headers } of posts) {
        assert.strictEqual(headers.accept, "application/json, text/event-stream")
        assert.strictEqual(headers["content-type"], "application/json")
      }
    })
  )

  const types = [
    "application/json; charset=utf-8",
    "Application/JSON",
    `application/json;charset="UTF-8"`,
    "TEXT/EVENT-STREAM;charset=utf-8",
    "text/event-stream; charset=utf-8"
  ]

  it.effect.each(types)("B044: reads an answer of the type %s", (type) =>
    Effect.gen(function* () {
      const { session } = yield* opened(
        serving((seen, reply) => {
          const text = JSON.stringify(result(seen.json.id, textResult("ok")))
          const isStream = type.toLowerCase().startsWith("text/event-stream")
          return reply.raw(isStream ? `data: ${text}\n\n` : text, { "content-type": type })
        })
      )
      assert.strictEqual(yield* session.call(ping)(), "ok")
    })
  )

  it.effect("B044: says status, type and beginning of a page that came instead of an answer", () =>
    Effect.gen(function* () {
      const page = `<html><title>Sign in</title>${"x".repeat(1000)}`
      const { session } = yield* opened(serving((_, reply) => reply.raw(page, { "content-type": "text/html" })))
      const reason = yield* reasonOf(session.call(ping)())
      assert.strictEqual(reason._tag, "Undecodable")
      assert.include(reason.message, "HTTP 200")
      assert.include(reason.message, "text/html")
      assert.include(reason.message, "<html><title>Sign in</title>")
      assert.isBelow(reason.message.length, 500)
    })
  )

  it.effect("B044: is content with an empty 202 without a type for what nobody answers", () =>
    Effect.gen(function* () {
      const { session } = yield* opened(compatServing())
      assert.strictEqual(session.era, "compat")
      assert.strictEqual(yield* session.call(ping)(), "ok")
    })
  )

  it.effect("B053: answers a server's requests under the ids they have, and reports those that can be none", () =>
    Effect.gen(function* () {
      const ids = [0, -1, 9007199254740991, "", "1", 1, "ä"]
      const none = [1.5, null, true, {}]
      const noise: Array<string> = []
      const { server, session } = yield* opened(
        compatServing(async (seen, reply) => {
          const stream = reply.stream()
          for (const id of [...ids, ...none]) await stream.event({ jsonrpc: "2.0", id, method: "ping" })
          await stream.event(result(seen.json.id, textResult("ok")))
          stream.end()
        }),
        { onNoise: (_, why) => noise.push(why) }
      )
      assert.strictEqual(yield* session.call(ping)(), "ok")
      const answers = () => server.seen.events.filter(({ json }) => fact(json ?? {}, "result") !== undefined)
      yield* Effect.promise(() => server.seen.first(() => answers().length === ids.length))
      const answered = answers().map(({ json }) => json.id)
      assert.sameMembers(answered, ids)
      assert.strictEqual(noise.length, none.length, noise.join("\n"))
    })
  )

  it.effect("B076 HDR-08: names outside ASCII are called, read and got, and their header says the same", () =>
    Effect.gen(function* () {
      const capabilities = { tools: {}, resources: {}, prompts: {} }
      const { server, session } = yield* opened((seen, reply) => {
        const { id, method } = seen.json
        const complete = { resultType: "complete", ttlMs: 0, cacheScope: "private" }
        const results: { readonly [method: string]: object } = {
          "server/discover": { ...complete, supportedVersions: ["2026-07-28"], capabilities },
          "tools/call": textResult("ok"),
          "resources/read": { ...complete, contents: [] },
          "prompts/get": { ...complete, messages: [] }
        }
        return reply.json(result(id, results[method] ?? {}))
      })
      const names = ["über", "日本", " a", "a ", "😀", "a\tb", "Ω≈ç√", "=?base64?eA==?=", "\u00a0", "é\u0301", "plain"]
      for (const name of names) {
        yield* session.callTool(name)
        yield* session.readResource(`file:///${name}.txt`)
        yield* session.getPrompt(name)
      }
      const sent = server.seen.events.slice(1)
      assert.strictEqual(sent.length, 3 * names.length)
      for (const { headers, json } of sent) {
        assert.strictEqual(decoded(headers["mcp-name"]), json.params.name ?? json.params.uri)
      }
    })
  )
})
