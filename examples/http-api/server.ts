/** The same service, and its operations as tools: these are the lines that it takes. */
// #region server
import { Mcp } from "@treadle/server"
import { HttpApiTools } from "@treadle/server/http-api"
import { McpRouter } from "@treadle/server/http-router"
import * as Layer from "effect/Layer"
import { BoxApi } from "./api.ts"
import { ApiLive } from "./service.ts"

export const tools = HttpApiTools.make(BoxApi, {
  list_shows: "shows.list",
  get_show: { operation: "shows.get", description: "One bill", hints: { readOnly: true } },
  book_seats: { operation: "shows.book", hints: { destructive: false } }
})
export const mcp = Mcp.make({ name: "Box office", version: "0.1.0" }).add(tools.mcp)
export const App = Layer.mergeAll(ApiLive, McpRouter.layer(mcp, { path: "/mcp" }))
// #endregion
