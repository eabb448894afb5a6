/**
 * Opens sessions: over HTTP, over a pipe of lines, or with a server in the same process.
 *
 * Opening finds out what the server speaks, so a session that is there is one that works. A child process as a server is
 * opened by `@treadle/client/node`.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { DirectServer, LinePort } from "@treadle/protocol/framing"
import { ClientRequest } from "@treadle/protocol/schema"
import { ownNames, type ClientSettings, type HttpSettings, type PipeSettings } from "./ClientSettings.ts"
import { openLink, type Opening } from "./engine/opening/Opening.ts"
import { requestError } from "./engine/RequestError.ts"
import { McpReason, type McpError } from "./McpError.ts"
import type { McpSession } from "./McpSession.ts"
import { openHttp } from "./OpenHttp.ts"
import { openSession } from "./OpenSession.ts"
import { directTransport } from "./transport/DirectTransport.ts"
import { pipeTransport } from "./transport/PipeTransport.ts"

/** A context that may be left out where nothing in it is required. */
export type ContextOf<Ctx> = {} extends Ctx ? [context?: Ctx] : [context: Ctx]

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
  openHttp(url, settings)

/**
 * Opens a session over a pipe of lines, such as one end of `linePair()` of `@treadle/protocol/framing`. A pipe cannot be
 * opened again: when it ends, so does the session.
 *
 * @param port opened and read by the session, and closed with it
 */
const pipe = (port: LinePort, settings: PipeSettings = {}): Effect.Effect<McpSession, McpError, Scope.Scope> =>
  Effect.suspend(() => {
    const server = settings.name ?? "the pipe"
    let opened = false
    const open = (opening: Opening, lose: () => void) => {
      if (opened) {
        const detail = settings.whyEnded?.() ?? "the server closed the pipe"
        return Effect.fail(
          requestError(server, ClientRequest.discover(), new McpReason.Closed({ detail, notRun: true }))
        )
      }
      opened = true
      return Effect.flatMap(pipeTransport(port, settings), (transport) => openLink(transport, opening, lose))
    }
    return openSession(
      { server, known: undefined, names: ownNames.pipe, reopens: false, caller: Effect.succeed(""), open },
      settings
    )
  })

/**
 * Opens a session with a server in this process: no socket and no JSON text in between. What a handler dies of arrives
 * as the `cause` of the error.
 *
 * @param server an `Mcp` value that needs nothing more
 * @param context what its handlers ask of a caller; required where they do
 * @param settings after the context
 */
const direct = <Ctx, E>(
  server: DirectServer<Ctx, E, never>,
  ...[context, settings]: [...ContextOf<Ctx>, settings?: ClientSettings]
): Effect.Effect<McpSession, E | McpError, Scope.Scope> =>
  // A context is left out only where an empty one is enough.
  Effect.flatMap(server["~treadle/direct"]((context ?? {}) as Ctx), (peer) => {
    const transport = directTransport(peer)
    const open = (opening: Opening, lose: () => void) => openLink(transport, opening, lose)
    const source = {
      server: transport.server,
      known: undefined,
      names: ownNames.direct,
      caller: Effect.succeed(""),
      open
    }
    return openSession(source, settings ?? {})
  })

/** Ways to open a session; each fails with `McpError` and closes with its scope. */
export const McpClient = { http, pipe, direct }
