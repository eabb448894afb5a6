/** What bounds a run, and what is left when it is bounded. */
// #region test
import { Agent } from "@treadle/agent"
import { AgentTest } from "@treadle/agent/test"
import { expect, test } from "vitest"
import { rules, search } from "./rules.ts"

test("a run that has used up its steps is an outcome, with what it had said", async () => {
  const brief = Agent.make({
    name: "brief",
    instruction: "You review pull requests.",
    servers: { rules },
    limits: { steps: 2 }
  })
  const model = AgentTest.script(
    AgentTest.together(AgentTest.say("Rule 7 may apply."), AgentTest.call(search, { query: "push" })),
    AgentTest.call(search, { query: "rebase" })
  )
  const outcome = await AgentTest.run(brief, "Review PR 7", { model })
  expect(outcome.status).toBe("exhausted_steps")
  expect(outcome.partial).toBe(true)
  expect(outcome.text).toBe("Rule 7 may apply.")
  expect(outcome.usage.steps).toBe(2)
})
// #endregion test
