/**
 * The door of an Effect HTTP application: a route of its `HttpRouter`. What handlers need stays in the requirements of
 * the layer; what belongs to one request is provided at the door.
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Tracer from "effect/Tracer"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { contextPrincipal, type Vouched } from "../Principal.ts"
import { Live } from "../Live.ts"
import { Mcp } from "../Mcp.ts"
import type { McpBuildErrors } from "../McpBuildError.ts"
import { webDoorParts, type HttpSettings } from "../McpHttp.ts"
import type { Served } from "../Served.ts"
import { metadataPaths } from "../transport/ResourceMetadata.ts"
import { pageOf, toldPage, webExchange } from "../transport/WebExchange.ts"

/** Answers a request before its body is read. */
export class Refusal extends Data.TaggedError("Refusal")<{
  readonly status: 401 | 403
  /** The `WWW-Authenticate` header. */
  readonly challenge?: string
}> {
  override get message(): string {
    return `The request was refused with ${this.status}`
  }
}

/** What the layer is told beside the settings of every HTTP door. */
export interface RouterOptions<P, RP> extends HttpSettings {
  readonly path: `/${string}`
  /**
   * Names the caller of a request, with what it may do where that matters: running calls are counted for it, and handlers
   * read it from `CurrentCall`. It is not asked where there is `auth`.
   */
  readonly principal?: (request: HttpServerRequest.HttpServerRequest) => Vouched | undefined
  /** Services of one request; a `Refusal` answers it instead. They are made before `auth` is looked at. */
  readonly request?: (request: HttpServerRequest.HttpServerRequest) => Effect.Effect<Context.Context<P>, Refusal, RP>
}

const refusalResponse = ({ challenge, status }: Refusal): Response =>
  new Response(null, { status, headers: challenge === undefined ? {} : { "www-authenticate": challenge } })

/** The router has one resource at its root; clients find the others by their own paths. */
const taken = (root: string) =>
  Effect.logDebug(`${root} tells of another protected resource already, the first that was added to this router`)

/** The services of a request, with the span of the application that it came in, where a tracer hears of spans. */
const inSpan = (
  services: Context.Context<never> | undefined,
  handling: Context.Context<never>
): Context.Context<never> | undefined => {
  const span = handling.mapUnsafe.has(Tracer.TracerKey)
    ? Context.getOrUndefined(handling, Tracer.ParentSpan)
    : undefined
  return span === undefined ? services : Context.add(services ?? Context.empty(), Tracer.ParentSpan, span)
}

/** What an application still has to give: all but the services of one request, which the door provides. */
type Needs<R, P, RP> = Exclude<R, P> | RP | HttpRouter.HttpRouter

/**
 * Adds the endpoint to the router, until the Scope closes.
 *
 * Fails with `McpBuildErrors`. The services of handlers are captured here, except those that `request` provides.
 *
 * @returns what is served; its `live` takes parts that need what the handlers need
 */
const scoped = <R, P = never, RP = never>(
  mcp: Mcp<R>,
  options: RouterOptions<P, RP>
): Effect.Effect<Served<R, {}>, McpBuildErrors, Needs<R, P, RP> | Scope.Scope> =>
  Effect.gen(function* () {
    const router = yield* HttpRouter.HttpRouter
    const served = yield* Mcp.served(mcp, options)
    const parts = webDoorParts(served, options)
    const outer = yield* Effect.context<RP>()
    const servicesOf = (request: HttpServerRequest.HttpServerRequest) =>
      options.request === undefined ? Effect.void : Effect.provideContext(options.request(request), outer)
    const document = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
      const web = yield* Effect.orDie(HttpServerRequest.toWeb(request))
      return HttpServerResponse.fromWeb(yield* Effect.promise(() => webExchange(parts, web, { context: {} })))
    })
    const handle = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
      const web = yield* Effect.orDie(HttpServerRequest.toWeb(request))
      const page = pageOf(parts, web)
      // A browser asks whether a page may send before it sends what authorizes it.
      const authorized = page?.preflight === true ? undefined : yield* Effect.result(servicesOf(request))
      if (authorized !== undefined && Result.isFailure(authorized)) {
        return HttpServerResponse.fromWeb(toldPage(page, refusalResponse(authorized.failure)))
      }
      const owner = `address:${request.remoteAddress._tag === "Some" ? request.remoteAddress.value : "unknown"}`
      const principal = contextPrincipal(options.principal?.(request))
      const services = inSpan(authorized?.success ?? undefined, yield* Effect.context<never>())
      const response = yield* Effect.promise((signal) =>
        webExchange(parts, new Request(web, { signal }), { context: {}, services, owner, principal })
      )
      return HttpServerResponse.fromWeb(response)
    })
    yield* router.add("*", options.path, handle)
    const { auth } = options
    const { resource } = auth?._tag === "ProtectedResource" ? auth.settings : {}
    const [own, root] = resource === undefined ? [] : metadataPaths(resource)
    if (own !== undefined) yield* router.add("*", own, document)
    if (root !== undefined) yield* Effect.catchDefect(router.add("*", root, document), () => taken(root))
    return served
  }) as unknown as Effect.Effect<Served<R, {}>, McpBuildErrors, Needs<R, P, RP> | Scope.Scope>

/**
 * Adds the endpoint to the router, and gives the handle of what is served to the rest of the application.
 *
 * Fails with `McpBuildErrors`. The services of handlers are captured when the layer is built, except those that
 * `request` provides.
 */
const layer = <R, P = never, RP = never>(
  mcp: Mcp<R>,
  options: RouterOptions<P, RP>
): Layer.Layer<Live, McpBuildErrors, Needs<R, P, RP>> =>
  Layer.effect(
    Live,
    Effect.map(scoped(mcp, options), ({ live }) => live)
  )

export const McpRouter = { layer, scoped }
