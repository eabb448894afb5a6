/** A client that was let go gets what it missed, as the page on eras says. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { open, openForOldClients } from "./pausing.ts"

describe("the press", () => {
  it("prints for a client that comes back for the rest, and for one of 2024-11-05", async () => {
    await using door = open()
    await using old = openForOldClients()
    const server = createServer((req, res) => (req.url?.startsWith("/sse") ? old : door)(req, res))
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as AddressInfo
    try {
      for (const transport of [
        new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`)),
        new SSEClientTransport(new URL(`http://127.0.0.1:${port}/sse`))
      ]) {
        const client = new Client({ name: "guide", version: "1.0.0" })
        await client.connect(transport)
        const seen: Array<number> = []
        const result = await client.callTool({ name: "print_programmes" }, undefined, {
          onprogress: ({ progress }) => seen.push(progress)
        })
        assert.deepStrictEqual(result.content, [{ type: "text", text: "Printed 120 programmes" }])
        assert.strictEqual(seen[0], 0)
        await client.close()
      }
    } finally {
      server.closeAllConnections()
      server.close()
    }
  })
})
