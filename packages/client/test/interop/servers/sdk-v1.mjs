/**
 * The box office on version 1 of the official SDK, which speaks the compat era: `node sdk-v1.mjs stdio`; `http`, at
 * `/mcp`; or `sse`, the two endpoints of 2024-11-05, at `/sse`.
 */
import { randomUUID } from "node:crypto"
import { createServer } from "node:http"
import { completable } from "@modelcontextprotocol/sdk/server/completable.js"
import { McpServer, ResourceTemplate } from "@modelcontextprotocol/sdk/server/mcp.js"
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js"
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js"
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js"
import { SubscribeRequestSchema, UnsubscribeRequestSchema } from "@modelcontextprotocol/sdk/types.js"
import * as z from "zod"

const board = "box://board"
const text = (text) => ({ content: [{ type: "text", text }] })

const registerTools = (server) => {
  server.registerTool(
    "get_show",
    {
      description: "One bill",
      inputSchema: { id: z.number() },
      outputSchema: { id: z.number(), title: z.string() }
    },
    async ({ id }) => {
      if (id === 9) return { isError: true, ...text("no show 9") }
      const value = { id, title: "Hämlet 😀" }
      return { ...text(JSON.stringify(value)), structuredContent: value }
    }
  )
  server.registerTool("ping", { description: "Is it up" }, async () => text("pong"))
  server.registerTool("steps", { description: "Three steps" }, async ({ _meta, sendNotification }) => {
    for (const progress of [1, 2, 3]) {
      const params = { progressToken: _meta?.progressToken, progress, total: 3 }
      await sendNotification({ method: "notifications/progress", params })
    }
    return text("walked")
  })
  server.registerTool("wait", { description: "Never ends" }, async ({ signal }) => {
    process.stderr.write("waiting\n")
    return new Promise((_, reject) => {
      signal.addEventListener("abort", () => {
        process.stderr.write("aborted\n")
        reject(new Error("aborted"))
      })
    })
  })
  server.registerTool("ask", { description: "Asks how many seats" }, async (context) => {
    const answer = await server.server.elicitInput(
      {
        message: "How many seats?",
        requestedSchema: { type: "object", properties: { seats: { type: "number" } }, required: ["seats"] }
      },
      { relatedRequestId: context.requestId }
    )
    return text(answer.action === "accept" ? `${answer.content.seats} seats` : answer.action)
  })
}

const registerChanges = (server) => {
  let touched = 0
  let encores = 0
  server.registerTool("grow", { description: "Adds a tool" }, async () => {
    server.registerTool(`encore_${++encores}`, { description: "Once more" }, async () => text("again"))
    return text("grown")
  })
  server.registerTool("touch", { description: "Changes the board" }, async () => {
    touched++
    await server.server.sendResourceUpdated({ uri: board })
    return text("touched")
  })
  server.registerResource("board", board, { mimeType: "text/plain" }, async () => ({
    contents: [{ uri: board, mimeType: "text/plain", text: `board ${touched}` }]
  }))
  server.server.setRequestHandler(SubscribeRequestSchema, async () => ({}))
  server.server.setRequestHandler(UnsubscribeRequestSchema, async () => ({}))
}

const registerRest = (server) => {
  const template = new ResourceTemplate("box://shows/{id}", { list: undefined })
  server.registerResource("show", template, { mimeType: "text/plain" }, async (uri, { id }) => ({
    contents: [{ uri: uri.href, mimeType: "text/plain", text: `show ${id}` }]
  }))
  const titles = ["Hamlet", "Henry V", "Faust"]
  const title = completable(z.string(), (value) => titles.filter((title) => title.startsWith(value)))
  server.registerPrompt("bill", { description: "Sells a show", argsSchema: { title } }, ({ title }) => ({
    messages: [{ role: "user", content: { type: "text", text: `Sell ${title}` } }]
  }))
}

const connect = (transport) => {
  const capabilities = { resources: { subscribe: true } }
  const server = new McpServer({ name: "official", version: "1.32.2" }, { capabilities })
  registerTools(server)
  registerChanges(server)
  registerRest(server)
  return server.connect(transport)
}

/** Serves each session on a transport of its own. */
const streamable = () => {
  const open = new Map()
  return async (request, response) => {
    const known = open.get(request.headers["mcp-session-id"])
    if (known !== undefined) return known.handleRequest(request, response)
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => open.set(id, transport),
      onsessionclosed: (id) => open.delete(id)
    })
    await connect(transport)
    return transport.handleRequest(request, response)
  }
}

/** Serves a stream at `/sse`, which names the address to post to. */
const twoEndpoints = () => {
  const open = new Map()
  return async (request, response) => {
    const { pathname, searchParams } = new URL(request.url, "http://localhost")
    if (request.method === "GET" && pathname === "/sse") {
      const transport = new SSEServerTransport("/messages", response)
      open.set(transport.sessionId, transport)
      response.on("close", () => open.delete(transport.sessionId))
      return connect(transport)
    }
    const known = pathname === "/messages" ? open.get(searchParams.get("sessionId")) : undefined
    if (known !== undefined) return known.handlePostMessage(request, response)
    response.writeHead(404).end()
  }
}

if (process.argv[2] === "stdio") await connect(new StdioServerTransport())
else createServer(process.argv[2] === "sse" ? twoEndpoints() : streamable()).listen(0, "127.0.0.1")
