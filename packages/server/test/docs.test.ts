/**
 * The examples in the doc comments of this package run, and print what they say.
 */
import { assert, describe, it } from "@effect/vitest"
import { docExamples, runDocExample, type DocHost } from "@treadle/testing"
import { transformSync } from "esbuild"
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const sources = fileURLToPath(new URL("../src/", import.meta.url))

const host: DocHost = {
  load: (specifier) => import(/* @vite-ignore */ specifier),
  stripTypes: (code) => transformSync(code, { loader: "ts" }).code
}

const files = readdirSync(sources, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"))
const examples = files.flatMap((file) =>
  docExamples(readFileSync(sources + file, "utf8")).map((example) => [`${file}:${example.line}`, example] as const)
)

describe("Doc examples", () => {
  it("are found", () => {
    assert.isAtLeast(examples.length, 5)
  })

  it.each(examples)("the example at %s says what it prints", async (_, example) => {
    const checks = await runDocExample(example, host)
    assert.isAbove(checks.length, 0, "an example has at least one // => line")
    for (const check of checks) assert.deepStrictEqual(check.actual, check.expected, `line ${check.line}`)
  })
})
