// The official SDK v2 over HTTP: `node sdk-http.mjs PORT` serves the tool `add`.
import { createServer } from "node:http"
import { toNodeHandler } from "@modelcontextprotocol/node"
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server"
import * as z from "zod"

const inputSchema = z.object({ a: z.number(), b: z.number() })
const outputSchema = z.object({ sum: z.number() })

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: "bench", version: "1.0.0" })
  server.registerTool("add", { description: "Adds two numbers", inputSchema, outputSchema }, async ({ a, b }) => {
    const value = { sum: a + b }
    return { content: [{ type: "text", text: JSON.stringify(value) }], structuredContent: value }
  })
  return server
})

createServer(toNodeHandler(handler)).listen(Number(process.argv[2]), "127.0.0.1")
