/**
 * The examples of doc comments, as programs: each fenced `ts` block below an `@example`, with its `// =>` lines as
 * checks. The value before such a line, or on it, must be the one written there.
 *
 * Imports are taken from the modules that the caller gives, so an example needs no files and no build.
 */

/** One fenced block of a source file. */
export interface DocExample {
  /** The line of the file on which its code begins, counted from 1. */
  readonly line: number
  readonly code: string
}

/** What a `// =>` line says and what came out. */
export interface DocCheck {
  /** The line within the example, counted from 1. */
  readonly line: number
  readonly actual: unknown
  readonly expected: unknown
}

/** How examples run. */
export interface DocHost {
  /** The module of a specifier as the example writes it. */
  readonly load: (specifier: string) => Promise<unknown>
  /** TypeScript without its types. */
  readonly stripTypes: (code: string) => string
}

/** The examples of one source text. */
export const docExamples = (source: string): ReadonlyArray<DocExample> => {
  const found: Array<DocExample> = []
  let open: { readonly line: number; readonly code: Array<string> } | undefined
  source.split("\n").forEach((line, index) => {
    const text = /^\s*\* ?(.*)$/.exec(line)?.[1]
    if (text === undefined) open = undefined
    else if (open === undefined) {
      if (text === "```ts") open = { line: index + 2, code: [] }
    } else if (text === "```") {
      found.push({ line: open.line, code: open.code.join("\n") })
      open = undefined
    } else open.code.push(text)
  })
  return found
}

const importLine = /^import (?:type .*|(?:(\* as \w+)|(\{[^}]*\})) from "([^"]+)")$/
const marker = /^(.*?)\s*\/\/ => (.*)$/

/** An import over several lines on its first one, so that the lines after it keep their numbers. */
const importsOnOneLine = (code: string): string =>
  code.replaceAll(/^import (?:type )?\{[^}]*\} from "[^"]+"$/gm, (statement) => {
    const lines = statement.split("\n").map((line) => line.trim())
    return lines.join(" ") + "\n".repeat(lines.length - 1)
  })

/** How many brackets a line leaves open; those in strings do not count. */
const depthOf = (line: string): number => {
  const bare = line.replaceAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`|\/\/.*$/g, "")
  return (bare.match(/[([{]/g)?.length ?? 0) - (bare.match(/[)\]}]/g)?.length ?? 0)
}

interface Program {
  readonly specifiers: ReadonlyArray<string>
  readonly body: string
}

const importOf = (match: RegExpExecArray, specifiers: Array<string>): string => {
  const [, namespace, names, specifier] = match
  if (specifier === undefined) return ""
  specifiers.push(specifier)
  const from = `$modules[${specifiers.length - 1}]`
  return namespace === undefined
    ? `const ${(names ?? "{}").replaceAll(/\btype \w+,?/g, "").replaceAll(" as ", ": ")} = ${from}`
    : `const ${namespace.slice("* as ".length)} = ${from}`
}

/** The statements of an example in order; one that is followed by a marker becomes a check. */
const programOf = (code: string): Program => {
  const specifiers: Array<string> = []
  const out: Array<string> = []
  let statement: Array<string> = []
  let last = ""
  let depth = 0
  const flush = () => {
    if (last !== "") out.push(last)
    last = ""
  }
  importsOnOneLine(code)
    .split("\n")
    .forEach((line, index) => {
      const imported = importLine.exec(line)
      if (imported !== null) return out.push(importOf(imported, specifiers))
      const [, before = line, expected] = marker.exec(line) ?? []
      if (before.trim() !== "") {
        if (depth === 0 && !/^\s*[.)]/.test(before)) flush()
        statement = depth === 0 && last !== "" ? [last, before] : [...statement, before]
        last = ""
        depth += depthOf(before)
        if (depth === 0) {
          last = statement.join("\n")
          statement = []
        }
      }
      if (expected === undefined) return undefined
      out.push(`$check(${index + 1}, (\n${last}\n), (${expected}))`)
      last = ""
      return undefined
    })
  flush()
  return { specifiers, body: out.join("\n") }
}

/**
 * Runs an example.
 *
 * @returns its checks in order; rejects where the example throws
 */
export const runDocExample = async (example: DocExample, host: DocHost): Promise<ReadonlyArray<DocCheck>> => {
  const { body, specifiers } = programOf(example.code)
  const modules = await Promise.all(specifiers.map(host.load))
  const checks: Array<DocCheck> = []
  const check = (line: number, actual: unknown, expected: unknown) => checks.push({ line, actual, expected })
  const program = host.stripTypes(`const $main = async () => {\n${body}\n}`)
  // oxlint-disable-next-line no-new-func -- the text is an example of this repository
  const run = new Function("$modules", "$check", `${program}\nreturn $main()`)
  await run(modules, check)
  return checks
}
