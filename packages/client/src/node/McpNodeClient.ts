/**
 * Opens a session with a server that is started as a child process and speaks over its input and output.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { namesOf } from "@treadle/protocol/json"
import { noiseHook, type ClientSettings, type HttpSettings } from "../ClientSettings.ts"
import { openLink, type Opening } from "../engine/opening/Opening.ts"
import { addressOf, type McpError } from "../McpError.ts"
import type { McpSession } from "../McpSession.ts"
import { openHttp } from "../OpenHttp.ts"
import { openSession } from "../OpenSession.ts"
import { promiseClient, type PromiseClient } from "../promise/PromiseClient.ts"
import { pipeTransport } from "../transport/PipeTransport.ts"
import { makeNodeSender } from "./NodeHttp.ts"
import { openChild, type ChildCommand } from "./ChildTransport.ts"

/** The program, and settings of the session. */
export interface StdioSettings extends ChildCommand, ClientSettings {
  /** The longest line that is read, in bytes: 64 MiB by default. */
  readonly lineLimit?: number
}

const stdioNames = namesOf<Omit<StdioSettings, keyof ClientSettings> & { readonly signal: AbortSignal }>({
  command: true,
  args: true,
  env: true,
  cwd: true,
  onStderr: true,
  stop: true,
  lineLimit: true,
  signal: true
})

const commandLine = ({ args = [], command }: StdioSettings): string => [command, ...args].join(" ")

/**
 * Starts a server and opens a session with it.
 *
 * The process lives as long as the scope: then its input is closed, and if that does not end it, it is terminated and
 * at last killed. One that dies is started again by whoever needs it next, at once while something is watched. Text for
 * the server's log goes to `onStderr`.
 *
 * @param settings `command` and `args` (no shell, so nothing is quoted), `env`, `cwd`, `onStderr`, limits
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports#stdio
 *
 * @example
 * ```ts
 * import { McpNodeClient } from "@treadle/client/node"
 * import * as Effect from "effect/Effect"
 *
 * const tools = Effect.scoped(
 *   Effect.flatMap(McpNodeClient.stdio({ command: "node", args: ["server.js"] }), (session) => session.listTools())
 * )
 * Effect.isEffect(tools) // => true
 * ```
 */
const stdio = (settings: StdioSettings): Effect.Effect<McpSession, McpError, Scope.Scope> =>
  Effect.suspend(() => {
    const server = commandLine(settings)
    /** Whether the server is known to end when it is asked natively. */
    let greet = false

    const start = (opening: Opening, lose: () => void) =>
      Effect.gen(function* () {
        const { port, whyEnded } = yield* openChild(settings, noiseHook(settings))
        const transport = yield* pipeTransport(port, { ...settings, name: server, whyEnded })
        return yield* openLink(transport, opening, lose)
      })
    const greeting = (opening: Opening): Opening => ({ ...opening, terms: { ...opening.terms, greet: true } })

    const open = (opening: Opening, lose: () => void) => {
      if (greet) return start(greeting(opening), lose)
      const mayGreet = ({ method, reason }: McpError) =>
        reason._tag === "Closed" && method === "server/discover" && opening.terms.revision === undefined
      // A server that ends over the probe is an old one: it is started again and greeted (ERA-17).
      return Effect.catchIf(start(opening, lose), mayGreet, (error) =>
        start(greeting(opening), lose).pipe(
          Effect.tap(() => Effect.sync(() => (greet = true))),
          Effect.mapError(() => error)
        )
      )
    }
    return openSession({ server, known: server, names: stdioNames, caller: Effect.succeed(""), open }, settings)
  })

/** Settings of a session over `node:http`. */
export interface NodeHttpSettings extends Omit<HttpSettings, "fetch"> {}

/**
 * Opens a session over HTTP, like `McpClient.http`, but over `node:http` in place of `fetch`: with connections of its own
 * that are kept, at a fraction of the cost, and without giving up after five silent minutes.
 *
 * @param url the server's address
 */
const http = (url: string | URL, settings: NodeHttpSettings = {}): Effect.Effect<McpSession, McpError, Scope.Scope> =>
  Effect.flatMap(
    Effect.acquireRelease(Effect.sync(makeNodeSender), (sender) => Effect.sync(sender.close)),
    ({ send }) => openHttp(url, settings, send)
  )

/** Sessions that need Node. */
export const McpNodeClient = { http, stdio }

/** Settings of `connectHttp`. */
export interface ConnectHttpSettings extends NodeHttpSettings {
  /** Aborting it gives up connecting; the client it gave is not concerned. */
  readonly signal?: AbortSignal
}

/**
 * Connects to an address over `node:http`, and gives a client of promises.
 *
 * @example
 * ```ts
 * import { connectHttp } from "@treadle/client/node"
 *
 * const names = async (url: string) => {
 *   await using client = await connectHttp(url)
 *   const tools = await client.listTools()
 *   return tools.map((tool) => tool.name)
 * }
 * typeof names // => "function"
 * ```
 */
export const connectHttp = (url: string | URL, settings: ConnectHttpSettings = {}): Promise<PromiseClient> =>
  promiseClient(http(url, settings), addressOf(url), settings.signal)

/** Settings of `connectStdio`. */
export interface ConnectStdioSettings extends StdioSettings {
  /** Aborting it gives up connecting and stops the process. */
  readonly signal?: AbortSignal
}

/**
 * Starts a server and gives a client of promises. The process ends with the client: `await client.close()`, or
 * `await using client = …`.
 *
 * @example
 * ```ts
 * import { connectStdio } from "@treadle/client/node"
 *
 * const names = async () => {
 *   await using client = await connectStdio({ command: "node", args: ["server.js"] })
 *   const tools = await client.listTools()
 *   return tools.map((tool) => tool.name)
 * }
 * typeof names // => "function"
 * ```
 */
export const connectStdio = (settings: ConnectStdioSettings): Promise<PromiseClient> =>
  promiseClient(stdio(settings), commandLine(settings), settings.signal)
