/** The library in a server that knows nothing of Effect. */
// #region plain
import { HttpRoutes } from "@treadle/server/http-api"
import { Hono } from "hono"
import { library } from "./routes.ts"

export const routes = HttpRoutes.fetch(library, {
  prefix: "/api",
  mcp: "/mcp",
  docs: "/docs",
  hosts: ["books.example"]
})

export const app = new Hono()
app.all("*", (c) => routes(c.req.raw))
// #endregion
