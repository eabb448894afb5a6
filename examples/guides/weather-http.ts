/** Serves the first server of the README on a port of its own. */
// #region listen
import { McpNode } from "@treadle/server/node"
import { weather } from "./weather.ts"

export const server = await McpNode.listen(weather, { port: Number(process.env["PORT"] ?? 8080) })
console.error(`MCP at ${server.url}`)
// #endregion
