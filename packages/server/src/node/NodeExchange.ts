/**
 * One request on `node:http`, from `(req, res)` to the last byte of its reply: the short path of the Node door. It holds
 * no rule of its own; the guard, the reply and the ladder are shared with the other doors.
 */
import { AsyncResource } from "node:async_hooks"
import type { ServerResponse } from "node:http"
import * as Effect from "effect/Effect"
import { HeaderName, type Accepted } from "@treadle/protocol/http"
import type { HttpFacts, Inbound } from "../envelope/Inbound.ts"
import type { Refusal } from "../envelope/Refusal.ts"
import { refused } from "../engine/Answers.ts"
import type { Principal } from "../Principal.ts"
import type { Served } from "../Served.ts"
import type { Body } from "../transport/HttpBody.ts"
import type { Guard } from "../transport/HttpGuard.ts"
import { HttpReply, type HttpWriter, type ReplySettings } from "../transport/HttpReply.ts"
import { statusOf, streamOver } from "../transport/HttpStatus.ts"
import type { Outbox, Outgoing } from "../transport/Outbox.ts"
import { readBody, type NodeRequest } from "./NodeBody.ts"
import { headerLookup, type HeaderLookup } from "./NodeHeaders.ts"

/** What the requests of one door share. */
export interface NodeDoorParts {
  readonly served: Served
  readonly guard: Guard
  readonly reply: ReplySettings
  readonly outbox: Outbox
}

/** The body comes in the context of the socket; an `AsyncLocalStorage` of the caller must reach the handler all the same. */
const keepsNothing = { requireManualDestroy: true }

const eventHeaders = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no"
}

const isLoopback = (address: string | undefined): boolean =>
  address === undefined || address === "::1" || address.startsWith("127.") || address.startsWith("::ffff:127.")

class NodeWriter implements HttpWriter, Outgoing {
  readonly #res: ServerResponse
  readonly #outbox: Outbox
  readonly #isStopping: () => boolean
  #status = 0
  #text = ""
  #session: string | undefined

  constructor(res: ServerResponse, outbox: Outbox, isStopping: () => boolean) {
    this.#res = res
    this.#outbox = outbox
    this.#isStopping = isStopping
  }

  get drained(): Effect.Effect<void> {
    const res = this.#res
    return Effect.callback<void>((resume) => {
      if (res.destroyed || !res.writableNeedDrain) return resume(Effect.void)
      const done = () => {
        res.off("drain", done)
        res.off("close", done)
        resume(Effect.void)
      }
      res.on("drain", done)
      res.on("close", done)
      return Effect.sync(() => {
        res.off("drain", done)
        res.off("close", done)
      })
    })
  }

  json(status: number, text: string, session?: string): void {
    this.#status = status
    this.#text = text
    this.#session = session
    this.#outbox.add(this)
  }

  leave(): void {
    const res = this.#res
    if (res.destroyed || res.headersSent) return
    const headers = ["content-type", "application/json", "content-length", String(Buffer.byteLength(this.#text))]
    if (this.#session !== undefined) headers.push(HeaderName.session, this.#session)
    if (this.#status === 413 || this.#isStopping()) headers.push("connection", "close")
    res.writeHead(this.#status, headers)
    res.end(this.#text)
  }

  open(session?: string): void {
    if (this.#res.destroyed || this.#res.headersSent) return
    if (session !== undefined) this.#res.setHeader(HeaderName.session, session)
    this.#res.writeHead(200, eventHeaders)
    this.#res.flushHeaders()
  }

  write(text: string): boolean {
    return this.#res.destroyed || this.#res.write(text)
  }

  end(text: string): void {
    if (!this.#res.destroyed) this.#res.end(text)
  }

  gone(): boolean {
    return this.#res.destroyed
  }

  unread(): number {
    return this.#res.destroyed ? 0 : this.#res.writableLength
  }
}

class NodeInbound implements Inbound {
  readonly value: unknown
  readonly context: unknown
  readonly principal: Principal | undefined
  readonly services = undefined
  readonly http: HttpFacts
  readonly #req: NodeRequest

  constructor(
    value: unknown,
    req: NodeRequest,
    header: HeaderLookup,
    context: unknown,
    principal: Principal | undefined
  ) {
    this.value = value
    this.#req = req
    this.http = { header, url: req.url ?? "" }
    this.context = context
    this.principal = principal
  }

  get owner(): string {
    return this.principal === undefined ? `address:${this.#req.socket.remoteAddress}` : `principal:${this.principal.id}`
  }
}

/** One request, and where its reply goes. */
interface Exchange {
  readonly parts: NodeDoorParts
  readonly req: NodeRequest
  readonly res: ServerResponse
  readonly header: HeaderLookup
  readonly context: unknown
}

const refuse = ({ parts, req, res }: Exchange, refusal: Refusal): void => {
  const answer = refused(refusal)
  if (refusal.rung === "verb") res.setHeader("allow", parts.guard.allow)
  new NodeWriter(res, parts.outbox, parts.served.isStopping).json(statusOf(answer), answer.text)
  if (!req.readableDidRead) req.resume()
}

const deliver = (exchange: Exchange, accepts: Accepted, body: Body): void => {
  if ("refusal" in body) return refuse(exchange, body.refusal)
  const { context, header, parts, req, res } = exchange
  const { served, outbox, reply } = parts
  const caller = served.identify(context)
  if (caller.refusal !== undefined) return refuse(exchange, caller.refusal)
  const inbound = new NodeInbound(body.value, req, header, context, caller.principal)
  const writer = new NodeWriter(res, outbox, served.isStopping)
  const outcome = served.serve(inbound, new HttpReply(writer, accepts, reply))
  if (outcome === undefined) return
  if (outcome === "accepted") {
    res.writeHead(202)
    res.end()
    return
  }
  res.on("close", () => {
    if (!res.writableFinished) outcome.disconnect()
  })
  if (res.destroyed) outcome.disconnect()
}

/** Sessions have two verbs of their own, both without a body. */
const sessionVerb = ({ context, header, parts, req, res }: Exchange): Refusal | undefined => {
  const { guard, outbox, reply, served } = parts
  const caller = served.identify(context)
  if (caller.refusal !== undefined) return caller.refusal
  const inbound = new NodeInbound(undefined, req, header, context, caller.principal)
  if (req.method === "DELETE") {
    const kept = served.endSession(inbound)
    if (kept === undefined) {
      res.writeHead(204)
      res.end()
    }
    return kept
  }
  const deaf = guard.stream(inbound.http.header)
  if (deaf !== undefined) return deaf
  const events = new HttpReply(new NodeWriter(res, outbox, served.isStopping), { json: false, events: true }, reply)
  const stream = served.openStream(inbound, events)
  if (stream === "over") {
    res.writeHead(streamOver)
    res.end()
    return undefined
  }
  if ("rung" in stream) return stream
  res.on("close", stream)
  events.begin()
  return undefined
}

/** Serves one request. */
export const nodeExchange = (parts: NodeDoorParts, req: NodeRequest, res: ServerResponse, context: unknown): void => {
  const { guard, reply } = parts
  const header = headerLookup(req)
  const exchange: Exchange = { parts, req, res, header, context }
  const facts = { method: req.method, header, loopback: isLoopback(req.socket.localAddress) }
  const page = guard.page(facts)
  if (page !== undefined) {
    for (const [name, value] of Object.entries(page.headers)) res.setHeader(name, value)
    res.appendHeader("vary", page.vary)
    if (page.preflight) return void res.writeHead(204).end()
  }
  const refusal = guard.request(facts)
  if (refusal !== undefined) return refuse(exchange, refusal)
  if (req.method === "GET" || req.method === "DELETE") {
    const kept = sessionVerb(exchange)
    return kept === undefined ? undefined : refuse(exchange, kept)
  }
  const admits = guard.media(header)
  if ("rung" in admits) return refuse(exchange, admits)
  const resource = new AsyncResource("TREADLE", keepsNothing)
  readBody(req, header("content-length"), reply.limits.bodyBytes, (body) =>
    resource.runInAsyncScope(deliver, undefined, exchange, admits, body)
  )
}
