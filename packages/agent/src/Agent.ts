/**
 * Agents: making them, and running them. An agent is a plain value; each run connects its servers, does the task and
 * closes what it opened.
 */
import type * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type { LanguageModel } from "effect/ai/LanguageModel"
import { agentProblems } from "./AgentChecks.ts"
import type { Agent as AgentValue, AgentDefinition, AnyDefinition, AnswerDef } from "./AgentDefinition.ts"
import { AgentError, AgentReason } from "./AgentError.ts"
import type { AgentProblem } from "./AgentProblem.ts"
import { connect, run, session, stream } from "./AgentRun.ts"

/** An agent; see `Agent.make`. */
export type Agent<A = string, R = LanguageModel> = AgentValue<A, R>

/** What a definition says of the model: its own, with what that needs, or the one that is provided. */
type Needs<M> = [M] extends [never] ? LanguageModel : M extends Layer.Layer<LanguageModel, unknown, infer R> ? R : never

/**
 * Makes an agent. Nothing is opened or checked by it; `Agent.check` tells what is wrong, and so does a run before it
 * opens anything.
 *
 * @param definition its `name` and `instruction`; `servers` by name, as `Mcp` values, addresses, other agents or what
 * `Server` makes; the schema of its `answer`; `limits`; a `model` of its own
 *
 * @example
 * ```ts
 * import { Agent } from "@treadle/agent"
 *
 * const reviewer = Agent.make({ name: "reviewer", instruction: "You review pull requests." })
 * Agent.check(reviewer) // => []
 * ```
 */
const make = <A = string, const M extends Layer.Layer<LanguageModel, unknown, unknown> = never>(
  definition: Omit<AgentDefinition<A>, "model" | "answer"> & { readonly answer?: AnswerDef<A>; readonly model?: M }
): AgentValue<A, Needs<M>> => ({
  "~treadle/agent": { answer: phantom, needs: phantom },
  name: definition.name,
  definition: definition as AnyDefinition
})

/** Types only; nobody calls it. */
const phantom = (): never => {
  throw new Error("This member of an agent is for the compiler only.")
}

/** Every problem of a definition at once; empty where it can run. */
const check = (agent: AgentValue<unknown, unknown>): ReadonlyArray<AgentProblem> => agentProblems(agent.definition)

/** The agent, or every problem of its definition. */
const build = <A, R>(agent: AgentValue<A, R>): Result.Result<AgentValue<A, R>, AgentError> => {
  const problems = check(agent)
  return problems.length === 0
    ? Result.succeed(agent)
    : Result.fail(new AgentError({ agent: agent.name, reason: new AgentReason.InvalidDefinition({ problems }) }))
}

/** Agents: made, checked and run. */
export const Agent = { make, check, build, run, session, connect, stream }
