/**
 * Prompts: their list, and getting one.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/prompts
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { chapter, errorOf, resultOf, worded } from "../fixtures/chapter.ts"
import { blocks } from "../fixtures/suiteServer.ts"

const said = (role: string, text: string) => ({ role, content: { type: "text", text } })

export const prompts = chapter("prompts", (test) => {
  test("PROMPT-01: are listed in the order of definition, with their arguments", ({ connect }) =>
    Effect.gen(function* () {
      const listed = yield* resultOf(yield* connect(), "prompts/list")
      assert.deepStrictEqual(listed.prompts.slice(0, 2), [
        { name: "hello", title: "Hello", description: "Says hello" },
        {
          name: "letter",
          description: "A letter",
          arguments: [{ name: "to", description: "Who", required: true }, { name: "tone" }]
        }
      ])
    }))

  test("PROMPT-02: are got as messages, with their arguments decoded", ({ connect }) =>
    Effect.gen(function* () {
      const one = yield* connect()
      const got = (name: string, args?: object) => resultOf(one, "prompts/get", { name, arguments: args })
      assert.deepStrictEqual(yield* got("hello"), {
        description: "Says hello",
        messages: [said("user", "Hello!")]
      })
      assert.deepStrictEqual(yield* got("letter", { to: "Ada" }), {
        description: "A letter",
        messages: [said("user", "To Ada, plainly"), said("assistant", "Dear reader")]
      })
      const [message] = (yield* got("letter", { to: "Ada", tone: "warmly" })).messages
      assert.deepStrictEqual(message, said("user", "To Ada, warmly"))
    }))

  test("PROMPT-02 PROMPT-05: hold blocks of every type that the revision has", ({ connect, version }) =>
    Effect.gen(function* () {
      const { messages } = yield* resultOf(yield* connect(), "prompts/get", { name: "gallery" })
      assert.deepStrictEqual(
        messages,
        worded(blocks, version).map((content) => ({ role: "user", content }))
      )
    }))

  test("PROMPT-03 PROMPT-04: that are not there, or lack an argument, are -32602, and a bug is -32603", (server) =>
    Effect.gen(function* () {
      const one = yield* server.connect()
      const wrong: ReadonlyArray<object> = [
        { name: "nope" },
        { name: "__proto__" },
        { name: "letter" },
        { name: "letter", arguments: {} },
        { name: "letter", arguments: { to: 5 } },
        { name: "letter", arguments: [] },
        ...(server.era === "compat" ? [{ name: 5 }, {}] : [])
      ]
      for (const params of wrong) {
        assert.strictEqual((yield* errorOf(one, "prompts/get", params)).code, -32602, JSON.stringify(params))
      }
      const broken = yield* errorOf(one, "prompts/get", { name: "broken" })
      assert.strictEqual(broken.code, -32603)
      assert.notInclude(JSON.stringify(broken), "the detail")
    }))
})
