/**
 * The grammar of URI templates (RFC 6570, levels 1 to 3), and how text is written into a URI and read from one.
 */
import * as Result from "effect/Result"

/** How an expression prints its variables (RFC 6570, appendix A). */
export interface Operator {
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

/** What stands between braces. */
export interface Expression {
  readonly operator: Operator
  readonly names: ReadonlyArray<string>
}

/** A piece of a template: text as it stands in a URI, or an expression. */
export type Part = string | Expression

/** Whether a part prints query parameters. */
export const isQuery = (part: Part): part is Expression =>
  typeof part !== "string" && (part.operator.first === "?" || part.operator.first === "&")

/** Whether a part begins the fragment of a URI. */
export const isFragment = (part: Part): boolean =>
  typeof part === "string" ? part.startsWith("#") : part.operator.first === "#"

const unreserved = /^[A-Za-z0-9\-._~]$/
const reservedSet = /^[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]$/
const uriText = /^[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]*$/
const triplet = /%[0-9A-Fa-f]{2}/g

const percent = (byte: number): string => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`

const utf8 = new TextEncoder()

/**
 * A value as it stands in a URI. A `%` is always encoded, reserved expansion included, so that reading gives the value
 * back; a lone surrogate becomes U+FFFD.
 */
export const encodeValue = (value: string, reserved: boolean): string => {
  const keep = reserved ? reservedSet : unreserved
  return Array.from(value, (char) => (keep.test(char) ? char : Array.from(utf8.encode(char), percent).join(""))).join(
    ""
  )
}

/** A value as it was before it was encoded, or `undefined` where it is not UTF-8. */
export const decodeValue = (value: string): string | undefined => {
  try {
    return decodeURIComponent(value)
  } catch {
    return undefined
  }
}

const canonicalTriplet = (text: string): string => {
  const char = String.fromCodePoint(Number.parseInt(text.slice(1), 16))
  return unreserved.test(char) ? char : text.toUpperCase()
}

/** The same URI in the form in which two equal ones are equal text (RFC 3986 6.2.2): `%7e` is `~`, `é` is `%C3%A9`. */
export const canonical = (uri: string): string => {
  if (uriText.test(uri)) return uri
  let out = ""
  let from = 0
  for (const { 0: text, index } of uri.matchAll(triplet)) {
    out += encodeValue(uri.slice(from, index), true) + canonicalTriplet(text)
    from = index + text.length
  }
  return out + encodeValue(uri.slice(from), true)
}

const nameGrammar = /^(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})+(?:\.(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})+)*$/

const parseExpression = (body: string): Result.Result<Expression, string> => {
  const sign = /^[+#./;?&]/.exec(body)?.[0] ?? ""
  const operator = operators[sign]
  if (operator === undefined || /^[=,!@|]/.test(body)) {
    return Result.fail(`"{${body}}" starts with an operator that RFC 6570 keeps for later`)
  }
  const names = body.slice(sign.length).split(",")
  const bad = names.find((name) => !nameGrammar.test(name))
  if (bad === undefined) return Result.succeed({ operator, names })
  return Result.fail(
    /[:*]/.test(bad)
      ? `"{${body}}" uses a prefix or an explosion, which templates here do not have: name the whole variable`
      : `"{${body}}" has no variable name where one is due (A-Z a-z 0-9 _ and dots between)`
  )
}

/**
 * The parts of a template in order.
 *
 * @returns the parts, or a sentence that says which rule the template breaks
 */
export const parseParts = (source: string): Result.Result<ReadonlyArray<Part>, string> => {
  const parts: Array<Part> = []
  let from = 0
  while (from < source.length) {
    const open = source.indexOf("{", from)
    const text = source.slice(from, open < 0 ? source.length : open)
    if (text.includes("}")) return Result.fail(`a "}" at ${from + text.indexOf("}")} has no "{"`)
    if (text !== "") parts.push(canonical(text))
    if (open < 0) break
    const close = source.indexOf("}", open)
    if (close < 0) return Result.fail(`the "{" at ${open} has no "}"`)
    const expression = parseExpression(source.slice(open + 1, close))
    if (Result.isFailure(expression)) return Result.fail(expression.failure)
    parts.push(expression.success)
    from = close + 1
  }
  return Result.succeed(parts)
}
