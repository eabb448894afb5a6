/**
 * Lists of tools as strangers send them: what is written is a module that loads and does nothing else. That it compiles
 * too is in `compiler.test.ts`.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import ts from "typescript"
import { contractOf } from "../../src/typegen/index.ts"
import { endpointsOf } from "./generated.ts"
import { extremeTools, hostileTools, listedTool, telling } from "./hostileSchemas.ts"

/** The functions that a module calls by their bare names. */
const calls = (text: string): ReadonlySet<string> => {
  const file = ts.createSourceFile("x.ts", text, ts.ScriptTarget.Latest)
  const found = new Set<string>()
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) found.add(node.expression.text)
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}

describe("a list of tools from a stranger", () => {
  it.prop("becomes a module that loads, of endpoints that have a shape", [hostileTools], ([tools]) => {
    const { text } = contractOf(tools)
    const endpoints = endpointsOf(text)
    assert.deepStrictEqual([...endpoints.keys()], [...new Set(tools.map(({ name }) => name))], text)
    for (const { shape } of endpoints.values()) {
      assert.strictEqual(shape.inputSchema["type"], "object", text)
      assert.isFalse(shape.output?.wrapped === true && shape.outputSchema?.["properties"] === undefined, text)
      for (const value of [{}, { a: 1 }, { value: 1 }, null, "x"]) {
        Effect.runSync(Effect.exit(shape.input.decode(value)))
        if (shape.output !== undefined) Effect.runSync(Effect.exit(shape.output.decode(value)))
      }
    }
    assert.deepStrictEqual([...calls(text)], [], text)
    assert.strictEqual(contractOf(tools).text, text)
  })

  it("is written however deep, long or circular its schemas are, with a note where something is lost", () => {
    const { notes, text } = contractOf(extremeTools)
    assert.strictEqual(endpointsOf(text).size, extremeTools.length)
    assert.deepStrictEqual(
      [...new Set(notes.map(({ tool }) => tool))],
      ["deeper", "long_chain", "laughs", "alias", "union", "all", "own_default", "beside", "default"]
    )
  })

  it("writes a member in full whose name only looks like its value", () => {
    const examples = [{ "*/": "*/", true: true, null: null, a: "a" }]
    const { text } = contractOf([listedTool("t", { properties: { p: { type: "object", properties: {}, examples } } })])
    assert.strictEqual(endpointsOf(text).size, 1, text)
  })

  it("D21: has no say in whether a call may be repeated", () => {
    const annotations = { readOnlyHint: true, idempotentHint: true, destructiveHint: false }
    const endpoint = endpointsOf(contractOf([listedTool("t", {}, { annotations })]).text).get("t")
    assert.deepStrictEqual(endpoint?.about.hints, { destructive: false })
  })

  it("keeps its words where they belong", () => {
    const words = telling.join(" ")
    const { text } = contractOf(
      [
        listedTool(
          words,
          { properties: { [words]: { type: "string", description: words, if: {} } } },
          { title: words, description: words }
        )
      ],
      { server: words }
    )
    const endpoint = endpointsOf(text).get(words)
    assert.strictEqual(endpoint?.about.description, words)
    assert.strictEqual(endpoint?.about.title, words)
    assert.deepStrictEqual<unknown>(endpoint?.shape.inputSchema["properties"], {
      [words]: { type: "string", description: words }
    })
    assert.notMatch(text, /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u)
    assert.notMatch(text, /^\s*(?:\*|\/\/)?\s*@ts-/m)
  })
})
