/**
 * Sends over `node:http`, with connections that are kept. It costs a fraction of what Node's `fetch` costs, and does not
 * give up after five minutes in which nothing came.
 */
import { Agent, request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http"
import { Agent as HttpsAgent, request as httpsRequest } from "node:https"
import type { HttpBody, HttpResponse, SendHttp } from "../transport/HttpFetch.ts"

/** How long a connection is kept without use, in milliseconds; a server that says less is believed. */
const idleTime = 60_000

const settings = { keepAlive: true, timeout: idleTime }

const bodyOf = (response: IncomingMessage): HttpBody => {
  const chunks: AsyncIterator<Uint8Array, undefined> = response[Symbol.asyncIterator]()
  /** What has arrived in whole is thrown away, so that its connection can be used again; what goes on is cut. */
  const cancel = async (): Promise<void> => {
    response.on("error", () => {})
    response.resume()
    setImmediate(() => response.complete || response.destroy())
  }
  return { getReader: () => ({ read: () => chunks.next(), cancel }), cancel }
}

const responseOf = (response: IncomingMessage): HttpResponse => {
  const { headers, statusCode: status = 0 } = response
  return {
    ok: status >= 200 && status < 300,
    status,
    headers: {
      get: (name) => {
        const value = headers[name.toLowerCase()]
        return value === undefined ? null : Array.isArray(value) ? value.join(", ") : value
      }
    },
    body: bodyOf(response)
  }
}

/** A sender with connections of its own. */
export interface NodeSender {
  readonly send: SendHttp
  /** Closes the connections that are kept. */
  readonly close: () => void
}

/** A sender; its connections are closed by whoever made it. */
export const makeNodeSender = (): NodeSender => {
  const plain = new Agent(settings)
  const secure = new HttpsAgent(settings)
  const send: SendHttp = (url, { body, headers, method, signal }) =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(new Error("it was given up"))
      const isSecure = url.protocol === "https:"
      const options: RequestOptions = { method, headers: Object.fromEntries(headers), agent: isSecure ? secure : plain }
      const request = isSecure ? httpsRequest(url, options) : httpRequest(url, options)
      const abort = () => void request.destroy(new Error("it was given up"))
      signal.addEventListener("abort", abort, { once: true })
      request.once("error", reject)
      request.once("close", () => {
        signal.removeEventListener("abort", abort)
        // An upgrade that nobody asked for ends it with neither an answer nor an error.
        reject(new Error("the connection was closed"))
      })
      request.once("response", (response) => resolve(responseOf(response)))
      request.end(body)
    })
  return {
    send,
    close: () => {
      plain.destroy()
      secure.destroy()
    }
  }
}
