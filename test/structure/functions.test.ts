/**
 * The build prints arrow functions as function expressions; a program means the same after it.
 */
import { assert, describe, it } from "@effect/vitest"
import { functionExpressions } from "../../scripts/functions.mjs"

/** Expressions whose arrow functions are all printed anew. */
const printed: ReadonlyArray<string> = [
  "((x) => x + 1)(1)",
  "(x => ({ x }))(1)",
  "(() => { return [1] })()",
  "[1, 2].map((n) =>\n  // the double\n  n * 2)",
  "((a = (b) => b * 2, ...c) => [a(2), c.length])(undefined, 1, 2)",
  "((a) => (b) => (c) => a + b + c)(1)(2)(3)",
  "(({ a }, [b]) => a + b)({ a: 1 }, [2])",
  "((x) => (1, x))(2)",
  "((x) => /* @__PURE__ */ Math.max(x, 4))(3)",
  "(async (x) => x)(1) instanceof Promise",
  "(async x => x).constructor.name",
  "((f) => f.call({ k: 2 }))(function () { return this.k })"
]

/** Expressions with an arrow function that must stay one. */
const kept: ReadonlyArray<string> = [
  "(function () { return [1].map((n) => n + this.k) }).call({ k: 2 })",
  "(function () { return (() => () => arguments.length)()() })(1, 2)",
  "(function () { return (() => new.target)() }).call({}) === undefined",
  "new (class { #n = 3; read = () => this.#n; same = (x) => x })().read()",
  "new (class extends Array { size() { return (() => super.concat([1]).length)() } })().size()"
]

const valueOf = (expression: string): unknown => new Function(`return (${expression})`)()
const linesOf = (text: string): number => text.split("\n").length

describe("function expressions of the build", () => {
  for (const expression of [...printed, ...kept]) {
    it(`mean what the arrow functions of ${JSON.stringify(expression)} meant`, () => {
      const rewritten = functionExpressions("case.js", expression)
      assert.deepStrictEqual(valueOf(rewritten), valueOf(expression))
      assert.strictEqual(linesOf(rewritten), linesOf(expression))
      assert.strictEqual(rewritten.includes("=>"), kept.includes(expression))
    })
  }
})
