/**
 * A raw client of a served agent, in either era, over a pipe in memory and under the clock of the test.
 */
import * as Effect from "effect/Effect"
import type { Layer } from "effect/Layer"
import type { LanguageModel } from "effect/ai/LanguageModel"
import { linePair } from "@treadle/protocol/framing"
import { Agent, AgentMcp, type AgentDefinition, type AgentMcpSettings } from "@treadle/agent"
import { McpMemory, type Mcp, type ServedSettings } from "@treadle/server"
import { rawRequest, type RawMessage } from "@treadle/testing"
import { kb } from "../kb.ts"
import { until } from "../until.ts"

export const eras = ["native", "compat"] as const
export type Era = (typeof eras)[number]

export const reviewer = (more: Partial<Omit<AgentDefinition, "model">> = {}) =>
  Agent.make({
    name: "reviewer",
    version: "1.2.3",
    instruction: "Be a reusable code-review worker",
    servers: { kb },
    ...more
  })

/** A client that sends what it is told, and keeps what it hears. */
export class RawClient {
  readonly era: Era
  /** Everything that the server said. */
  readonly heard: Array<RawMessage> = []
  readonly #write: (text: string) => void
  #id = 0

  constructor(era: Era, write: (text: string) => void) {
    this.era = era
    this.#write = write
  }

  send(message: unknown): void {
    this.#write(`${JSON.stringify(message)}\n`)
  }

  /** Sends a request. @returns its id */
  begin(method: string, params: object = {}): number {
    const id = ++this.#id
    this.send(this.era === "native" ? rawRequest(id, method, params) : { jsonrpc: "2.0", id, method, params })
    return id
  }

  answered(id: unknown): RawMessage | undefined {
    return this.heard.find((message) => message["id"] === id && message["method"] === undefined)
  }

  answer(id: unknown): Effect.Effect<RawMessage> {
    return Effect.map(
      until(() => this.answered(id) !== undefined),
      () => this.answered(id) ?? {}
    )
  }

  /** A request and its answer. */
  ask(method: string, params: object = {}): Effect.Effect<RawMessage> {
    return Effect.suspend(() => this.answer(this.begin(method, params)))
  }

  /** A call of a tool: what its result says, without `_meta`. */
  call(name: string, args: object = {}): Effect.Effect<RawMessage> {
    return Effect.map(this.ask("tools/call", { name, arguments: args }), ({ error, result }) => result ?? { error })
  }

  /** The structured content of a call. */
  structured(name: string, args: object = {}): Effect.Effect<RawMessage> {
    return Effect.map(this.call(name, args), ({ structuredContent }) => structuredContent)
  }

  /** The state of a run once it is as it should be. */
  once(handle: string, is: (state: RawMessage) => boolean): Effect.Effect<RawMessage> {
    return Effect.flatMap(this.structured("subagent.status", { handle }), (state) =>
      is(state) ? Effect.succeed(state) : this.once(handle, is)
    )
  }

  /** The state of a run once it has ended. */
  ended(handle: string): Effect.Effect<RawMessage> {
    return this.once(handle, ({ done }) => done)
  }

  /** The JSON of a resource, or the error. */
  read(uri: string): Effect.Effect<RawMessage> {
    return Effect.map(this.ask("resources/read", { uri }), ({ error, result }) =>
      error === undefined ? JSON.parse(result.contents[0].text) : error
    )
  }

  /** Wants to hear of changes. @returns whether that was admitted, and natively the id of the request */
  subscribe(
    uri: string
  ): Effect.Effect<{ readonly admitted: boolean; readonly error?: RawMessage; readonly id: unknown }> {
    if (this.era === "compat") {
      return Effect.map(this.ask("resources/subscribe", { uri }), ({ error, id }) =>
        error === undefined ? { admitted: true, id } : { admitted: false, error, id }
      )
    }
    return Effect.suspend(() => {
      const id = this.begin("subscriptions/listen", { notifications: { resourceSubscriptions: [uri] } })
      const found = () =>
        this.heard.find(
          ({ method, params }) =>
            method === "notifications/subscriptions/acknowledged" &&
            params._meta["io.modelcontextprotocol/subscriptionId"] === id
        )
      return Effect.map(
        until(() => found() !== undefined),
        () => ({ admitted: found()?.["params"].notifications.resourceSubscriptions.includes(uri) === true, id })
      )
    })
  }

  /** The URIs of all updates so far. */
  get updates(): ReadonlyArray<string> {
    return this.heard.flatMap(({ method, params }) =>
      method === "notifications/resources/updated" ? [params.uri] : []
    )
  }

  /** The methods of everything that it was told unasked. */
  get notified(): ReadonlyArray<string> {
    return this.heard.flatMap(({ method }) => (typeof method === "string" ? [method] : []))
  }
}

/** Connects a client to a server of its own pipe. */
export const rawClient = (mcp: Mcp<never>, era: Era, limits: ServedSettings["limits"] = {}) =>
  Effect.gen(function* () {
    const [near, far] = linePair()
    const served = yield* Effect.orDie(McpMemory.serve(mcp, far, {}, { limits }))
    const client = new RawClient(era, (text) => void near.write(text))
    const decoder = new TextDecoder()
    let rest = ""
    near.open({
      chunk: (bytes) => {
        const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n")
        rest = lines.pop() ?? ""
        for (const line of lines) client.heard.push(JSON.parse(line))
      },
      end: () => {},
      drain: () => {}
    })
    if (era === "compat") {
      const clientInfo = { name: "raw", version: "1.0.0" }
      yield* client.ask("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo })
      client.send({ jsonrpc: "2.0", method: "notifications/initialized" })
    }
    return { client, served, hangUp: Effect.sync(() => near.close()) }
  })

/** A client of an agent whose model follows a script; `connected` waits until the model was asked for the first time. */
export const servedClient = (
  era: Era,
  model: Layer<LanguageModel>,
  agent: Agent = reviewer(),
  settings: AgentMcpSettings = {}
) => {
  let asked = false
  const onEvent: AgentMcpSettings["onEvent"] = (event) => {
    asked ||= event._tag === "StepStarted"
    settings.onEvent?.(event)
  }
  const connected = Effect.andThen(
    until(() => asked),
    until(() => true)
  )
  const mcp = AgentMcp.make(agent, { ...settings, onEvent }).provide(model)
  return Effect.map(rawClient(mcp, era), (raw) => ({ ...raw, connected }))
}
