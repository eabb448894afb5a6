/**
 * A function from `Request` to `Response` as a `(req, res)` handler, for what has no door on `node:http` of its own.
 */
import type { ServerResponse } from "node:http"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import type { TLSSocket } from "node:tls"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as References from "effect/References"
import { makeDefects } from "../engine/Defects.ts"
import type { With } from "../Mcp.ts"
import { isMetadataPath } from "../transport/ResourceMetadata.ts"
import { isUntouched, type NodeRequest } from "./NodeBody.ts"
import { contextOf } from "./NodeDoor.ts"

/** The headers as they came; those of HTTP/2 that begin with a colon are said by the address and the verb. */
const headersOf = ({ rawHeaders }: NodeRequest): Headers => {
  const headers = new Headers()
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = "", value = ""] = [rawHeaders[at], rawHeaders[at + 1]]
    if (!name.startsWith(":")) headers.append(name, value)
  }
  return headers
}

/**
 * The path below the mount, where a framework cuts one off; metadata is asked for by its whole path, wherever that is
 * mounted.
 */
const pathOf = ({ originalUrl, url = "/" }: NodeRequest): string =>
  originalUrl !== undefined && isMetadataPath(originalUrl.split("?", 1)[0] ?? "") ? originalUrl : url

/** A request that names no host is not taken for one that names this one. */
const addressOf = (req: NodeRequest): string => {
  const { headers, socket } = req
  const scheme = (socket as Partial<TLSSocket>).encrypted === true ? "https" : "http"
  return `${scheme}://${headers.host ?? headers[":authority"]?.toString() ?? "unnamed.invalid"}${pathOf(req)}`
}

/** What a framework left on `req.body` is said once more; all else is read from the stream. */
const bodyOf = (req: NodeRequest, headers: Headers): BodyInit | null => {
  const { body, method } = req
  if (method === "GET" || method === "HEAD") return null
  if (body === undefined || isUntouched(req, body)) {
    return req.readableDidRead ? null : (Readable.toWeb(req) as ReadableStream<Uint8Array>)
  }
  if (typeof body === "string") return body
  if (body instanceof Uint8Array) return Uint8Array.from(body)
  headers.delete("content-length")
  return JSON.stringify(body)
}

/** @throws TypeError where an address or a header is none */
const requestOf = (req: NodeRequest, signal: AbortSignal): Request => {
  const headers = headersOf(req)
  const body = bodyOf(req, headers)
  const init = { method: req.method ?? "GET", headers, body, signal, duplex: "half" }
  return new Request(addressOf(req), init)
}

/** @param broken what is told where the body ends early by itself */
const answer = async (res: ServerResponse, response: Response, broken: (error: unknown) => void): Promise<void> => {
  res.writeHead(response.status, [...response.headers].flat())
  if (response.body === null) return void res.end()
  res.flushHeaders()
  const body = Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0])
  body.once("error", (error) => {
    // Whoever goes away ends the stream; there is nobody left to tell.
    if (!res.destroyed) broken(error)
  })
  await pipeline(body, res).catch(() => {})
}

const logging = Context.make(References.LogToStderr, true)

const refuse = (res: ServerResponse, status: number, text = ""): void => {
  if (res.headersSent || res.destroyed) return
  res.writeHead(status, { connection: "close", "content-type": "text/plain; charset=utf-8" }).end(text)
}

/**
 * The handler of a function. A request that cannot be made into one of the web is answered 400; where the function fails,
 * the answer is 500 with a reference under which the reason is in the log.
 */
export const nodeFetch = <Ctx>(door: (request: Request, ...context: With<Ctx>) => Promise<Response>) => {
  if (typeof door !== "function") {
    throw new TypeError("fetched makes a handler of a function, such as HttpRoutes.fetch(mcp) gives; it was given none")
  }
  const report = makeDefects(logging, undefined)
  const broken = (error: unknown) => report("The function given to McpNode.fetched", Cause.die(error)).reference
  return (req: NodeRequest, res: ServerResponse, ...context: With<Ctx>): void => {
    const leaving = new AbortController()
    res.on("close", () => {
      if (!res.writableFinished) leaving.abort()
    })
    let request: Request
    try {
      request = requestOf(req, leaving.signal)
    } catch {
      return refuse(res, 400)
    }
    const given = [contextOf(context[0])] as unknown as With<Ctx>
    const answered = async () => answer(res, await door(request, ...given), broken)
    answered().catch((error: unknown) => {
      // A function may end so because its caller has gone away.
      if (!leaving.signal.aborted) refuse(res, 500, `Internal error (reference ${broken(error)})`)
    })
  }
}
