/** The team does its work by its script, and against an endpoint. */
import { assert, describe, it } from "@effect/vitest"
import { AgentTest } from "@treadle/agent/test"
import { makeTeam } from "./team.ts"
import { scripted } from "./script.ts"

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
})
