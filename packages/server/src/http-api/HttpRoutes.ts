/**
 * The HTTP routes of a server: each operation that has one is served with the function, the checks and the limits that
 * it has as a tool, whether it is a tool or not.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiSwagger from "effect/http-api/HttpApiSwagger"
import type { AuthSettings } from "../Authentication.ts"
import type { Entries } from "../handler/Entry.ts"
import { addDocuments, addEndpoint } from "../http-router/McpRouter.ts"
import { GivenContext, routerDoor, type ContextFree, type RequestOptions } from "../http-router/RouterDoor.ts"
import { Live } from "../Live.ts"
import { Mcp, type AnyMcp, type With } from "../Mcp.ts"
import { McpBuildErrors, type McpBuildError } from "../McpBuildError.ts"
import { httpDoorParts, type FetchDoor } from "../McpHttp.ts"
import { notServing, plainDoor, type Complete } from "../PlainDoor.ts"
import { doorOf } from "../transport/DoorSettings.ts"
import { settingErrors } from "../transport/SettingChecks.ts"
import { refusedResponse } from "../transport/HttpExchange.ts"
import { webResponse } from "../transport/WebExchange.ts"
import type { Served } from "../Served.ts"
import { routeApi } from "./RouteApi.ts"
import { routeClient } from "./RouteClient.ts"
import { routedEntries, type RoutedEntry, type RoutePaths } from "./RouteChecks.ts"
import { routeDocument, type DocumentParts } from "./RouteDocument.ts"
import { makeRouteDoor } from "./RouteDoor.ts"
import { addElsewhere, routeTable } from "./RouteTable.ts"
import { nowhere, problem } from "./RouteReply.ts"

/** How an api is described. */
export interface ApiSettings extends AuthSettings, Pick<RoutePaths, "prefix"> {}

/** What the layer is told beside the settings of every HTTP door. */
export interface RoutesOptions<P, RP> extends RequestOptions<P, RP>, RoutePaths {}

const entriesOf = ({ definition }: AnyMcp): Entries => definition.entries

const routed = (mcp: AnyMcp, paths: RoutePaths): Result.Result<ReadonlyArray<RoutedEntry>, McpBuildErrors> => {
  const others = Mcp.check(mcp)
  const routes = others.length > 0 ? Result.succeed([]) : routedEntries(entriesOf(mcp).operations, paths)
  const errors = [...others, ...(Result.isFailure(routes) ? routes.failure : [])]
  return errors.length > 0 || Result.isFailure(routes)
    ? Result.fail(new McpBuildErrors({ server: mcp.definition.info.implementation.name, errors }))
    : Result.succeed(routes.success)
}

/**
 * Every reason why a server or its routes cannot be served, at once; empty when they can. The layer runs the same check.
 *
 * @example
 * ```ts
 * import { Endpoint, Mcp } from "@treadle/server"
 * import { HttpRoutes } from "@treadle/server/http-api"
 * import * as Schema from "effect/Schema"
 *
 * const find = Endpoint.make("find", {
 *   description: "Finds shows",
 *   input: { where: Schema.Struct({ city: Schema.String }) },
 *   http: "GET /shows"
 * })
 * const mcp = Mcp.make({ name: "box", version: "1.0.0" }).tool(find, async () => "")
 * HttpRoutes.check(mcp).map((error) => error._tag) // => ["InvalidRoute"]
 * ```
 */
const check = (mcp: AnyMcp, settings: RoutePaths = {}): ReadonlyArray<McpBuildError> => {
  const found = routed(mcp, settings)
  return Result.isFailure(found) ? found.failure.errors : []
}

const documentParts = (
  { definition }: AnyMcp,
  operations: ReadonlyArray<RoutedEntry>,
  { auth, prefix = "/" }: ApiSettings,
  at?: string
): DocumentParts => ({
  server: definition.info.implementation,
  instructions: definition.info.instructions,
  routed: operations,
  prefix: prefix === "/" ? "" : prefix,
  auth,
  at
})

/** @param at where its document is read, if anywhere */
const apiOf = (
  mcp: AnyMcp,
  operations: ReadonlyArray<RoutedEntry>,
  settings: ApiSettings,
  at?: string
): HttpApi.Top => {
  const parts = documentParts(mcp, operations, settings, at)
  return routeApi(parts.server.name, operations, parts.prefix, () => routeDocument(parts))
}

/**
 * The operations that have routes as an Effect `HttpApi`: `HttpApiClient.make` makes a client of it, with a function for
 * each operation by its name, and `OpenApi.fromApi` the document.
 *
 * Its values are those of the endpoints, its declared errors their classes; whatever else a route says is a
 * `RouteProblem`.
 *
 * @param settings what the layer is told too: `prefix`, and `auth`, which the document tells of
 *
 * @example
 * ```ts
 * import { Endpoint, Mcp } from "@treadle/server"
 * import { HttpRoutes } from "@treadle/server/http-api"
 * import * as OpenApi from "effect/http-api/OpenApi"
 * import * as Result from "effect/Result"
 * import * as Schema from "effect/Schema"
 *
 * const double = Endpoint.make("double", {
 *   description: "Twice a number",
 *   input: { n: Schema.Int },
 *   output: Schema.Int,
 *   http: "GET /double/:n"
 * })
 * const mcp = Mcp.make({ name: "sums", version: "1.0.0" }).tool(double, async ({ n }) => 2 * n)
 * const api = Result.getOrThrow(HttpRoutes.api(mcp))
 * Object.keys(OpenApi.fromApi(api).paths) // => ["/double/{n}"]
 * ```
 */
const api = (mcp: AnyMcp, settings: ApiSettings = {}): Result.Result<HttpApi.Top, McpBuildErrors> =>
  Result.map(routed(mcp, settings), (operations) => apiOf(mcp, operations, settings))

/** What an application still has to give: all but the services of one request, which the door provides. */
type Needs<R, P, RP> = Exclude<R, P> | RP | HttpRouter.HttpRouter

/** What is made of the entries that there are, until there are others. */
const latest = <A>({ entries }: Served, make: (entries: Entries) => A): (() => A) => {
  let made: { readonly of: Entries; readonly value: A } | undefined
  return () => {
    const now = entries()
    if (made?.of !== now) made = { of: now, value: make(now) }
    return made.value
  }
}

/** The operations that have routes; changes whose routes could not be served have not happened. */
const routedNow = ({ operations }: Entries, paths: RoutePaths): ReadonlyArray<RoutedEntry> =>
  Result.getOrElse(routedEntries(operations, paths), () => [])

/** What a change of what is served is checked for, beside the definitions themselves. */
const routeErrors =
  (paths: RoutePaths) =>
  ({ operations }: Entries): ReadonlyArray<McpBuildError> => {
    const found = routedEntries(operations, paths)
    return Result.isFailure(found) ? found.failure : []
  }

/** What a door of routes tells what it serves. */
const behind = <P, RP>(options: RoutesOptions<P, RP>) =>
  doorOf(options, { door: "routes", check: routeErrors(options) })

/** The verbs of what is read by anybody. */
const readers = ["GET", "HEAD"]

/** The page of Effect's Swagger, which adds it to a router: here to one that has nothing else. */
const pageOf = (api: HttpApi.Top) => {
  const page = HttpApiSwagger.layer(api, { path: "/*" })
  let built: ReturnType<HttpRouter.HttpRouter["asHttpEffect"]> | undefined
  const build = Effect.flatMap(HttpRouter.make, (router) =>
    Effect.map(Effect.provideService(Layer.build(page), HttpRouter.HttpRouter, router), () => router.asHttpEffect())
  )
  const kept = Effect.tap(build, (made) => Effect.sync(() => (built = made)))
  return Effect.orDie(Effect.suspend(() => built ?? Effect.flatten(kept)))
}

/** Adds everything to the router. */
const add = Effect.fnUntraced(function* <P, RP>(
  served: Served,
  mcp: AnyMcp,
  operations: ReadonlyArray<RoutedEntry>,
  options: RoutesOptions<P, RP>
) {
  const { docs, mcp: endpoint, openapi = "/openapi.json", prefix = "" } = options
  const router = yield* HttpRouter.HttpRouter
  const config = yield* HttpRouter.RouterConfig
  const parts = httpDoorParts(served, options)
  const door = makeRouteDoor({ served, door: yield* routerDoor(options), settings: options, prefix })
  const table = latest(served, (now) => routeTable({ operations: routedNow(now, options), door, prefix, config }))
  // These come before what else an application has at their paths; those that are added later come after it.
  for (const { plan } of operations) {
    const { path, verb } = plan.template
    yield* router.add(verb, path, (request) => table()(request) ?? Effect.succeed(nowhere))
  }
  yield* addElsewhere(router, (request) => table()(request))
  if (endpoint !== undefined) yield* addEndpoint(router, parts, { ...options, path: endpoint })
  yield* addDocuments(router, parts, options)
  // Everybody may read these, so they tell of what everybody sees.
  const shown = (now: Entries) => routedNow(now, options).filter(({ entry }) => entry.settings.visible === undefined)
  const read = <R>(path: `/${string}`, reply: () => Effect.Effect<HttpServerResponse.HttpServerResponse, never, R>) =>
    router.add("GET", path, (request) => door.guarded(request, readers, Effect.suspend(reply)))
  if (openapi !== false) {
    const document = latest(served, (now) => documentOf(mcp, shown(now), options, openapi))
    yield* read(openapi, () => Effect.succeed(document()))
  }
  if (docs !== undefined) {
    const page = latest(served, (now) => pageOf(apiOf(mcp, shown(now), options, docs)))
    yield* read(docs, () => page())
  }
})

const documentOf = (
  mcp: AnyMcp,
  operations: ReadonlyArray<RoutedEntry>,
  settings: ApiSettings,
  at: string
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(JSON.stringify(routeDocument(documentParts(mcp, operations, settings, at))), {
    contentType: "application/json"
  })

/**
 * Adds the routes to the router, until the Scope closes.
 *
 * Fails with `McpBuildErrors`. The services of handlers are captured here, except those that `request` provides.
 *
 * @returns what is served; its `live` takes parts that need what the handlers need
 */
const scoped = <R, P = never, RP = never, Ctx = {}>(
  mcp: Mcp<R, Ctx> & ContextFree<Ctx>,
  options: RoutesOptions<P, RP> = {}
): Effect.Effect<Served<R, {}>, McpBuildErrors, Needs<R, P, RP> | Scope.Scope> =>
  Effect.gen(function* () {
    const operations = yield* Effect.fromResult(routed(mcp, options))
    const served = yield* Mcp.served(mcp as unknown as Mcp<R>, behind(options))
    yield* add(served, mcp, operations, options)
    return served
  }) as unknown as Effect.Effect<Served<R, {}>, McpBuildErrors, Needs<R, P, RP> | Scope.Scope>

/**
 * Serves every operation that has a route, tool or not, in an Effect HTTP application.
 *
 * A route runs what the tool runs: the same decoding, function, time limit and scopes, with `auth`, `principal` and
 * `request` as `McpRouter` has them. With `mcp`, both are one server, so that they share its state and its limits.
 *
 * Fails with `McpBuildErrors`. The services of handlers are captured when the layer is built, except those that
 * `request` provides.
 *
 * @param options `mcp`, `prefix`, `openapi` and `docs`, beside what `McpRouter.layer` takes
 *
 * @example
 * ```ts
 * import { Endpoint, Mcp } from "@treadle/server"
 * import { HttpRoutes } from "@treadle/server/http-api"
 * import * as HttpRouter from "effect/http/HttpRouter"
 * import * as HttpServer from "effect/http/HttpServer"
 * import * as Layer from "effect/Layer"
 * import * as Schema from "effect/Schema"
 *
 * const double = Endpoint.make("double", {
 *   description: "Twice a number",
 *   input: { n: Schema.Int },
 *   output: Schema.Int,
 *   http: "GET /double/:n"
 * })
 * const mcp = Mcp.make({ name: "sums", version: "1.0.0" }).tool(double, async ({ n }) => 2 * n)
 * const app = HttpRoutes.layer(mcp).pipe(Layer.provide(HttpServer.layerServices))
 * const { dispose, handler } = HttpRouter.toWebHandler(app, { disableLogger: true })
 * const response = await handler(new Request("http://localhost/double/21"))
 * await response.json() // => 42
 * await dispose()
 * ```
 */
const layer = <R, P = never, RP = never, Ctx = {}>(
  mcp: Mcp<R, Ctx> & ContextFree<Ctx>,
  options: RoutesOptions<P, RP> = {}
): Layer.Layer<Live, McpBuildErrors, Needs<R, P, RP>> =>
  Layer.effect(
    Live,
    Effect.map(scoped(mcp, options), ({ live }) => live)
  )

/**
 * A client of routes, typed by contracts that both sides share: a function for each, which takes the arguments of the
 * operation and gives its output, as `session.call` does over MCP. Needs Effect's `HttpClient`, such as
 * `FetchHttpClient.layer`; headers are added there.
 *
 * Calls fail with the errors that the contract declares, with a `RouteProblem`, and with what goes wrong on the way. The
 * client itself fails with `McpBuildErrors` where a contract has no route, or one that cannot be served.
 *
 * @param contracts endpoints that have routes, by the names that their functions get
 * @param settings `baseUrl`, and the `prefix` that the server has
 *
 * @example
 * ```ts
 * import { Endpoint, Mcp } from "@treadle/server"
 * import { HttpRoutes } from "@treadle/server/http-api"
 * import * as Effect from "effect/Effect"
 * import * as FetchHttpClient from "effect/http/FetchHttpClient"
 * import * as Schema from "effect/Schema"
 *
 * const double = Endpoint.make("double", {
 *   description: "Twice a number",
 *   input: { n: Schema.Int },
 *   output: Schema.Int,
 *   http: "GET /double/:n"
 * })
 * const serve = HttpRoutes.fetch(Mcp.make({ name: "sums", version: "1.0.0" }).tool(double, async ({ n }) => 2 * n))
 * const fetch = (input: RequestInfo | URL, init?: RequestInit) => serve(new Request(input, init))
 * const program = Effect.flatMap(HttpRoutes.client({ double }, { baseUrl: "http://localhost" }), (sums) =>
 *   sums.double({ n: 21 })
 * )
 * await Effect.runPromise(
 *   program.pipe(Effect.provide(FetchHttpClient.layer), Effect.provideService(FetchHttpClient.Fetch, fetch))
 * ) // => 42
 * await serve.close()
 * ```
 */
const client = routeClient

/** A request handler of the web's own kind; `McpNode.fetched` makes one of `(req, res)` of it. */
export type RoutesDoor<Ctx = {}> = FetchDoor<Ctx>

/** The routes of what is served, in a router of their own. */
const webOf = (
  served: Served,
  mcp: AnyMcp,
  operations: ReadonlyArray<RoutedEntry>,
  options: RoutesOptions<never, never>
) => {
  const routes = Layer.effectDiscard(add(served, mcp, operations, options))
  return HttpRouter.toWebHandler(Layer.provide(routes, HttpServer.layerServices), { disableLogger: true })
}

/** What is answered while nothing is served: in JSON-RPC where MCP is spoken, as a problem anywhere else. */
const outOfService = ({ url }: Request, { mcp }: RoutePaths): Response =>
  new URL(url).pathname === mcp
    ? webResponse(refusedResponse(notServing))
    : HttpServerResponse.toWeb(problem(503, { detail: notServing.error.message }))

/**
 * Serves routes to plain code, for Hono, Workers, Bun, Deno, Next and tests: what `layer` adds to an application, as a
 * function from `Request` to `Response`, and the context of the request where handlers ask for one. Nothing is built
 * before the first request.
 *
 * @param mcp a server that needs no more services
 * @param options those of `layer`
 * @throws McpBuildErrors with every reason, when the server or its routes cannot be served or a setting could not work
 *
 * @example
 * ```ts
 * import { Endpoint, Mcp } from "@treadle/server"
 * import { HttpRoutes } from "@treadle/server/http-api"
 * import * as z from "zod"
 *
 * const greet = Endpoint.make("greet", { description: "Greets", input: z.object({ name: z.string() }), http: "GET /hello/:name" })
 * const serve = HttpRoutes.fetch(Mcp.make({ name: "hello", version: "1.0.0" }).tool(greet, async ({ name }) => `Hello ${name}`))
 * const response = await serve(new Request("http://localhost/hello/Ada"))
 * await response.text() // => "Hello Ada"
 * await serve.close()
 * ```
 */
const fetch = <R, Ctx = {}>(
  mcp: Mcp<R, Ctx> & Complete<R>,
  options: RoutesOptions<never, never> = {}
): RoutesDoor<Ctx> => {
  const found = routed(mcp, options)
  const errors = [...(Result.isFailure(found) ? found.failure.errors : []), ...settingErrors(behind(options))]
  if (Result.isFailure(found) || errors.length > 0) {
    throw new McpBuildErrors({ server: mcp.definition.info.implementation.name, errors })
  }
  const door = plainDoor(mcp as unknown as Mcp<never, Ctx>, behind(options))
  let web: ReturnType<typeof webOf> | undefined
  let closed = false
  const handle = async (request: Request, ...[context]: With<Ctx>): Promise<Response> => {
    if (closed) return outOfService(request, options)
    const served = door.current() ?? (await door.open().catch(() => undefined))
    if (served === undefined) return outOfService(request, options)
    web ??= webOf(served, mcp, found.success, options)
    return web.handler(request, Context.make(GivenContext, context ?? {}))
  }
  const close = async () => {
    closed = true
    await door.close()
    await web?.dispose()
  }
  return Object.assign(handle, { live: door.live, counters: door.counters, close, [Symbol.asyncDispose]: close })
}

/** Serves the operations of a server as routes of HTTP, describes them, checks them, and calls them. */
export const HttpRoutes = { api, check, client, fetch, layer, scoped }
