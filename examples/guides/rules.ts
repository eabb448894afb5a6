/** Guidelines as a server, which the guides about agents share. */
// #region rules
import { Endpoint, Mcp } from "@treadle/server"
import * as Schema from "effect/Schema"

export const search = Endpoint.make("search", {
  description: "Search the guidelines",
  input: { query: Schema.String },
  output: Schema.Array(Schema.String)
})

export const rules = Mcp.make({ name: "rules", version: "1.0.0" }).tool(search, async ({ query }) =>
  query.includes("push") ? ["Rule 7: no force pushes"] : []
)
// #endregion rules
