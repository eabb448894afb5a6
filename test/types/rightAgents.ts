/**
 * Right programs of agents: each is something that a user writes, and the compiler must take.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { LanguageModel } from "effect/ai/LanguageModel"
import {
  Agent,
  AgentMcp,
  Server,
  type AgentError,
  type Conversation,
  type Outcome,
  type RunItem,
  type TypedRunCall
} from "@treadle/agent"
import { converse, runAgent, streamAgent, type PromiseConversation } from "@treadle/agent/promise"
import { AgentTest } from "@treadle/agent/test"
import type { McpSession } from "@treadle/client"
import { Endpoint, Mcp } from "@treadle/server"
import { McpNode } from "@treadle/server/node"
import { getShow, list } from "./right.ts"

type Eq<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const is = <T extends true>(_?: T) => {}

const kb = Mcp.make({ name: "kb", version: "1" }).tool("ping", { description: "x" }, async () => "pong")
export const search = Endpoint.make("search", {
  description: "x",
  input: { query: Schema.String },
  output: Schema.Array(Schema.String),
  errors: { NoIndex: { name: Schema.String } }
})

// 1 servers are values, addresses, agents, or what Server makes
export const helper = Agent.make({ name: "helper", instruction: "You help.", servers: { kb } })
export const reviewer = Agent.make({
  name: "reviewer",
  instruction: "You review.",
  servers: {
    kb,
    docs: "https://docs.example/mcp",
    url: new URL("https://docs.example/mcp"),
    helper,
    api: Server.http("https://api.example/mcp", {
      headers: { authorization: "Bearer {{secret:API}}" },
      required: false
    }),
    quick: Server.inProcess(kb, { timeout: 1_000, tags: ["sensitive"] })
  },
  limits: { steps: 3 }
})
Agent.make({
  name: "x",
  instruction: "x",
  servers: [
    ["kb", kb],
    ["other", Server.agent(helper)]
  ]
})

// 2 the answer is text, or of the schema; the model is what a run needs, unless the agent has one
const run = Agent.run(reviewer, "Go")
is<Eq<typeof run, Effect.Effect<Outcome<string>, AgentError, LanguageModel>>>()
const Verdict = Schema.Struct({ ok: Schema.Boolean, since: Schema.Date })
const typed = Agent.make({ name: "x", instruction: "x", answer: Verdict })
const typedRun = Agent.run(typed, "Go")
is<
  Eq<typeof typedRun, Effect.Effect<Outcome<{ readonly ok: boolean; readonly since: Date }>, AgentError, LanguageModel>>
>()
const session = Agent.session(typed)
is<
  Eq<
    typeof session,
    Effect.Effect<Conversation<{ readonly ok: boolean; readonly since: Date }>, AgentError, LanguageModel | Scope.Scope>
  >
>()
const stream = Agent.stream(reviewer, "Go")
is<Eq<typeof stream, Stream.Stream<RunItem<string>, AgentError, LanguageModel>>>()

const model = AgentTest.script(AgentTest.say("ok"))
const own = Agent.make({ name: "own", instruction: "x", model })
const ownRun = Agent.run(own, "Go")
is<Eq<typeof ownRun, Effect.Effect<Outcome<string>, AgentError>>>()
class Http extends Context.Service<Http, { readonly send: () => void }>()("Http") {}
declare const remote: Layer.Layer<LanguageModel, never, Http>
const remoteRun = Agent.run(Agent.make({ name: "x", instruction: "x", model: remote }), "Go")
is<Eq<typeof remoteRun, Effect.Effect<Outcome<string>, AgentError, Http>>>()

// 3 calls of an outcome are typed by their contract
export const calls = (outcome: Outcome<string>): ReadonlyArray<TypedRunCall<typeof search>> => {
  const [call] = outcome.calls(search)
  is<Eq<typeof call, TypedRunCall<typeof search> | undefined>>()
  void call?.input?.query.length
  void call?.output?.map((line) => line.length)
  return outcome.calls(search)
}

// 4 promises
const promised = runAgent(reviewer, "Go", { model })
is<Eq<typeof promised, Promise<Outcome<string>>>>()
export const without = [runAgent(own, "Go"), runAgent(own, "Go", { runId: "r" }), AgentTest.run(own, "Go")]
const talk = converse(typed, { model })
is<Eq<typeof talk, Promise<PromiseConversation<{ readonly ok: boolean; readonly since: Date }>>>>()
export const items = streamAgent(reviewer, "Go", { model, signal: AbortSignal.timeout(1_000) })

// 5 scripts
export const script = AgentTest.script(
  AgentTest.call(search, { query: "x" }),
  AgentTest.call(list),
  AgentTest.call(list, { limit: 3 }, { server: "kb" }),
  AgentTest.call(getShow, { id: 1 }, { usage: { input: 100 } }),
  AgentTest.callNamed("subagent.spawn", { anything: true }),
  AgentTest.together(AgentTest.say("both"), AgentTest.call(search, { query: "y" })),
  AgentTest.after(1_000, AgentTest.fail()),
  (seen) => AgentTest.answer({ found: seen.last(search)?.[0]?.length ?? 0 })
)

// 6 agents as servers: what their runs need is what the value needs
const served = AgentMcp.make(reviewer)
is<Eq<typeof served, Mcp<LanguageModel>>>()
const servedOwn = AgentMcp.make(own)
is<Eq<typeof servedOwn, Mcp<never>>>()
export const servers = [McpNode.handler(servedOwn), McpNode.handler(served.provide(model))]
export const lead = Agent.make({ name: "lead", instruction: "x", servers: { served: servedOwn, reviewer } })
declare const open: McpSession
export const spawned = open.call(AgentMcp.spawn)({ instruction: "Review", async: true, tool_scope: ["kb"] })
