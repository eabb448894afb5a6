/**
 * The door of an Effect HTTP application: a route of its `HttpRouter`. What handlers need stays in the requirements of
 * the layer; what belongs to one request is provided at the door.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as HttpRouter from "effect/http/HttpRouter"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import { Live } from "../Live.ts"
import { Mcp } from "../Mcp.ts"
import type { McpBuildErrors } from "../McpBuildError.ts"
import { httpDoorParts } from "../McpHttp.ts"
import type { Served } from "../Served.ts"
import { doorOf } from "../transport/DoorSettings.ts"
import { metadataPaths } from "../transport/ResourceMetadata.ts"
import { pageOf, toldPage, type HttpDoorParts } from "../transport/HttpExchange.ts"
import { answered, noBody, type HttpResponse } from "../transport/StreamWriter.ts"
import { RouterPort, routerExchange, routerResponse } from "./RouterExchange.ts"
import { givenContext, routerDoor, type ContextFree, type Refusal, type RequestOptions } from "./RouterDoor.ts"

/** What the layer is told beside the settings of every HTTP door. */
export interface RouterOptions<P, RP> extends RequestOptions<P, RP> {
  /** Where clients reach it: `"/mcp"`. */
  readonly path: `/${string}`
}

const refusalResponse = ({ challenge, status }: Refusal): HttpResponse =>
  challenge === undefined ? noBody(status) : answered(status, { challenge, text: "" })

/** The router has one resource at its root; clients find the others by their own paths. */
const taken = (root: string) =>
  Effect.logDebug(`${root} tells of another protected resource already, the first that was added to this router`)

/** What an application still has to give: all but the services of one request, which the door provides. */
type Needs<R, P, RP> = Exclude<R, P> | RP | HttpRouter.HttpRouter

/** Adds what tells clients where to get a token, where they need one. */
export const addDocuments = Effect.fnUntraced(function* (
  router: HttpRouter.HttpRouter,
  parts: HttpDoorParts,
  { auth }: Pick<RequestOptions<never, never>, "auth">
) {
  const document = (request: HttpServerRequest.HttpServerRequest) =>
    routerExchange(parts, new RouterPort(request), { context: {} })
  const { resource } = auth?._tag === "ProtectedResource" ? auth.settings : {}
  const [own, root] = resource === undefined ? [] : metadataPaths(resource)
  if (own !== undefined) yield* router.add("*", own, document)
  if (root !== undefined) yield* Effect.catchDefect(router.add("*", root, document), () => taken(root))
})

/** Adds the endpoint of what is served. */
export const addEndpoint = Effect.fnUntraced(function* <P, RP>(
  router: HttpRouter.HttpRouter,
  parts: HttpDoorParts,
  options: RouterOptions<P, RP>
) {
  const { callerOf, servicesOf } = yield* routerDoor(options)
  const handle = (request: HttpServerRequest.HttpServerRequest) => {
    const port = new RouterPort(request)
    const page = pageOf(parts, port)
    // A browser asks whether a page may send before it sends what authorizes it.
    if (page?.preflight === true) return routerExchange(parts, port, { context: {} })
    return Effect.matchEffect(servicesOf(request), {
      onFailure: (refusal) => Effect.succeed(routerResponse(toldPage(page, refusalResponse(refusal)))),
      onSuccess: (services) =>
        Effect.flatMap(givenContext, (context) =>
          routerExchange(parts, port, { context, services, ...callerOf(request) })
        )
    })
  }
  yield* router.add("*", options.path, handle)
})

/**
 * Adds the endpoint to the router, until the Scope closes.
 *
 * Fails with `McpBuildErrors`. The services of handlers are captured here, except those that `request` provides.
 *
 * @returns what is served; its `live` takes parts that need what the handlers need
 */
const scoped = <R, P = never, RP = never, Ctx = {}>(
  mcp: Mcp<R, Ctx> & ContextFree<Ctx>,
  options: RouterOptions<P, RP>
): Effect.Effect<Served<R, {}>, McpBuildErrors, Needs<R, P, RP> | Scope.Scope> =>
  Effect.gen(function* () {
    const router = yield* HttpRouter.HttpRouter
    const served = yield* Mcp.served(mcp as unknown as Mcp<R>, doorOf(options, { door: "router" }))
    const parts = httpDoorParts(served, options)
    yield* addEndpoint(router, parts, options)
    yield* addDocuments(router, parts, options)
    return served
  }) as unknown as Effect.Effect<Served<R, {}>, McpBuildErrors, Needs<R, P, RP> | Scope.Scope>

/**
 * Adds the endpoint to the router, and gives the handle of what is served to the rest of the application.
 *
 * Fails with `McpBuildErrors`. The services of handlers are captured when the layer is built, except those that
 * `request` provides.
 *
 * @param options `path`, `principal` and `request`, and those of every HTTP door: `hosts`, `origins`, `cors`, `auth`,
 * `limits`, `replies`, `sessions`, `stateKeys`, `onDefect`
 *
 * @example
 * ```ts
 * import { Mcp } from "@treadle/server"
 * import { McpRouter } from "@treadle/server/http-router"
 * import * as HttpRouter from "effect/http/HttpRouter"
 * import * as HttpServer from "effect/http/HttpServer"
 * import * as Layer from "effect/Layer"
 *
 * const mcp = Mcp.make({ name: "hello", version: "1.0.0" })
 * const app = McpRouter.layer(mcp, { path: "/mcp" }).pipe(Layer.provide(HttpServer.layerServices))
 * const { dispose, handler } = HttpRouter.toWebHandler(app, { disableLogger: true })
 * const response = await handler(new Request("http://localhost/mcp", { method: "PUT" }))
 * response.status // => 405
 * await dispose()
 * ```
 */
const layer = <R, P = never, RP = never, Ctx = {}>(
  mcp: Mcp<R, Ctx> & ContextFree<Ctx>,
  options: RouterOptions<P, RP>
): Layer.Layer<Live, McpBuildErrors, Needs<R, P, RP>> =>
  Layer.effect(
    Live,
    Effect.map(scoped(mcp, options), ({ live }) => live)
  )

/** Serves in an Effect HTTP application: as a layer, or in a Scope. */
export const McpRouter = { layer, scoped }
