/**
 * The servers of an agent, connected: all at once, each in its time, and given up with the scope.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { LanguageModel } from "effect/ai/LanguageModel"
import { McpClient, type ClientSettings, type McpSession } from "@treadle/client"
import type { DirectServer } from "@treadle/protocol/framing"
import { parseJson } from "@treadle/protocol/json"
import { Message } from "@treadle/protocol/rpc"
import { AgentError, AgentReason } from "../AgentError.ts"
import type { AnyDefinition, AnyAgent, HttpServerSettings, ServerRef, ServerSettings } from "../AgentDefinition.ts"
import { limitsOf } from "../Limits.ts"
import type { RunFacts } from "../RunFacts.ts"
import { resolvedNow, Secret } from "../Secret.ts"
import { serverEntries, serverRef } from "../Server.ts"

/** A server that is connected. */
export interface ServerLink {
  readonly name: string
  readonly session: McpSession
  readonly required: boolean
  readonly trusted: boolean
  /** The tools that the agent has of it; all where there are none. */
  readonly tools: ReadonlyArray<string> | undefined
  readonly timeout: number | undefined
}

/** Makes a server of an agent, so that others may have it as one. */
export type ServeAgent = (agent: AnyAgent) => DirectServer<{}, unknown, LanguageModel>

type Opened = Effect.Effect<McpSession, unknown, Scope.Scope | LanguageModel>

/** Headers with their secrets, read now: whoever connects next reads them anew. */
const resolvedHeaders = (headers: HttpServerSettings["headers"]) =>
  Effect.forEach(Object.entries(headers ?? {}), ([name, text]) =>
    Effect.map(resolvedNow(Secret.parseHeader(name, text)), (value) => [name, Redacted.value(value)] as const)
  )

const openHttp = (url: string, settings: HttpServerSettings, client: ClientSettings): Opened =>
  Effect.flatMap(resolvedHeaders(settings.headers), (headers) =>
    McpClient.http(url, {
      ...client,
      headers: Object.fromEntries(headers),
      ...(settings.auth === undefined ? {} : { auth: settings.auth }),
      ...(settings.fetch === undefined ? {} : { fetch: settings.fetch })
    })
  )

const opened = (ref: ServerRef, client: ClientSettings, serveAgent: ServeAgent): Opened => {
  switch (ref._tag) {
    case "Http":
      return openHttp(ref.url, ref.settings, client)
    case "InProcess":
      return McpClient.direct(ref.mcp, {}, client)
    case "Agent":
      return Effect.flatMap(Effect.context<LanguageModel>(), (context) =>
        McpClient.direct(
          {
            "~treadle/direct": (own: {}) =>
              Effect.provideContext(serveAgent(ref.agent)["~treadle/direct"](own), context)
          },
          {},
          client
        )
      )
    case "Open":
      return ref.open(client)
  }
}

/** A call of an agent may take as long as a run of it, and a little more. */
const ownTime = (ref: ServerRef): number | undefined =>
  ref._tag === "Agent" ? limitsOf(ref.agent.definition.limits).deadline + 10_000 : undefined

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Whether a program wrote this, and no peer of the protocol. */
const isNoMessage = (line: string): boolean => Result.isFailure(Message.decode(parseJson(line)))

/** It is not repeated: it may hold what is secret. */
const noiseOf = (count: number): string =>
  `it wrote ${count} ${count === 1 ? "line that is no message" : "lines that are no messages"}, as a program does that logs to its standard output`

/** An agent answers that it works in no folder, and nothing else that it is asked. */
const clientSettings = (
  { name, version = "1.0.0" }: AnyDefinition,
  { connectTimeout, probeTimeout, trusted = false }: ServerSettings
): ClientSettings => ({
  client: { name, version },
  answers: { roots: [] },
  trusted,
  ...(connectTimeout === undefined ? {} : { connectTimeout }),
  ...(probeTimeout === undefined ? {} : { probeTimeout })
})

/**
 * Connects the servers of an agent, all at once.
 *
 * Fails with `RequiredServerDown` as soon as one cannot be reached that the agent needs; another is left out and told of.
 */
export const connectServers = (
  definition: AnyDefinition,
  { agent, emit }: RunFacts,
  serveAgent: ServeAgent
): Effect.Effect<ReadonlyArray<ServerLink>, AgentError, Scope.Scope | LanguageModel> =>
  Effect.map(
    Effect.forEach(
      serverEntries(definition.servers),
      ([name, server]) => {
        const ref = serverRef(server)
        if (ref === undefined) return Effect.succeed([])
        const { required = true, timeout = ownTime(ref), tools, trusted = false } = ref.settings
        let noise = 0
        const onNoise = (line: string) => {
          if (ref._tag === "Open" && isNoMessage(line)) noise++
        }
        const client = { ...clientSettings(definition, ref.settings), onNoise }
        const linked = Effect.map(opened(ref, client, serveAgent), (session) => {
          emit({ _tag: "ServerConnected", server: name, version: session.version })
          return [{ name, session, required, trusted, tools, timeout }]
        })
        return Effect.catch(linked, (error) => {
          const detail = noise === 0 ? messageOf(error) : `${messageOf(error)}; ${noiseOf(noise)}`
          if (required) {
            const reason = new AgentReason.RequiredServerDown({ server: name, detail, cause: error })
            return Effect.fail(new AgentError({ agent, reason }))
          }
          emit({ _tag: "ServerUnavailable", server: name, detail })
          return Effect.succeed([])
        })
      },
      { concurrency: "unbounded" }
    ),
    (links) => links.flat()
  )
