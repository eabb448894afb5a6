/**
 * Tests of agents without a key, a port or a pause: models with scripts, servers that record and fail, runs that are
 * awaited.
 */
import { runAgent } from "../promise/index.ts"
import { delay, hanging, recording, rpcError } from "./RecordingServer.ts"
import { cast, script } from "./ScriptedModel.ts"
import { after, answer, call, callNamed, cutOff, fail, hang, say, together } from "./Turn.ts"

/**
 * @example
 * ```ts
 * import { Agent } from "@treadle/agent"
 * import { AgentTest } from "@treadle/agent/test"
 * import { Endpoint, Mcp } from "@treadle/server"
 * import * as Schema from "effect/Schema"
 *
 * const search = Endpoint.make("search", { description: "Search the rules", input: { query: Schema.String } })
 * const kb = Mcp.make({ name: "kb", version: "1.0.0" }).tool(search, async ({ query }) => `Rule 7 on ${query}`)
 * const reviewer = Agent.make({ name: "reviewer", instruction: "You review pull requests.", servers: { kb } })
 *
 * const model = AgentTest.script(
 *   AgentTest.call(search, { query: "force push" }),
 *   (seen) => AgentTest.say(seen.last(search)?.includes("Rule 7") === true ? "Request changes" : "LGTM")
 * )
 * const outcome = await AgentTest.run(reviewer, "Review PR 7", { model })
 * outcome.text // => "Request changes"
 * outcome.calls(search).map(({ input }) => input) // => [{ query: "force push" }]
 * ```
 */
export const AgentTest = {
  /** A model that answers by a script; a turn too many or too few fails the test. */
  script,
  /** One model for several who ask it, each with a script of their own. */
  cast,
  /** Turns: calls of tools, texts, answers, and what goes wrong. */
  call,
  callNamed,
  say,
  answer,
  cutOff,
  together,
  fail,
  hang,
  after,
  /** Servers that record, and what goes wrong with them. */
  recording,
  delay,
  rpcError,
  hanging,
  /** Runs one task; the promise door. */
  run: runAgent
}
