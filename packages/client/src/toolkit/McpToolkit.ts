/**
 * Tools of MCP servers as a `Toolkit` of `effect/ai`, ready for `LanguageModel`: with the tools that servers list, or with
 * those of contracts.
 */
import type * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import type { AnyEndpoint } from "@treadle/protocol/endpoint"
import type { Tool as ListedTool } from "@treadle/protocol/schema"
import type { McpError } from "../McpError.ts"
import type { McpSession } from "../McpSession.ts"
import { makeToolNames } from "../names/index.ts"
import { endpointCall, endpointTool, type EndpointTools } from "./EndpointTool.ts"
import { serverCall, serverTool, type ServerTools } from "./ServerTool.ts"

/** Which tools a toolkit has, and which of them a person has to approve. */
export interface SessionToolkitOptions {
  /** Whether a tool is in the toolkit; all are, by default. */
  readonly only?: (tool: ListedTool, server: string) => boolean
  /**
   * Whether a person has to approve calls of a tool: `LanguageModel` then asks before it runs. None has to, by default.
   * What a server says of its own tools is no ground for trust in them.
   */
  readonly needsApproval?: (tool: ListedTool, server: string) => boolean
}

type Handlers = Record<string, (args: unknown) => Effect.Effect<unknown, unknown>>

/** A toolkit with its handlers, of which each tool has one; names that are known when it runs are not in its type. */
const ready = <Tools extends Record<string, Tool.Any>>(
  tools: ReadonlyArray<Tool.Any>,
  handlers: Handlers
): Effect.Effect<Toolkit.WithHandler<Tools>> => {
  const toolkit: Toolkit.Toolkit<Record<string, Tool.Any>> = Toolkit.make(...tools)
  const made = Effect.flatMap(toolkit.toHandlers(handlers as never), (context) =>
    Effect.provideContext(toolkit, context)
  )
  return made as unknown as Effect.Effect<Toolkit.WithHandler<Tools>>
}

/**
 * The tools of several servers. Models call them `mcp__<server>__<tool>`, in the letters that all providers take.
 *
 * The effect lists the tools each time it runs, from the session's cache where the server allows that: run before each
 * turn, or given to `LanguageModel` with `Effect.orDie`, it has the tools that there are then. A failed result and an error
 * of the session are failures in words, returned to the model. Text, images, sound and files of a result reach the model
 * as such.
 *
 * @param sessions each with the name that its server has here
 *
 * @example
 * ```ts
 * import { McpClient } from "@treadle/client"
 * import { McpToolkit } from "@treadle/client/toolkit"
 * import { Mcp } from "@treadle/server"
 * import * as Effect from "effect/Effect"
 *
 * const mcp = Mcp.make({ name: "hello", version: "1.0.0" })
 *   .tool("greet", { description: "Says hello" }, async () => "Hello!")
 *
 * const names = Effect.gen(function* () {
 *   const session = yield* McpClient.direct(mcp)
 *   const toolkit = yield* McpToolkit.fromSessions({ kb: session })
 *   return Object.keys(toolkit.tools)
 * })
 * await Effect.runPromise(Effect.scoped(names)) // => ["mcp__kb__greet"]
 * ```
 */
const fromSessions = (
  sessions: { readonly [server: string]: McpSession },
  options: SessionToolkitOptions = {}
): Effect.Effect<Toolkit.WithHandler<ServerTools>, McpError> => {
  const { needsApproval = () => false, only = () => true } = options
  const listed = Effect.forEach(
    Object.entries(sessions),
    ([server, session]) =>
      Effect.map(session.listTools(), (tools) =>
        tools.filter((tool) => only(tool, server)).map((tool) => ({ server, session, tool }))
      ),
    { concurrency: "unbounded" }
  )
  return Effect.flatMap(listed, (lists) => {
    const entries = lists.flat()
    const names = makeToolNames(entries.map(({ server, tool }) => ({ server, tool: tool.name })))
    const handlers: Handlers = {}
    const tools = entries.map(({ server, session, tool }) => {
      const name = names.toModel(server, tool.name)
      handlers[name] = serverCall(session, tool.name)
      return serverTool(name, tool, needsApproval(tool, server))
    })
    return ready<ServerTools>(tools, handlers)
  })
}

/**
 * The tools of one server, as `fromSessions` gives those of several.
 *
 * @param name of the server here; by default the one it gives itself, or `server`
 */
const fromSession = (
  session: McpSession,
  { name = session.server?.name ?? "server", ...options }: SessionToolkitOptions & { readonly name?: string } = {}
): Effect.Effect<Toolkit.WithHandler<ServerTools>, McpError> => fromSessions({ [name]: session }, options)

/** Names that models take as they are: contracts keep theirs, so that the types of calls and results name them. */
type ForModels<E extends Record<string, AnyEndpoint>> = {
  readonly [K in keyof E]: E[K]["name"] extends `${string}.${string}`
    ? `models take no "." in the name of a tool, as in "${E[K]["name"]}": use McpToolkit.fromSession`
    : E[K]
}

/**
 * The tools of contracts: what a model calls and what comes back has the types of the contract, and a declared error is
 * returned as its own class. Nothing is listed.
 *
 * @param endpoints by any keys; models call them by their own names, which hold no `.` and at most 64 characters
 *
 * @example
 * ```ts
 * import { McpClient } from "@treadle/client"
 * import { McpToolkit } from "@treadle/client/toolkit"
 * import { Endpoint, Mcp } from "@treadle/server"
 * import * as Effect from "effect/Effect"
 * import * as Schema from "effect/Schema"
 * import * as Stream from "effect/Stream"
 *
 * const double = Endpoint.make("double", { description: "Twice a number", input: { n: Schema.Int }, output: Schema.Int })
 * const mcp = Mcp.make({ name: "sums", version: "1.0.0" }).tool(double, ({ n }) => Effect.succeed(2 * n))
 *
 * const six = Effect.gen(function* () {
 *   const session = yield* McpClient.direct(mcp)
 *   const toolkit = yield* McpToolkit.fromEndpoints(session, { double })
 *   const results = yield* Stream.runCollect(Stream.unwrap(toolkit.handle("double", { n: 3 })))
 *   return results.map(({ result }) => result)
 * })
 * await Effect.runPromise(Effect.scoped(six)) // => [6]
 * ```
 */
const fromEndpoints = <const E extends Record<string, AnyEndpoint>>(
  session: McpSession,
  endpoints: E & ForModels<E>,
  options: { readonly needsApproval?: (endpoint: AnyEndpoint) => boolean } = {}
): Effect.Effect<Toolkit.WithHandler<EndpointTools<E>>> => {
  const { needsApproval = () => false } = options
  const all: ReadonlyArray<AnyEndpoint> = Object.values(endpoints)
  const tools = all.map((endpoint) => endpointTool(endpoint, needsApproval(endpoint)))
  const handlers = Object.fromEntries(all.map((endpoint) => [endpoint.name, endpointCall(session, endpoint)]))
  return ready<EndpointTools<E>>(tools, handlers)
}

/** Toolkits of servers' tools. A server of the same process comes in by `McpClient.direct`. */
export const McpToolkit = { fromSession, fromSessions, fromEndpoints }
