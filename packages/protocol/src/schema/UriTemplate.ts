/**
 * URI templates (RFC 6570, levels 1 to 3 without prefixes and explosion): parsed once, expanded from variables, and
 * matched against whole URIs.
 *
 * Matching is the inverse of expansion: what `expand` gives for a set of variables, `match` reads back. Query variables
 * may come in any order and may be absent.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/resources#resource-templates
 */
import * as Result from "effect/Result"
import { templateReader } from "./TemplateMatch.ts"
import { canonical, encodeValue, isFragment, isQuery, parseParts, type Part } from "./TemplateParts.ts"

/** A template that can be used. */
export interface UriTemplate {
  /** The template as it was written. */
  readonly source: string
  /** The names of its variables, in order. */
  readonly variables: ReadonlyArray<string>
  /** The URI for these variables; one that is absent leaves its place empty, or its query parameter out. */
  readonly expand: (variables: { readonly [name: string]: string | undefined }) => string
  /**
   * The variables of a URI, decoded, or `undefined` where it does not match as a whole. A variable in plain braces is
   * never empty; the others are left out of the record where they are absent. Where several readings are possible,
   * earlier variables are as long as they can be. URIs of more than 16,384 characters match nothing.
   */
  readonly match: (uri: string) => { readonly [name: string]: string } | undefined
}

const expandPart = (part: Part, variables: { readonly [name: string]: string | undefined }): string => {
  if (typeof part === "string") return part
  const { first, named, reserved, separator } = part.operator
  const given = part.names.flatMap((name) => {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined
    if (value === undefined) return []
    const text = encodeValue(value, reserved)
    if (!named) return [text]
    return [text === "" && first === ";" ? name : `${name}=${text}`]
  })
  return given.length === 0 ? "" : first + given.join(separator)
}

const variablesOf = (parts: ReadonlyArray<Part>): ReadonlyArray<string> =>
  parts.flatMap((part) => (typeof part === "string" ? [] : part.names))

/** The most variables of a template, which bounds what matching costs. */
const maxVariables = 64

/** Why a template cannot be matched. */
const refuse = (parts: ReadonlyArray<Part>): string | undefined => {
  const variables = variablesOf(parts).map(canonical)
  if (variables.length > maxVariables) {
    return `a template has at most ${maxVariables} variables, this one has ${variables.length}`
  }
  const twice = variables.find((name, index) => variables.indexOf(name) !== index)
  if (twice !== undefined) return `the variable "${twice}" is used twice`
  const query = parts.findIndex(isQuery)
  if (query < 0) return undefined
  const end = parts.findIndex((part, index) => index > query && !isQuery(part))
  const rest = end < 0 ? [] : parts.slice(end)
  if (rest[0] !== undefined && !isFragment(rest[0])) return "nothing but a fragment may follow the query expressions"
  return rest.some(isQuery) ? "a query expression may not stand in the fragment" : undefined
}

/**
 * Reads a template.
 *
 * @returns the template, or a sentence that says which rule it breaks
 */
const parse = (source: string): Result.Result<UriTemplate, string> =>
  Result.flatMap(parseParts(source), (parts) => {
    const why = refuse(parts)
    if (why !== undefined) return Result.fail(why)
    return Result.succeed({
      source,
      variables: variablesOf(parts),
      expand: (values) => parts.map((part) => expandPart(part, values)).join(""),
      match: templateReader(parts)
    })
  })

/**
 * Reads templates.
 *
 * @example
 * ```ts
 * import { UriTemplate } from "@treadle/protocol/schema"
 * import * as Result from "effect/Result"
 *
 * const shows = Result.getOrThrow(UriTemplate.parse("box-office://shows/{id}{?lang,day}"))
 * shows.expand({ id: "7", lang: "日本語" })
 * // => "box-office://shows/7?lang=%E6%97%A5%E6%9C%AC%E8%AA%9E"
 * shows.match("box-office://shows/7?day=mon")
 * // => { id: "7", day: "mon" }
 * ```
 */
export const UriTemplate = { parse }
