// mcp-lite over HTTP: `node lite-http.mjs PORT` serves the tool `add`. It speaks 2025-06-18 at most, statelessly.
import { createServer } from "node:http"
import { toNodeHandler } from "@modelcontextprotocol/node"
import { McpServer, StreamableHttpTransport } from "mcp-lite"
import * as z from "zod"

const mcp = new McpServer({ name: "bench", version: "1.0.0", schemaAdapter: (schema) => z.toJSONSchema(schema) })
mcp.tool("add", {
  description: "Adds two numbers",
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  outputSchema: z.object({ sum: z.number() }),
  handler: ({ a, b }) => {
    const value = { sum: a + b }
    return { content: [{ type: "text", text: JSON.stringify(value) }], structuredContent: value }
  }
})

const fetch = new StreamableHttpTransport().bind(mcp)
createServer(toNodeHandler({ fetch })).listen(Number(process.argv[2]), "127.0.0.1")
