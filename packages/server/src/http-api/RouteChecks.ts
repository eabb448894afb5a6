/**
 * Everything that keeps routes from being served, found in one pass. Pure.
 */
import * as Result from "effect/Result"
import type { AnyEndpoint } from "@treadle/protocol/endpoint"
import type { OperationEntry } from "../handler/Entry.ts"
import type { McpBuildError } from "../McpBuildError.ts"
import { isMetadataPath } from "../transport/ResourceMetadata.ts"
import { routePlan, type RoutePlan } from "./RoutePlan.ts"
import { errorStatuses, successStatus } from "./RouteReply.ts"
import { parseRoute, prefixProblem, routeVerbs } from "./RouteTemplate.ts"

/** An operation that has a route. */
export interface RoutedEntry {
  readonly entry: OperationEntry
  readonly plan: RoutePlan
}

type Errors = ReadonlyArray<McpBuildError>

const subject = ({ endpoint, place, promoted }: OperationEntry) => ({
  tool: String(endpoint.name),
  ...(promoted ? {} : { kind: "operation" as const }),
  place
})

const duplicates = (routed: ReadonlyArray<RoutedEntry>): Errors => {
  const byKey = new Map<string, Array<RoutedEntry>>()
  for (const one of routed) {
    const { key } = one.plan.template
    byKey.set(key, [...(byKey.get(key) ?? []), one])
  }
  return [...byKey.values()].flatMap((all): Errors => {
    const last = all.at(-1)
    if (all.length === 1 || last === undefined) return []
    return [
      {
        _tag: "DuplicateRoute",
        route: String(last.entry.endpoint.about.http),
        tools: all.map(({ entry }) => String(entry.endpoint.name)),
        places: all.map(({ entry }) => entry.place),
        place: last.entry.place
      }
    ]
  })
}

/** Statuses whose responses have no body (RFC 9110). */
const bodiless: ReadonlySet<number> = new Set([204, 205])

const within = (status: number, least: number, most: number): boolean =>
  Number.isInteger(status) && status >= least && status <= most

/** Statuses that its values or its errors are annotated with, and that could not be sent with them. */
const statusFaults = (endpoint: AnyEndpoint): ReadonlyArray<string> => {
  const success = successStatus(endpoint)
  const output = `its output is annotated with the status ${success}; a value is sent with 200 to 299, but for 204 and 205`
  return [
    ...(within(success, 200, 299) && !bodiless.has(success) ? [] : [output]),
    ...errorStatuses(endpoint).flatMap(({ status, tag = "its error" }) =>
      within(status, 400, 599)
        ? []
        : [`${tag} is annotated with the status ${status}; an error is sent with 400 to 599`]
    )
  ]
}

/** Where an application has what. */
export interface RoutePaths {
  /** What goes before the path of every route: `"/api"`. */
  readonly prefix?: `/${string}`
  /** Where MCP is served beside the routes, as by `McpRouter`: `"/mcp"`. It is not, where this is left out. */
  readonly mcp?: `/${string}`
  /** Where the OpenAPI document is: `"/openapi.json"` by default; `false` for nowhere. */
  readonly openapi?: `/${string}` | false
  /** Where a page is on which people read and try the routes: `"/docs"`. There is none, where this is left out. */
  readonly docs?: `/${string}`
}

/** Why a path is not for routes; the door answers there, or would if it were given `auth`. */
const reserved = (path: string): string | undefined =>
  isMetadataPath(path)
    ? "clients look there for the metadata of a protected resource (RFC 9728); give it another path"
    : undefined

const setting = (name: string, why: string): McpBuildError => ({
  _tag: "InvalidSetting",
  setting: name,
  why,
  place: name
})

const prefixErrors = (prefix: string | undefined): Errors => {
  const problem = prefix === undefined ? undefined : prefixProblem(prefix)
  return problem === undefined
    ? []
    : [setting("prefix", `${JSON.stringify(prefix)} cannot go before paths: ${problem}`)]
}

/** Paths that are none, or that something else has. */
const pathErrors = (
  { docs, mcp, openapi = "/openapi.json" }: RoutePaths,
  routed: ReadonlyArray<RoutedEntry>
): Errors => {
  const taken = new Map<string, string>()
  for (const { entry, plan } of routed)
    taken.set(plan.template.key, `the route of ${JSON.stringify(entry.endpoint.name)}`)
  const given = Object.entries({ mcp, openapi, docs }).filter(([, path]) => path !== undefined && path !== false)
  return given.flatMap(([name, path]): Errors => {
    const parsed = parseRoute(`GET ${String(path)}`)
    if (Result.isFailure(parsed) || parsed.success.fields.length > 0) {
      return [setting(name, `${JSON.stringify(path)} is no path of its own; write it as "/${name}"`)]
    }
    const { key, path: own, verb } = parsed.success
    const why = reserved(own)
    if (why !== undefined) return [setting(name, `${JSON.stringify(path)} is not free: ${why}`)]
    // MCP takes every verb at its path.
    const keys = name === "mcp" ? routeVerbs.map((one) => one + key.slice(verb.length)) : [key]
    const other = keys.map((one) => taken.get(one)).find((one) => one !== undefined)
    for (const one of keys) taken.set(one, `the setting ${name}`)
    return other === undefined ? [] : [setting(name, `${JSON.stringify(path)} is ${other} already; give it its own`)]
  })
}

/**
 * The operations that have a route, or every reason why they cannot be served. The definitions of operations have been
 * checked.
 */
export const routedEntries = (
  operations: ReadonlyArray<OperationEntry>,
  paths: RoutePaths = {}
): Result.Result<ReadonlyArray<RoutedEntry>, Errors> => {
  const errors: Array<McpBuildError> = [...prefixErrors(paths.prefix)]
  if (errors.length > 0) return Result.fail(errors)
  const routed: Array<RoutedEntry> = []
  for (const entry of operations) {
    const plan = routePlan(entry.endpoint, paths.prefix ?? "")
    if (plan === undefined) continue
    const route = String(entry.endpoint.about.http)
    const unservable = Result.match(plan, {
      onFailure: (faults) => faults,
      onSuccess: ({ template }) => reserved(template.path) ?? []
    })
    const faults = [unservable, statusFaults(entry.endpoint)].flat()
    for (const why of faults) errors.push({ _tag: "InvalidRoute", ...subject(entry), route, why })
    if (Result.isSuccess(plan)) routed.push({ entry, plan: plan.success })
  }
  errors.push(...duplicates(routed), ...pathErrors(paths, routed))
  return errors.length === 0 ? Result.succeed(routed) : Result.fail(errors)
}
