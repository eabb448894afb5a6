/** A server for two programs, each with a secret that was agreed with it. */
// #region bearer
import { StaticBearer, type Mcp } from "@treadle/server"
import { McpHttp } from "@treadle/server/http"

export const openFor = (
  mcp: Mcp<never>,
  { nightly, monitor }: { readonly nightly: string; readonly monitor: string }
) =>
  McpHttp.fetch(mcp, {
    hosts: ["box.example"],
    auth: StaticBearer.make({
      tokens: { nightly, monitor },
      scopes: { nightly: ["box:write"] }
    })
  })
// #endregion
