/** A conversation that is kept as JSON, and gone on from. */
// #region test
import { Transcript } from "@treadle/agent"
import { converse } from "@treadle/agent/promise"
import { AgentTest } from "@treadle/agent/test"
import * as Result from "effect/Result"
import { expect, test } from "vitest"
import { reviewer } from "./reviewer.ts"
import { search } from "./rules.ts"

test("a conversation goes on from what another one left", async () => {
  const monday = await converse(reviewer, {
    model: AgentTest.script(AgentTest.call(search, { query: "force push" }), AgentTest.say("Request changes: rule 7"))
  })
  await monday.say("Review PR 7")
  await monday.close()
  const kept = JSON.stringify(monday.transcript())

  await using tuesday = await converse(reviewer, {
    model: AgentTest.script((seen) => AgentTest.say(`As I said: ${seen.last(search)?.[0]}`)),
    transcript: Result.getOrThrow(Transcript.from(JSON.parse(kept)))
  })
  expect((await tuesday.say("Why?")).text).toBe("As I said: Rule 7: no force pushes")
})
// #endregion
