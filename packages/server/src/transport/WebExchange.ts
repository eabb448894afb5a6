/**
 * One request of the web's own kind, from `Request` to `Response`. It holds no rule of its own; the guard, the reply and
 * the ladder are shared with the other doors.
 */
import * as Effect from "effect/Effect"
import type * as Context from "effect/Context"
import type { Principal } from "../Principal.ts"
import { HeaderName } from "@treadle/protocol/http"
import type { Inbound } from "../envelope/Inbound.ts"
import type { Refusal } from "../envelope/Refusal.ts"
import { refused } from "../engine/Answers.ts"
import type { Answer, Sink } from "../engine/Sink.ts"
import type { AuthGate } from "./AuthGate.ts"
import type { PageReply } from "./Cors.ts"
import { goneBody, notUtf8, parseText, tooLarge, utf8Text, type Body, type NoBody } from "./HttpBody.ts"
import type { Guard } from "./HttpGuard.ts"
import type { OpenedStream } from "../engine/sessions/SessionStream.ts"
import { HttpReply, type HttpWriter, type ReplySettings } from "./HttpReply.ts"
import { statusOf, streamOver } from "./HttpStatus.ts"
import type { Serve } from "./Outcome.ts"

/** Who is calling, or why that cannot be told. */
interface WebCaller {
  readonly principal?: Principal | undefined
  readonly refusal?: Refusal | undefined
}

/** What the requests of one door share. */
export interface WebDoorParts {
  readonly serve: Serve
  readonly identify: (context: unknown) => WebCaller
  /** What callers must show, where they must. */
  readonly gate: AuthGate | undefined
  readonly endSession: (inbound: Inbound) => Refusal | undefined
  readonly openStream: (inbound: Inbound, sink: Sink) => OpenedStream
  readonly guard: Guard
  readonly reply: ReplySettings
}

/** What belongs to one request beside it. */
export interface WebCall {
  readonly context: unknown
  readonly services?: Context.Context<never> | undefined
  /** Who is calling, where the door knows and nothing must be shown; else the server's own `principal` is asked. */
  readonly principal?: Principal | undefined
  /** Whose running calls are counted together, where there is no principal. */
  readonly owner?: string
}

const sessionHeader = (session: string | undefined) => (session === undefined ? {} : { [HeaderName.session]: session })

const answerResponse = (status: number, { challenge, session, text }: Answer): Response =>
  new Response(text === "" ? null : text, {
    status,
    headers: {
      ...(text === "" ? {} : { "content-type": "application/json" }),
      ...(challenge === undefined ? {} : { "www-authenticate": challenge }),
      ...sessionHeader(session)
    }
  })

/** Bytes that may wait in a stream before its writer is asked to wait. */
const highWater = 65_536

/** Writes one response: a JSON body, or a stream whose queue is the bound. */
class WebWriter implements HttpWriter {
  readonly response: Promise<Response>
  readonly #encoder = new TextEncoder()
  readonly #onGone: () => void
  #settle: (response: Response) => void = () => {}
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  #waiting = new Set<() => void>()

  constructor(onGone: () => void) {
    this.#onGone = onGone
    this.response = new Promise((resolve) => {
      this.#settle = resolve
    })
  }

  readonly drained: Effect.Effect<void> = Effect.callback<void>((resume) => {
    if (this.unread() < highWater) return resume(Effect.void)
    const done = () => resume(Effect.void)
    this.#waiting.add(done)
    return Effect.sync(() => {
      this.#waiting.delete(done)
    })
  })

  json(status: number, answer: Answer): void {
    this.#settle(answerResponse(status, answer))
  }

  open(session?: string): void {
    const stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller
        },
        pull: () => this.#wake(),
        cancel: () => {
          this.#controller = undefined
          this.#wake()
          this.#onGone()
        }
      },
      new ByteLengthQueuingStrategy({ highWaterMark: highWater })
    )
    this.#settle(
      new Response(stream, {
        headers: {
          "content-type": "text/event-stream",
          "cache-control": "no-cache, no-transform",
          "x-accel-buffering": "no",
          ...sessionHeader(session)
        }
      })
    )
  }

  write(text: string): boolean {
    if (this.#controller === undefined) return true
    this.#controller.enqueue(this.#encoder.encode(text))
    return this.unread() < highWater
  }

  end(text: string): void {
    if (this.#controller === undefined) return
    if (text !== "") this.#controller.enqueue(this.#encoder.encode(text))
    this.#controller.close()
    this.#controller = undefined
    this.#wake()
  }

  gone(): boolean {
    return this.#controller === undefined
  }

  unread(): number {
    const room = this.#controller?.desiredSize
    return room === undefined || room === null ? 0 : highWater - room
  }

  #wake(): void {
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const resume of waiting) resume()
  }
}

/** What a GET takes. */
const events = { json: false, events: true }

/** Requests whose sender cannot be told apart from others share no limit. */
let requests = 0

const gone = goneBody("The body of the request was already read. Pass the request before anything reads it.")

const readBytes = async (request: Request, limit: number): Promise<Uint8Array | undefined> => {
  const chunks: Array<Uint8Array> = []
  let size = 0
  const reader = request.body?.getReader()
  for (let next = await reader?.read(); next !== undefined && !next.done; next = await reader?.read()) {
    size += next.value.length
    if (size > limit) {
      await reader?.cancel()
      return undefined
    }
    chunks.push(next.value)
  }
  const bytes = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

/** The text of the body of a request, up to a limit in bytes. */
export const readText = async (request: Request, limit: number): Promise<{ readonly text: string } | NoBody> => {
  if (request.bodyUsed) return gone
  const bytes = await readBytes(request, limit)
  if (bytes === undefined) return tooLarge(limit)
  const text = utf8Text(bytes)
  return text === undefined ? notUtf8 : { text }
}

const readBody = async (request: Request, limit: number): Promise<Body> => {
  const read = await readText(request, limit)
  return "refusal" in read ? read : parseText(read.text)
}

/** The response to a request that is not served. @param guard whose verbs are named to one with another */
export const refusedResponse = (refusal: Refusal, guard?: Guard): Response => {
  const answer = refused(refusal)
  const response = answerResponse(statusOf(answer), answer)
  if (refusal.rung === "verb" && guard !== undefined) response.headers.set("allow", guard.allow)
  return response
}

const headerOf =
  (request: Request) =>
  (name: string): string | undefined =>
    request.headers.get(name) ?? (name === "host" ? new URL(request.url).host : undefined)

/** Who sends a request where nothing must be shown: whom the door knows, or the author's own function names. */
const identified = ({ identify }: WebDoorParts, { context, principal }: WebCall): WebCaller =>
  principal === undefined ? identify(context) : { principal }

/** Who sends a request, as what it shows says. */
const admitted = async (gate: AuthGate, request: Request): Promise<WebCaller> => {
  const credentials = { authorization: request.headers.get("authorization") ?? undefined, url: request.url }
  const passed = await new Promise<Principal | Refusal>((resolve, reject) => {
    const leave = gate.admit(credentials, resolve)
    if (leave === undefined) return
    const gone = () => {
      leave()
      reject(request.signal.reason)
    }
    if (request.signal.aborted) gone()
    else request.signal.addEventListener("abort", gone, { once: true })
  })
  return "rung" in passed ? { refusal: passed } : { principal: passed }
}

/** Serves one request, once its sender has been told what pages are told. */
const exchange = async (parts: WebDoorParts, request: Request, call: WebCall): Promise<Response> => {
  const header = headerOf(request)
  const refusal = parts.guard.request({ method: request.method, header, loopback: undefined })
  if (refusal !== undefined) return refusedResponse(refusal, parts.guard)
  const shown = parts.gate === undefined ? undefined : await admitted(parts.gate, request)
  if (shown?.refusal !== undefined) return refusedResponse(shown.refusal)
  const admits = request.method === "POST" ? parts.guard.media(header) : events
  if ("rung" in admits) return refusedResponse(admits)
  const deaf = request.method === "GET" ? parts.guard.stream(header) : undefined
  if (deaf !== undefined) return refusedResponse(deaf)
  const caller = shown ?? identified(parts, call)
  if (caller.refusal !== undefined) return refusedResponse(caller.refusal)
  const inbound: Inbound = {
    value: undefined,
    http: { header, url: request.url },
    headers: () => Object.fromEntries(request.headers),
    overHttp: true,
    context: call.context,
    principal: caller.principal,
    services: call.services,
    owner: caller.principal === undefined ? (call.owner ?? `request:${++requests}`) : `principal:${caller.principal.id}`
  }
  if (request.method === "DELETE") {
    const kept = parts.endSession(inbound)
    return kept === undefined ? new Response(null, { status: 204 }) : refusedResponse(kept, parts.guard)
  }
  let gone = () => {}
  const writer = new WebWriter(() => gone())
  const reply = new HttpReply(writer, admits, parts.reply)
  if (request.method === "GET") {
    const stream = parts.openStream(inbound, reply)
    if (stream === "over") return new Response(null, { status: streamOver })
    if ("rung" in stream) return refusedResponse(stream, parts.guard)
    gone = stream
    request.signal.addEventListener("abort", () => gone(), { once: true })
    reply.begin()
    return writer.response
  }
  const body = await readBody(request, parts.reply.limits.bodyBytes)
  if ("refusal" in body) return refusedResponse(body.refusal)

  const outcome = parts.serve({ ...inbound, value: body.value }, reply)
  if (outcome === "accepted") return new Response(null, { status: 202 })
  if (outcome !== undefined) {
    gone = () => outcome.disconnect()
    if (request.signal.aborted) gone()
    else request.signal.addEventListener("abort", () => gone(), { once: true })
  }
  return writer.response
}

/** What the page is told that sent a request, where one did and is served. */
export const pageOf = ({ guard }: WebDoorParts, request: Request): PageReply | undefined =>
  guard.page({ method: request.method, header: headerOf(request), loopback: undefined })

/** The response with what its page is told. */
export const toldPage = (page: PageReply | undefined, response: Response): Response => {
  if (page === undefined) return response
  for (const [name, value] of Object.entries(page.headers)) response.headers.set(name, value)
  response.headers.append("vary", page.vary)
  return response
}

const documentOf = ({ gate }: WebDoorParts, request: Request): Response | undefined => {
  const reply = gate?.document(request.method, new URL(request.url).pathname)
  if (reply === undefined) return undefined
  const { headers, status, text } = reply
  return new Response(text === "" || request.method === "HEAD" ? null : text, { status, headers })
}

/** Serves one request. Rejects only where its sender goes away before it is read, because then nobody waits for an answer. */
export const webExchange = async (parts: WebDoorParts, request: Request, call: WebCall): Promise<Response> => {
  const document = parts.gate === undefined ? undefined : documentOf(parts, request)
  if (document !== undefined) return document
  const page = pageOf(parts, request)
  const isPreflight = page?.preflight === true
  return toldPage(page, isPreflight ? new Response(null, { status: 204 }) : await exchange(parts, request, call))
}
