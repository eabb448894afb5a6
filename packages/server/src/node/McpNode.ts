/**
 * The doors on Node: a `(req, res)` handler for any framework, a server of its own, and standard input and output.
 */
import type { ServerResponse } from "node:http"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { Counters } from "../Counters.ts"
import type { HttpSettings } from "../McpHttp.ts"
import type { LiveHandle, LiveService } from "../Live.ts"
import { Mcp, type With } from "../Mcp.ts"
import type { McpBuildErrors } from "../McpBuildError.ts"
import { liveHandle, plainDoor, type Complete, type PlainDoor } from "../PlainDoor.ts"
import type { ServedSettings } from "../Served.ts"
import { doorOf } from "../transport/DoorSettings.ts"
import { makeOutbox } from "../transport/Outbox.ts"
import { sseVerbs, twoEndpoint, type SseSettings } from "../transport/TwoEndpoint.ts"
import { contextOf, doorParts, nodeDoor, type NodeDoor } from "./NodeDoor.ts"
import { nodeFetch } from "./NodeFetch.ts"
import { nodeExchange } from "./NodeExchange.ts"
import { listen } from "./NodeListen.ts"
import type { NodeRequest } from "./NodeBody.ts"
import { serveStdio } from "./NodeStdio.ts"

/** Standard input and output while they are served; it settles when everything is written. */
export interface Stdio<out Ctx = {}> extends Promise<void> {
  /** Changes what is served. */
  readonly live: LiveHandle<Ctx>
  /** What is under way: `calls`, `listeners`, `streams`, `sessions`, `asks`, `queued`; and how much was `dropped`. */
  counters(): Counters
}

type StdioArguments<Ctx> = {} extends Ctx
  ? [context?: Ctx, settings?: ServedSettings]
  : [context: Ctx, settings?: ServedSettings]

/**
 * A handler to mount in a framework.
 *
 * @param mcp a server that needs no more services
 * @param settings `hosts` and `origins` that are served, `auth` that callers must show, `limits`, `replies`, `onDefect`
 * @throws McpBuildErrors with every reason, when the definition cannot be served or a setting could not work
 *
 * @example
 * ```ts
 * import { createServer } from "node:http"
 * import { Mcp } from "@treadle/server"
 * import { McpNode } from "@treadle/server/node"
 *
 * const handler = McpNode.handler(Mcp.make({ name: "hello", version: "1.0.0" }))
 * const server = createServer((req, res) => handler(req, res))
 * server.listening // => false
 * await handler.close()
 * ```
 */
const handler = <R, Ctx>(mcp: Mcp<R, Ctx> & Complete<R>, settings: HttpSettings = {}): NodeDoor<Ctx> =>
  nodeDoor(mcp as unknown as Mcp<never, Ctx>, doorOf(settings, { door: "http" }), (served) => served)

/**
 * A handler for clients that only speak the HTTP+SSE transport of 2024-11-05: a GET opens their stream, and they POST to
 * the address that its first event names. Mount it beside `handler`, at a path of its own, usually `/sse`.
 *
 * @param settings those of `handler`, and `messages`, where clients send to
 * @throws McpBuildErrors with every reason, when the definition cannot be served or a setting could not work
 * @deprecated HTTP+SSE is deprecated (SEP-2596), and goes three months after that is final. Serve `handler`, which takes
 * clients of 2024-11-05 too when they speak Streamable HTTP.
 */
const sse = <R, Ctx>(mcp: Mcp<R, Ctx> & Complete<R>, settings: SseSettings & HttpSettings = {}): NodeDoor<Ctx> =>
  nodeDoor(mcp as unknown as Mcp<never, Ctx>, doorOf(settings, { door: "sse", verbs: sseVerbs }), twoEndpoint(settings))

/** The handler as an Effect gives it. */
export interface ScopedHandler<R, Ctx> {
  (req: NodeRequest, res: ServerResponse, ...context: With<Ctx>): void
  /** Changes what is served. */
  readonly live: LiveService<R, Ctx>
  /** What is under way: `calls`, `listeners`, `streams`, `sessions`, `asks`, `queued`; and how much was `dropped`. */
  counters(): Counters
}

/**
 * The handler as an Effect: what the handlers need flows into `R`, and it stops with its Scope.
 *
 * Fails with `McpBuildErrors`.
 */
const scoped = <R, Ctx>(
  mcp: Mcp<R, Ctx>,
  settings: HttpSettings = {}
): Effect.Effect<ScopedHandler<R, Ctx>, McpBuildErrors, R | Scope.Scope> =>
  Effect.map(Mcp.served(mcp, doorOf(settings, { door: "http" })), (served) => {
    const parts = doorParts(served, settings, makeOutbox(setImmediate))
    const handle = (req: NodeRequest, res: ServerResponse, ...[context]: With<Ctx>) =>
      nodeExchange(parts, req, res, contextOf(context))
    return Object.assign(handle, { live: served.live, counters: served.counters })
  })

/**
 * Serves standard input and output until the input ends.
 *
 * Running calls then get `limits.drain` to finish. Logs go to standard error. The process is left to exit by itself.
 *
 * @param rest the context that the handlers get, where they ask for any, then `limits` and `onDefect`
 * @returns a promise that settles when everything is written, with the handle; it rejects with `McpBuildErrors`
 */
const stdio = <R, Ctx>(mcp: Mcp<R, Ctx> & Complete<R>, ...rest: StdioArguments<Ctx>): Stdio<Ctx> => {
  const [context, settings] = rest
  let door: PlainDoor<Ctx> | undefined
  const open = async () => (door ??= plainDoor(mcp as unknown as Mcp<never, Ctx>, settings ?? {})).open()
  const serve = async (): Promise<void> => {
    await serveStdio(await open(), context ?? {})
    await door?.close()
  }
  return Object.assign(serve(), {
    live: liveHandle(open, () => door?.current()),
    counters: () => door?.counters() ?? Counters.none
  })
}

/**
 * The `(req, res)` handler of a fetch door that has none of its own, as `HttpRoutes.fetch` gives: for `node:http`,
 * Express and Fastify. `live`, `counters` and `close` stay with the door. It is given paths below the mount, except those
 * of metadata, and no remote address: limits count for each caller only where a `principal` is named.
 *
 * @param door a function from `Request`, and the context of the request where it asks for one, to `Response`
 * @throws TypeError, when it is no function
 */
const fetched = nodeFetch

/** Serves on Node: in a framework, on a port of its own, on standard input and output, or in a Scope. */
export const McpNode = { fetched, handler, sse, scoped, listen, stdio }
