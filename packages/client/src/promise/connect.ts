/**
 * Connects to a server for code that awaits.
 */
import type { DirectServer } from "@treadle/protocol/framing"
import type { ClientSettings, HttpSettings } from "../ClientSettings.ts"
import { McpClient, type ContextOf } from "../McpClient.ts"
import { addressOf } from "../McpError.ts"
import { promiseClient, type PromiseClient } from "./PromiseClient.ts"

/** Settings of `connect` with an address. */
export interface ConnectSettings extends HttpSettings {
  /** Aborting it gives up connecting; the client it gave is not concerned. */
  readonly signal?: AbortSignal
}

/** Settings of `connect` with a server in the same process. */
export interface DirectSettings extends ClientSettings {
  /** Aborting it gives up connecting; the client it gave is not concerned. */
  readonly signal?: AbortSignal
}

/** Connects to an address, or to a server in the same process. */
export interface Connect {
  (url: string | URL, settings?: ConnectSettings): Promise<PromiseClient>
  <Ctx, E>(
    server: DirectServer<Ctx, E, never>,
    ...given: [...context: ContextOf<Ctx>, settings?: DirectSettings]
  ): Promise<PromiseClient>
}

const noTarget =
  'connect takes a URL, such as "https://box.example/mcp", or what Mcp.make({ … }) gives; it was given neither. Is the ' +
  "setting that names the address missing?"

/** Plain JavaScript may give anything. */
const isServer = (target: unknown): boolean =>
  typeof target === "object" && target !== null && "~treadle/direct" in target

/**
 * Connects to a server.
 *
 * @param target a URL, or a server's own value, which is then served in this process
 * @param second the settings of a URL, or the context that the server's handlers ask for; settings come third then
 * @returns the client; rejects with `McpError`, or with `TypeError` where the target is neither
 *
 * @example
 * ```ts
 * import { connect } from "@treadle/client/promise"
 *
 * const names = async (url: string) => {
 *   await using client = await connect(url)
 *   const tools = await client.listTools()
 *   return tools.map((tool) => tool.name)
 * }
 * typeof names // => "function"
 * ```
 */
export const connect: Connect = <Ctx, E>(
  target: string | URL | DirectServer<Ctx, E, never>,
  ...[second, third]: [second?: unknown, third?: DirectSettings]
): Promise<PromiseClient> => {
  if (typeof target === "string" || target instanceof URL) {
    // The overloads have settings in the second place of an address.
    const settings = (second ?? {}) as ConnectSettings
    return promiseClient(McpClient.http(target, settings), addressOf(target), settings.signal)
  }
  if (!isServer(target)) return Promise.reject(new TypeError(noTarget))
  // The overloads ask for a context wherever one is needed.
  const given = [second ?? {}, third ?? {}] as unknown as [...context: ContextOf<Ctx>, settings: ClientSettings]
  return promiseClient(McpClient.direct(target, ...given), "the server in this process", third?.signal)
}
