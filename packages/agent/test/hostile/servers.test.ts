import * as Arbitrary from "effect/Arbitrary"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as LanguageModel from "effect/ai/LanguageModel"
import type { PartEncoded } from "effect/ai/Response"
import { assert, describe, it } from "@effect/vitest"
import { hostileJson, type HttpScript } from "@treadle/testing"
import { Agent, Server } from "@treadle/agent"
import { eras, said, result, serving, tool, type Offer } from "../wire.ts"

/** A model that calls the first tool that a server has, reads a resource, and is done. */
const curious = Layer.effect(
  LanguageModel.LanguageModel,
  LanguageModel.make({
    generateText: ({ prompt, tools }) => {
      const asked = prompt.content.filter(({ role }) => role === "assistant").length
      const foreign = tools.find(({ name }) => name.startsWith("mcp__"))?.name ?? "none"
      const calls: ReadonlyArray<PartEncoded> = [
        { type: "tool-call", id: `a${asked}`, name: foreign, params: { asked } },
        { type: "tool-call", id: `b${asked}`, name: "resource_read", params: { uri: "box://a" } }
      ]
      return Effect.succeed<Array<PartEncoded>>(asked < 2 ? [...calls] : [{ type: "text", text: "done" }])
    },
    streamText: () => {
      throw new Error("it is not asked in a stream")
    }
  })
)

/** A run may end well or with an `AgentError`; it never breaks. */
const survives = (script: HttpScript, required: boolean) =>
  Effect.scoped(
    Effect.gen(function* () {
      const server = yield* serving(script)
      const agent = Agent.make({
        name: "r",
        instruction: "Go.",
        servers: { box: Server.http(server.url, { required }) }
      })
      const exit = yield* Effect.exit(Effect.provide(Agent.run(agent, "Go"), curious))
      if (Exit.isFailure(exit)) assert.isFalse(Cause.hasDies(exit.cause), Cause.pretty(exit.cause))
      if (!required) assert.isTrue(Exit.isSuccess(exit), JSON.stringify(exit))
    })
  )

/** Each run has a server of its own. */
const few = { arbitrary: { runs: 25 } }

const list = Arbitrary.array(hostileJson, { maxLength: 4 })

describe.each(eras)("a run over a server that is $era and answers anything", ({ serve }) => {
  it.effect.prop(
    "goes on, whatever a call or a read is answered by",
    [hostileJson, hostileJson],
    ([body, other]) => {
      let count = 0
      const offer: Offer = {
        tools: [tool("x")],
        resources: [{ uri: "box://a", name: "a" }],
        call: ({ json }, reply) => {
          count++
          if (count % 3 === 0) return reply.json(body)
          return reply.json({ jsonrpc: "2.0", id: json.id, [count % 2 === 0 ? "error" : "result"]: other })
        }
      }
      return survives(serve(offer), false)
    },
    few
  )

  it.effect.prop(
    "goes on, whatever it lists, says of itself, and says that it can",
    [list, list, hostileJson, hostileJson],
    ([tools, resources, instructions, capability]) => {
      const offer = {
        tools: [...tools, tool("x")],
        resources,
        instructions,
        capabilities: { tools: {}, resources: capability }
      }
      return survives(serve(offer as Offer), false)
    },
    few
  )

  it.effect.prop(
    "ends with an AgentError at most where it is needed",
    [hostileJson],
    ([greeting]) => {
      const first: Offer["first"] = ({ json }, reply) => {
        if (json?.method !== "server/discover" && json?.method !== "initialize") return false
        reply.json(result(json.id, greeting as object))
        return true
      }
      return survives(serve({ first, call: ({ json }, reply) => reply.json(result(json.id, said("ok"))) }), true)
    },
    few
  )
})
