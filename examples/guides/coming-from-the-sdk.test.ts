/** The same library and the same reader with the official SDK and with Treadle: every reader gets the same of each. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { toNodeHandler, type NodeIncomingMessageLike } from "@modelcontextprotocol/node"
import { createMcpHandler } from "@modelcontextprotocol/server"
import { connect } from "@treadle/client/promise"
import { McpNode } from "@treadle/server/node"
import { describe, expect, test } from "vitest"
import { borrow } from "./lending-client.ts"
import { library } from "./lending.ts"
import { borrow as borrowWithSdk } from "./sdk-lending-client.ts"
import { makeLibrary } from "./sdk-lending.ts"

interface Serving extends AsyncDisposable {
  readonly url: string
}

const serveWithSdk = async (): Promise<Serving> => {
  const handler = createMcpHandler(makeLibrary)
  const listener = toNodeHandler(handler)
  // Its types do not know that Node's may be undefined.
  const server = createServer((request, response) => void listener(request as NodeIncomingMessageLike, response))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    [Symbol.asyncDispose]: async () => {
      await handler.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }
}

const servers = { Treadle: (): Promise<Serving> => McpNode.listen(library), "the official SDK": serveWithSdk }

describe.each(Object.entries(servers))("a library of %s", (_, serve) => {
  test.each(Object.entries({ Treadle: borrow, "the official SDK": borrowWithSdk }))(
    "lends to a reader of %s",
    async (_, reader) => {
      await using server = await serve()
      const lines: Array<string> = []
      await reader(server.url, "Emma", (line) => lines.push(line))
      await reader(server.url, "Sanditon", (line) => lines.push(line))
      // The official client reports each round of questions as progress too, without a total.
      const reported = lines.filter((line) => line !== "1/undefined")
      expect([...new Set(reported)]).toEqual(["1/2", '{"days":14}', "not lent"])
    }
  )

  test("says what it has in the same way", async () => {
    await using server = await serve()
    await using client = await connect(server.url)
    const [lend] = await client.listTools()
    expect(lend?.annotations).toEqual({ destructiveHint: false })
    expect(lend?.inputSchema).toMatchObject({ properties: { title: { type: "string" } }, required: ["title"] })
    const { contents } = await client.readResource("book://Emma")
    expect(contents).toEqual([
      { uri: "book://Emma", mimeType: "text/plain", text: "Emma Woodhouse, handsome, clever, and rich" }
    ])
  })
})
