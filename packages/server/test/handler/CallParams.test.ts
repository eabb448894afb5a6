/**
 * Calls that are malformed, and failures that a model reads: the same in both eras.
 */
import { assert, describe, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { RawMessage } from "@treadle/testing"
import { ToolFailed } from "../../src/index.ts"
import { defectText, empty, said } from "../fixtures/calling.ts"
import { bare, bothEras } from "../fixtures/eras.ts"

const output = Schema.Struct({ ok: Schema.Boolean })
const quota = "quota exceeded"
class Failure extends Schema.TaggedError<Failure>()("Failure", { error: Schema.Struct({ code: Schema.String }) }) {
  override get message() {
    return quota
  }
}

let runs = 0
const mcp = empty()
  .tool("echo", { description: "Tested", input: { text: Schema.String } }, async ({ text }) => {
    runs++
    return text
  })
  .tool("words", { description: "Tested", output }, async (_, { fail }) => fail(quota))
  .tool("error", { description: "Tested", output }, () => Effect.fail(new ToolFailed(quota)))
  .tool("declared", { description: "Tested", output, errors: Failure }, () =>
    Effect.fail(new Failure({ error: { code: "E1" } }))
  )
  .tool("wrong", { description: "Tested", output }, async () => ({ ok: "yes" }) as never)
  .tool("shaped", { description: "Tested", output }, async () => {
    return { isError: true, content: [{ type: "text", text: quota }] } as never
  })

const served = bothEras(mcp, {}, { onDefect: () => {} })
const noTrace = (text: string) => assert.notMatch(text, /\.ts\b|node_modules|\n {4}at /)

describe("a call", () => {
  it.effect("B003 B015 TOOL-15: that is malformed is -32602 and runs nothing", () =>
    Effect.gen(function* () {
      const { both } = yield* served
      const before = runs
      const rows: ReadonlyArray<readonly [RawMessage, RegExp]> = [
        [{}, /params\.name/],
        [{ name: 5, arguments: {} }, /params\.name/],
        [{ name: null }, /params\.name/],
        [{ name: "nope" }, /Unknown tool "nope"/],
        [{ name: "nope", arguments: { text: 5 } }, /Unknown tool "nope"/],
        ...[null, [], "{}", 7].map((args) => [{ name: "echo", arguments: args }, /params\.arguments/] as const)
      ]
      for (const [params, says] of rows) {
        for (const { error } of yield* both("tools/call", params)) {
          assert.strictEqual(error?.code, -32602, JSON.stringify(params))
          assert.match(error.message, says)
          noTrace(JSON.stringify(error))
        }
      }
      assert.strictEqual(runs, before)
    })
  )

  it.effect("B015 TOOL-16: whose arguments do not fit is told so in a result that names them, and runs nothing", () =>
    Effect.gen(function* () {
      const { both } = yield* served
      const before = runs
      for (const args of [undefined, {}, { text: 5 }, { text: null }, { txt: "a" }]) {
        for (const answer of yield* both("tools/call", { name: "echo", arguments: args })) {
          assert.isTrue(answer["result"]?.isError, JSON.stringify(args))
          assert.match(said(answer["result"]), /^Invalid arguments for echo:\n- text: /)
          noTrace(said(answer["result"]))
        }
      }
      assert.strictEqual(runs, before)
      for (const answer of yield* both("tools/call", { name: "echo", arguments: { text: "a", extra: 1 } })) {
        assert.strictEqual(said(answer["result"]), "a")
      }
    })
  )
})

describe("a tool with an output that fails", () => {
  it.effect("B006 D5: says so in words, and nothing is held against its output schema", () =>
    Effect.gen(function* () {
      const { both } = yield* served
      const content = [{ type: "text", text: quota }]
      for (const name of ["words", "error"]) {
        for (const answer of yield* both("tools/call", { name })) {
          assert.deepStrictEqual(bare(answer), { content, isError: true }, name)
        }
      }
    })
  )

  it.effect("B006 D5: with an error of its own publishes it, so that readers who check failures take it too", () =>
    Effect.gen(function* () {
      const { both } = yield* served
      const [listed] = yield* both("tools/list")
      const tool = listed?.["result"].tools.find(({ name }: RawMessage) => name === "declared")
      const valid = new Ajv2020({ strict: true }).compile(tool.outputSchema)
      for (const answer of yield* both("tools/call", { name: "declared" })) {
        const { content, isError, structuredContent } = bare(answer) as any
        assert.deepStrictEqual([isError, content[0].text, structuredContent.error], [true, quota, { code: "E1" }])
        assert.isTrue(valid(structuredContent))
      }
      assert.isTrue(valid({ ok: true }))
    })
  )

  it.effect("B006 D5: is a bug where it returns what is not of its output, a result that says isError included", () =>
    Effect.gen(function* () {
      const { both } = yield* served
      for (const name of ["wrong", "shaped"]) {
        for (const answer of yield* both("tools/call", { name })) {
          assert.isTrue(answer["result"]?.isError)
          assert.match(said(answer["result"]), defectText)
          assert.notProperty(answer["result"], "structuredContent")
        }
      }
    })
  )
})
