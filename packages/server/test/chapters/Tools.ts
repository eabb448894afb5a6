/**
 * Tools: their list, their results, and what they are told of wrong calls.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools
 */
import { assert } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import * as Effect from "effect/Effect"
import { rawError, rawResult, rawToolCall, secret } from "@treadle/testing"
import { ask, chapter, happened, resultOf, text, worded } from "../fixtures/chapter.ts"
import { blocks } from "../fixtures/suiteServer.ts"

export const tools = chapter("tools", (test) => {
  test("TOOL-03 TOOL-07 TOOL-08: are listed in the order of definition, with what they take and give", ({ connect }) =>
    Effect.gen(function* () {
      const { tools } = yield* resultOf(yield* connect(), "tools/list")
      assert.deepStrictEqual(tools.slice(0, 3), [
        {
          name: "echo",
          description: "Says it again",
          inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] }
        },
        {
          name: "add",
          description: "Adds",
          inputSchema: {
            type: "object",
            properties: { a: { type: "integer" }, b: { type: "integer" } },
            required: ["a", "b"]
          },
          outputSchema: { type: "object", properties: { sum: { type: "integer" } }, required: ["sum"] }
        },
        {
          name: "noargs",
          description: "Takes nothing",
          inputSchema: { type: "object", additionalProperties: false }
        }
      ])
      for (const { inputSchema, outputSchema } of tools) {
        assert.strictEqual(inputSchema.type, "object")
        if (outputSchema !== undefined) assert.strictEqual(outputSchema.type, "object")
      }
    }))

  test("TOOL-10 TOOL-13 B034: answer a value as structured content and the same as text", ({ connect }) =>
    Effect.gen(function* () {
      const one = yield* connect()
      assert.deepStrictEqual(yield* rawResult(one, "add", { a: 1, b: 2 }), {
        content: text('{"sum":3}'),
        structuredContent: { sum: 3 }
      })
      assert.deepStrictEqual(yield* rawResult(one, "numbers"), {
        content: text('{"value":[1,2]}'),
        structuredContent: { value: [1, 2] }
      })
      const said = "naïve 🎭\n\u2028"
      assert.deepStrictEqual(yield* rawResult(one, "echo", { text: said }), { content: text(said) })
    }))

  test("TOOL-10: answer with blocks of every type that the revision has, and _meta as the author gave it", (server) =>
    Effect.gen(function* () {
      const { result } = yield* ask(yield* server.connect(), "tools/call", { name: "blocks" })
      assert.deepStrictEqual(result.content, [text('{"n":1}')[0], ...worded(blocks, server.version)])
      assert.deepStrictEqual(result.structuredContent, { n: 1 })
      assert.deepStrictEqual(result._meta["com.example/k"], [1])
    }))

  test("TOOL-11 D5: give what fits their published output schema, declared errors included", ({ connect }) =>
    Effect.gen(function* () {
      const one = yield* connect()
      const { tools } = yield* resultOf(one, "tools/list")
      const ajv = new Ajv2020({ strict: true })
      const calls: ReadonlyArray<readonly [string, object]> = [
        ["add", { a: 1, b: 2 }],
        ["numbers", {}],
        ["blocks", {}],
        ["opts", {}],
        ["get_show", { id: 1 }],
        ["get_show", { id: 2 }],
        ["get_show", { id: 9 }]
      ]
      for (const [name, args] of calls) {
        const { outputSchema } = tools.find((tool: { readonly name: string }) => tool.name === name)
        const { structuredContent } = yield* rawResult(one, name, args)
        assert.isTrue(ajv.validate(outputSchema, structuredContent), `${name}: ${ajv.errorsText()}`)
        assert.isFalse(ajv.validate(outputSchema, { other: 1 }), name)
      }
    }))

  test("D5: answer a declared error with its JSON and its message", ({ connect }) =>
    Effect.gen(function* () {
      const one = yield* connect()
      assert.deepStrictEqual(yield* rawResult(one, "get_show", { id: 9 }), {
        content: text("There is no show 9"),
        structuredContent: { _tag: "ShowNotFound", id: 9 },
        isError: true
      })
      assert.deepStrictEqual(yield* rawResult(one, "get_show", { id: 2 }), {
        content: text('{"_tag":"SoldOut","left":0}'),
        structuredContent: { _tag: "SoldOut", left: 0 },
        isError: true
      })
    }))

  test("D5 B006: answer a failure in words as isError without structured content, although they have an output", (server) =>
    Effect.gen(function* () {
      const one = yield* server.connect()
      for (const how of ["throw", "reject", "failed"]) {
        assert.deepStrictEqual(yield* rawResult(one, "refuse", { how }), { content: text("No order 9"), isError: true })
      }
    }))

  test(
    "TOOL-11 D5: answer a defect, a value that does not fit their output included, with a fixed text and a reference",
    ({ connect, logs }) =>
      Effect.gen(function* () {
        const one = yield* connect()
        for (const how of ["throw", "reject", "die", "fail", "output"]) {
          const answer = yield* rawResult(one, "boom", { how })
          const said: string = answer.content[0].text
          assert.match(said, /^The tool failed because of an internal error \(reference [0-9a-f]{8}\)\.$/)
          assert.deepStrictEqual(answer, { content: text(said), isError: true })
          const reference = /reference (\w+)/.exec(said)?.[1] ?? ""
          yield* happened(one, `defect boom ${reference}`)
          assert.include(logs(), reference)
          assert.include(logs(), how === "output" ? "id: Expected" : secret)
        }
        const interrupted = yield* rawResult(one, "boom", { how: "interrupt" })
        assert.match(interrupted.content[0].text, /internal error/)
      }),
    { needs: ["defects"] }
  )

  test("TOOL-16 B015: answer wrong arguments as isError that names every problem, and run nothing", ({ connect }) =>
    Effect.gen(function* () {
      const one = yield* connect()
      const answer = yield* rawResult(one, "add", { a: "1", b: null })
      assert.isTrue(answer.isError)
      const lines: ReadonlyArray<string> = answer.content[0].text.split("\n")
      assert.strictEqual(lines[0], "Invalid arguments for add:")
      assert.deepStrictEqual(
        lines.slice(1).map((line) => line.slice(0, 5)),
        ["- a: ", "- b: "]
      )
      for (const args of [{}, { text: 5 }, { text: null }]) {
        const { content, isError } = yield* rawResult(one, "echo", args)
        assert.isTrue(isError)
        assert.match(content[0].text, /text/)
        assert.notMatch(content[0].text, /\.ts|node_modules|\n {4}at /)
      }
      const { structuredContent } = yield* rawResult(one, "events")
      assert.deepStrictEqual(structuredContent.events, [])
    }))

  test("B003 TOOL-15: take missing arguments for none, and answer -32602 to arguments that are no object", (server) =>
    Effect.gen(function* () {
      const one = yield* server.connect()
      assert.deepStrictEqual(yield* rawResult(one, "noargs"), { content: text("ok") })
      assert.deepStrictEqual(yield* rawResult(one, "noargs", {}), { content: text("ok") })
      for (const args of [undefined, {}]) {
        assert.deepStrictEqual((yield* rawResult(one, "opts", args)).structuredContent, { limit: 10 })
      }
      for (const args of [null, [], "{}", 7, true]) {
        const { code, message } = yield* rawError(one, rawToolCall(1, "noargs", args))
        assert.strictEqual(code, -32602)
        assert.include(message, "params.arguments")
      }
      const { structuredContent } = yield* rawResult(one, "events")
      assert.deepStrictEqual(structuredContent.events, ["noargs", "noargs", "opts", "opts"])
    }))

  test("TOOL-15 B015: that are not there are -32602, as is a call without a name", ({ connect }) =>
    Effect.gen(function* () {
      const one = yield* connect()
      for (const name of ["nope", "__proto__", "constructor", "ECHO", ""]) {
        const { code, message } = yield* rawError(one, rawToolCall(1, name, {}))
        assert.strictEqual(code, -32602)
        assert.include(message, JSON.stringify(name))
      }
    }))

  test("TOOL-19: are given up after their timeout: the model is told so, and their finalizers run", ({ connect }) =>
    Effect.gen(function* () {
      const one = yield* connect()
      assert.deepStrictEqual(yield* rawResult(one, "endless"), {
        content: text("endless gave up after 20 ms"),
        isError: true
      })
      yield* happened(one, "gave up")
    }))
})
