/**
 * Why a run could not be had at all. How a run ended is no error: it is an `Outcome`, when a budget ended it too.
 */
import * as Data from "effect/Data"
import { describeProblem, type AgentProblem } from "./AgentProblem.ts"

/** The definition is wrong. */
class InvalidDefinition extends Data.TaggedError("InvalidDefinition")<{
  /** Every reason at once. */
  readonly problems: ReadonlyArray<AgentProblem>
}> {
  override get message(): string {
    const { problems } = this
    const count = problems.length === 1 ? "1 reason" : `${problems.length} reasons`
    const lines = problems.map((problem, index) => `  ${index + 1}. ${describeProblem(problem)}`)
    return [`it cannot run, for ${count}:`, ...lines].join("\n")
  }
}

/** A server that the agent cannot do without could not be reached, or was lost. */
class RequiredServerDown extends Data.TaggedError("RequiredServerDown")<{
  readonly server: string
  readonly detail: string
  readonly cause?: unknown
}> {
  override get message(): string {
    return `its server ${JSON.stringify(this.server)} is not there: ${this.detail}. Say required: false of servers that it can do without`
  }
}

/** No model answered. */
class IntelligenceUnavailable extends Data.TaggedError("IntelligenceUnavailable")<{
  readonly detail: string
  readonly cause?: unknown
}> {
  override get message(): string {
    return `no model answers: ${this.detail}`
  }
}

/** The reasons, for those who make errors themselves, as tests do. */
export const AgentReason = { InvalidDefinition, RequiredServerDown, IntelligenceUnavailable }

/** Why there was no run. */
export type AgentReason = InstanceType<(typeof AgentReason)[keyof typeof AgentReason]>

/**
 * A run that could not be had.
 *
 * @example
 * ```ts
 * import { AgentError, AgentReason } from "@treadle/agent"
 *
 * const reason = new AgentReason.RequiredServerDown({ server: "kb", detail: "connection refused" })
 * new AgentError({ agent: "reviewer", reason }).message
 * // => 'agent "reviewer": its server "kb" is not there: connection refused. Say required: false of servers that it can do without'
 * ```
 */
export class AgentError extends Data.TaggedError("AgentError")<{
  readonly agent: string
  readonly reason: AgentReason
}> {
  override get message(): string {
    return `agent ${JSON.stringify(this.agent)}: ${this.reason.message}`
  }

  /** The message without addresses and words of others: for those who did not define the agent. */
  get brief(): string {
    const { reason } = this
    const who = `agent ${JSON.stringify(this.agent)}`
    switch (reason._tag) {
      case "RequiredServerDown":
        return `${who}: its server ${JSON.stringify(reason.server)} is not there`
      case "IntelligenceUnavailable":
        return `${who}: no model answers`
      case "InvalidDefinition":
        return `${who}: its definition is wrong`
    }
  }
}
