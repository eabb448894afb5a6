/**
 * Servers over HTTP that say exactly what a test tells them to, in either era.
 */
import * as Effect from "effect/Effect"
import { scriptedHttp, type HttpScript, type HttpSeen } from "@treadle/testing"

/** The JSON of a result. */
export const result = (id: unknown, body: object): object => ({ jsonrpc: "2.0", id, result: body })

/** The JSON of an error. */
export const failure = (id: unknown, code: number, message = "no", data?: unknown): object => ({
  jsonrpc: "2.0",
  id,
  error: { code, message, ...(data === undefined ? {} : { data }) }
})

/** The result of a tool. */
export const said = (text: string, more: object = {}): object => ({
  resultType: "complete",
  content: [{ type: "text", text }],
  ...more
})

/** A tool as it is listed. */
export const tool = (name: string, more: object = {}): object => ({ name, inputSchema: { type: "object" }, ...more })

/** What a server is. Every part of it is read anew for each request, so a test may change it. */
export interface Offer {
  tools?: ReadonlyArray<object>
  resources?: ReadonlyArray<object>
  capabilities?: object
  instructions?: string
  /** Compat: the revision that it answers. */
  version?: string
  /** Answers `tools/call`, and whatever else is not answered here. */
  call?: HttpScript
  /** Looked at before anything else; whether it answered. */
  first?: (seen: HttpSeen, reply: Parameters<HttpScript>[1]) => boolean
}

const capabilitiesOf = (offer: Offer): object =>
  offer.capabilities ?? { tools: {}, ...(offer.resources === undefined ? {} : { resources: {} }) }

const instructed = ({ instructions }: Offer): object => (instructions === undefined ? {} : { instructions })

const lists = (offer: Offer, more: object): HttpScript => {
  const call: HttpScript = offer.call ?? (({ json }, reply) => reply.json(result(json.id, said("ok"))))
  return (seen, reply) => {
    const { id, method } = seen.json
    if (method === "tools/list") return reply.json(result(id, { ...more, tools: offer.tools ?? [] }))
    if (method === "resources/list") return reply.json(result(id, { ...more, resources: offer.resources ?? [] }))
    return call(seen, reply)
  }
}

/** A server of 2026-07-28. */
export const native =
  (offer: Offer): HttpScript =>
  (seen, reply) => {
    if (offer.first?.(seen, reply) === true) return
    const about = { resultType: "complete", ttlMs: 0, cacheScope: "private" }
    if (seen.json?.method !== "server/discover") return lists(offer, about)(seen, reply)
    return reply.json(
      result(seen.json.id, {
        ...about,
        supportedVersions: ["2026-07-28"],
        capabilities: capabilitiesOf(offer),
        _meta: { "io.modelcontextprotocol/serverInfo": { name: "box", version: "1.0.0" } },
        ...instructed(offer)
      })
    )
  }

/** A server of the compat era, without a stream of its own. */
export const compat =
  (offer: Offer): HttpScript =>
  (seen, reply) => {
    if (offer.first?.(seen, reply) === true) return
    if (seen.verb === "DELETE") return reply.raw("", {}, 200)
    if (seen.verb === "GET") return reply.raw("", {}, 405)
    const { id, method } = seen.json
    if (method === "server/discover") return reply.json(failure(id, -32601))
    if (method === "initialize") {
      const greeting = {
        protocolVersion: offer.version ?? "2025-11-25",
        capabilities: capabilitiesOf(offer),
        serverInfo: { name: "old box", version: "0.9" },
        ...instructed(offer)
      }
      const headers = { "content-type": "application/json", "mcp-session-id": "s1" }
      return reply.raw(JSON.stringify(result(id, greeting)), headers)
    }
    if (id === undefined || method === undefined) return reply.raw("", {}, 202)
    return lists(offer, {})(seen, reply)
  }

/** Both eras. */
export const eras = [
  { era: "native", serve: native },
  { era: "compat", serve: compat }
] as const

/** A server that runs, and the methods that were asked of it. */
export const serving = (script: HttpScript) =>
  Effect.map(scriptedHttp(script), ({ seen, url }) => ({
    url,
    seen,
    /** The bodies of one method, in order. */
    of: (method: string): ReadonlyArray<any> =>
      seen.events.flatMap(({ json }) => (json?.method === method ? [json] : [])),
    methods: (): ReadonlyArray<string> => seen.events.map(({ json, verb }) => json?.method ?? verb)
  }))
