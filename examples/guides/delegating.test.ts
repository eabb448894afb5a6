/**
 * An agent whose model gives parts of its task to subagents.
 */
// #region delegate
import { Agent } from "@treadle/agent"
import { AgentTest } from "@treadle/agent/test"
import { expect, test } from "vitest"
import { rules, search } from "./rules.ts"

const lead = Agent.make({
  name: "lead",
  instruction: "You review releases. Give each pull request to a subagent.",
  servers: { rules },
  limits: { children: 4, depth: 1 }
})

test("the lead gives a pull request to a subagent, and gets back what it answers", async () => {
  const model = AgentTest.cast(({ system }) => (system.startsWith("You are a subagent") ? "subagent" : "lead"), {
    lead: [
      AgentTest.callNamed("subagent.spawn", {
        instruction: "Review PR 7",
        context: "It force pushes to main.",
        output_contract: "The number of the rule that it breaks",
        servers: ["rules"]
      }),
      (seen) => AgentTest.answer(seen.results[0]?.value)
    ],
    subagent: [
      AgentTest.call(search, { query: "force push" }),
      (seen) => AgentTest.say(seen.last(search)?.[0]?.slice(0, 6) ?? "none")
    ]
  })
  const outcome = await AgentTest.run(lead, "Review the release", { model })
  expect(JSON.parse(outcome.text)).toEqual({
    handle: "0.0",
    status: "completed",
    done: true,
    partial: false,
    result: "Rule 7"
  })
})
// #endregion
