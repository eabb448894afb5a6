/**
 * The raw answers of a server that serves the endpoints.
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { scriptedHttp, type HttpScript, type HttpSeen } from "@treadle/testing"
import { McpClient, McpError, type HttpSettings, type McpReason } from "../src/index.ts"

export * from "./endpoints.ts"

/** The JSON of a result message. */
export const result = (id: unknown, body: object): object => ({ jsonrpc: "2.0", id, result: body })

/** The JSON of an error message. */
export const rpcError = (id: unknown, code: number, message: string, data?: unknown): object => ({
  jsonrpc: "2.0",
  ...(id === undefined ? {} : { id }),
  error: { code, message, ...(data === undefined ? {} : { data }) }
})

export const discoverResult = {
  resultType: "complete",
  supportedVersions: ["2026-07-28", "2025-11-25"],
  capabilities: { tools: {} },
  instructions: "Sell tickets",
  ttlMs: 0,
  cacheScope: "public",
  _meta: { "io.modelcontextprotocol/serverInfo": { name: "box", version: "1.2.3" } }
}

export const textResult = (text: string, more: object = {}): object => ({
  resultType: "complete",
  content: [{ type: "text", text }],
  ...more
})

/** A script that answers discover, and leaves every other request to `rest`. */
export const serving =
  (rest: HttpScript = (seen, reply) => reply.json(result(seen.json.id, textResult("ok")))): HttpScript =>
  (seen, reply) =>
    seen.json.method === "server/discover" ? reply.json(result(seen.json.id, discoverResult)) : rest(seen, reply)

/** What a compat server answers to `initialize`. */
export const initializeResult = {
  protocolVersion: "2025-11-25",
  capabilities: { tools: {} },
  serverInfo: { name: "old box", version: "0.9" },
  instructions: "Sell old tickets"
}

/** What a compat server may be. */
export interface CompatScript {
  /** The id of the next session; `s1` by default, `undefined` for a server without sessions. */
  readonly session?: () => string | undefined
  readonly initialized?: object
  /** The verdict on a request of a session, before anything else. */
  readonly guard?: (seen: HttpSeen) => number | undefined
}

/**
 * A script that refuses the probe, greets, takes notifications and the end of a session, has no stream of its own, and
 * leaves every other request to `rest`.
 */
export const compatServing = (
  rest: HttpScript = (seen, reply) => reply.json(result(seen.json.id, textResult("ok"))),
  { guard, initialized = initializeResult, session = () => "s1" }: CompatScript = {}
): HttpScript => {
  return (seen, reply) => {
    if (seen.verb === "DELETE") return reply.raw("", {}, 200)
    if (seen.json?.method === "server/discover") return reply.raw("", {}, 400)
    if (seen.json?.method === "initialize") {
      const id = session()
      const headers = { "content-type": "application/json", ...(id === undefined ? {} : { "mcp-session-id": id }) }
      return reply.raw(JSON.stringify(result(seen.json.id, initialized)), headers)
    }
    const refused = guard?.(seen)
    if (refused !== undefined) return reply.raw("", {}, refused)
    if (seen.verb === "GET") return reply.raw("", {}, 405)
    return seen.json.id === undefined || seen.json.method === undefined ? reply.raw("", {}, 202) : rest(seen, reply)
  }
}

/** The tool that a request calls. */
export const toolOf = (seen: HttpSeen): string => seen.json.params.name

/** A tool as it is listed. */
export const listed = (name: string, properties: object = {}): object => ({
  name,
  inputSchema: { type: "object", properties }
})

/** A session with a scripted server. */
export const opened = (script: HttpScript, settings?: HttpSettings) =>
  Effect.gen(function* () {
    const server = yield* scriptedHttp(script)
    const session = yield* McpClient.http(server.url, settings)
    return { server, session }
  })

/** The reason of a failure that is an `McpError`. */
export const reasonOf = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<McpReason, A, R> =>
  Effect.map(Effect.flip(effect), (error) => {
    assert.instanceOf(error, McpError)
    return error.reason
  })

/** What a reason says in one of its fields. */
export const fact = (reason: object, field: string): unknown =>
  Object.entries(reason).find(([key]) => key === field)?.[1]
