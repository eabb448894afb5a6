/**
 * One request of an Effect HTTP application, from `HttpServerRequest` to `HttpServerResponse`. Interrupting it is the
 * disconnect of the client.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { HeaderTable } from "../CurrentCall.ts"
import { parseText, type Body } from "../transport/HttpBody.ts"
import { httpExchange, type HttpCall, type HttpDoorParts, type HttpPort } from "../transport/HttpExchange.ts"
import type { HttpResponse } from "../transport/StreamWriter.ts"
import { bodyText, type BodyText } from "./RouterBody.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse
type Responding = Effect.Effect<Response, never, Scope.Scope>

/** A header of a request. Requests of the web's own kind name their host in their address. */
export const headerOf =
  ({ headers, originalUrl }: Request) =>
  (name: string): string | undefined =>
    headers[name] ?? (name === "host" && URL.canParse(originalUrl) ? new URL(originalUrl).host : undefined)

/** The same response as a value of an Effect HTTP application. */
export const routerResponse = ({ body, headers, status, type }: HttpResponse): Response => {
  if (body === "") return HttpServerResponse.empty({ status, headers })
  if (typeof body === "string") return HttpServerResponse.text(body, { status, headers, contentType: type })
  const stream = Stream.fromReadableStream({ evaluate: () => body, onError: (error) => error })
  return HttpServerResponse.stream(stream, { status, headers, contentType: type })
}

const parsed = (read: BodyText): Body => ("refusal" in read ? read : parseText(read.text))

/** The port of a request, whose response completes an effect. */
export class RouterPort implements HttpPort {
  readonly header: (name: string) => string | undefined
  readonly #request: Request
  #resume: (responding: Responding) => void = () => {}
  #leave: () => void = () => {}

  constructor(request: Request) {
    this.#request = request
    this.header = headerOf(request)
  }

  get method(): string {
    return this.#request.method
  }

  get path(): string {
    const [path = ""] = this.url.split("?", 1)
    return path
  }

  get url(): string {
    return this.#request.url
  }

  headers(): HeaderTable {
    return { ...this.#request.headers }
  }

  body(limit: number, take: (body: Body) => void): void {
    const read = Effect.flatMap(bodyText(this.#request, limit), (text) => this.responding(() => take(parsed(text))))
    this.#resume(read)
  }

  respond(response: HttpResponse): void {
    const told = Effect.succeed(routerResponse(response))
    // A stream that nobody comes to read ends with its request all the same.
    const ends = Effect.addFinalizer(() => Effect.sync(() => this.#leave()))
    this.#resume(typeof response.body === "string" ? told : Effect.andThen(ends, told))
  }

  abandon(): void {}

  isGone(): boolean {
    return false
  }

  onGone(leave: () => void): void {
    this.#leave = leave
  }

  /** Goes on with the exchange, and waits for what it comes to. */
  responding(go: () => void): Responding {
    return Effect.callback((resume) => {
      this.#resume = resume
      go()
      return Effect.sync(() => this.#leave())
    })
  }
}

/** Serves one request. */
export const routerExchange = (parts: HttpDoorParts, port: RouterPort, call: HttpCall): Responding =>
  port.responding(() => httpExchange(parts, port, call))
