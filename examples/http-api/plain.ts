/** The same tools where no HttpRouter serves the api: each has a router of its own. */
// #region plain
import { HttpApiTools } from "@treadle/server/http-api"
import { McpNode } from "@treadle/server/node"
import { mcp } from "./server.ts"
import { ApiLive } from "./service.ts"

export const open = () => McpNode.listen(mcp.provide(HttpApiTools.layer(ApiLive)), { port: 0 })
// #endregion
