/** The programs of the guides about agents do what their pages say. */
import { assert, describe, it } from "@effect/vitest"
import { AgentTest } from "@treadle/agent/test"
import * as Effect from "effect/Effect"
import { chat } from "./chat.ts"
import { watch } from "./live-output.ts"
import { search } from "./rules.ts"
import { verdict } from "./verdict.ts"

describe("the guides about agents", () => {
  it.effect("have a typed answer", () =>
    Effect.gen(function* () {
      const model = AgentTest.script(
        AgentTest.call(search, { query: "push" }),
        AgentTest.answer({ approve: false, reasons: ["Rule 7"] })
      )
      assert.strictEqual(yield* Effect.provide(verdict, model), "Rule 7")
    })
  )

  it("show what happens", async () => {
    const printed: Array<string> = []
    const model = AgentTest.script(AgentTest.call(search, { query: "push" }), AgentTest.say("Request changes"))
    const outcome = await watch(model, (text) => printed.push(text))
    assert.strictEqual(outcome?.text, "Request changes")
    assert.deepStrictEqual(printed, ["[rules: search]\n", "Request ", "changes"])
  })

  it("converse", async () => {
    const model = AgentTest.script(AgentTest.say("Request changes"), (seen) =>
      AgentTest.say(seen.prompt.includes("Request changes") ? "LGTM" : "What?")
    )
    assert.deepStrictEqual(await chat(model), ["Request changes", "LGTM"])
  })
})
