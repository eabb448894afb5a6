/**
 * What is answered where the router of an application has no route: another verb at a path of ours, an argument that the
 * router finds too long, and paths that are not there but begin as ours do. All other paths are the application's.
 */
import * as Effect from "effect/Effect"
import * as FindMyWay from "effect/http/FindMyWay"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerError from "effect/http/HttpServerError"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { RoutedEntry } from "./RouteChecks.ts"
import type { RouteDoor } from "./RouteDoor.ts"
import { nowhere, problem } from "./RouteReply.ts"

/** The verbs at the path of each operation. */
export const verbsByPath = (operations: ReadonlyArray<RoutedEntry>) => {
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

type Answer = (
  request: HttpServerRequest.HttpServerRequest
) => Effect.Effect<HttpServerResponse.HttpServerResponse> | undefined

export interface ElsewhereParts {
  readonly operations: ReadonlyArray<RoutedEntry>
  readonly door: RouteDoor
  readonly verbsOf: (one: RoutedEntry) => ReadonlyArray<string>
  readonly prefix: string
}

const answering = (
  { door, operations, prefix, verbsOf }: ElsewhereParts,
  config: Partial<FindMyWay.RouterConfig>
): Answer => {
  const ways = FindMyWay.make<ReadonlyArray<string>>({ ...config, maxParamLength: longest })
  const known = new Set<ReadonlyArray<string>>()
  for (const one of operations) {
    const verbs = verbsOf(one)
    if (!known.has(verbs)) ways.all(one.plan.template.path, verbs)
    known.add(verbs)
  }
  const owned = ownedBelow(operations, prefix)
  return (request) => {
    const verbs = ways.find("GET", request.url)?.handler
    if (verbs !== undefined) {
      return door.elsewhere(request, verbs, problem(414, { detail: "An argument of the path is too long" }))
    }
    return owned(request.url) ? Effect.succeed(nowhere) : undefined
  }
}

/** Adds these answers to a router. */
export const addElsewhere = (router: HttpRouter.HttpRouter, parts: ElsewhereParts) =>
  Effect.flatMap(HttpRouter.RouterConfig, (config) => {
    const answer = answering(parts, config)
    return router.addGlobalMiddleware((handled) =>
      Effect.catch(handled, (error) =>
        isNotFound(error)
          ? Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => answer(request) ?? Effect.fail(error))
          : Effect.fail(error)
      )
    )
  })
