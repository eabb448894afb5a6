/**
 * What the compiler says: right programs compile, and wrong ones fail with a sentence that names the mistake.
 */
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import ts from "typescript"

const folder = import.meta.dirname

const unused = new Set([6133, 6196, 6198])

/** The messages about one file, by the mark of the line they are about, such as `W3`. */
const messages = (): ReadonlyMap<string, string> => {
  const config = ts.getParsedCommandLineOfConfigFile(
    path.join(folder, "tsconfig.json"),
    {},
    {
      ...ts.sys,
      onUnRecoverableConfigFileDiagnostic: () => {}
    }
  )
  assert(config !== undefined)
  const program = ts.createProgram(config.fileNames, config.options)
  const file = program.getSourceFile(path.join(folder, "wrong.ts"))
  assert(file !== undefined)
  const lines = file.text.split("\n")
  const found = new Map<string, string>()
  for (const diagnostic of program.getSemanticDiagnostics(file)) {
    if (unused.has(diagnostic.code) || diagnostic.start === undefined) continue
    const { line } = file.getLineAndCharacterOfPosition(diagnostic.start)
    const mark = /\/\* (W\d+) \*\//.exec(lines[line] ?? "")?.[1] ?? `line ${line + 1}`
    found.set(mark, ts.flattenDiagnosticMessageText(diagnostic.messageText, "\n"))
  }
  return found
}

/** The first line, or the part of a longer message that tells. */
const expected: Readonly<Record<string, string>> = {
  W1: `Argument of type '"get show"' is not assignable to parameter of type '"\\" \\" is not allowed in a tool name (A-Z a-z 0-9 _ - .)"'.`,
  W2: `Type '"GET /shows/:idd"' is not assignable to type '"\\":idd\\" is not a field of input"'.`,
  W3: `Type '{ id: number; name: string; }' is missing the following properties from type 'Show': title, remaining`,
  W4: `Types of property 'remaining' are incompatible.`,
  W5: `Type 'Error' is missing the following properties from type 'ShowNotFound'`,
  W6: `Property 'idd' does not exist on type '{ readonly id: number; }'.`,
  W7: `Argument of type 'RangeError' is not assignable to parameter of type 'string | ShowNotFound'.`,
  W8: `Type 'string' is not assignable to type 'number'.`,
  W9: `Expected 1-2 arguments, but got 0.`,
  W10: `Did you mean '"SoldOut"'?`,
  W11: `Types of property 'n' are incompatible.`,
  W12: `Type 'string' is not assignable to type 'number'.`,
  W30: `'"\\"idd\\" is not one of its variables"'`,
  W31: `'"\\"idd\\" is not one of its variables"'`,
  W13: `Expected 3 arguments, but got 2.`,
  W14: `Argument of type 'Mcp<never, { user: string; }>' is not assignable to parameter of type 'string | URL'.`,
  W15: `"this server still needs services: give them with mcp.provide(layer), or use an Effect door"`,
  W16: `Type '"get /shows"' is not assignable to type '"a route reads like \\"GET /shows/:id\\""'.`,
  W17: `Type 'String' is not assignable to type 'InputDef | undefined'.`,
  W18: `Types of property 'ok' are incompatible.`,
  W19: `Argument of type '"bad name"' is not assignable to parameter of type '"\\" \\" is not allowed in a tool name (A-Z a-z 0-9 _ - .)"'.`,
  W32: `Type 'string' is not assignable to type 'EffectOrPromise<TextUnlessOutputIsDeclared, never, never>'.`,
  W33: `is not assignable to type 'EffectOrPromise<Show | Reply<Show>, ShowNotFound, never>'.`,
  W34: `Type 'string' is not assignable to type 'EffectOrPromise<ReadBody, ResourceUnavailable, never>'.`,
  W35: `Type 'string' is not assignable to type 'EffectOrPromise<PromptBody, never, never>'.`,
  W36: `Type '{ ok: boolean; }' is not assignable to type 'TextUnlessOutputIsDeclared'.`,
  W37: `Type 'number' is not assignable to type 'TextUnlessOutputIsDeclared'.`,
  W20: `Property 'user' is missing in type '{}' but required in type '{ user: string; }'.`,
  W21: `Type 'Scope | Shows' is not assignable to type 'Scope'.`,
  W22: `Property 'role' is missing in type '{ user: string; }' but required in type '{ role: string; }'.`,
  W23: `Property 'user' is missing in type '{}' but required in type '{ user: string; }'.`,
  W24: `Type 'McpBuildErrors' is not assignable to type 'ToolFailed | AskFailed'`,
  W25: `Did you mean to write 'tools'?`,
  W26: `"a step gives JSON, to be remembered: turn dates into text, maps into arrays, classes into their fields"`,
  W27: `"a step gives JSON, to be remembered: turn dates into text, maps into arrays, classes into their fields"`,
  W28: `"a step gives JSON, to be remembered: turn dates into text, maps into arrays, classes into their fields"`,
  W38: `Type 'string' is not assignable to type 'Authentication | undefined'.`,
  W39: `'auth' does not exist in type 'ConnectStdioSettings'`,
  W40: `'auth' does not exist in type 'StdioSettings'`,
  W41: `'auth' does not exist in type 'DirectSettings'`,
  W42: `Did you mean '"shows.get"'?`,
  W43: `Did you mean '"shows.get"'?`,
  W44: `Type 'string' is not assignable to type 'number'.`,
  W45: `"this server still needs services: give them with mcp.provide(layer), or use an Effect door"`,
  W46: `is not assignable to type '"\\"hint\\" says nothing of an operation"'.`,
  W47: `Type '{ id: number; name: string; }' is missing the following properties from type 'Show': title, remaining`,
  W48: `Type '{ ok: boolean; }' is not assignable to type 'TextUnlessOutputIsDeclared'.`,
  W49: `"this server still needs services: give them with mcp.provide(layer), or use an Effect door"`,
  W50: `Type 'string' is not assignable to type`,
  W51: `Type 'string' is not assignable to type 'boolean'.`,
  W52: `'allowed' does not exist in type 'CatalogOptions'`,
  W53: `Type '"GET /:fields"' is not assignable to type '"\\":fields\\" is not a field of input"'.`,
  W54: `is not assignable to type '"\\":row\\" is not a field of input"'.`,
  W55: `Type '"HEAD /shows"' is not assignable to type '"a route reads like \\"GET /shows/:id\\""'.`,
  W56: `"this server still needs services: give them with mcp.provide(layer), or use an Effect door"`,
  W57: `Type '"docs"' is not assignable to type`,
  W58: `Type 'string' is not assignable to type 'number'.`,
  W59: `is not assignable to type 'NoSetting<"\\"descripton\\" says nothing of an operation">'.`,
  W60: `'q' does not exist in type '{ readonly query: string; }'.`,
  W61: `Expected 2-3 arguments, but got 1.`,
  W62: `Expected 3 arguments, but got 2.`,
  W63: `Expected 2 arguments, but got 1.`,
  W64: `Type 'LanguageModel' is not assignable to type 'never'.`,
  W65: `Did you mean to write 'steps'?`,
  W66: `Type 'Mcp<never, { user: string; }>' is not assignable to type 'ServerLike | undefined'.`,
  W67: `Type '"dangerous"' is not assignable to type 'Tag'.`,
  W68: `Argument of type 'readonly string[] | undefined' is not assignable to parameter of type 'string'.`,
  W69: `Property 'instruction' is missing in type '{ name: string; }'`,
  W70: `"this server still needs services: give them with mcp.provide(layer), or use an Effect door"`,
  W71: `'depth' does not exist in type`,
  W72: `Type '"GET /half/:m"' is not assignable to type '"\\":m\\" is not a field of input"'.`,
  W73: `Expected 2 arguments, but got 1.`,
  W74: `"this server needs a context for each request: make it a service, which the option request provides, or use a plain door"`,
  W75: `"this server needs a context for each request: make it a service, which the option request provides, or use a plain door"`,
  W76: `'tls' does not exist in type 'HttpSettings'`,
  W77: `'path' does not exist in type 'HttpSettings'`,
  W78: `'auth' does not exist in type 'ServedSettings'`
}

describe("the compiler", () => {
  const found = messages()

  it("refuses every wrong program and nothing else in that file", () => {
    assert.deepStrictEqual([...found.keys()].toSorted(), Object.keys(expected).toSorted())
  })

  for (const [mark, sentence] of Object.entries(expected)) {
    it(`says of ${mark}: ${sentence}`, () => {
      assert.include(found.get(mark) ?? "", sentence)
    })
  }

  it("never says that no overload matches", () => {
    const overloaded = [...found].filter(([mark, text]) => mark !== "W14" && text.includes("No overload matches"))
    assert.deepStrictEqual(overloaded, [])
  })
}, 60_000)
