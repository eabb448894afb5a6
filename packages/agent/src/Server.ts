/**
 * Makes servers of an agent: an `Mcp` value in the same process, an address, another agent, or anything that opens a
 * session, such as a command. They are values; nothing is opened before a run.
 */
import * as Result from "effect/Result"
import type {
  AnyAgent,
  HttpServerSettings,
  InProcess,
  OpenServer,
  ServerLike,
  ServerRef,
  Servers,
  ServerSettings
} from "./AgentDefinition.ts"

/**
 * A server over HTTP.
 *
 * @param url `https:`, or `http:` to a loopback address
 */
const http = (url: string | URL, settings: HttpServerSettings = {}): ServerRef => ({
  _tag: "Http",
  url: String(url),
  settings
})

/** A server in this process: an `Mcp` value that needs nothing more. */
const inProcess = (mcp: InProcess, settings: ServerSettings = {}): ServerRef => ({ _tag: "InProcess", mcp, settings })

/** Another agent as a server: it is spawned and steered by the tools that it serves. */
const agent = (value: AnyAgent, settings: ServerSettings = {}): ServerRef => ({ _tag: "Agent", agent: value, settings })

/** A server that is opened in some other way, such as a command of `@treadle/agent/node`. */
const from = (open: OpenServer, settings: ServerSettings = {}): ServerRef => ({ _tag: "Open", open, settings })

/**
 * Reads `name=endpoint`, as command lines write it. It is split at the first `=`, so the endpoint may have some.
 *
 * @returns the pair, or a sentence that says what is missing
 *
 * @example
 * ```ts
 * import { Server } from "@treadle/agent"
 * import * as Result from "effect/Result"
 *
 * Result.map(Server.parse("docs=https://docs.example/mcp?v=2"), ([name, { url }]) => [name, url])
 * // => Result.succeed(["docs", "https://docs.example/mcp?v=2"])
 * ```
 */
const parse = (text: string): Result.Result<readonly [name: string, server: ServerRef & { _tag: "Http" }], string> => {
  const at = text.indexOf("=")
  if (at < 0) return Result.fail(`a server is declared as name=endpoint, and ${JSON.stringify(text)} has no "="`)
  const [name, url] = [text.slice(0, at), text.slice(at + 1)]
  return name === "" || url === ""
    ? Result.fail(
        `a server is declared as name=endpoint, and ${JSON.stringify(text)} has an empty ${name === "" ? "name" : "endpoint"}`
      )
    : Result.succeed([name, { _tag: "Http", url, settings: {} }])
}

/** Servers of an agent. */
export const Server = { http, inProcess, agent, from, parse }

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

const isAgent = (server: unknown): server is AnyAgent => isObject(server) && "~treadle/agent" in server

const isInProcess = (server: unknown): server is InProcess => isObject(server) && "~treadle/direct" in server

const isRef = (server: Partial<ServerRef>): server is ServerRef => {
  if (!isObject(server.settings)) return false
  switch (server._tag) {
    case "Http":
      return typeof server.url === "string"
    case "InProcess":
      return isInProcess(server.mcp)
    case "Agent":
      return isAgent(server.agent)
    case "Open":
      return typeof server.open === "function"
    default:
      return false
  }
}

/** What stands for a server, as one of the four. `undefined` where it is none of them. */
export const serverRef = (server: ServerLike): ServerRef | undefined => {
  if (typeof server === "string" || server instanceof URL) return http(server)
  if (isAgent(server)) return agent(server)
  if (isInProcess(server)) return inProcess(server)
  return isObject(server) && isRef(server) ? server : undefined
}

const isPair = (entry: unknown): entry is readonly [string, ServerLike] =>
  Array.isArray(entry) && entry.length === 2 && typeof entry[0] === "string"

/** The servers of a definition in their order; none of what holds none. */
export const serverEntries = (servers: Servers | undefined): ReadonlyArray<readonly [string, ServerLike]> => {
  if (!isObject(servers)) return []
  return Array.isArray(servers) ? servers.filter(isPair) : Object.entries(servers as object)
}
