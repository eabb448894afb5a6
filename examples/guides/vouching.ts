/** An application that authenticates by itself, and says what its callers may do. */
// #region vouching
import { Mcp } from "@treadle/server"
import { McpNode } from "@treadle/server/node"
import express from "express"

interface User {
  readonly id: string
  readonly roles: ReadonlyArray<string>
}

const desk = Mcp.make<{ user: User }>({
  name: "desk",
  version: "1.0.0",
  principal: ({ user }) => ({ id: user.id, scopes: user.roles })
}).tool("close_desk", { description: "Closes the desk", scopes: ["manager"] }, async () => "Closed")

export const appFor = (userOf: (request: express.Request) => User | undefined) => {
  const handler = McpNode.handler(desk)
  return express().all("/mcp", (req, res) => {
    const user = userOf(req)
    if (user === undefined) return void res.status(401).end()
    handler(req, res, { user })
  })
}
// #endregion
