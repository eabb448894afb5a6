/** An Express app with its own authentication; the MCP endpoint is one more route. */
import { McpNode } from "@treadle/server/node"
import express from "express"
import { ordersFor, userOf } from "./domain.ts"
import { orders } from "./server.ts"

export const makeApp = () => {
  const app = express()
  const handler = McpNode.handler(orders)
  app.all("/mcp", (req, res) => {
    const user = userOf(req.headers.authorization)
    if (user === undefined) {
      res.status(401).json({ error: "Send Authorization: Bearer ada, or bob" })
      return
    }
    handler(req, res, { user, db: ordersFor(user.organisation) })
  })
  // It refuses more than 100 kB, so it is for the routes below; the handler reads its own bodies, up to 4 MiB.
  app.use(express.json())
  return { app, close: () => handler.close() }
}
