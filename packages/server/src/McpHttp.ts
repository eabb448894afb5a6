/**
 * The door of the web: a function from `Request` to `Response`, for Hono, Workers, Bun, Deno, Next and tests.
 */
import type { AuthSettings } from "./Authentication.ts"
import type { Counters } from "./Counters.ts"
import type { LiveHandle } from "./Live.ts"
import type { Mcp, With } from "./Mcp.ts"
import { notServing, plainDoor, type Complete } from "./PlainDoor.ts"
import type { Served, ServedParts, ServedSettings } from "./Served.ts"
import { doorOf } from "./transport/DoorSettings.ts"
import { refusedResponse, type HttpDoorParts } from "./transport/HttpExchange.ts"
import { makeGuard, type GuardParts, type GuardSettings } from "./transport/HttpGuard.ts"
import type { ReplyForm } from "./transport/HttpReply.ts"
import { sseVerbs, twoEndpoint, type SseSettings } from "./transport/TwoEndpoint.ts"
import { webExchange, webResponse } from "./transport/WebExchange.ts"

/** Settings of the HTTP doors. */
export interface HttpSettings extends ServedSettings, GuardSettings, AuthSettings {
  /** `auto` by default: JSON, and events once there is something to send ahead of the answer or the call lasts. */
  readonly replies?: ReplyForm
}

/** A request handler of the web's own kind. */
export interface FetchDoor<Ctx> {
  (request: Request, ...context: With<Ctx>): Promise<Response>
  /** Changes what is served. */
  readonly live: LiveHandle<Ctx>
  /** What is under way: `calls`, `listeners`, `streams`, `sessions`, `asks`, `queued`; and how much was `dropped`. */
  counters(): Counters
  /** Stops serving; running calls get the grace to end. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** What the requests of one door share. */
export const httpDoorParts = (
  served: Served,
  settings: HttpSettings & GuardParts & { readonly principal?: unknown }
): HttpDoorParts => {
  served.doubtScopes(settings.principal !== undefined)
  return {
    serve: served.serve,
    identify: served.identify,
    gate: served.gate,
    endSession: served.endSession,
    openStream: served.openStream,
    guard: makeGuard(settings),
    reply: { limits: served.limits, form: settings.replies ?? "auto", onDropped: served.onDropped }
  }
}

/**
 * Serves requests of the web.
 *
 * Nothing is built before the first request, because some platforms forbid timers and randomness until then.
 *
 * @param mcp a server that needs no more services
 * @param settings `hosts` and `origins` that are served (loopback names by default), `auth` that callers must show,
 * `limits`, `replies`, `onDefect`
 * @throws McpBuildErrors with every reason, when the definition cannot be served or a setting could not work
 *
 * @example
 * ```ts
 * import { Mcp } from "@treadle/server"
 * import { McpHttp } from "@treadle/server/http"
 *
 * const fetch = McpHttp.fetch(Mcp.make({ name: "hello", version: "1.0.0" }))
 * const response = await fetch(new Request("http://localhost/mcp", { method: "PUT" }))
 * response.status // => 405
 * ```
 */
const fetch = <R, Ctx>(mcp: Mcp<R, Ctx> & Complete<R>, settings: HttpSettings = {}): FetchDoor<Ctx> =>
  fetchDoor(mcp as unknown as Mcp<never, Ctx>, doorOf(settings, { door: "http" }), (served) => served)

/**
 * Serves clients that only speak the HTTP+SSE transport of 2024-11-05: a GET opens their stream, and they POST to the
 * address that its first event names. Mount it beside `fetch`, at a path of its own, usually `/sse`.
 *
 * @param settings those of `fetch`, and `messages`, where clients send to
 * @throws McpBuildErrors with every reason, when the definition cannot be served or a setting could not work
 * @deprecated HTTP+SSE is deprecated (SEP-2596), and goes three months after that is final. Serve `fetch`, which takes
 * clients of 2024-11-05 too when they speak Streamable HTTP.
 *
 * @example
 * ```ts
 * import { Mcp } from "@treadle/server"
 * import { McpHttp } from "@treadle/server/http"
 *
 * const sse = McpHttp.sse(Mcp.make({ name: "hello", version: "1.0.0" }))
 * const response = await sse(new Request("http://localhost/sse", { headers: { accept: "text/event-stream" } }))
 * response.headers.get("content-type") // => "text/event-stream"
 * await sse.close()
 * ```
 */
const sse = <R, Ctx>(mcp: Mcp<R, Ctx> & Complete<R>, settings: SseSettings & HttpSettings = {}): FetchDoor<Ctx> =>
  fetchDoor(
    mcp as unknown as Mcp<never, Ctx>,
    doorOf(settings, { door: "sse", verbs: sseVerbs }),
    twoEndpoint(settings)
  )

/** @param face what the door calls of the served thing */
const fetchDoor = <Ctx>(
  mcp: Mcp<never, Ctx>,
  settings: HttpSettings & GuardParts & ServedParts,
  face: (served: Served) => Served
): FetchDoor<Ctx> => {
  const door = plainDoor(mcp, settings)
  let parts: HttpDoorParts | undefined
  const handle = async (request: Request, context: unknown = {}): Promise<Response> => {
    const served = door.current() ?? (await door.open().catch(() => undefined))
    if (served === undefined) return webResponse(refusedResponse(notServing))
    parts ??= httpDoorParts(face(served), settings)
    return webExchange(parts, request, { context })
  }
  return Object.assign(handle as (request: Request, ...context: With<Ctx>) => Promise<Response>, {
    live: door.live,
    counters: door.counters,
    close: door.close,
    [Symbol.asyncDispose]: door.close
  })
}

/** Serves requests of the web: `fetch`, and `sse` for clients that are older than Streamable HTTP. */
export const McpHttp = { fetch, sse }
