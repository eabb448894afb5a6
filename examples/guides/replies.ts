/** What a handler may return, and what reaches the model. */
// #region replies
import { Content, Endpoint, Mcp, Reply } from "@treadle/server"
import * as Schema from "effect/Schema"

const chart = Endpoint.make("chart", {
  description: "Sales by month",
  output: Schema.Struct({ months: Schema.Int })
})

const pixel = Uint8Array.of(137, 80, 78, 71)

export const replies = Mcp.make({ name: "replies", version: "1.0.0" })
  .tool(chart, async () => Reply.of({ months: 12 }, Content.image(pixel, "image/png")))
  .tool("names", { description: "A list", output: Schema.Array(Schema.String) }, async () => ["Ada", "Grace"])
  .tool("say", { description: "Text only" }, async () => "Hello")
  .tool("nothing", { description: "No content" }, async () => {})
// #endregion
