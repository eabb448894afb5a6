/**
 * A server on the official SDK: `node official-server.mjs stdio`, or `http`, which then writes its port as a line.
 */
import { createServer } from "node:http"
import { createRequire } from "node:module"
import * as z from "zod"

// The SDK of the benchmarks: the version that speaks 2026-07-28.
const require = createRequire(new URL("../../../../bench/package.json", import.meta.url))
const { createMcpHandler, McpServer } = require("@modelcontextprotocol/server")

const show = z.object({ id: z.number(), title: z.string() })

const make = () => {
  const server = new McpServer({ name: "official", version: "2.4.0" })
  server.registerTool(
    "get_show",
    { description: "One bill", inputSchema: z.object({ id: z.number() }), outputSchema: show },
    async ({ id }) => {
      if (id === 9) return { isError: true, content: [{ type: "text", text: "no show 9" }] }
      const value = { id, title: "Hämlet 😀" }
      return { content: [{ type: "text", text: JSON.stringify(value) }], structuredContent: value }
    }
  )
  server.registerTool("ping", { description: "Is it up" }, async () => ({ content: [{ type: "text", text: "pong" }] }))
  server.registerTool("steps", { description: "Three steps" }, async (context) => {
    const progressToken = context.mcpReq._meta?.progressToken
    for (const progress of [1, 2, 3]) {
      await context.mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, total: 3 } })
    }
    return { content: [{ type: "text", text: "walked" }] }
  })
  server.registerTool("wait", { description: "Never ends" }, async (context) => {
    process.stderr.write("waiting\n")
    return new Promise((_, reject) => {
      context.mcpReq.signal.addEventListener("abort", () => {
        process.stderr.write("aborted\n")
        reject(new Error("aborted"))
      })
    })
  })
  return server
}

if (process.argv[2] === "stdio") {
  require("@modelcontextprotocol/server/stdio").serveStdio(make)
} else {
  const { toNodeHandler } = require("@modelcontextprotocol/node")
  const server = createServer(toNodeHandler(createMcpHandler(make)))
  server.listen(0, "127.0.0.1", () => process.stdout.write(`${server.address().port}\n`))
  process.stdin.resume().on("end", () => process.exit(0))
}
