/**
 * Opens sessions: over HTTP, over a pipe of lines, or with a server in the same process.
 *
 * Opening sends `server/discover`, so a session that is there is one that works. A child process as a server is opened
 * by `@treadle/client/node`.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { DirectServer, LinePort } from "@treadle/protocol/framing"
import { ClientRequest } from "@treadle/protocol/schema"
import { defaults, noiseHook, type ClientSettings, type HttpSettings, type PipeSettings } from "./ClientSettings.ts"
import { makeEngine } from "./engine/ClientEngine.ts"
import { probe } from "./engine/Probe.ts"
import { addressOf, McpError, McpReason } from "./McpError.ts"
import { makeSession, type McpSession } from "./McpSession.ts"
import { directTransport } from "./transport/DirectTransport.ts"
import { httpTransport } from "./transport/HttpTransport.ts"
import { pipeTransport } from "./transport/PipeTransport.ts"
import type { Transport } from "./transport/Transport.ts"

/** A context that may be left out where nothing in it is required. */
export type ContextOf<Ctx> = {} extends Ctx ? [context?: Ctx] : [context: Ctx]

const openSession = Effect.fnUntraced(function* (
  transport: Transport,
  settings: ClientSettings
): Effect.fn.Return<McpSession, McpError, Scope.Scope> {
  const engine = yield* makeEngine(transport, settings.client ?? defaults.client, noiseHook(settings))
  const verdict = yield* probe(engine, settings.probeTimeout ?? defaults.probeTimeout)
  if (verdict._tag === "Native") {
    const { discovered, version } = verdict
    return makeSession({ engine, version, discovered, settings })
  }
  const what =
    verdict.versions.length === 0
      ? `${verdict.why}. Either no MCP server answers here, or one that speaks only revisions before 2026-07-28, ` +
        "which this client does not speak yet"
      : `this server speaks only ${verdict.versions.join(", ")}; the compat era is not supported yet`
  return yield* engine.error(ClientRequest.discover(), new McpReason.NotOffered({ what }))
})

const badUrl = (server: string, message: string): McpError =>
  new McpError({ reason: new McpReason.Transport({ message }), method: "server/discover", server })

/** The address to send to, or why there is none. */
const parseUrl = (url: string | URL): URL | McpError => {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed?.protocol !== "http:" && parsed?.protocol !== "https:") {
    return badUrl(JSON.stringify(String(url)), "it is not an http: or https: URL; write one such as https://host/mcp")
  }
  return parsed.username === "" && parsed.password === ""
    ? parsed
    : badUrl(addressOf(parsed), 'its URL holds a name or a password; send them with the "headers" setting')
}

/**
 * Opens a session over HTTP.
 *
 * @param url the server's address
 * @param settings headers, limits, and the `fetch` to use: a server's fetch door fits, and no socket is needed
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports
 *
 * @example
 * ```ts
 * import { McpClient } from "@treadle/client"
 * import * as Effect from "effect/Effect"
 *
 * const names = Effect.scoped(
 *   Effect.gen(function* () {
 *     const session = yield* McpClient.http("https://box.example/mcp")
 *     const tools = yield* session.listTools()
 *     return tools.map((tool) => tool.name)
 *   })
 * )
 * Effect.isEffect(names) // => true
 * ```
 */
const http = (url: string | URL, settings: HttpSettings = {}): Effect.Effect<McpSession, McpError, Scope.Scope> =>
  Effect.suspend(() => {
    const address = parseUrl(url)
    if (address instanceof McpError) return Effect.fail(address)
    return Effect.flatMap(httpTransport(address, settings), (transport) => openSession(transport, settings))
  })

/**
 * Opens a session over a pipe of lines, such as one end of `linePair()` of `@treadle/protocol/framing`.
 *
 * @param port opened and read by the session, and closed with it
 */
const pipe = (port: LinePort, settings: PipeSettings = {}): Effect.Effect<McpSession, McpError, Scope.Scope> =>
  Effect.flatMap(pipeTransport(port, settings), (transport) => openSession(transport, settings))

/**
 * Opens a session with a server in this process: no socket and no JSON text in between. What a handler dies of arrives
 * as the `cause` of the error.
 *
 * @param server an `Mcp` value that needs nothing more
 * @param context what its handlers ask of a caller; required where they do
 */
const direct = <Ctx, E>(
  server: DirectServer<Ctx, E, never>,
  ...[context]: ContextOf<Ctx>
): Effect.Effect<McpSession, E | McpError, Scope.Scope> =>
  // A context is left out only where an empty one is enough.
  Effect.flatMap(server["~treadle/direct"]((context ?? {}) as Ctx), (peer) => openSession(directTransport(peer), {}))

/** Ways to open a session; each fails with `McpError` and closes with its scope. */
export const McpClient = { http, pipe, direct }
