/**
 * A server of its own on Node: an open port, http or https, and who may reach it.
 */
import type { RequestListener, Server, ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import * as Redacted from "effect/Redacted"
import { refused } from "../engine/Answers.ts"
import { refusal } from "../envelope/Refusal.ts"
import type { Counters } from "../Counters.ts"
import type { HttpSettings } from "../McpHttp.ts"
import type { LiveHandle } from "../Live.ts"
import type { Mcp, With } from "../Mcp.ts"
import { McpBuildErrors } from "../McpBuildError.ts"
import type { Complete } from "../PlainDoor.ts"
import { statusOf } from "../transport/HttpStatus.ts"
import { isLoopbackHost } from "../transport/Loopback.ts"
import { metadataPaths } from "../transport/ResourceMetadata.ts"
import { fault } from "../transport/SettingFault.ts"
import { certifying } from "./ClientCertificate.ts"
import { nodeDoor } from "./NodeDoor.ts"

/** A certificate or a key in PEM form. */
type Pem = string | Uint8Array

/** How a server of its own serves https. */
export interface TlsSettings {
  readonly key: Pem | Redacted.Redacted<Pem>
  readonly cert: Pem
  /**
   * The authorities of clients: every connection must show a certificate that one of them signed, and its subject is the
   * `principal` of its calls, as `{ via: "certificate" }`. With `auth` beside it the token says who calls.
   */
  readonly clientCa?: Pem
  /** What callers may do, by the subject of their certificate, such as `CN=robot,O=Example`. */
  readonly scopes?: { readonly [subject: string]: ReadonlyArray<string> }
}

/** Settings of a server of its own. */
export interface ListenSettings extends HttpSettings {
  /** 0 takes a free port. */
  readonly port?: number
  /**
   * `127.0.0.1` by default. An address that other machines reach needs `hosts`, and `auth` or client certificates; it is
   * not opened otherwise.
   */
  readonly host?: string
  /** `/mcp` by default. */
  readonly path?: `/${string}`
  /** Serves https. */
  readonly tls?: TlsSettings
}

/** A server of its own. */
export interface Listening<out Ctx = {}> {
  readonly url: string
  readonly port: number
  readonly server: Server
  /** Changes what is served. */
  readonly live: LiveHandle<Ctx>
  /** What is under way: `calls`, `listeners`, `streams`, `sessions`, `asks`, `queued`; and how much was `dropped`. */
  counters(): Counters
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** How long a connection may take to send its last answer, in milliseconds. */
const lastWords = 500

const lingering = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, lastWords).unref())

/** Makes the server. Node's modules are loaded here, because a server on standard input and output does without them. */
const serverOf = async (tls: TlsSettings | undefined, listener: RequestListener): Promise<Server> => {
  if (tls === undefined) return (await import("node:http")).createServer(listener)
  const { createServer } = await import("node:https")
  const { cert, clientCa, key } = tls
  // Node takes any text for it, with which no certificate of a client would fit.
  if (clientCa !== undefined) await certificateIn(asText(clientCa))
  const clients = clientCa === undefined ? {} : { ca: asText(clientCa), requestCert: true, rejectUnauthorized: true }
  const secret = asText(Redacted.isRedacted(key) ? Redacted.value(key) : key)
  return createServer({ key: secret, cert: asText(cert), ...clients }, listener)
}

/** The first certificate of a text. @throws where there is none */
const certificateIn = async (text: string | Buffer) => new (await import("node:crypto")).X509Certificate(text)

const asText = (pem: Pem): string | Buffer => (typeof pem === "string" ? pem : Buffer.from(pem))

/** A server whose key and certificate may not fit. */
const madeServer = async (server: string, tls: TlsSettings | undefined, listener: RequestListener): Promise<Server> => {
  try {
    return await serverOf(tls, listener)
  } catch (error) {
    const why = error instanceof Error ? error.message : "they do not fit"
    const cure = "give the text of files in PEM form, not their names, and the key of the certificate"
    throw new McpBuildErrors({ server, errors: fault("tls", `nothing can be served with these: ${why}; ${cure}`) })
  }
}

/** What to do where a port cannot be opened, by the code of Node's error. */
const cures: { readonly [code: string]: string } = {
  EACCES: "this user may not listen there; give a port from 1024 on",
  EADDRINUSE: "another program listens there; end it, or give another port, 0 for a free one",
  EADDRNOTAVAIL: "this machine has no such address; give another host"
}

/** Node's error with where it was and what to do. It keeps its code. */
const unopened = (error: NodeJS.ErrnoException, port: number, host: string): Error => {
  const { code = "" } = error
  const cure = cures[code]
  if (cure === undefined) return error
  const message = `The server cannot listen on port ${port} of ${host} (${code}): ${cure}`
  return Object.assign(new Error(message, { cause: error }), { code })
}

const opened = (server: Server, port: number, host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) => reject(unopened(error, port, host))
    server.once("error", fail)
    server.listen(port, host, () => {
      server.off("error", fail)
      resolve((server.address() as AddressInfo).port)
    })
  })

const closing = async (server: Server): Promise<void> => {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  await Promise.race([closed, lingering()])
  server.closeAllConnections()
  await closed
}

const refuse = (res: ServerResponse, at: string, path: string): void => {
  const answer = refused(refusal("path", `Nothing is served at ${at}; the endpoint is ${path}`))
  res.writeHead(statusOf(answer), { "content-type": "application/json" })
  res.end(answer.text)
}

/**
 * Listens on a port of its own.
 *
 * @param settings `port`, `host` (`127.0.0.1`), `path` (`/mcp`), `tls` and those of `handler`
 * @param context what the handlers get for each request, where they ask for any
 * @returns once the port is open; rejects with `McpBuildErrors`, or with Node's code where the port cannot be opened, such as `EADDRINUSE`
 *
 * @example
 * ```ts
 * import { Mcp } from "@treadle/server"
 * import { McpNode } from "@treadle/server/node"
 *
 * const listening = await McpNode.listen(Mcp.make({ name: "hello", version: "1.0.0" }))
 * new URL(listening.url).pathname // => "/mcp"
 * await listening.close()
 * ```
 */
export const listen = async <R, Ctx>(
  mcp: Mcp<R, Ctx> & Complete<R>,
  settings: ListenSettings = {},
  ...context: With<Ctx>
): Promise<Listening<Ctx>> => {
  const { auth, host = "127.0.0.1", path = "/mcp", port = 0, tls } = settings
  let url = ""
  let documents: ReadonlyArray<string> = []
  const door = nodeDoor(
    mcp as unknown as Mcp<never, Ctx>,
    {
      ...settings,
      door: "listen",
      continues: true,
      certify: tls?.clientCa === undefined ? undefined : certifying(tls.scopes ?? {}),
      ...(isLoopbackHost(host) ? { ownUrl: () => url } : {})
    },
    (served) => served
  )
  const serve: RequestListener = (req, res) => {
    const [at = ""] = (req.url ?? "").split("?", 1)
    if (at === path || documents.includes(at)) return door(req, res, ...context)
    refuse(res, at, path)
    req.resume()
  }
  const server = await madeServer(mcp.definition.info.implementation.name, tls, serve)
  server.on("checkContinue", serve)
  const bound = await opened(server, port, host)
  url = `${tls === undefined ? "http" : "https"}://${host.includes(":") ? `[${host}]` : host}:${bound}${path}`
  if (auth?._tag === "ProtectedResource") documents = metadataPaths(auth.settings.resource ?? url)
  const close = async () => {
    // The port stays open until then: what runs may wait for an answer that comes as a request.
    await door.close()
    await closing(server)
  }
  return {
    url,
    port: bound,
    server,
    live: door.live,
    counters: door.counters,
    close,
    [Symbol.asyncDispose]: close
  }
}
