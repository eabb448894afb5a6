/** The reviewer, without a key, a port or a pause. */
// #region test
import { AgentTest } from "@treadle/agent/test"
import { expect, test } from "vitest"
import { reviewer } from "./reviewer.ts"
import { search } from "./rules.ts"

test("the reviewer looks up the rules before it answers", async () => {
  const model = AgentTest.script(AgentTest.call(search, { query: "force push" }), (seen) =>
    AgentTest.say(seen.last(search)?.[0]?.startsWith("Rule 7") === true ? "Request changes: rule 7" : "LGTM")
  )
  const outcome = await AgentTest.run(reviewer, "Review PR 7", { model })
  expect(outcome.text).toBe("Request changes: rule 7")
  expect(outcome.calls(search).map(({ input }) => input)).toEqual([{ query: "force push" }])
})
// #endregion test
