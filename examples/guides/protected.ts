/** A box office that takes tokens of an authorization server. */
// #region protected
import { Mcp, ProtectedResource, type TokenVerifier } from "@treadle/server"
import { McpNode } from "@treadle/server/node"

const boxOffice = Mcp.make({ name: "box office", version: "1.0.0" })
  .tool("shows", { description: "Tonight's shows" }, async () => "Hamlet, Faust")
  .tool(
    "cancel_show",
    { description: "Cancels a show", scopes: ["box:write"] },
    async (_, { principal }) => `Cancelled by ${principal?.id}`
  )

export const open = (verifier: TokenVerifier) =>
  McpNode.listen(boxOffice, {
    auth: ProtectedResource.make({
      resource: "https://box.example/mcp",
      authorizationServers: ["https://login.example"],
      verifier,
      scopes: {
        required: ["box:read"],
        supported: ["box:read", "box:write"],
        implies: { "box:admin": ["box:write"], "box:write": ["box:read"] }
      }
    })
  })
// #endregion
