/**
 * Everything that keeps routes from being served, found in one pass. Pure.
 */
import * as Result from "effect/Result"
import type { OperationEntry } from "../handler/Entry.ts"
import type { McpBuildError } from "../McpBuildError.ts"
import { routePlan, type RoutePlan } from "./RoutePlan.ts"
import { prefixProblem } from "./RouteTemplate.ts"

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

/**
 * The operations that have a route, or every reason why they cannot be served. Entries that have other build errors are
 * passed over, because those are told of where the server is built.
 */
export const routedEntries = (
  operations: ReadonlyArray<OperationEntry>,
  prefix = ""
): Result.Result<ReadonlyArray<RoutedEntry>, Errors> => {
  const wrongPrefix = prefix === "" ? undefined : prefixProblem(prefix)
  if (wrongPrefix !== undefined) {
    const why = `${JSON.stringify(prefix)} cannot go before paths: ${wrongPrefix}`
    return Result.fail([{ _tag: "InvalidSetting", setting: "prefix", why, place: "prefix" }])
  }
  const errors: Array<McpBuildError> = []
  const routed: Array<RoutedEntry> = []
  for (const entry of operations) {
    const plan = routePlan(entry.endpoint, prefix)
    if (plan === undefined) continue
    if (Result.isSuccess(plan)) routed.push({ entry, plan: plan.success })
    else {
      const route = String(entry.endpoint.about.http)
      for (const why of plan.failure) errors.push({ _tag: "InvalidRoute", ...subject(entry), route, why })
    }
  }
  errors.push(...duplicates(routed))
  return errors.length === 0 ? Result.succeed(routed) : Result.fail(errors)
}
