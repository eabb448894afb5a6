/**
 * The box office on fastmcp, which speaks the compat era: `node fastmcp.mjs stdio`, or `http`, at `/mcp`.
 */
import { FastMCP, UserError } from "fastmcp"
import * as z from "zod"

// Its log would be lines on stdout, which belongs to the messages.
const quiet = { debug() {}, error() {}, info() {}, log() {}, warn() {} }
const server = new FastMCP({ name: "fastmcp", version: "4.20.16", logger: quiet })
const board = "box://board"
const show = z.object({ id: z.number(), title: z.string() })

server.addTool({
  name: "get_show",
  description: "One bill",
  parameters: z.object({ id: z.number() }),
  outputSchema: show,
  execute: async ({ id }) => {
    if (id === 9) throw new UserError("no show 9")
    const value = { id, title: "Hämlet 😀" }
    return { content: [{ type: "text", text: JSON.stringify(value) }], structuredContent: value }
  }
})
server.addTool({ name: "ping", description: "Is it up", execute: async () => "pong" })
server.addTool({
  name: "steps",
  description: "Three steps",
  execute: async (_, { reportProgress }) => {
    for (const progress of [1, 2, 3]) await reportProgress({ progress, total: 3 })
    return "walked"
  }
})
server.addTool({
  name: "wait",
  description: "Never ends",
  execute: async (_, { signal }) => {
    process.stderr.write("waiting\n")
    return new Promise((_, reject) => {
      signal.addEventListener("abort", () => {
        process.stderr.write("aborted\n")
        reject(new Error("aborted"))
      })
    })
  }
})
server.addTool({
  name: "ask",
  description: "Asks how many seats",
  execute: async (_, { elicit }) => {
    const answer = await elicit({
      message: "How many seats?",
      requestedSchema: { type: "object", properties: { seats: { type: "number" } }, required: ["seats"] }
    })
    return answer.action === "accept" ? `${answer.content.seats} seats` : answer.action
  }
})

let encores = 0
let touched = 0
server.addTool({
  name: "grow",
  description: "Adds a prompt",
  execute: async () => {
    // It answers before it calls itself running, and until then it tells nobody of changes.
    while (server.serverState !== "running") await new Promise((resolve) => setTimeout(resolve, 10))
    server.addPrompt({ name: `encore_${++encores}`, load: async () => "again" })
    return "grown"
  }
})
server.addTool({
  name: "touch",
  description: "Changes the board",
  execute: async () => {
    touched++
    await server.sendResourceUpdated(board)
    return "touched"
  }
})
server.addResource({
  uri: board,
  name: "board",
  mimeType: "text/plain",
  load: async () => ({ text: `board ${touched}` })
})
server.addResourceTemplate({
  uriTemplate: "box://shows/{id}",
  name: "show",
  mimeType: "text/plain",
  arguments: [{ name: "id", required: true }],
  load: async ({ id }) => ({ text: `show ${id}` })
})
const titles = ["Hamlet", "Henry V", "Faust"]
server.addPrompt({
  name: "bill",
  description: "Sells a show",
  arguments: [
    {
      name: "title",
      required: true,
      complete: async (value) => ({ values: titles.filter((title) => title.startsWith(value)) })
    }
  ],
  load: async ({ title }) => `Sell ${title}`
})

await server.start(
  process.argv[2] === "stdio"
    ? { transportType: "stdio" }
    : { transportType: "httpStream", httpStream: { host: "127.0.0.1", port: 8080 } }
)
