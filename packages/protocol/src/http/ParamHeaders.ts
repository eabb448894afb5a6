/**
 * `x-mcp-header`: annotated arguments that a request repeats in `Mcp-Param-*` headers, so that intermediaries can read
 * them (XHDR-01 to XHDR-11).
 */
import * as Result from "effect/Result"
import { isJsonObject, isRecord, own, pathText, type Json, type JsonObject } from "../json/index.ts"
import { HeaderName } from "./HeaderName.ts"
import { decodeHeaderValue, encodeHeaderValue } from "./HeaderValue.ts"

/** One annotated argument. */
export interface ParamHeader {
  /** The header's name in lower case. */
  readonly header: string
  /** The way to the argument. */
  readonly path: ReadonlyArray<string>
  readonly type: "string" | "integer" | "boolean"
}

const annotation = "x-mcp-header"
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const types = ["string", "integer", "boolean"] as const

/** The subschemas in which an annotation is out of place, because the argument would not be reached by name. */
const elsewhere = [
  "items",
  "prefixItems",
  "contains",
  "additionalProperties",
  "patternProperties",
  "propertyNames",
  "unevaluatedItems",
  "unevaluatedProperties",
  "oneOf",
  "anyOf",
  "allOf",
  "not",
  "if",
  "then",
  "else",
  "$defs",
  "definitions",
  "dependentSchemas"
]

const mentions = (node: Json | undefined): boolean => {
  if (Array.isArray(node)) return node.some(mentions)
  if (!isJsonObject(node)) return false
  return Object.hasOwn(node, annotation) || Object.values(node).some(mentions)
}

/**
 * The annotated arguments of an input schema.
 *
 * @returns the headers, or every rule that an annotation breaks
 */
export const paramHeaders = (schema: JsonObject): Result.Result<ReadonlyArray<ParamHeader>, ReadonlyArray<string>> => {
  const found: Array<ParamHeader> = []
  const problems: Array<string> = []
  const names = new Set<string>()

  const annotated = (node: JsonObject, path: ReadonlyArray<string>) => {
    const name = node[annotation]
    const at = pathText(path)
    const type = types.find((one) => one === node["type"])
    if (typeof name !== "string" || !token.test(name)) {
      problems.push(`${at}: ${JSON.stringify(name)} is no header name; use letters, digits and - _ . without spaces`)
    } else if (names.has(name.toLowerCase())) {
      problems.push(`${at}: the header ${JSON.stringify(name)} is used twice; names compare without case`)
    } else if (type === undefined) {
      problems.push(`${at}: only a string, an integer or a boolean can be mirrored in a header`)
    } else {
      names.add(name.toLowerCase())
      found.push({ header: HeaderName.param + name.toLowerCase(), path, type })
    }
  }

  const visit = (node: JsonObject, path: ReadonlyArray<string>, depth: number) => {
    for (const key of elsewhere) {
      if (mentions(node[key]))
        problems.push(`${pathText(path) || "the root"}: ${annotation} inside "${key}" is not reached`)
    }
    const properties = node["properties"]
    if (!isJsonObject(properties) || depth > 32) return
    for (const [key, member] of Object.entries(properties)) {
      if (!isJsonObject(member)) continue
      if (Object.hasOwn(member, annotation)) annotated(member, [...path, key])
      visit(member, [...path, key], depth + 1)
    }
  }

  if (Object.hasOwn(schema, annotation)) problems.push(`the root: ${annotation} belongs on a property`)
  visit(schema, [], 0)
  return problems.length === 0 ? Result.succeed(found) : Result.fail(problems)
}

const valueAt = (args: unknown, path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>((value, key) => (isRecord(value) ? own(value, key) : undefined), args)

/** What a header can repeat. Nothing else is made text: an object from outside may hold a `toString` of its own. */
const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean"

/** The headers of one call; an argument that is absent or null has none (XHDR-09). */
export const mirrorParams = (
  headers: ReadonlyArray<ParamHeader>,
  args: JsonObject
): ReadonlyArray<readonly [string, string]> =>
  headers.flatMap(({ header, path }) => {
    const value = valueAt(args, path)
    return isScalar(value) ? [[header, encodeHeaderValue(String(value))] as const] : []
  })

const decimal = /^-?\d+(?:\.0+)?$/

const agrees = (type: ParamHeader["type"], text: string, value: unknown): boolean =>
  type === "integer" && typeof value === "number"
    ? decimal.test(text) && Number(text) === value
    : isScalar(value) && text === String(value)

/**
 * Compares the headers of a request with its arguments.
 *
 * @returns what disagrees, or `undefined`
 */
export const compareParams = (
  headers: ReadonlyArray<ParamHeader>,
  args: unknown,
  lookup: (header: string) => string | undefined
): string | undefined => {
  for (const { header, path, type } of headers) {
    const value = valueAt(args, path)
    const sent = lookup(header)
    const at = pathText(path)
    if (value === undefined || value === null) {
      if (sent !== undefined) return `Header ${header} was sent, but the argument ${at} was not`
      continue
    }
    if (sent === undefined) return `The argument ${at} must be repeated in the header ${header}`
    const text = decodeHeaderValue(sent)
    if (text === undefined) return `Header ${header} has a value that cannot be decoded`
    if (!agrees(type, text, value)) return `Header ${header} differs from the argument ${at}`
  }
  return undefined
}
