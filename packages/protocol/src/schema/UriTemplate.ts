/**
 * URI templates (RFC 6570, levels 1 to 3 without prefixes and explosion): parsed once, expanded from variables, and
 * matched against whole URIs.
 *
 * Matching is the inverse of expansion: what `expand` gives for a set of variables, `match` reads back. Query variables
 * may come in any order and may be absent.
 */
import * as Result from "effect/Result"

/** How an expression prints its variables. */
interface Operator {
  readonly first: string
  readonly separator: string
  readonly named: boolean
  /** Whether reserved characters stay as they are. */
  readonly reserved: boolean
}

const operators: Readonly<Record<string, Operator>> = {
  "": { first: "", separator: ",", named: false, reserved: false },
  "+": { first: "", separator: ",", named: false, reserved: true },
  "#": { first: "#", separator: ",", named: false, reserved: true },
  ".": { first: ".", separator: ".", named: false, reserved: false },
  "/": { first: "/", separator: "/", named: false, reserved: false },
  ";": { first: ";", separator: ";", named: true, reserved: false },
  "?": { first: "?", separator: "&", named: true, reserved: false },
  "&": { first: "&", separator: "&", named: true, reserved: false }
}

type Part = string | { readonly operator: Operator; readonly sign: string; readonly names: ReadonlyArray<string> }

/** A template that can be used. */
export interface UriTemplate {
  readonly source: string
  readonly variables: ReadonlyArray<string>
  /** The URI for these variables; one that is absent leaves its place empty, or its query parameter out. */
  readonly expand: (variables: { readonly [name: string]: string | undefined }) => string
  /** The variables of a URI, decoded, or `undefined` where it does not match as a whole. */
  readonly match: (uri: string) => { readonly [name: string]: string } | undefined
}

const unreserved = /[A-Za-z0-9\-._~]/
const reservedSet = /[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]/

const encode = (value: string, reserved: boolean): string => {
  const keep = reserved ? reservedSet : unreserved
  return [...value].map((char) => (keep.test(char) ? char : [...new TextEncoder().encode(char)].map(percent).join(""))).join("")
}

const percent = (byte: number): string => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`

const decode = (value: string): string | undefined => {
  try {
    return decodeURIComponent(value)
  } catch {
    return undefined
  }
}

const parseExpression = (body: string): Part | string => {
  const sign = /^[+#./;?&]/.exec(body)?.[0] ?? ""
  const operator = operators[sign]
  const names = body.slice(sign.length).split(",")
  const bad = names.find((name) => !/^(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})+(?:\.(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})+)*$/.test(name))
  if (bad !== undefined) {
    return /[:*]/.test(bad)
      ? `"{${body}}" uses a prefix or an explosion, which templates here do not have`
      : `"{${body}}" has no variable name where one is due`
  }
  return operator === undefined ? `"{${body}}" starts with an operator that RFC 6570 reserves` : { operator, sign, names }
}

const parseParts = (source: string): Result.Result<ReadonlyArray<Part>, string> => {
  const parts: Array<Part> = []
  let rest = source
  while (rest !== "") {
    const open = rest.search(/[{}]/)
    if (open < 0) {
      parts.push(rest)
      break
    }
    if (rest[open] === "}") return Result.fail(`a "}" without its "{"`)
    if (open > 0) parts.push(rest.slice(0, open))
    const close = rest.indexOf("}", open)
    if (close < 0) return Result.fail(`a "{" without its "}"`)
    const part = parseExpression(rest.slice(open + 1, close))
    if (typeof part === "string") return Result.fail(part)
    parts.push(part)
    rest = rest.slice(close + 1)
  }
  return Result.succeed(parts)
}

const expandPart = (part: Part, variables: { readonly [name: string]: string | undefined }): string => {
  if (typeof part === "string") return part
  const { operator, names } = part
  const given = names.flatMap((name) => {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined
    if (value === undefined) return []
    const text = encode(value, operator.reserved)
    if (!operator.named) return [text]
    return [text === "" && operator.first === ";" ? name : `${name}=${text}`]
  })
  return given.length === 0 ? "" : operator.first + given.join(operator.separator)
}

const escape = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

/** Everything of the template up to its first query expression, as a pattern with one group a variable. */
const pathPattern = (parts: ReadonlyArray<Part>): { readonly pattern: RegExp; readonly names: ReadonlyArray<string> } => {
  const names: Array<string> = []
  const source = parts.map((part) => {
    if (typeof part === "string") return escape(part)
    const { operator } = part
    const value = operator.reserved ? "(.*?)" : "([^/?#&,;]*)"
    const groups = part.names.map((name) => {
      names.push(name)
      return operator.named ? `${escape(name)}=?${value}` : value
    })
    const joined = groups.join(escape(operator.separator))
    return operator.first === "" ? joined : `(?:${escape(operator.first)}${joined})?`
  })
  return { pattern: new RegExp(`^${source.join("")}$`, "su"), names }
}

const isQuery = (part: Part): boolean => typeof part !== "string" && (part.sign === "?" || part.sign === "&")

const readQuery = (text: string, names: ReadonlySet<string>): { [name: string]: string } | undefined => {
  const out: { [name: string]: string } = Object.create(null)
  if (text === "") return out
  for (const pair of text.split("&")) {
    const [name = "", ...value] = pair.split("=")
    const decoded = decode(value.join("="))
    if (!names.has(name) || decoded === undefined || Object.hasOwn(out, name)) return undefined
    out[name] = decoded
  }
  return out
}

const matcher = (parts: ReadonlyArray<Part>): UriTemplate["match"] => {
  const at = parts.findIndex(isQuery)
  const head = at < 0 ? parts : parts.slice(0, at)
  const tail = at < 0 ? [] : parts.slice(at)
  const { pattern, names } = pathPattern(head)
  const queryNames = new Set(tail.flatMap((part) => (typeof part === "string" ? [] : part.names)))
  const opens = tail[0] !== undefined && typeof tail[0] !== "string" && tail[0].sign === "?"
  return (uri) => {
    const mark = tail.length === 0 ? -1 : opens ? uri.indexOf("?") : uri.indexOf("&", uri.indexOf("?"))
    const found = pattern.exec(mark < 0 ? uri : uri.slice(0, mark))
    const query = readQuery(mark < 0 ? "" : uri.slice(mark + 1), queryNames)
    if (found === null || query === undefined) return undefined
    for (const [index, name] of names.entries()) {
      const raw = found[index + 1]
      const value = raw === undefined ? undefined : decode(raw)
      if (raw !== undefined && value === undefined) return undefined
      if (value !== undefined && value !== "") query[name] = value
    }
    return query
  }
}

/**
 * Reads a template.
 *
 * @returns the template, or a sentence that says which rule it breaks
 */
const parse = (source: string): Result.Result<UriTemplate, string> =>
  Result.flatMap(parseParts(source), (parts) => {
    const variables = parts.flatMap((part) => (typeof part === "string" ? [] : part.names))
    const twice = variables.find((name, index) => variables.indexOf(name) !== index)
    if (twice !== undefined) return Result.fail(`the variable "${twice}" is used twice`)
    const late = parts.slice(parts.findIndex(isQuery) + 1)
    if (parts.some(isQuery) && !late.every(isQuery)) return Result.fail("nothing may follow the query expressions")
    return Result.succeed({
      source,
      variables,
      expand: (values) => parts.map((part) => expandPart(part, values)).join(""),
      match: matcher(parts)
    })
  })

/**
 * @example
 * ```ts
 * import { UriTemplate } from "@treadle/protocol/schema"
 * import * as Result from "effect/Result"
 *
 * const shows = Result.getOrThrow(UriTemplate.parse("box-office://shows/{id}"))
 * shows.match("box-office://shows/7") // => { id: "7" }
 * ```
 */
export const UriTemplate = { parse }
