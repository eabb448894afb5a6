/**
 * The box office on version 2 of the official SDK, which speaks both eras: `node sdk-v2.mjs stdio`; `http`, as its
 * handler serves by default, without compat sessions; or `sessions`, with them. HTTP is at `/mcp`.
 */
import { randomUUID } from "node:crypto"
import { createServer } from "node:http"
import { NodeStreamableHTTPServerTransport, toNodeHandler } from "@modelcontextprotocol/node"
import {
  acceptedContent,
  completable,
  createMcpHandler,
  inputRequired,
  McpServer,
  ResourceTemplate
} from "@modelcontextprotocol/server"
import { serveStdio } from "@modelcontextprotocol/server/stdio"
import * as z from "zod"

const show = z.object({ id: z.number(), title: z.string() })
const party = z.object({ seats: z.number() })
const board = "box://board"
const text = (text) => ({ content: [{ type: "text", text }] })

// What an instance for one request changes, the next one and those who listen must know.
let encores = 0
let touched = 0
let listeners = { toolsChanged: () => {}, resourceUpdated: () => {} }

const registerTools = (server) => {
  server.registerTool(
    "get_show",
    { description: "One bill", inputSchema: z.object({ id: z.number() }), outputSchema: show },
    async ({ id }) => {
      if (id === 9) return { isError: true, ...text("no show 9") }
      const value = { id, title: "Hämlet 😀" }
      return { ...text(JSON.stringify(value)), structuredContent: value }
    }
  )
  server.registerTool("ping", { description: "Is it up" }, async () => text("pong"))
  server.registerTool("steps", { description: "Three steps" }, async (context) => {
    const progressToken = context.mcpReq._meta?.progressToken
    for (const progress of [1, 2, 3]) {
      await context.mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, total: 3 } })
    }
    return text("walked")
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
  server.registerTool("ask", { description: "Asks how many seats" }, async (context) => {
    const answer = acceptedContent(context.mcpReq.inputResponses, "party", party)
    if (answer !== undefined) return text(`${answer.seats} seats`)
    const question = inputRequired.elicit({ message: "How many seats?", requestedSchema: party })
    return inputRequired({ inputRequests: { party: question } })
  })
}

const registerChanges = (server) => {
  const encore = (number) =>
    server.registerTool(`encore_${number}`, { description: "Once more" }, async () => text("again"))
  for (let number = 1; number <= encores; number++) encore(number)
  server.registerTool("grow", { description: "Adds a tool" }, async () => {
    encore(++encores)
    listeners.toolsChanged()
    return text("grown")
  })
  server.registerTool("touch", { description: "Changes the board" }, async () => {
    touched++
    await server.server.sendResourceUpdated({ uri: board })
    listeners.resourceUpdated(board)
    return text("touched")
  })
}

const registerRest = (server) => {
  server.registerResource("board", board, { mimeType: "text/plain" }, async () => ({
    contents: [{ uri: board, mimeType: "text/plain", text: `board ${touched}` }]
  }))
  const template = new ResourceTemplate("box://shows/{id}", { list: undefined })
  server.registerResource("show", template, { mimeType: "text/plain" }, async (uri, { id }) => ({
    contents: [{ uri: uri.href, mimeType: "text/plain", text: `show ${id}` }]
  }))
  const titles = ["Hamlet", "Henry V", "Faust"]
  const title = completable(z.string(), (value) => titles.filter((title) => title.startsWith(value)))
  server.registerPrompt("bill", { description: "Sells a show", argsSchema: z.object({ title }) }, ({ title }) => ({
    messages: [{ role: "user", content: { type: "text", text: `Sell ${title}` } }]
  }))
  server.server.setRequestHandler("resources/subscribe", async () => ({}))
  server.server.setRequestHandler("resources/unsubscribe", async () => ({}))
}

const make = () => {
  const capabilities = { resources: { subscribe: true, listChanged: true }, tools: { listChanged: true } }
  const server = new McpServer({ name: "official", version: "2.4.0" }, { capabilities })
  registerTools(server)
  registerChanges(server)
  registerRest(server)
  return server
}

/** Serves compat requests in sessions, each on a transport of its own. */
const sessions = () => {
  const open = new Map()
  return async (request, response) => {
    const known = open.get(request.headers["mcp-session-id"])
    if (known !== undefined) return known.handleRequest(request, response)
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => open.set(id, transport),
      onsessionclosed: (id) => open.delete(id)
    })
    await make().connect(transport)
    return transport.handleRequest(request, response)
  }
}

if (process.argv[2] === "stdio") {
  serveStdio(make)
} else if (process.argv[2] === "sessions") {
  createServer(sessions()).listen(0, "127.0.0.1")
} else {
  const handler = createMcpHandler(make)
  listeners = handler.notify
  createServer(toNodeHandler(handler)).listen(0, "127.0.0.1")
}
