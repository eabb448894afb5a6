/**
 * Agents that have themselves as a server: whatever their models want, they come to an end.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as LanguageModel from "effect/ai/LanguageModel"
import type { PartEncoded } from "effect/ai/Response"
import { assert, describe, it } from "@effect/vitest"
import { Agent, AgentMcp, Server, type AgentEvent, type ServerRef } from "@treadle/agent"
import { McpClient } from "@treadle/client"
import { McpHttp } from "@treadle/server/http"
import { until } from "../until.ts"

/** A model that has a fresh run do the same, and answers with what came of that. */
const tireless = (mode: object) =>
  Layer.effect(
    LanguageModel.LanguageModel,
    LanguageModel.make({
      generateText: ({ prompt }) => {
        const [made] = prompt.content.flatMap(({ content, role }) => (role === "tool" ? content : []))
        const params = { instruction: "again", ...mode }
        const part: PartEncoded =
          made?.type === "tool-result"
            ? { type: "text", text: JSON.stringify(made.result) }
            : { type: "tool-call", id: "1", name: "mcp__mirror__subagent_spawn", params }
        return Effect.succeed([part])
      },
      streamText: () => {
        throw new Error("it is not asked in a stream")
      }
    })
  )

const ouroboros = (mirror: ServerRef) =>
  Agent.make({ name: "ouroboros", instruction: "Go.", servers: { mirror }, limits: { depth: 3 }, subagents: false })

const refused = "max_depth=3 reached at handle 0"

describe("an agent that is a server of its own", () => {
  it.effect("over HTTP ends at its depth, however soon each of its runs is over (A119)", () =>
    Effect.gen(function* () {
      const events: Array<AgentEvent> = []
      const agent = ouroboros(
        Server.http("https://self.example/mcp", { fetch: (request) => Promise.resolve(served(request)) })
      )
      const mcp = AgentMcp.make(agent, { onEvent: (event) => events.push(event) })
      const served = McpHttp.fetch(mcp.provide(tireless({ async: true })), { hosts: ["self.example"] })
      const outcome = yield* Effect.provide(Agent.run(agent, "Go"), tireless({ async: true }))
      assert.include(outcome.text, '"handle":"served.0","status":"running"')
      const of = <T extends AgentEvent["_tag"]>(tag: T) =>
        events.filter((event): event is Extract<AgentEvent, { readonly _tag: T }> => event._tag === tag)
      yield* until(() => of("SubagentEnded").length === 3)
      assert.deepStrictEqual(
        of("SubagentStarted").map(({ depth, handle }) => [handle, depth]),
        [
          ["served.0", 1],
          ["served.1", 2],
          ["served.2", 3]
        ]
      )
      assert.include(of("ToolReturned").find(({ path }) => path === "0.2")?.text, refused)
      yield* Effect.promise(() => served.close())
    })
  )

  it.effect("in one process ends at its depth, though each of its runs is served anew (A119)", () =>
    Effect.gen(function* () {
      let served = 0
      const agent = ouroboros(
        Server.from((settings) => {
          served++
          return McpClient.direct(AgentMcp.make(agent).provide(tireless({})), {}, settings)
        })
      )
      const outcome = yield* Effect.provide(Agent.run(agent, "Go"), tireless({}))
      assert.include(outcome.text, refused)
      assert.strictEqual(served, 4)
    })
  )
})
