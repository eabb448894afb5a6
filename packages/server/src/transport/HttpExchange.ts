/**
 * One request over HTTP, from its head to its response, in the order in which it is looked at. It sees the request
 * through a port, so it knows no platform; the guard, the reply and the ladder hold the rules.
 */
import type * as Context from "effect/Context"
import type { Accepted } from "@treadle/protocol/http"
import type { HeaderTable } from "../CurrentCall.ts"
import type { Caller } from "../envelope/Caller.ts"
import type { Inbound } from "../envelope/Inbound.ts"
import type { Refusal } from "../envelope/Refusal.ts"
import { refused } from "../engine/Answers.ts"
import type { OpenedStream } from "../engine/sessions/SessionStream.ts"
import type { Sink } from "../engine/Sink.ts"
import type { Principal } from "../Principal.ts"
import type { AuthGate } from "./AuthGate.ts"
import type { PageReply } from "./Cors.ts"
import type { Body } from "./HttpBody.ts"
import type { Guard } from "./HttpGuard.ts"
import { HttpReply, type ReplySettings } from "./HttpReply.ts"
import { statusOf, streamOver } from "./HttpStatus.ts"
import type { Serve } from "./Outcome.ts"
import { answered, noBody, StreamWriter, type HttpResponse } from "./StreamWriter.ts"

/** What the requests of one door share. */
export interface HttpDoorParts {
  readonly serve: Serve
  readonly identify: (context: unknown) => Caller
  /** What callers must show, where they must. */
  readonly gate: AuthGate | undefined
  readonly endSession: (inbound: Inbound) => Refusal | undefined
  readonly openStream: (inbound: Inbound, sink: Sink) => OpenedStream
  readonly guard: Guard
  readonly reply: ReplySettings
}

/** What belongs to one request beside it. */
export interface HttpCall {
  readonly context: unknown
  readonly services?: Context.Context<never> | undefined
  /** Who is calling, where the door knows and nothing must be shown; else the server's own `principal` is asked. */
  readonly principal?: Principal | undefined
  /** Whose running calls are counted together, where there is no principal. */
  readonly owner?: string | undefined
}

/** One request as its platform has it, and the way back. */
export interface HttpPort {
  readonly method: string
  readonly path: string
  /** The path and the query, with or without what comes before them. */
  readonly url: string
  readonly header: (name: string) => string | undefined
  readonly headers: () => HeaderTable
  /** Reads the body, and gives it to `take` in this call or a later one; to nobody where its sender goes away before. */
  readonly body: (limit: number, take: (body: Body) => void) => void
  /** Is called once, or never after `abandon`. */
  readonly respond: (response: HttpResponse) => void
  /** Nobody waits for a response, and none will come. */
  readonly abandon: () => void
  /** What to do from now on when the sender goes away, before the response or while it is a stream. */
  readonly onGone: (leave: () => void) => void
}

/** What a GET takes. */
const events = { json: false, events: true }

/** Requests whose sender cannot be told apart from others share no limit. */
let requests = 0

/** One request, and what its page is told. */
interface Exchange {
  readonly parts: HttpDoorParts
  readonly port: HttpPort
  readonly call: HttpCall
  readonly page: PageReply | undefined
}

/** The response to a request that is not served. @param guard whose verbs are named to one with another */
export const refusedResponse = (refusal: Refusal, guard?: Guard): HttpResponse => {
  const answer = refused(refusal)
  const response = answered(statusOf(answer), answer)
  if (refusal.rung !== "verb" || guard === undefined) return response
  return { ...response, headers: { ...response.headers, allow: guard.allow } }
}

/** What the page is told that sent a request, where one did and is served. */
export const pageOf = ({ guard }: HttpDoorParts, { header, method }: HttpPort): PageReply | undefined =>
  guard.page({ method, header, loopback: undefined })

/** The response with what its page is told. */
export const toldPage = (page: PageReply | undefined, response: HttpResponse): HttpResponse =>
  page === undefined ? response : { ...response, headers: { ...response.headers, ...page.headers, vary: page.vary } }

const respond = ({ page, port }: Exchange, response: HttpResponse): void => port.respond(toldPage(page, response))

const refuse = (exchange: Exchange, refusal: Refusal): void =>
  respond(exchange, refusedResponse(refusal, exchange.parts.guard))

/** Who sends a request where nothing must be shown: whom the door knows, or the author's own function names. */
const identified = ({ call, parts }: Exchange): Caller =>
  call.principal === undefined ? parts.identify(call.context) : { principal: call.principal }

/**
 * Whose running calls are counted together: those of a principal, or of what the door knows of the sender. Where it knows
 * nothing, each request is on its own, so that no stranger takes the room of another.
 */
export const ownerOf = (principal: Principal | undefined, sender: string | undefined): string =>
  principal === undefined ? (sender ?? `request:${++requests}`) : `principal:${principal.id}`

const inboundOf = ({ call, port }: Exchange, principal: Principal | undefined, value: unknown): Inbound => ({
  value,
  http: { header: port.header, url: port.url },
  headers: () => port.headers(),
  overHttp: true,
  context: call.context,
  principal,
  services: call.services,
  owner: ownerOf(principal, call.owner)
})

/** Serves what has an answer of its own. */
const deliver = (exchange: Exchange, inbound: Inbound, accepts: Accepted): void => {
  const { parts, port } = exchange
  const writer = new StreamWriter((response) => respond(exchange, response))
  const outcome = parts.serve(inbound, new HttpReply(writer, accepts, parts.reply))
  if (outcome === undefined) return
  if (outcome === "accepted") return respond(exchange, noBody(202))
  const leave = () => outcome.disconnect()
  writer.onGone = leave
  port.onGone(leave)
}

/** Opens the stream of a session. */
const openStream = (exchange: Exchange, inbound: Inbound): void => {
  const { parts, port } = exchange
  const writer = new StreamWriter((response) => respond(exchange, response))
  const reply = new HttpReply(writer, events, parts.reply)
  const stream = parts.openStream(inbound, reply)
  if (stream === "over") return respond(exchange, noBody(streamOver))
  if ("rung" in stream) return refuse(exchange, stream)
  writer.onGone = stream
  port.onGone(stream)
  reply.begin()
}

/** Serves a request of a known sender, or of one that is to be asked for. */
const serve = (exchange: Exchange, shown?: Caller): void => {
  const { parts, port } = exchange
  const { guard, reply } = parts
  const admits = port.method === "POST" ? guard.media(port.header) : events
  if ("rung" in admits) return refuse(exchange, admits)
  const deaf = port.method === "GET" ? guard.stream(port.header) : undefined
  if (deaf !== undefined) return refuse(exchange, deaf)
  const caller = shown ?? identified(exchange)
  if (caller.refusal !== undefined) return refuse(exchange, caller.refusal)
  if (port.method === "GET") return openStream(exchange, inboundOf(exchange, caller.principal, undefined))
  if (port.method === "DELETE") {
    const kept = parts.endSession(inboundOf(exchange, caller.principal, undefined))
    return kept === undefined ? respond(exchange, noBody(204)) : refuse(exchange, kept)
  }
  port.body(reply.limits.bodyBytes, (body) => {
    if ("refusal" in body) return refuse(exchange, body.refusal)
    deliver(exchange, inboundOf(exchange, caller.principal, body.value), admits)
  })
}

/** Serves a request once its sender is known, which may take a while. */
const authenticate = (exchange: Exchange, gate: AuthGate): void => {
  const { port } = exchange
  const leave = gate.admit({ authorization: port.header("authorization"), url: port.url }, (passed) =>
    "rung" in passed ? refuse(exchange, passed) : serve(exchange, { principal: passed })
  )
  if (leave === undefined) return
  port.onGone(() => {
    leave()
    port.abandon()
  })
}

const documentOf = ({ gate }: HttpDoorParts, { method, path }: HttpPort): HttpResponse | undefined => {
  const reply = gate?.document(method, path)
  if (reply === undefined) return undefined
  const { headers, status, text } = reply
  return { status, headers, body: method === "HEAD" ? "" : text }
}

/** Serves one request. */
export const httpExchange = (parts: HttpDoorParts, port: HttpPort, call: HttpCall): void => {
  const { gate, guard } = parts
  const document = gate === undefined ? undefined : documentOf(parts, port)
  if (document !== undefined) return port.respond(document)
  const page = pageOf(parts, port)
  const exchange: Exchange = { parts, port, call, page }
  if (page?.preflight === true) return respond(exchange, noBody(204))
  const refusal = guard.request({ method: port.method, header: port.header, loopback: undefined })
  if (refusal !== undefined) return refuse(exchange, refusal)
  return gate === undefined ? serve(exchange) : authenticate(exchange, gate)
}
