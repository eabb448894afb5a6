/**
 * The arguments of `treadle-typegen`.
 */
import { parseArgs } from "node:util"
import { record } from "@treadle/protocol/json"
import type { HeaderRecord } from "../HeaderRecord.ts"

/** Where the list of tools comes from. */
export type Source =
  | { readonly _tag: "Url"; readonly url: string; readonly headers: HeaderRecord }
  | { readonly _tag: "Program"; readonly command: string; readonly args: ReadonlyArray<string> }

/** What was asked for. */
export type Asked =
  | { readonly _tag: "Help" }
  | { readonly _tag: "Version" }
  | { readonly _tag: "Wrong"; readonly problem: string }
  | {
      readonly _tag: "Write"
      readonly source: Source
      /** The file; standard output where there is none. */
      readonly out: string | undefined
      /** Whether the file is only compared. */
      readonly check: boolean
    }

export const usage = `treadle-typegen writes the tools of an MCP server as a TypeScript contract.

  treadle-typegen <url> [--header "Name: value"]... [--out file] [--check]
  treadle-typegen [--out file] [--check] -- <program> [arguments]...

  --header   is sent with every request; may be given more than once
  --out      the file to write, instead of standard output
  --check    writes nothing, and fails where the file differs
  --help     says this
  --version  says the version

What a schema says and TypeScript cannot is noted on standard error. The exit code is 0 when all went well, 1 when the
server did not answer, the file could not be written or --check found a difference, and 2 for wrong arguments.
`

const wrong = (problem: string): Asked => ({ _tag: "Wrong", problem })

const options = {
  header: { type: "string", multiple: true, default: [] as Array<string> },
  out: { type: "string" },
  check: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
  version: { type: "boolean", default: false }
} as const

/** Headers by name, or the one that is none. */
const headersOf = (lines: ReadonlyArray<string>): HeaderRecord | string => {
  const entries: Array<readonly [string, string]> = []
  for (const line of lines) {
    const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):\s*(.*)$/.exec(line) ?? []
    if (name === undefined || value === undefined) return line.replace(/:.*/s, ": …")
    entries.push([name, value])
  }
  return record(entries)
}

/**
 * Reads the arguments.
 *
 * @param argv those after the program's own name
 */
export const parseArguments = (argv: ReadonlyArray<string>): Asked => {
  const end = argv.indexOf("--")
  const given = end < 0 ? argv : argv.slice(0, end)
  try {
    const { positionals, values } = parseArgs({ args: [...given], options, allowPositionals: true })
    if (values.help) return { _tag: "Help" }
    if (values.version) return { _tag: "Version" }
    const { check, out } = values
    if (check && out === undefined) return wrong("--check compares a file: name it with --out")
    const source = sourceOf(positionals, values.header, end < 0 ? undefined : argv.slice(end + 1))
    return typeof source === "string" ? wrong(source) : { _tag: "Write", source, out, check }
  } catch (error) {
    return wrong(error instanceof Error ? error.message : String(error))
  }
}

/** The source, or what is wrong with it. */
const sourceOf = (
  [url, ...others]: ReadonlyArray<string>,
  lines: ReadonlyArray<string>,
  program: ReadonlyArray<string> | undefined
): Source | string => {
  if (program !== undefined) {
    const [command, ...args] = program
    if (command === undefined) return "after -- comes the program to start"
    if (url !== undefined) return `give either a URL or a program, not both: ${JSON.stringify(url)} stands before --`
    if (lines.length > 0) return "--header is for a server with a URL; a program is given its settings as arguments"
    return { _tag: "Program", command, args }
  }
  if (url === undefined) return "give the URL of a server, or -- and the program to start"
  if (others.length > 0) {
    return `give one URL, not ${others.length + 1}; a program to start comes after --`
  }
  const headers = headersOf(lines)
  return typeof headers === "string"
    ? `${JSON.stringify(headers)} is no header; write --header "Name: value"`
    : { _tag: "Url", url, headers }
}
