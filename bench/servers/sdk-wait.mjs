// The official SDK v2 with a tool that waits for a minute, answering with events: `node sdk-wait.mjs PORT`.
import { createServer } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { toNodeHandler } from "@modelcontextprotocol/node"
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server"

const handler = createMcpHandler(
  () => {
    const server = new McpServer({ name: "bench", version: "1.0.0" })
    server.registerTool("wait", { description: "Waits a minute" }, async () => {
      await sleep(60_000)
      return { content: [{ type: "text", text: "done" }] }
    })
    return server
  },
  { responseMode: "sse" }
)

createServer(toNodeHandler(handler)).listen(Number(process.argv[2]), "127.0.0.1")
