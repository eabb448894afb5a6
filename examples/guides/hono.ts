/** Mounted in Hono, with the user that its middleware found. */
// #region hono
import { Mcp } from "@treadle/server"
import { McpHttp } from "@treadle/server/http"
import { Hono } from "hono"

interface User {
  readonly id: string
}

const mcp = Mcp.make<{ user: User }>({ name: "who", version: "1.0.0", principal: ({ user }) => user.id }).tool(
  "who_am_i",
  { description: "The caller" },
  async (_, { context }) => context.user.id
)

const serve = McpHttp.fetch(mcp, { hosts: ["who.example"] })

export const app = new Hono<{ Variables: { user: User } }>()
app.use(async (c, next) => {
  c.set("user", { id: c.req.header("x-user") ?? "anonymous" })
  await next()
})
app.all("/mcp", (c) => serve(c.req.raw, { user: c.get("user") }))
// #endregion
