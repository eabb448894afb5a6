/**
 * Which route a request reaches, of those that there are at a time, and what is answered where it reaches none: another
 * verb at a path of ours, an argument that is too long, a path that is not there but begins as ours do. All other paths
 * are the application's.
 */
import * as Effect from "effect/Effect"
import * as FindMyWay from "effect/http/FindMyWay"
import type * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerError from "effect/http/HttpServerError"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { RoutedEntry } from "./RouteChecks.ts"
import type { RouteDoor } from "./RouteDoor.ts"
import { nowhere, problem } from "./RouteReply.ts"

/** The verbs at the path of each operation. */
const verbsByPath = (operations: ReadonlyArray<RoutedEntry>) => {
  const verbs = new Map<string, Array<string>>()
  const shapeOf = ({ key, verb }: RoutedEntry["plan"]["template"]) => key.slice(verb.length)
  for (const { plan } of operations) {
    const shape = shapeOf(plan.template)
    const { verb } = plan.template
    verbs.set(shape, [...(verbs.get(shape) ?? []), ...(verb === "GET" ? ["GET", "HEAD"] : [verb])])
  }
  return (one: RoutedEntry): ReadonlyArray<string> => verbs.get(shapeOf(one.plan.template)) ?? []
}

/** The longest argument of a path that is told from a path that is not there. */
const longest = 65_536

/** Whether a path is below the prefix, or begins as a route does. The others belong to the application. */
const ownedBelow = (operations: ReadonlyArray<RoutedEntry>, prefix: string) => {
  const beginnings = new Set(
    operations.flatMap(({ plan: { template } }) => {
      const [first] = template.segments
      return prefix !== "" || first === undefined || !("text" in first) ? [] : [first.text.toLowerCase()]
    })
  )
  return (url: string): boolean => {
    const [path = ""] = url.split(/[?#]/, 1)
    return prefix === ""
      ? beginnings.has((path.split("/")[1] ?? "").toLowerCase())
      : `${path}/`.toLowerCase().startsWith(`${prefix.toLowerCase()}/`)
  }
}

const isNotFound = (error: unknown): boolean =>
  HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound"

/** What answers a request; nothing, where its path is the application's. */
export type RouteTable = (
  request: HttpServerRequest.HttpServerRequest
) => Effect.Effect<HttpServerResponse.HttpServerResponse> | undefined

export interface TableParts {
  readonly operations: ReadonlyArray<RoutedEntry>
  readonly door: RouteDoor
  readonly prefix: string
  /** How the router of the application reads paths. */
  readonly config: Partial<FindMyWay.RouterConfig>
}

const tooLong = Effect.succeed(problem(414, { detail: "An argument of the path is too long" }))

export const routeTable = ({ config, door, operations, prefix }: TableParts): RouteTable => {
  const routes = FindMyWay.make<ReturnType<RouteDoor["handle"]>>(config)
  const paths = FindMyWay.make<ReadonlyArray<string>>({ ...config, maxParamLength: longest })
  const verbsOf = verbsByPath(operations)
  const known = new Set<ReadonlyArray<string>>()
  for (const one of operations) {
    const { path, verb } = one.plan.template
    const verbs = verbsOf(one)
    routes.on(verb, path, door.handle({ endpoint: one.entry.endpoint, plan: one.plan }, verbs))
    if (!known.has(verbs)) paths.all(path, verbs)
    known.add(verbs)
  }
  const owned = ownedBelow(operations, prefix)
  return (request) => {
    const found = routes.find(request.method === "HEAD" ? "GET" : request.method, request.url)
    if (found !== undefined) return found.handler(request, found.params)
    const verbs = paths.find("GET", request.url)?.handler
    if (verbs !== undefined) return door.guarded(request, verbs, tooLong)
    return owned(request.url) ? Effect.succeed(nowhere) : undefined
  }
}

/** Asks a table where the router of an application has no route. */
export const addElsewhere = (router: HttpRouter.HttpRouter, table: RouteTable) =>
  router.addGlobalMiddleware((handled) =>
    Effect.catch(handled, (error) =>
      isNotFound(error)
        ? Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => table(request) ?? Effect.fail(error))
        : Effect.fail(error)
    )
  )
