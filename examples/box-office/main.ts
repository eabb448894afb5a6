/**
 * Serves the box office: over HTTP, with a demonstration of its client, or with `--stdio` over standard input and
 * output. `--once` ends after the demonstration; `--port N` chooses the port.
 */
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { McpNode } from "@treadle/server/node"
import * as Effect from "effect/Effect"
import { demonstration } from "./client.ts"
import { boxOffice } from "./server.ts"

const end = (problem: string): never => {
  console.error(problem)
  process.exit(1)
}

const refuse = (problem: string): never => end(`${problem}\nnpm start -- [--once] [--port N] [--stdio]`)

const read = () => {
  const options = {
    once: { type: "boolean" },
    port: { type: "string", default: "8080" },
    stdio: { type: "boolean" }
  } as const
  try {
    return parseArgs({ options }).values
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error))
  }
}

const { once = false, port: asked, stdio = false } = read()
const port = /^\d{1,5}$/.test(asked) && Number(asked) <= 65_535 ? Number(asked) : undefined

const serveHttp = async () => {
  if (port === undefined) return refuse(`--port takes a number from 0 to 65535, not ${asked}`)
  // Only HTTP loads what HTTP needs.
  const { listen } = await import("./web.ts")
  const server = await listen(port).catch((error: Error) => {
    const why = error.cause instanceof Error ? error.cause.message : error.message
    return end(`Port ${port} cannot be opened (${why}). Try another: npm start -- --port ${(port + 1) % 65_536}`)
  })
  console.log(`Box office serves MCP at ${server.url}\n`)
  await Effect.runPromise(demonstration(server.url, console.log))
  if (once) return server.close()
  const host = {
    mcpServers: { "box-office": { command: "node", args: [fileURLToPath(import.meta.url), "--stdio"] } }
  }
  console.log(`\nPaste this into the configuration of an MCP host:\n${JSON.stringify(host, null, 2)}`)
  console.log(`\nThe same over plain HTTP: ${server.shows}, and a page to try it: ${server.docs}`)
  console.log(`\nStill serving ${server.url}; stop with Ctrl+C.`)
  process.once("SIGINT", () => void server.close())
  process.once("SIGTERM", () => void server.close())
}

await (stdio ? McpNode.stdio(boxOffice) : serveHttp())
