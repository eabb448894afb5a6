// The official SDK v2 with 200 tools over HTTP: `node sdk-list.mjs PORT`.
import { createServer } from "node:http"
import { toNodeHandler } from "@modelcontextprotocol/node"
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server"
import * as z from "zod"

const inputSchema = z.object({ id: z.int(), query: z.string(), tags: z.array(z.string()) })
const outputSchema = z.object({ found: z.int(), names: z.array(z.string()) })

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: "bench", version: "1.0.0" })
  for (let n = 0; n < 200; n++) {
    const about = { description: `Finds things of kind ${n}`, inputSchema, outputSchema }
    server.registerTool(`find_${n}`, about, async () => ({
      content: [],
      structuredContent: { found: 0, names: [] }
    }))
  }
  return server
})

createServer(toNodeHandler(handler)).listen(Number(process.argv[2]), "127.0.0.1")
