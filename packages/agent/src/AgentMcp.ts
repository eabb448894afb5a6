/**
 * An agent as a server for others: a parent agent, a peer, or any client of the protocol spawns runs of it, steers them,
 * and reads what they came to.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import type { LanguageModel } from "effect/ai/LanguageModel"
import { Change, Live, Mcp } from "@treadle/server"
import type { Agent, AnyAgent } from "./AgentDefinition.ts"
import type { AgentEvent } from "./AgentEvent.ts"
import { connectAgent } from "./AgentTree.ts"
import { limitsOf } from "./Limits.ts"
import { ProcessId } from "./ProcessId.ts"
import { randomId } from "./RandomId.ts"
import { connectedOnce, servedRunner } from "./ServedRunner.ts"
import { cancel, send, spawn, status, subagentStatus } from "./serve/AgentContract.ts"
import { LiveServedAgents, ServedAgents, subagentUri, type Ownership } from "./serve/ServedAgents.ts"
import {
  onCancel,
  onSend,
  onSpawn,
  onStatus,
  readSubagent,
  servedStatus,
  unheardSubagent
} from "./serve/ServedTools.ts"

/** What may be said of an agent that is served. */
export interface AgentMcpSettings {
  /**
   * Whose handles they are: `principal`, the default, keeps them to the caller that spawned, and callers whom nothing
   * tells apart share theirs; `any` gives them to everybody who knows them.
   */
  readonly ownership?: Ownership
  /** The run id that its status tells. Random by default. */
  readonly runId?: string
  /** The mode that its status tells. Default `serve`. */
  readonly mode?: string
  /** Told of everything that happens in its runs. */
  readonly onEvent?: (event: AgentEvent) => void
}

const started = (
  agent: AnyAgent,
  { mode = "serve", onEvent, ownership = "principal", runId }: AgentMcpSettings
): Effect.Effect<LiveServedAgents, never, LanguageModel | Scope.Scope> =>
  Effect.gen(function* () {
    const { definition } = agent
    const context = yield* Effect.context<LanguageModel | Scope.Scope>()
    const id = runId ?? (yield* randomId)
    const options = onEvent === undefined ? {} : { onEvent }
    const connect = Effect.provide(connectAgent(agent, options, make), Context.omit(Scope.Scope)(context))
    const connected = connectedOnce(connect, Context.get(context, Scope.Scope))
    // The builder gives every layer the handle of what is served.
    const live = Option.getOrUndefined(yield* Effect.serviceOption(Live))
    const facts = { runId: id, mode, version: definition.version ?? "1.0.0", pid: yield* ProcessId, ownership }
    const runner = servedRunner(definition, connected, id, options)
    const ended = (handle: string): void => {
      if (live !== undefined) Effect.runSync(live.changed(Change.lastOf(subagentUri(handle))))
    }
    const since = yield* Clock.currentTimeMillis
    const agents = new LiveServedAgents(facts, limitsOf(definition.limits), runner, since, ended)
    yield* Effect.addFinalizer(() => agents.close)
    return agents
  })

/** What the runs of an agent need is what its type says: a model, or what its own model needs. */
const layerOf = <A, R>(agent: Agent<A, R>, settings: AgentMcpSettings): Layer.Layer<ServedAgents, never, R> =>
  Layer.effect(ServedAgents, started(agent as AnyAgent, settings)) as Layer.Layer<ServedAgents, never, R>

/**
 * Serves an agent: an `Mcp` value for any door, with the tools `status`, `subagent.spawn`, `subagent.send`,
 * `subagent.status` and `subagent.cancel`, and the resources `agent://status` and `agent://subagent/{handle}`.
 *
 * Each spawned run is the agent itself with a transcript of its own, and what is spawned shares the agent's servers,
 * which are connected for the first of them. At most 4 run at one time and 8 stay warm; the last 64 handles can be looked
 * up. A wrong definition and a server that is not there are what a spawn is answered with.
 *
 * @param agent what `Agent.make` gave
 * @param settings `ownership` of handles, `runId`, `mode`, `onEvent`
 *
 * @example
 * ```ts
 * import { Agent, AgentMcp } from "@treadle/agent"
 * import { AgentTest } from "@treadle/agent/test"
 * import { McpClient } from "@treadle/client"
 * import * as Effect from "effect/Effect"
 *
 * const reviewer = Agent.make({ name: "reviewer", instruction: "You review pull requests." })
 * const served = AgentMcp.make(reviewer).provide(AgentTest.script(AgentTest.say("LGTM")))
 *
 * const asked = Effect.gen(function* () {
 *   const session = yield* McpClient.direct(served)
 *   const { result, status } = yield* session.call(AgentMcp.spawn)({ instruction: "Review PR 7" })
 *   return { result, status }
 * })
 * await Effect.runPromise(Effect.scoped(asked)) // => { result: "LGTM", status: "completed" }
 * ```
 */
const make = <A, R>(agent: Agent<A, R>, settings: AgentMcpSettings = {}): Mcp<R> => {
  const { description, name, version = "1.0.0" } = agent.definition
  return Mcp.make({
    name,
    version,
    ...(description === undefined ? {} : { instructions: description }),
    live: { tools: false, resources: false },
    logging: false
  })
    .toolWith(status, { strict: true }, () => servedStatus)
    .toolWith(spawn, { strict: true }, onSpawn)
    .toolWith(send, { strict: true }, onSend)
    .toolWith(subagentStatus, { strict: true }, onStatus)
    .toolWith(cancel, { strict: true }, onCancel)
    .resource(
      { uri: "agent://status", name: "status", mimeType: "application/json" },
      () => Effect.map(servedStatus, (body) => JSON.stringify(body)),
      () => Effect.succeed("it is not told of; read it when you need it")
    )
    .template(
      { uriTemplate: "agent://subagent/{handle}", name: "subagent", mimeType: "application/json" },
      ({ handle }) => readSubagent(handle),
      ({ handle }) => unheardSubagent(handle)
    )
    .provide(layerOf(agent, settings))
}

/** An agent as a server, and the contracts of the tools that it serves. */
export const AgentMcp = { make, status, spawn, send, subagentStatus, cancel }
