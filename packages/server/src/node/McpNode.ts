/**
 * The doors on Node: a `(req, res)` handler for any framework, a server of its own, and standard input and output.
 */
import type { Server, ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { RpcError } from "@treadle/protocol/rpc"
import { refused } from "../engine/Answers.ts"
import { Counters } from "../Counters.ts"
import type { HttpSettings } from "../McpHttp.ts"
import type { LiveHandle, LiveService } from "../Live.ts"
import { Mcp, type With } from "../Mcp.ts"
import type { McpBuildErrors } from "../McpBuildError.ts"
import { liveHandle, notServing, plainDoor, type Complete, type PlainDoor } from "../PlainDoor.ts"
import type { Served, ServedSettings } from "../Served.ts"
import { makeGuard, type GuardParts } from "../transport/HttpGuard.ts"
import { statusOf } from "../transport/HttpStatus.ts"
import { makeOutbox } from "../transport/Outbox.ts"
import { sseVerbs, twoEndpoint, type SseSettings } from "../transport/TwoEndpoint.ts"
import { nodeExchange, type NodeDoorParts } from "./NodeExchange.ts"
import type { NodeRequest } from "./NodeBody.ts"
import { serveStdio } from "./NodeStdio.ts"

/** Settings of a server of its own. */
export interface ListenSettings extends HttpSettings {
  /** 0 takes a free port. */
  readonly port?: number
  /** `127.0.0.1` by default. */
  readonly host?: string
  /** `/mcp` by default. */
  readonly path?: `/${string}`
}

/**
 * A request handler for `node:http`, Express and Fastify. A body that a framework parsed is taken from `req.body`.
 */
export interface NodeDoor<Ctx> {
  (req: NodeRequest, res: ServerResponse, ...context: With<Ctx>): void
  /** Changes what is served. */
  readonly live: LiveHandle<Ctx>
  /** What is under way: `calls`, `listeners`, `streams`, `sessions`, `asks`, `queued`; and how much was `dropped`. */
  counters(): Counters
  /** Stops serving; running calls get the grace to end. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** A server of its own. */
export interface Listening<out Ctx = {}> {
  readonly url: string
  readonly port: number
  readonly server: Server
  /** Changes what is served. */
  readonly live: LiveHandle<Ctx>
  /** What is under way: `calls`, `listeners`, `streams`, `sessions`, `asks`, `queued`; and how much was `dropped`. */
  counters(): Counters
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

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

const doorParts = (
  served: Served,
  settings: HttpSettings & GuardParts,
  outbox: NodeDoorParts["outbox"]
): NodeDoorParts => ({
  served,
  guard: makeGuard(settings),
  reply: { limits: served.limits, form: settings.replies ?? "auto", onDropped: served.onDropped },
  outbox
})

const notNodes =
  "McpNode.handler takes Node's own request and response. In Fastify, call reply.hijack() and pass " +
  "Object.assign(request.raw, { body: request.body }) and reply.raw."

const unavailable = (res: ServerResponse): void => {
  const answer = refused(notServing)
  res.writeHead(statusOf(answer), { "content-type": "application/json", connection: "close" })
  res.end(answer.text)
}

/**
 * A handler to mount in a framework.
 *
 * @param mcp a server that needs no more services
 * @param settings `hosts` and `origins` that are served, `limits`, `replies`, `onDefect`
 * @throws McpBuildErrors with every reason, when the definition cannot be served or a setting could not work
 */
const handler = <R, Ctx>(mcp: Mcp<R, Ctx> & Complete<R>, settings: HttpSettings = {}): NodeDoor<Ctx> =>
  nodeDoor(mcp as unknown as Mcp<never, Ctx>, settings, (served) => served)

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
  nodeDoor(mcp as unknown as Mcp<never, Ctx>, { ...settings, verbs: sseVerbs }, twoEndpoint(settings))

/** The context of a request. Express, where the handler is mounted bare, gives its `next` in that place. */
const contextOf = (given: unknown): unknown => (typeof given === "function" ? {} : (given ?? {}))

/** @param face what the door calls of the served thing */
const nodeDoor = <Ctx>(
  mcp: Mcp<never, Ctx>,
  settings: HttpSettings & GuardParts,
  face: (served: Served) => Served
): NodeDoor<Ctx> => {
  const door = plainDoor(mcp, settings)
  const outbox = makeOutbox(setImmediate)
  let parts: NodeDoorParts | undefined
  const handle = (req: NodeRequest, res: ServerResponse, given?: unknown): void => {
    const context = contextOf(given)
    if (typeof res?.writeHead !== "function" || typeof req?.on !== "function") throw new TypeError(notNodes)
    if (parts !== undefined) return nodeExchange(parts, req, res, context)
    door.open().then(
      (served) => nodeExchange((parts ??= doorParts(face(served), settings, outbox)), req, res, context),
      () => unavailable(res)
    )
  }
  const close = async () => {
    await door.close()
    outbox.flush()
  }
  return Object.assign(handle as (req: NodeRequest, res: ServerResponse, ...context: With<Ctx>) => void, {
    live: door.live,
    counters: door.counters,
    close,
    [Symbol.asyncDispose]: close
  })
}

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
  Effect.map(Mcp.served(mcp, settings), (served) => {
    const parts = doorParts(served, settings, makeOutbox(setImmediate))
    const handle = (req: NodeRequest, res: ServerResponse, ...[context]: With<Ctx>) =>
      nodeExchange(parts, req, res, contextOf(context))
    return Object.assign(handle, { live: served.live, counters: served.counters })
  })

/** How long a connection may take to send its last answer, in milliseconds. */
const lastWords = 500

const lingering = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, lastWords).unref())

const isLoopbackName = (host: string): boolean => /^(?:127(?:\.\d{1,3}){3}|localhost|::1)$/.test(host)

/**
 * Listens on a port of its own.
 *
 * @param settings `port`, `host` (`127.0.0.1`), `path` (`/mcp`) and those of `handler`
 * @param context what the handlers get for each request, where they ask for any
 * @returns once the port is open; rejects with `McpBuildErrors`, or when the port is taken
 */
const listen = async <R, Ctx>(
  mcp: Mcp<R, Ctx> & Complete<R>,
  settings: ListenSettings = {},
  ...context: With<Ctx>
): Promise<Listening<Ctx>> => {
  const { port = 0, host = "127.0.0.1", path = "/mcp" } = settings
  if (!isLoopbackName(host)) {
    throw new Error(
      `McpNode.listen does not open ${host} without authentication. Listen on 127.0.0.1, or mount McpNode.handler(mcp) ` +
        "behind your own authentication."
    )
  }
  const door = handler(mcp, settings)
  // A server on standard input and output does without it, and starts sooner.
  const { createServer } = await import("node:http")
  const server = createServer((req, res) => {
    const { url = "" } = req
    const query = url.indexOf("?")
    const at = query < 0 ? url : url.slice(0, query)
    if (at === path) return door(req, res, ...context)
    const error = RpcError.invalidRequest(`Nothing is served at ${at}; the endpoint is ${path}`)
    const answer = refused({ rung: "path", error })
    res.writeHead(statusOf(answer), { "content-type": "application/json" })
    res.end(answer.text)
    req.resume()
  })
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, host, () => {
      server.off("error", reject)
      resolve()
    })
  })
  const address = server.address() as AddressInfo
  const close = async () => {
    // The port stays open until then: what runs may wait for an answer that comes as a request.
    await door.close()
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    server.closeIdleConnections()
    await Promise.race([closed, lingering()])
    server.closeAllConnections()
    await closed
  }
  const name = host.includes(":") ? `[${host}]` : host
  return {
    url: `http://${name}:${address.port}${path}`,
    port: address.port,
    server,
    live: door.live,
    counters: door.counters,
    close,
    [Symbol.asyncDispose]: close
  }
}

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

export const McpNode = { handler, sse, scoped, listen, stdio }
