/**
 * Servers of an agent that need Node: programs that are started for each run and speak over their input and output.
 */
import { McpNodeClient, type StdioSettings } from "@treadle/client/node"
import type { ServerRef, ServerSettings } from "../AgentDefinition.ts"
import { Server } from "../Server.ts"

/** What to start, and what is said of the server. */
export interface CommandSettings extends ServerSettings, Pick<StdioSettings, "cwd" | "env" | "onStderr"> {}

/**
 * A server that is a program. It is started when a run connects, without a shell, and ended with it.
 *
 * @param program its path or name
 * @param args its arguments, as they are
 *
 * @example
 * ```ts
 * import { Agent } from "@treadle/agent"
 * import { NodeServer } from "@treadle/agent/node"
 *
 * const reader = Agent.make({
 *   name: "reader",
 *   instruction: "You answer from the files you are given.",
 *   servers: { files: NodeServer.command("mcp-server-filesystem", ["/srv/docs"], { tags: ["sensitive"] }) }
 * })
 * Agent.check(reader) // => []
 * ```
 */
const command = (program: string, args: ReadonlyArray<string> = [], settings: CommandSettings = {}): ServerRef => {
  const { cwd, env, onStderr, ...said } = settings
  const child = {
    command: program,
    args,
    ...(cwd === undefined ? {} : { cwd }),
    ...(env === undefined ? {} : { env }),
    ...(onStderr === undefined ? {} : { onStderr })
  }
  return Server.from((client) => McpNodeClient.stdio({ ...client, ...child }), said)
}

export const NodeServer = { command }
