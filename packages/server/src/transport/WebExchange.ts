/**
 * One request of the web's own kind, from `Request` to `Response`.
 */
import type { HeaderTable } from "../CurrentCall.ts"
import { goneBody, notUtf8, parseText, tooLarge, utf8Text, type Body } from "./HttpBody.ts"
import { httpExchange, type HttpCall, type HttpDoorParts, type HttpPort } from "./HttpExchange.ts"
import type { HttpResponse } from "./StreamWriter.ts"

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

const readBody = async (request: Request, limit: number): Promise<Body> => {
  if (request.bodyUsed) return gone
  const bytes = await readBytes(request, limit)
  if (bytes === undefined) return tooLarge(limit)
  const text = utf8Text(bytes)
  return text === undefined ? notUtf8 : parseText(text)
}

/** The same response as a value of the web. */
export const webResponse = ({ body, headers, status, type }: HttpResponse): Response =>
  new Response(body === "" ? null : body, {
    status,
    headers: { ...headers, ...(type === undefined ? {} : { "content-type": type }) }
  })

/** The port of a request, which settles the promise of its response. */
class WebPort implements HttpPort {
  readonly header: (name: string) => string | undefined
  readonly respond: (response: HttpResponse) => void
  readonly #request: Request
  readonly #reject: (reason: unknown) => void

  constructor(request: Request, resolve: (response: Response) => void, reject: (reason: unknown) => void) {
    this.#request = request
    this.#reject = reject
    this.respond = (response) => resolve(webResponse(response))
    this.header = (name) => request.headers.get(name) ?? (name === "host" ? new URL(request.url).host : undefined)
  }

  get method(): string {
    return this.#request.method
  }

  get path(): string {
    return new URL(this.#request.url).pathname
  }

  get url(): string {
    return this.#request.url
  }

  headers(): HeaderTable {
    return Object.fromEntries(this.#request.headers)
  }

  body(limit: number, take: (body: Body) => void): void {
    readBody(this.#request, limit).then(take).catch(this.#reject)
  }

  abandon(): void {
    this.#reject(this.#request.signal.reason)
  }

  isGone(): boolean {
    return this.#request.signal.aborted
  }

  onGone(leave: () => void): void {
    const { signal } = this.#request
    if (signal.aborted) leave()
    else signal.addEventListener("abort", leave, { once: true })
  }
}

/** Serves one request. Rejects only where its sender goes away before it is read, because then nobody waits for an answer. */
export const webExchange = (parts: HttpDoorParts, request: Request, call: HttpCall): Promise<Response> =>
  new Promise((resolve, reject) => httpExchange(parts, new WebPort(request, resolve, reject), call))
