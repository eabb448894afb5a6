/**
 * An HTTP server on a loopback port that says exactly what a test tells it to, and records all that it gets.
 *
 * It writes raw text and uses none of our codecs, so it cannot share a bug with the code under test.
 */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { listenAnew, patient } from "./Ports.ts"
import { Recorder } from "./Recorder.ts"

/** One request as it came. */
export interface HttpSeen {
  readonly verb: string
  readonly path: string
  /** The port that it came from: requests with the same one came over one connection. */
  readonly peer: number | undefined
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The body as JSON, or `undefined`. */
  readonly json: any
  /** Resolves when the connection of this request is gone before its answer was complete. */
  readonly gone: Promise<void>
}

/** The answer to one request; nothing is sent that the script does not send. */
export interface HttpScriptReply {
  /** The whole answer as JSON. */
  readonly json: (value: unknown, status?: number) => void
  /** The whole answer as it is given. */
  readonly raw: (body: string | Uint8Array, headers?: Record<string, string | Array<string>>, status?: number) => void
  /** Begins a stream of events. */
  readonly stream: () => {
    /** Writes pieces one after the other, each in a write of its own. */
    readonly write: (...pieces: ReadonlyArray<string | Uint8Array>) => Promise<void>
    /** One event with this data, in one write. */
    readonly event: (value: unknown) => Promise<void>
    readonly end: () => void
  }
  /** Breaks the connection. */
  readonly destroy: () => void
}

/** What to do with a request. */
export type HttpScript = (seen: HttpSeen, reply: HttpScriptReply) => void | Promise<void>

/** A server that runs. */
export interface ScriptedHttp {
  readonly url: string
  readonly port: number
  readonly seen: Recorder<HttpSeen>
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const replyOf = (response: ServerResponse): HttpScriptReply => {
  const piece = (bytes: string | Uint8Array) =>
    new Promise<void>((resolve) => {
      response.write(bytes, () => setImmediate(resolve))
    })
  return {
    json: (value, status = 200) =>
      void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value)),
    raw: (body, headers = {}, status = 200) => void response.writeHead(status, headers).end(body),
    stream: () => {
      response.writeHead(200, { "content-type": "text/event-stream" })
      response.flushHeaders()
      return {
        write: async (...pieces) => {
          for (const bytes of pieces) await piece(bytes)
        },
        event: (value) => piece(`data: ${JSON.stringify(value)}\n\n`),
        end: () => void response.end()
      }
    },
    destroy: () => void response.destroy()
  }
}

/**
 * Starts a server; it stops with the scope, whatever is still open.
 *
 * @param script called for each request, in the order they come
 */
export const scriptedHttp = (script: HttpScript): Effect.Effect<ScriptedHttp, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(() => listen(script)),
      ({ close }) => Effect.promise(close)
    ),
    ({ scripted }) => scripted
  )

const listen = async (script: HttpScript) => {
  const seen = new Recorder<HttpSeen>()
  const server = createServer(patient, (request, response) => {
    const gone = new Promise<void>((resolve) => {
      response.once("close", () => {
        if (!response.writableFinished) resolve()
      })
    })
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString("utf8")
      const { headers, method = "", url = "" } = request
      const one: HttpSeen = {
        verb: method,
        path: url,
        peer: request.socket.remotePort,
        headers,
        text,
        json: parse(text),
        gone
      }
      seen.record(one)
      void script(one, replyOf(response))
    })
  })
  const port = await listenAnew(server)
  const scripted: ScriptedHttp = {
    url: `http://127.0.0.1:${port}/mcp`,
    port,
    seen
  }
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { scripted, close }
}
