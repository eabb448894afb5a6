/**
 * Opens a session with a server that is started as a child process and speaks over its input and output.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { noiseHook, type ClientSettings } from "../ClientSettings.ts"
import { McpClient } from "../McpClient.ts"
import type { McpError } from "../McpError.ts"
import type { McpSession } from "../McpSession.ts"
import { promiseClient, type PromiseClient } from "../promise/connect.ts"
import { openChild, type ChildCommand } from "./ChildTransport.ts"

/** The program, and settings of the session. */
export interface StdioSettings extends ChildCommand, ClientSettings {
  /** The longest line that is read, in bytes: 16 MiB by default. */
  readonly lineLimit?: number
}

/**
 * Starts a server and opens a session with it.
 *
 * The process lives as long as the scope: then its input is closed, and if that does not end it, it is terminated and
 * at last killed. Text for the server's log goes to `onStderr`.
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
  Effect.flatMap(openChild(settings, noiseHook(settings)), ({ port, whyEnded }) =>
    McpClient.pipe(port, { ...settings, name: [settings.command, ...(settings.args ?? [])].join(" "), whyEnded })
  )

/** Sessions that need Node. */
export const McpNodeClient = { stdio }

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
  promiseClient(stdio(settings), settings.command, settings.signal)
