/**
 * A route as an author writes it, `GET /shows/:id`, taken apart. Pure.
 */
import * as Result from "effect/Result"

/** The verbs that an operation can be served with. */
export const routeVerbs = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const
export type RouteVerb = (typeof routeVerbs)[number]

/** One part of a path between slashes: itself, or the name of the field that stands there. */
type Segment = { readonly text: string } | { readonly field: string }

export interface RouteTemplate {
  readonly verb: RouteVerb
  /** As it was written, below the prefix where there is one. */
  readonly path: `/${string}`
  readonly segments: ReadonlyArray<Segment>
  /** The fields that stand in the path, in order. */
  readonly fields: ReadonlyArray<string>
  /** Equal for two routes that the same requests would reach. */
  readonly key: string
}

const form = /^(GET|POST|PUT|PATCH|DELETE) (\/\S*)$/
const field = /^:([A-Za-z_]\w*)$/
/** A field as OpenAPI writes it. */
const braced = /^\{([A-Za-z_]\w*)\}$/
const literal = /^[A-Za-z0-9._~-]+$/

const example = 'write it as "GET /shows/:id"'

const segmentProblem = (segment: string): string | undefined => {
  if (segment === "") return "it has an empty part between two slashes; leave that out"
  if (segment === "." || segment === "..") {
    return `${JSON.stringify(segment)} leads to another path in every client; write the path that is meant`
  }
  if (field.test(segment) || literal.test(segment)) return undefined
  const shown = JSON.stringify(segment)
  const [, named] = braced.exec(segment) ?? []
  if (named !== undefined) return `${shown} is no field here; write it as ":${named}"`
  return segment.includes(":")
    ? `${shown} is no field; a field is a whole part of the path, a colon and a name of letters, digits and _`
    : `${shown} holds a character that is not for paths; use letters, digits, ".", "_", "~" and "-"`
}

const segmentOf = (text: string): Segment => {
  const name = field.exec(text)?.[1]
  return name === undefined ? { text } : { field: name }
}

/**
 * Takes a route apart.
 *
 * @param prefix what goes before every path: `/api`
 * @returns the route, or every reason why it is none
 */
export const parseRoute = (route: string, prefix = ""): Result.Result<RouteTemplate, ReadonlyArray<string>> => {
  const [, verb, own] = form.exec(route) ?? []
  if (verb === undefined || own === undefined) return Result.fail([`it is no verb and path; ${example}`])
  const path = own === "/" && prefix !== "" ? prefix : `${prefix}${own}`
  const parts = path === "/" ? [] : path.slice(1).split("/")
  const problems = parts.flatMap((part) => segmentProblem(part) ?? [])
  const segments = parts.map(segmentOf)
  const fields = segments.flatMap((segment) => ("field" in segment ? [segment.field] : []))
  const twice = fields.filter((name, at) => fields.indexOf(name) !== at)
  for (const name of new Set(twice)) problems.push(`":${name}" stands in it more than once; name each part by its own`)
  if (problems.length > 0) return Result.fail(problems)
  const shape = segments.map((segment) => ("field" in segment ? ":" : segment.text.toLowerCase())).join("/")
  return Result.succeed({
    verb: verb as RouteVerb,
    path: path as `/${string}`,
    segments,
    fields,
    key: `${verb} /${shape}`
  })
}

/** Why a prefix could not be put before paths. */
export const prefixProblem = (prefix: string): string | undefined => {
  if (!prefix.startsWith("/") || prefix.endsWith("/"))
    return 'a prefix begins with a slash and ends without one: "/api"'
  return prefix
    .slice(1)
    .split("/")
    .map((part) => (part.includes(":") ? "a prefix has no fields" : segmentProblem(part)))
    .find((problem) => problem !== undefined)
}
