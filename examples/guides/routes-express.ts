/** Routes in Express, with what belongs to each request. */
// #region express
import { Endpoint, Mcp } from "@treadle/server"
import { HttpRoutes } from "@treadle/server/http-api"
import { McpNode } from "@treadle/server/node"
import * as Schema from "effect/Schema"
import express from "express"

const borrowed: Readonly<Record<string, ReadonlyArray<string>>> = { Ada: ["Emma"] }

const myLoans = Endpoint.make("my_loans", {
  description: "What the caller has borrowed",
  output: Schema.Array(Schema.String),
  http: "GET /loans"
})

const desk = Mcp.make<{ reader: string }>({ name: "desk", version: "1.0.0", principal: ({ reader }) => reader }).tool(
  myLoans,
  async (_, { context }) => borrowed[context.reader] ?? []
)

export const routes = HttpRoutes.fetch(desk, { prefix: "/api", mcp: "/mcp", docs: "/docs" })
const handler = McpNode.fetched(routes)

export const app = express()
app.all(["/api/*path", "/mcp", "/docs", "/openapi.json"], (req, res) =>
  handler(req, res, { reader: req.get("x-reader") ?? "nobody" })
)
// #endregion
