/**
 * An HTTP server of bare sockets: it can say what no HTTP library would let out of the house, and it sees how much of
 * that the other side takes.
 */
import { createServer, type Socket } from "node:net"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { listenAnew } from "./Ports.ts"
import { Recorder } from "./Recorder.ts"

/** One request as it came. */
export interface RawHttpSeen {
  readonly verb: string
  /** Names in lower case. */
  readonly headers: { readonly [name: string]: string }
  readonly text: string
  /** The body as JSON, or `undefined`. */
  readonly json: any
  /** Resolves when the connection of this request is gone. */
  readonly gone: Promise<void>
}

/** The connection of one request; nothing is sent that the script does not send. */
export interface RawHttpReply {
  /** Writes bytes and waits until there is room for more. @returns whether there is anybody left to write to */
  readonly write: (bytes: string | Uint8Array) => Promise<boolean>
  /** A whole answer with its length. */
  readonly json: (value: unknown, status?: number, headers?: Record<string, string>) => Promise<boolean>
  /** The head of an answer whose length is not said: it ends with its connection. */
  readonly begin: (type: string) => Promise<boolean>
  /** Ends the connection after what was written. */
  readonly end: () => void
  /** Breaks the connection. */
  readonly destroy: () => void
}

/** What to do with a request. */
export type RawHttpScript = (seen: RawHttpSeen, reply: RawHttpReply) => void | Promise<unknown>

/** A server that runs. */
export interface RawHttp {
  readonly url: string
  readonly seen: Recorder<RawHttpSeen>
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Cuts requests with a known length off the bytes of a connection. */
const requestsOf = (socket: Socket, take: (seen: RawHttpSeen) => void): void => {
  const gone = new Promise<void>((resolve) => void socket.once("close", () => resolve()))
  let rest = Buffer.alloc(0)
  socket.on("data", (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    for (;;) {
      const head = rest.indexOf("\r\n\r\n")
      if (head < 0) return
      const [first = "", ...lines] = rest.subarray(0, head).toString("latin1").split("\r\n")
      const fields = lines.map((line) => [
        line.slice(0, line.indexOf(":")).toLowerCase(),
        line.slice(line.indexOf(":") + 1).trim()
      ])
      const headers: Record<string, string> = Object.fromEntries(fields)
      const end = head + 4 + Number(headers["content-length"] ?? 0)
      if (rest.length < end) return
      const text = rest.subarray(head + 4, end).toString("utf8")
      rest = rest.subarray(end)
      take({ verb: first.split(" ")[0] ?? "", headers, text, json: parse(text), gone })
    }
  })
}

const replyOn = (socket: Socket): RawHttpReply => {
  const write = (bytes: string | Uint8Array) =>
    new Promise<boolean>((resolve) => {
      if (!socket.writable) return resolve(false)
      socket.write(bytes, (error) => resolve(error === undefined || error === null))
    })
  return {
    write,
    json: (value, status = 200, headers = {}) => {
      const body = value === undefined ? "" : JSON.stringify(value)
      const all = { "content-type": "application/json", "content-length": Buffer.byteLength(body), ...headers }
      const head = Object.entries(all).map(([name, field]) => `${name}: ${field}\r\n`)
      return write(`HTTP/1.1 ${status} x\r\n${head.join("")}\r\n${body}`)
    },
    begin: (type) => write(`HTTP/1.1 200 x\r\ncontent-type: ${type}\r\nconnection: close\r\n\r\n`),
    end: () => void socket.end(),
    destroy: () => void socket.destroy()
  }
}

/** Starts a server; it stops with the scope, whatever is still open. */
export const rawHttp = (script: RawHttpScript): Effect.Effect<RawHttp, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(() => listen(script)),
      ({ close }) => Effect.promise(close)
    ),
    ({ raw }) => raw
  )

const listen = async (script: RawHttpScript) => {
  const seen = new Recorder<RawHttpSeen>()
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on("error", () => {})
    socket.once("close", () => sockets.delete(socket))
    const reply = replyOn(socket)
    requestsOf(socket, (one) => {
      seen.record(one)
      void script(one, reply)
    })
  })
  const port = await listenAnew(server)
  const raw: RawHttp = { url: `http://127.0.0.1:${port}/mcp`, seen }
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
    })
  return { raw, close }
}
