/**
 * Serves the box office: over HTTP, with a demonstration of its client, or with `--stdio` over standard input and
 * output. `--once` ends after the demonstration; `--port N` chooses the port.
 */
import { fileURLToPath } from "node:url"
import { McpNode } from "@treadle/server/node"
import * as Effect from "effect/Effect"
import { demonstration } from "./client.ts"
import { boxOffice } from "./server.ts"

const portAt = process.argv.indexOf("--port")
const port = portAt < 0 ? 8080 : Number(process.argv[portAt + 1])

const serveHttp = async () => {
  const server = await McpNode.listen(boxOffice, { port }).catch((error: Error) => {
    console.error(`Port ${port} cannot be opened (${error.message}). Try another: npm start -- --port ${port + 1}`)
    process.exit(1)
  })
  console.log(`Box office serves MCP at ${server.url}\n`)
  await Effect.runPromise(demonstration(server.url, console.log))
  if (process.argv.includes("--once")) return server.close()
  const host = {
    mcpServers: { "box-office": { command: "node", args: [fileURLToPath(import.meta.url), "--stdio"] } }
  }
  console.log(`\nPaste this into the configuration of an MCP host:\n${JSON.stringify(host, null, 2)}`)
  console.log(`\nStill serving ${server.url}; stop with Ctrl+C.`)
  process.once("SIGINT", () => void server.close())
  process.once("SIGTERM", () => void server.close())
}

await (process.argv.includes("--stdio") ? McpNode.stdio(boxOffice) : serveHttp())
