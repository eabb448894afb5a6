// The official SDK v2 over stdio: serves the tool `add`.
import { McpServer } from "@modelcontextprotocol/server"
import { serveStdio } from "@modelcontextprotocol/server/stdio"
import * as z from "zod"

serveStdio(() => {
  const server = new McpServer({ name: "bench", version: "1.0.0" })
  server.registerTool(
    "add",
    {
      description: "Adds two numbers",
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      outputSchema: z.object({ sum: z.number() })
    },
    async ({ a, b }) => {
      const value = { sum: a + b }
      return { content: [{ type: "text", text: JSON.stringify(value) }], structuredContent: value }
    }
  )
  return server
})
