/**
 * What is true of one run from its start: who it is, where it stands in its tree, and whom it reports to.
 */
import type { AgentEvent, AgentEventBody } from "./AgentEvent.ts"

/** The facts of a run. */
export interface RunFacts {
  readonly agent: string
  readonly runId: string
  /** `0` for a root, `0.2` for its third child. */
  readonly path: string
  readonly depth: number
  readonly emit: (event: AgentEventBody) => void
}

/** @param hear told of every event; what it throws goes no further */
export const runFacts = (
  { agent, depth, path, runId }: Omit<RunFacts, "emit">,
  hear: ((event: AgentEvent) => void) | undefined
): RunFacts => ({
  agent,
  runId,
  path,
  depth,
  emit: (event) => {
    try {
      hear?.({ ...event, runId, path })
    } catch {
      return
    }
  }
})
