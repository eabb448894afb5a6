/**
 * A `(req, res)` handler over a server: what the doors on `node:http` have alike.
 */
import type { ServerResponse } from "node:http"
import { refused } from "../engine/Answers.ts"
import type { Counters } from "../Counters.ts"
import type { HttpSettings } from "../McpHttp.ts"
import type { LiveHandle } from "../Live.ts"
import type { Mcp, With } from "../Mcp.ts"
import { notServing, plainDoor } from "../PlainDoor.ts"
import type { Served, ServedParts } from "../Served.ts"
import { makeGuard, type GuardParts } from "../transport/HttpGuard.ts"
import { statusOf } from "../transport/HttpStatus.ts"
import { makeOutbox } from "../transport/Outbox.ts"
import type { Certify } from "./ClientCertificate.ts"
import { nodeExchange, type NodeDoorParts } from "./NodeExchange.ts"
import type { NodeRequest } from "./NodeBody.ts"

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

/** What a door is made with: its settings, and what a server of its own knows beside them. */
export interface DoorSettings extends HttpSettings, GuardParts, ServedParts {
  readonly certify?: Certify | undefined
  /** Whether callers that wait to send a body are told here when to. */
  readonly continues?: boolean | undefined
}

/** What the requests of one door share. */
export const doorParts = (served: Served, settings: DoorSettings, outbox: NodeDoorParts["outbox"]): NodeDoorParts => {
  const { certify } = settings
  served.doubtScopes(certify !== undefined)
  return {
    served,
    certify,
    continues: settings.continues,
    guard: makeGuard(settings),
    reply: { limits: served.limits, form: settings.replies ?? "auto", onDropped: served.onDropped },
    outbox
  }
}

const notNodes =
  "McpNode.handler takes Node's own request and response. In Fastify, call reply.hijack() and pass " +
  "Object.assign(request.raw, { body: request.body }) and reply.raw."

const unavailable = (res: ServerResponse): void => {
  const answer = refused(notServing)
  res.writeHead(statusOf(answer), { "content-type": "application/json", connection: "close" })
  res.end(answer.text)
}

/** The context of a request. Express, where the handler is mounted bare, gives its `next` in that place. */
export const contextOf = (given: unknown): unknown => (typeof given === "function" ? {} : (given ?? {}))

/** A door that is built on its first request. @param face what the door calls of the served thing */
export const nodeDoor = <Ctx>(
  mcp: Mcp<never, Ctx>,
  settings: DoorSettings,
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
