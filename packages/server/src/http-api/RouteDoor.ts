/**
 * The door of routes: a request is checked as one of MCP is, its arguments are read, its operation is called.
 */
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Result from "effect/Result"
import type { AnyEndpoint } from "@treadle/protocol/endpoint"
import { isJsonType } from "@treadle/protocol/http"
import { nestsDeeper } from "@treadle/protocol/json"
import { refused } from "../engine/Answers.ts"
import type { Inbound } from "../envelope/Inbound.ts"
import type { Refusal } from "../envelope/Refusal.ts"
import type { ToolHandler } from "../handler/ToolHandler.ts"
import { bodyText } from "../http-router/RouterBody.ts"
import { givenContext, type RouterDoor } from "../http-router/RouterDoor.ts"
import { headerOf } from "../http-router/RouterExchange.ts"
import type { Limits } from "../Limits.ts"
import { ownerOf } from "../transport/HttpExchange.ts"
import { makeGuard, type GuardSettings } from "../transport/HttpGuard.ts"
import type { Principal } from "../Principal.ts"
import type { Served } from "../Served.ts"
import { parseText } from "../transport/HttpBody.ts"
import { operationRun } from "../handler/OperationRun.ts"
import { argumentsOf, routePlan, type RoutePlan, type Said } from "./RoutePlan.ts"
import { answerProblem, nowhere, problem, routeTelling } from "./RouteReply.ts"
import { called, type RouteRun } from "./RouteSink.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/** A step that gives a value, or the response that ends the exchange. */
type Step<A> = Effect.Effect<A, Response>

export interface RouteDoorParts {
  readonly served: Served
  readonly door: RouterDoor
  readonly settings: GuardSettings
  readonly prefix: string
}

/** One operation as it was when the routes were made. */
export interface Route {
  readonly endpoint: AnyEndpoint
  readonly plan: RoutePlan
}

const refusal = (told: Refusal): Response => answerProblem(refused(told))

/** A path with slashes behind one another, the first of them aside. */
const emptied = /^(?:[a-z]+:\/\/[^/]*)?\/+[^/].*?\/\//i

/** Whether a part of the path is empty. The router takes it for none, and may find another operation for that. */
const hasEmptyPart = ({ originalUrl }: Request): boolean => {
  const [address = ""] = originalUrl.split(/[?#]/, 1)
  return emptied.test(address)
}

const emptyPart = 'the path has an empty part ("//"), and an argument in it must not be empty'

const queryOf = ({ originalUrl }: Request): URLSearchParams => {
  const [address = ""] = originalUrl.split("#", 1)
  const at = address.indexOf("?")
  return new URLSearchParams(at < 0 ? "" : address.slice(at + 1))
}

/** The router ends a path at a semicolon, so that an argument would be cut there. */
const isCut = ({ originalUrl }: Request): boolean => /^[^?#]*;/.test(originalUrl)

/** Who sends a request, as what it shows says. */
const shown = ({ gate }: Served, request: Request): Step<Principal | undefined> =>
  gate === undefined
    ? Effect.undefined
    : Effect.callback((resume) => {
        const credentials = { authorization: request.headers["authorization"], url: request.originalUrl }
        const leave = gate.admit(credentials, (passed) =>
          resume("rung" in passed ? Effect.fail(refusal(passed)) : Effect.succeed(passed))
        )
        return leave === undefined ? undefined : Effect.sync(leave)
      })

const unsupported = (detail: string): Response => problem(415, { detail })

const otherType = (type: string): Response => unsupported(`Content-Type must be application/json in UTF-8, not ${type}`)

const cut = problem(400, { detail: 'A ";" of a path must be sent as %3B' })

const textOf = (request: Request, limit: number): Step<string> =>
  Effect.flatMap(bodyText(request, limit), (read): Step<string> =>
    "refusal" in read ? Effect.fail(refusal(read.refusal)) : Effect.succeed(read.text)
  )

/** The JSON of the body; nothing where there is none. */
const bodyOf = (request: Request, { bodyBytes, nesting }: Limits): Step<unknown> => {
  const type = request.headers["content-type"]
  const encoding = request.headers["content-encoding"]
  if (type !== undefined && !isJsonType(type)) return Effect.fail(otherType(type))
  if (encoding !== undefined && encoding.toLowerCase() !== "identity") {
    return Effect.fail(unsupported(`Content-Encoding ${encoding} is not decoded here; send the body as it is`))
  }
  return Effect.flatMap(textOf(request, bodyBytes), (text): Step<unknown> => {
    if (text === "") return Effect.undefined
    if (type === undefined) return Effect.fail(otherType("absent"))
    const body = parseText(text)
    if ("refusal" in body) return Effect.fail(refusal(body.refusal))
    return nestsDeeper(body.value, nesting) ? Effect.fail(tooNested(nesting)) : Effect.succeed(body.value)
  })
}

const tooNested = (levels: number): Response =>
  problem(400, { detail: `The body nests deeper than ${levels} levels (limits.nesting)` })

const misfit = (name: string, problems: ReadonlyArray<string>): Response =>
  problem(400, { detail: `Invalid arguments for ${name}`, problems })

/** Who calls, and whose running calls are counted together. */
const callerOf = (
  door: RouterDoor,
  request: Request,
  {
    context,
    principal,
    served
  }: { readonly context: unknown; readonly principal: Principal | undefined; readonly served: Served }
): Step<Pick<Inbound, "principal" | "owner">> => {
  const said = door.callerOf(request)
  if (principal !== undefined) return Effect.succeed({ principal, owner: ownerOf(principal, said.owner) })
  const caller = said.principal === undefined ? served.identify(context) : { principal: said.principal }
  if (caller.refusal !== undefined) return Effect.fail(refusal(caller.refusal))
  return Effect.succeed({
    principal: caller.principal,
    owner: ownerOf(caller.principal, said.owner)
  })
}

/** What the application said of a request, its principal or its services, could not be made. */
const broken = (defect: unknown): Effect.Effect<Response> =>
  Effect.as(Effect.logError("A request of a route could not be served", defect), problem(500, {}))

/** What runs for a request of a route, made once for each operation. */
const makeRuns = (prefix: string) => {
  const runs = new WeakMap<ToolHandler, (key: string, said: Said) => RouteRun>()
  const gone: RouteRun = () => Effect.succeed(nowhere)
  const made = (handler: ToolHandler) => {
    const { endpoint } = handler
    const run = operationRun(handler, routeTelling(endpoint))
    const plan = routePlan(endpoint, prefix)
    return (key: string, said: Said): RouteRun => {
      // Another operation may have the name by now, and another route.
      if (plan === undefined || Result.isFailure(plan) || plan.success.template.key !== key) return gone
      const args = argumentsOf(plan.success, said)
      return Result.isFailure(args)
        ? () => Effect.succeed(misfit(endpoint.name, args.failure))
        : (_, call) => run(args.success, call)
    }
  }
  return (key: string, said: Said): RouteRun =>
    (handler, call) => {
      const run = runs.get(handler) ?? made(handler)
      runs.set(handler, run)
      return run(key, said)(handler, call)
    }
}

/** What pages of other origins are told beside a response. */
const told = (response: Response, page: { readonly headers: object; readonly vary: string } | undefined): Response =>
  page === undefined
    ? response
    : HttpServerResponse.setHeaders(response, { ...(page.headers as Record<string, string>), vary: page.vary })

/**
 * Makes the handlers of routes.
 *
 * @returns what answers a request of one route, and what checks a request before anything else is answered
 */
export const makeRouteDoor = ({ door, prefix, served, settings }: RouteDoorParts) => {
  const runOf = makeRuns(prefix)

  const authorized = (request: Request): Step<Inbound["services"]> =>
    Effect.mapError(door.servicesOf(request), ({ challenge, message, status }) =>
      problem(status, { detail: message }, challenge === undefined ? {} : { "www-authenticate": challenge })
    )

  const admitted = (request: Request): Step<Inbound> =>
    Effect.flatMap(authorized(request), (services) =>
      Effect.flatMap(Effect.all([shown(served, request), givenContext]), ([principal, context]) =>
        Effect.map(callerOf(door, request, { context, principal, served }), (caller) => ({
          value: undefined,
          http: { header: headerOf(request), url: request.originalUrl },
          headers: () => ({ ...request.headers }),
          overHttp: true,
          context,
          services,
          ...caller
        }))
      )
    )

  const exchange = (
    request: Request,
    { endpoint, plan }: Route,
    path: Said["path"]
  ): Effect.Effect<Response, Response> =>
    Effect.flatMap(isCut(request) ? Effect.fail(cut) : admitted(request), (inbound) =>
      Effect.flatMap(plan.rest === "body" ? bodyOf(request, served.limits) : Effect.undefined, (body) => {
        if (plan.path.size > 0 && hasEmptyPart(request)) return Effect.fail(misfit(endpoint.name, [emptyPart]))
        const run = runOf(plan.template.key, { path, query: queryOf(request), body })
        return called(served.operate, endpoint.name, inbound, run)
      })
    )

  /** Host and Origin first, then what is served there. */
  const guarded = <R>(
    request: Request,
    verbs: ReadonlyArray<string>,
    inside: Effect.Effect<Response, never, R>
  ): Effect.Effect<Response, never, R> => {
    const guard = guardOf(verbs)
    const facts = { method: request.method, header: headerOf(request), loopback: undefined }
    const page = guard.page(facts)
    if (page?.preflight === true) return Effect.succeed(told(HttpServerResponse.empty({ status: 204 }), page))
    const wrong = guard.request(facts)
    if (wrong === undefined) return Effect.map(inside, (response) => told(response, page))
    const response =
      wrong.rung === "verb" ? problem(405, { detail: `Send ${guard.allow}` }, { allow: guard.allow }) : refusal(wrong)
    return Effect.succeed(told(response, page))
  }

  const guards = new Map<string, ReturnType<typeof makeGuard>>()
  const guardOf = (verbs: ReadonlyArray<string>) => {
    const key = verbs.join()
    const known = guards.get(key) ?? makeGuard({ ...settings, verbs })
    guards.set(key, known)
    return known
  }

  const handle = (route: Route, verbs: ReadonlyArray<string>) => (request: Request, path: Said["path"]) => {
    const response = Effect.match(exchange(request, route, path), { onFailure: identity, onSuccess: identity })
    return guarded(request, verbs, Effect.catchDefect(response, broken))
  }

  return { handle, guarded }
}

export type RouteDoor = ReturnType<typeof makeRouteDoor>
