/** Three agents in one test: one writes, one reviews, and one leads them. */
// #region team
import { Agent, AgentMcp } from "@treadle/agent"
import { AgentTest } from "@treadle/agent/test"
import { expect, test } from "vitest"
import { rules, search } from "./rules.ts"

test("the lead has the author write, and the reviewer check it", async () => {
  const author = Agent.make({
    name: "author",
    instruction: "You write notes for releases.",
    model: AgentTest.script(AgentTest.say("We force push to main."))
  })
  const reviewer = Agent.make({
    name: "reviewer",
    instruction: "You review texts by the rules.",
    servers: { rules },
    model: AgentTest.script(AgentTest.call(search, { query: "force push" }), (seen) =>
      AgentTest.say(`Breaks ${seen.last(search)?.[0]}`)
    )
  })
  const lead = Agent.make({
    name: "lead",
    instruction: "You have notes written, and then reviewed.",
    servers: { author, reviewer },
    model: AgentTest.script(
      AgentTest.call(AgentMcp.spawn, { instruction: "Write the notes of 2.0" }, { server: "author" }),
      (seen) => {
        const notes = String(seen.last(AgentMcp.spawn)?.result)
        return AgentTest.call(AgentMcp.spawn, { instruction: `Review: ${notes}` }, { server: "reviewer" })
      },
      (seen) => AgentTest.say(`Not yet: ${seen.last(AgentMcp.spawn)?.result}`)
    )
  })

  const outcome = await AgentTest.run(lead, "Prepare the notes of 2.0")

  expect(outcome.text).toBe("Not yet: Breaks Rule 7: no force pushes")
  expect(outcome.calls(AgentMcp.spawn).map(({ input, server }) => [server, input?.instruction])).toEqual([
    ["author", "Write the notes of 2.0"],
    ["reviewer", "Review: We force push to main."]
  ])
})
// #endregion team
