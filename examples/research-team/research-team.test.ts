/** The team does its work by its script, and against an endpoint. */
import { assert, describe, it } from "@effect/vitest"
import { Agent } from "@treadle/agent"
import { AgentTest } from "@treadle/agent/test"
import { openAiAnswer, openAiCall, scriptedModel } from "@treadle/testing"
import * as Effect from "effect/Effect"
import { isConfigured, modelsOf } from "./model.ts"
import { scripted } from "./script.ts"
import { makeTeam } from "./team.ts"

describe("the research team", () => {
  it("reports what both of its members gave back, and sees no more of them", async () => {
    const outcome = await AgentTest.run(makeTeam(scripted), "What did treadles change in weaving?")
    assert.strictEqual(outcome.status, "completed")
    assert.deepStrictEqual(outcome.answer, {
      summary: "A treadle frees both hands, and a weaver made twice the cloth in a day.",
      sources: [1, 2],
      corrections: ["Not supported: that treadles drove the mills; source 3 says that steam did."]
    })
    assert.deepStrictEqual(
      outcome.calls().map(({ server, tool }) => `${server} ${tool}`),
      ["researcher subagent.spawn", "critic subagent.spawn"]
    )
  })

  it.live("asks the endpoint that the environment names, each of the three with its own instruction", () =>
    Effect.gen(function* () {
      const spawn = JSON.stringify({ instruction: "What did treadles change?" })
      const report = { summary: "Hands were free.", sources: [1], corrections: [] }
      const service = yield* scriptedModel(
        openAiAnswer({ tool_calls: [openAiCall("1", "mcp__researcher__subagent_spawn", spawn)] }, "tool_calls"),
        openAiAnswer({ content: "Hands were free [1]." }),
        openAiAnswer({ content: JSON.stringify(report) })
      )
      const env = { MODEL_URL: service.url, MODEL_NAME: "small", MODEL_KEY: "k-1" }
      assert.isTrue(isConfigured(env))
      const outcome = yield* Agent.run(makeTeam(modelsOf(env)), "What did treadles change?")
      assert.deepStrictEqual(outcome.answer, report)
      const asked = service.seen.events.map(({ headers, json }) => [
        headers["authorization"],
        String(json.messages[0].content).split(".")[0]
      ])
      assert.deepStrictEqual(asked, [
        ["Bearer k-1", "You write short reports"],
        ["Bearer k-1", "You research in the library"],
        ["Bearer k-1", "You write short reports"]
      ])
    })
  )
})
