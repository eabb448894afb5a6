/**
 * One request on `node:http`, from `(req, res)` to the last byte of its reply: the short path of the Node door. It holds
 * no rule of its own; the guard, the reply and the ladder are shared with the other doors.
 */
import { AsyncResource } from "node:async_hooks"
import type { ServerResponse } from "node:http"
import * as Effect from "effect/Effect"
import { HeaderName, type Accepted } from "@treadle/protocol/http"
import type { Caller } from "../envelope/Caller.ts"
import type { HttpFacts, Inbound } from "../envelope/Inbound.ts"
import type { Refusal } from "../envelope/Refusal.ts"
import { refused } from "../engine/Answers.ts"
import type { HeaderTable } from "../CurrentCall.ts"
import type { Principal } from "../Principal.ts"
import type { Served } from "../Served.ts"
import type { Answer } from "../engine/Sink.ts"
import type { AuthGate } from "../transport/AuthGate.ts"
import type { Body } from "../transport/HttpBody.ts"
import type { Guard } from "../transport/HttpGuard.ts"
import { HttpReply, type HttpWriter, type ReplySettings } from "../transport/HttpReply.ts"
import { statusOf, streamOver } from "../transport/HttpStatus.ts"
import type { Outbox, Outgoing } from "../transport/Outbox.ts"
import { eventHeaders } from "../transport/StreamWriter.ts"
import { readBody, type NodeRequest } from "./NodeBody.ts"
import type { Certify } from "./ClientCertificate.ts"
import { everyHeader, headerLookup, headerTable, type HeaderLookup } from "./NodeHeaders.ts"

/** What the requests of one door share. */
export interface NodeDoorParts {
  readonly served: Served
  /** Who a client certificate says is calling, where one must be shown and no token. */
  readonly certify?: Certify | undefined
  /** Whether Node leaves it to the door to tell a caller that waits to send its body. */
  readonly continues?: boolean | undefined
  readonly guard: Guard
  readonly reply: ReplySettings
  readonly outbox: Outbox
}

/** The body comes in the context of the socket; an `AsyncLocalStorage` of the caller must reach the handler all the same. */
const keepsNothing = { requireManualDestroy: true }

const streamHeaders = { "content-type": "text/event-stream", ...eventHeaders }

const isLoopback = (address: string | undefined): boolean =>
  address === undefined || address === "::1" || address.startsWith("127.") || address.startsWith("::ffff:127.")

const nothing: Answer = { text: "" }

class NodeWriter implements HttpWriter, Outgoing {
  readonly #res: ServerResponse
  readonly #outbox: Outbox
  readonly #isStopping: () => boolean
  #status = 0
  #answer: Answer = nothing

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

  json(status: number, answer: Answer): void {
    this.#status = status
    this.#answer = answer
    this.#outbox.add(this)
  }

  leave(): void {
    const res = this.#res
    if (res.destroyed || res.headersSent) return
    const { challenge, session, text } = this.#answer
    const headers = ["content-length", String(Buffer.byteLength(text))]
    if (text !== "") headers.push("content-type", "application/json")
    if (session !== undefined) headers.push(HeaderName.session, session)
    if (challenge !== undefined) headers.push("www-authenticate", challenge)
    if (this.#status === 413 || this.#isStopping()) headers.push("connection", "close")
    res.writeHead(this.#status, headers)
    res.end(text)
  }

  open(session?: string): void {
    if (this.#res.destroyed || this.#res.headersSent) return
    if (session !== undefined) this.#res.setHeader(HeaderName.session, session)
    this.#res.writeHead(200, streamHeaders)
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
  readonly overHttp = true
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

  get headers(): () => HeaderTable {
    const { headers } = this.#req
    return () => headerTable(headers)
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
  /** Who is calling, as what the request showed says; else the author's own function is asked. */
  readonly caller?: Caller
}

const callerOf = ({ caller, context, parts }: Exchange): Caller => caller ?? parts.served.identify(context)

const refuse = ({ parts, req, res }: Exchange, refusal: Refusal): void => {
  const answer = refused(refusal)
  if (refusal.rung === "verb") res.setHeader("allow", parts.guard.allow)
  new NodeWriter(res, parts.outbox, parts.served.isStopping).json(statusOf(answer), answer)
  if (!req.readableDidRead) req.resume()
}

const deliver = (exchange: Exchange, accepts: Accepted, body: Body): void => {
  if ("refusal" in body) return refuse(exchange, body.refusal)
  const { context, header, parts, req, res } = exchange
  const { served, outbox, reply } = parts
  const caller = callerOf(exchange)
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
const sessionVerb = (exchange: Exchange): Refusal | undefined => {
  const { context, header, parts, req, res } = exchange
  const { guard, outbox, reply, served } = parts
  const caller = callerOf(exchange)
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

/** Serves a request of a known sender, or of one that is to be asked for. */
const serve = (exchange: Exchange): void => {
  const { header, parts, req } = exchange
  const { guard, reply } = parts
  if (req.method === "GET" || req.method === "DELETE") {
    const kept = sessionVerb(exchange)
    return kept === undefined ? undefined : refuse(exchange, kept)
  }
  const admits = guard.media(header)
  if ("rung" in admits) return refuse(exchange, admits)
  const resource = new AsyncResource("TREADLE", keepsNothing)
  if (parts.continues === true && header("expect")?.toLowerCase() === "100-continue") exchange.res.writeContinue()
  readBody(req, header("content-length"), reply.limits.bodyBytes, (body) =>
    resource.runInAsyncScope(deliver, undefined, exchange, admits, body)
  )
}

const admitted = (exchange: Exchange, passed: Principal | Refusal): void =>
  "rung" in passed ? refuse(exchange, passed) : serve({ ...exchange, caller: { principal: passed } })

/** Serves a request once its sender is known, which may take a while. */
const authenticate = (exchange: Exchange, gate: AuthGate): void => {
  const { req, res } = exchange
  const resource = new AsyncResource("TREADLE", keepsNothing)
  const credentials = { authorization: everyHeader(req, "authorization"), url: req.url ?? "" }
  const leave = gate.admit(credentials, (passed) => resource.runInAsyncScope(admitted, undefined, exchange, passed))
  if (leave !== undefined) res.once("close", leave)
}

/** Writes the document of the gate that a request asks for. @returns whether it does */
const documented = (gate: AuthGate, req: NodeRequest, res: ServerResponse): boolean => {
  // What a framework cuts off when it mounts a handler is in the address that it keeps beside.
  const [path = ""] = (req.originalUrl ?? req.url ?? "").split("?", 1)
  const reply = gate.document(req.method, path)
  if (reply === undefined) return false
  const { headers, status, text } = reply
  res.writeHead(status, status === 204 ? headers : { ...headers, "content-length": Buffer.byteLength(text) })
  res.end(text)
  if (!req.readableDidRead) req.resume()
  return true
}

/** Serves one request. */
export const nodeExchange = (parts: NodeDoorParts, req: NodeRequest, res: ServerResponse, context: unknown): void => {
  const { certify, guard, served } = parts
  const { gate } = served
  if (gate !== undefined && documented(gate, req, res)) return
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
  if (gate !== undefined) return authenticate(exchange, gate)
  return certify === undefined ? serve(exchange) : admitted(exchange, certify(req.socket))
}
