/**
 * The examples in the doc comments of the packages run, and print what they say.
 */
import { assert, describe, it } from "@effect/vitest"
import { docExamples, runDocExample, type DocHost } from "@treadle/testing"
import { transformSync } from "esbuild"
import { readdirSync, readFileSync } from "node:fs"

const host: DocHost = {
  load: (specifier) => import(/* @vite-ignore */ specifier),
  stripTypes: (code) => transformSync(code, { loader: "ts", target: "es2022" }).code
}

const examplesOf = (name: string) => {
  const sources = new URL(`../../packages/${name}/src/`, import.meta.url)
  return readdirSync(sources, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) =>
      docExamples(readFileSync(new URL(file, sources), "utf8")).map(
        (example) => [`${file}:${example.line}`, example] as const
      )
    )
}

describe.each(["protocol", "server", "client", "oauth", "agent"])("the examples in doc comments of %s", (name) => {
  const examples = examplesOf(name)

  it("are found", () => {
    assert.isAtLeast(examples.length, 5)
  })

  it.each(examples)("the example at %s says what it prints", async (_, example) => {
    const checks = await runDocExample(example, host)
    assert.isAbove(checks.length, 0, "an example has at least one // => line")
    for (const check of checks) assert.deepStrictEqual(check.actual, check.expected, `line ${check.line}`)
  })
})

describe("runDocExample", () => {
  const run = (...code: ReadonlyArray<string>) => runDocExample({ line: 1, code: code.join("\n") }, host)

  it("compares the value on the line or above it, over several lines too", async () => {
    const checks = await run(
      "import {",
      "  succeed,",
      "  isFailure as failed",
      '} from "effect/Result"',
      'import * as Result from "effect/Result"',
      "const two: number = 2",
      "two + 1 // => 3",
      "failed(succeed(two)) // => false",
      "Result.succeed(",
      "  two",
      ")._tag",
      '// => "Failure"',
      "await Promise.resolve([two])",
      "  .then(([first]) => first)",
      "// => 2"
    )
    assert.deepStrictEqual(checks, [
      { line: 7, actual: 3, expected: 3 },
      { line: 8, actual: false, expected: false },
      { line: 12, actual: "Success", expected: "Failure" },
      { line: 15, actual: 2, expected: 2 }
    ])
  })

  it("rejects where the example throws", async () => {
    const failed = await run("null.name // => 1").then(
      () => "ran",
      (error: unknown) => error instanceof TypeError
    )
    assert.isTrue(failed)
  })

  it("finds the blocks of doc comments and nothing else", () => {
    const fence = "```"
    const source = [
      "/**",
      ` * ${fence}ts`,
      " * a // => 1",
      " *",
      ` * ${fence}`,
      ` * ${fence}json`,
      " * {}",
      ` * ${fence}`,
      " */",
      `${fence}ts`,
      "b"
    ]
    assert.deepStrictEqual(docExamples(source.join("\n")), [{ line: 3, code: "a // => 1\n" }])
  })
})
