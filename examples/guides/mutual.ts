/** A server that other machines reach, whose clients show certificates. */
// #region mutual
import type { Mcp } from "@treadle/server"
import { McpNode, type TlsSettings } from "@treadle/server/node"

export const openMutual = (mcp: Mcp<never>, files: Pick<TlsSettings, "key" | "cert" | "clientCa">) =>
  McpNode.listen(mcp, {
    host: process.env["HOST"] ?? "127.0.0.1",
    port: Number(process.env["PORT"] ?? 0),
    hosts: ["box.example"],
    tls: { ...files, scopes: { "CN=nightly,O=Example": ["box:write"] } }
  })
// #endregion
