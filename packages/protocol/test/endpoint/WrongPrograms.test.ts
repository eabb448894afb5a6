/**
 * What a wrong program says: the compiler's first sentence, which is all that a newcomer reads.
 */
import { assert, describe, it } from "@effect/vitest"
import { fileURLToPath } from "node:url"
import ts from "typescript"

const here = fileURLToPath(new URL("./", import.meta.url))

const preamble = `
import { Endpoint } from "@treadle/protocol"
import * as Schema from "effect/Schema"
`

/** Each wrong program, by its number in the design, and the sentence that must be said. */
const wrong: ReadonlyArray<readonly [string, string, string]> = [
  [
    "W1",
    `Endpoint.make("get show", { description: "x" })`,
    `Argument of type '"get show"' is not assignable to parameter of type '"\\" \\" is not allowed in a tool name (A-Z a-z 0-9 _ - .)"'.`
  ],
  [
    "W1 empty",
    `Endpoint.make("", { description: "x" })`,
    `Argument of type '""' is not assignable to parameter of type '"a tool name must not be empty"'.`
  ],
  [
    "W2",
    `Endpoint.make("ok", { description: "x", input: { id: Schema.Int }, http: "GET /shows/:idd" })`,
    `Type '"GET /shows/:idd"' is not assignable to type '"\\":idd\\" is not a field of input"'.`
  ],
  [
    "W16",
    `Endpoint.make("ok", { description: "x", http: "get /shows" })`,
    `Type '"get /shows"' is not assignable to type '"a route reads like \\"GET /shows/:id\\""'.`
  ],
  [
    "W17",
    `Endpoint.make("ok", { description: "x", input: Schema.String })`,
    `Type 'String' is not assignable to type 'InputDef | undefined'.`
  ],
  [
    "W19",
    `const tool = <const Name extends string>(name: ToolName<Name>): void => void name\ntool("bad name")`,
    `Argument of type '"bad name"' is not assignable to parameter of type '"\\" \\" is not allowed in a tool name (A-Z a-z 0-9 _ - .)"'.`
  ]
]
const right = `Endpoint.make("ok", { description: "x", input: { id: Schema.Int }, http: "GET /shows/:id" })`

const sourceOf = (code: string) =>
  preamble + (code.includes("ToolName") ? `import type { ToolName } from "@treadle/protocol/schema"\n` : "") + code

/** The first line of each complaint, by file, after one run of the compiler over all programs. */
const complaints = (programs: ReadonlyMap<string, string>): ReadonlyMap<string, ReadonlyArray<string>> => {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.dom.asynciterable.d.ts", "lib.esnext.disposable.d.ts"],
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    customConditions: ["@treadle/source"]
  }
  const host = ts.createCompilerHost(options)
  const { fileExists, getSourceFile, readFile } = host
  host.fileExists = (file) => programs.has(file) || fileExists.call(host, file)
  host.readFile = (file) => programs.get(file) ?? readFile.call(host, file)
  host.getSourceFile = (file, languageVersion, ...rest) => {
    const text = programs.get(file)
    return text === undefined
      ? getSourceFile.call(host, file, languageVersion, ...rest)
      : ts.createSourceFile(file, text, languageVersion)
  }
  const program = ts.createProgram([...programs.keys()], options, host)
  const first = (diagnostic: ts.Diagnostic) =>
    ts.flattenDiagnosticMessageText(diagnostic.messageText, "\n").split("\n")[0] ?? ""
  return new Map(
    [...programs.keys()].map((file) => [file, program.getSemanticDiagnostics(program.getSourceFile(file)).map(first)])
  )
}

describe("Wrong programs", () => {
  const file = (name: string) => `${here}${name.replaceAll(" ", "-")}.virtual.ts`
  const programs = new Map(
    [["right", right] as const, ...wrong.map(([name, code]) => [name, code] as const)].map(([name, code]) => [
      file(name),
      sourceOf(code)
    ])
  )
  let said: ReadonlyMap<string, ReadonlyArray<string>> | undefined
  const saidOf = (name: string) => (said ??= complaints(programs)).get(file(name))

  it("a right program says nothing", { timeout: 300_000 }, () => {
    assert.deepStrictEqual(saidOf("right"), [])
  })

  it.each(wrong)("%s says what is wrong in its first line", { timeout: 300_000 }, (name, _, sentence) => {
    assert.deepStrictEqual(saidOf(name), [sentence])
  })
})
