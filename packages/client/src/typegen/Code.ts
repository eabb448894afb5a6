/**
 * TypeScript code as a tree, and its text: on one line where it fits, else a part a line.
 *
 * Nothing that a server sent gets into the text but through `text`, `literal`, `propertyKey` and `comment`, which keep it
 * inside the quotes and the comments it was meant for.
 */
import { isJsonObject, type Json } from "@treadle/protocol/json"

/** A piece of code. A string is written as it stands. */
export type Code = string | Call | Table | Sequence

interface Call {
  readonly kind: "call"
  readonly callee: string | { readonly on: Code; readonly method: string }
  readonly args: ReadonlyArray<Code>
}

/** A member of an object literal. */
interface Entry {
  readonly key: string
  readonly value: Code
  readonly comments: ReadonlyArray<string>
}

interface Table {
  readonly kind: "table"
  readonly entries: ReadonlyArray<Entry>
  /** Whether each member has a line of its own, even where all would fit into one. */
  readonly open: boolean
}

interface Sequence {
  readonly kind: "sequence"
  readonly items: ReadonlyArray<Code>
}

const width = 120

export const call = (callee: string, ...args: ReadonlyArray<Code>): Code => ({ kind: "call", callee, args })

export const method = (on: Code, name: string, ...args: ReadonlyArray<Code>): Code => ({
  kind: "call",
  callee: { on, method: name },
  args
})

export const entry = (key: string, value: Code, comments: ReadonlyArray<string> = []): Entry => ({
  key,
  value,
  comments
})

export const table = (entries: ReadonlyArray<Entry>, open = false): Code => ({ kind: "table", entries, open })

export const sequence = (items: ReadonlyArray<Code>): Code => ({ kind: "sequence", items })

/** Characters that end a line, hide, or turn the direction of what follows. */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

const escaped = (char: string): string => {
  let out = ""
  for (let at = 0; at < char.length; at++) out += `\\u${char.charCodeAt(at).toString(16).padStart(4, "0")}`
  return out
}

/** A string literal. */
export const text = (value: string): string => JSON.stringify(value).replaceAll(unseen, escaped)

const identifier = /^[A-Za-z_$][\w$]*$/

/** The key of an object literal. `__proto__` would set the prototype if it were not computed. */
export const propertyKey = (name: string): string =>
  name === "__proto__" ? '["__proto__"]' : identifier.test(name) ? name : text(name)

/** A JSON value as a literal. */
export const literal = (value: Json): Code => {
  if (typeof value === "string") return text(value)
  if (Array.isArray(value)) return sequence(value.map(literal))
  if (isJsonObject(value)) {
    return table(Object.entries(value).map(([key, member]) => entry(propertyKey(key), literal(member))))
  }
  return JSON.stringify(value)
}

/** A regular expression with the `u` flag. */
export const pattern = (source: string): Code => {
  const { source: printed } = new RegExp(source, "u")
  return printed.search(unseen) < 0 ? `/${printed}/u` : call("new RegExp", text(source), '"u"')
}

/** One line of words from outside, for a comment or a terminal: it neither ends the one nor commands the other. */
export const cleaned = (words: string): string => words.replaceAll(/\s+/g, " ").replaceAll(unseen, escaped).trim()

/** One line of words from outside, for a comment: they are no directive to a compiler or a linter either. */
export const comment = (words: string): string =>
  cleaned(words)
    .replaceAll("*/", "*\\/")
    .replaceAll(/(^|[^\w\\])@/g, "$1\\@")

/** Whether a piece of code names something of a module, such as `Schema`. */
export const mentions = (code: Code, module: string): boolean => {
  if (typeof code === "string") return code.startsWith(`${module}.`)
  if (code.kind === "sequence") return code.items.some((item) => mentions(item, module))
  if (code.kind === "table") return code.entries.some(({ value }) => mentions(value, module))
  const { args, callee } = code
  return mentions(typeof callee === "string" ? callee : callee.on, module) || args.some((one) => mentions(one, module))
}

const flat = (code: Code): string | undefined => {
  if (typeof code === "string") return code
  if (code.kind === "call") {
    const args = flatAll(code.args)
    const head = typeof code.callee === "string" ? code.callee : flat(code.callee.on)
    if (args === undefined || head === undefined) return undefined
    return `${head}${typeof code.callee === "string" ? "" : `.${code.callee.method}`}(${args})`
  }
  if (code.kind === "sequence") {
    const items = flatAll(code.items)
    return items === undefined ? undefined : `[${items}]`
  }
  if (code.open || code.entries.some(({ comments }) => comments.length > 0)) return undefined
  if (code.entries.length === 0) return "{}"
  const values = code.entries.map(({ key, value }) => {
    const printed = flat(value)
    return printed === undefined ? undefined : isShort(key, printed) ? key : `${key}: ${printed}`
  })
  return values.includes(undefined) ? undefined : `{ ${values.join(", ")} }`
}

const flatAll = (codes: ReadonlyArray<Code>): string | undefined => {
  const printed = codes.map(flat)
  return printed.includes(undefined) ? undefined : printed.join(", ")
}

const indentation = (depth: number): string => "  ".repeat(depth)

const isBlock = (code: Code | undefined): code is Table | Sequence => typeof code === "object" && code.kind !== "call"

/**
 * The text of a piece of code.
 *
 * @param depth how far its lines are indented
 * @param used how many columns of its first line are taken already
 */
export const layOut = (code: Code, depth: number, used: number): string => {
  const short = flat(code)
  if (typeof code === "string" || (short !== undefined && used + short.length <= width)) return short ?? ""
  if (code.kind === "call") return layOutCall(code, depth, used)
  const inner = indentation(depth + 1)
  const lines =
    code.kind === "sequence"
      ? code.items.map((item) => `${inner}${layOut(item, depth + 1, inner.length + 1)}`)
      : code.entries.map((member) => layOutEntry(member, depth + 1))
  const [start, end] = code.kind === "sequence" ? ["[", "]"] : ["{", "}"]
  return lines.length === 0 ? `${start}${end}` : `${start}\n${lines.join(",\n")}\n${indentation(depth)}${end}`
}

/** Words that are values, and so no names that a member could be short for. */
const values = new Set(["true", "false", "null", "this", "super"])

/** Whether a member is named like the variable that it holds. */
const isShort = (key: string, value: Code): boolean =>
  value === key && /^[\p{ID_Start}$_]/u.test(key) && !values.has(key)

const layOutEntry = ({ comments, key, value }: Entry, depth: number): string => {
  const indent = indentation(depth)
  const remarks = comments.map((words) => `${indent}// ${comment(words)}\n`).join("")
  if (isShort(key, value)) return `${remarks}${indent}${key}`
  const used = indent.length + key.length + 3
  const fits = typeof value !== "string" || used + value.length <= width
  const printed = fits ? ` ${layOut(value, depth, used)}` : `\n${indentation(depth + 1)}${value}`
  return `${remarks}${indent}${key}:${printed}`
}

const layOutCall = ({ args, callee }: Call, depth: number, used: number): string => {
  const head = typeof callee === "string" ? callee : `${layOut(callee.on, depth, used)}.${callee.method}`
  const last = args.at(-1)
  const before = flatAll(args.slice(0, -1))
  if (isBlock(last) && before !== undefined) {
    const start = `${head}(${before}${before === "" ? "" : ", "}`
    const column = start.length - (start.lastIndexOf("\n") + 1) + (start.includes("\n") ? 0 : used)
    if (column < width) return `${start}${layOut(last, depth, column + 1)})`
  }
  if (args.length === 0) return `${head}()`
  const inner = indentation(depth + 1)
  const lines = args.map((argument) => `${inner}${layOut(argument, depth + 1, inner.length + 1)}`)
  return `${head}(\n${lines.join(",\n")}\n${indentation(depth)})`
}

/** Words from outside as the lines of a comment, wrapped, at most `most` of them. */
const commentLines = (words: string, most: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const paragraph of words.split(/\r\n|[\n\r\u2028\u2029]/)) {
    let line = ""
    for (const word of comment(paragraph).split(" ")) {
      if (line !== "" && line.length + 1 + word.length > width - 3) {
        lines.push(line)
        line = ""
      }
      line = line === "" ? word : `${line} ${word}`
    }
    if (line !== "") lines.push(line)
    if (lines.length > most) return [...lines.slice(0, most), "…"]
  }
  return lines
}

/** Most lines of a comment, and most characters of one of its paragraphs. */
const longest = { lines: 12, paragraph: 4000 }

/** A doc comment of these paragraphs, with its line end; nothing where they are empty. */
export const docComment = (...paragraphs: ReadonlyArray<string>): string => {
  const lines = paragraphs.flatMap((words) => commentLines(words.slice(0, longest.paragraph), longest.lines))
  const [only = ""] = lines
  if (lines.length === 0) return ""
  if (lines.length === 1 && only.length <= width - 7) return `/** ${only} */\n`
  return `/**\n${lines.map((line) => ` * ${line}\n`).join("")} */\n`
}
