/**
 * What the tests do with a written module: run it, and ask the compiler about programs that use it.
 */
import path from "node:path"
import { fileURLToPath } from "node:url"
import * as protocol from "@treadle/protocol"
import type { AnyEndpoint } from "@treadle/protocol/endpoint"
import * as Schema from "effect/Schema"
import { transformSync } from "esbuild"
import ts from "typescript"

const modules: { readonly [name: string]: unknown } = { "@treadle/protocol": protocol, "effect/Schema": Schema }

/** The exports of a module that imports what a contract may import, and nothing else. */
export const evaluated = (text: string): { readonly [name: string]: unknown } => {
  const { code } = transformSync(text, { loader: "ts", format: "cjs", target: "es2022" })
  const module: { exports: { readonly [name: string]: unknown } } = { exports: {} }
  const load = (name: string) => {
    if (!Object.hasOwn(modules, name)) throw new Error(`it imports ${name}`)
    return modules[name]
  }
  new Function("require", "module", code)(load, module)
  return module.exports
}

/** The endpoints of a written module, by the names of their tools. */
export const endpointsOf = (text: string): ReadonlyMap<string, AnyEndpoint> => {
  const { contract } = evaluated(text) as { readonly contract: { readonly [name: string]: AnyEndpoint } }
  return new Map(Object.values(contract).map((endpoint) => [endpoint.name, endpoint]))
}

const folder = path.dirname(fileURLToPath(import.meta.url))

/**
 * What the compiler says of programs, each a file beside this one that is not there.
 *
 * @returns for each file that is wrong, its messages by line, from 1
 */
export const diagnosed = (files: {
  readonly [name: string]: string
}): { readonly [name: string]: { readonly [line: number]: string } } => {
  const given = new Map(Object.entries(files).map(([name, text]) => [path.join(folder, name), text]))
  const { config } = ts.readConfigFile(path.join(folder, "../../../../tsconfig.base.json"), ts.sys.readFile)
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, folder)
  const host = ts.createCompilerHost(options)
  const { fileExists, getSourceFile, readFile } = host
  host.fileExists = (name) => given.has(name) || fileExists(name)
  host.readFile = (name) => given.get(name) ?? readFile(name)
  host.getSourceFile = (name, version) => {
    const text = given.get(name)
    return text === undefined ? getSourceFile(name, version) : ts.createSourceFile(name, text, version)
  }
  const program = ts.createProgram([...given.keys()], options, host)
  return Object.fromEntries(
    [...given.keys()].flatMap((name) => {
      const file = program.getSourceFile(name)
      const said = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]
      const lines = said.map(({ messageText, start = 0 }) => [
        (file?.getLineAndCharacterOfPosition(start).line ?? 0) + 1,
        ts.flattenDiagnosticMessageText(messageText, "\n")
      ])
      return lines.length === 0 ? [] : [[path.basename(name), Object.fromEntries(lines)]]
    })
  )
}
