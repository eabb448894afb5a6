/**
 * What may be said of one run, or of one conversation.
 */
import type { AgentEvent } from "./AgentEvent.ts"
import type { Transcript } from "./Transcript.ts"

/** Options of a run, or of a conversation. */
export interface RunOptions {
  /** Tells servers and logs which run this is. Random by default; give your own where a run may be repeated. */
  readonly runId?: string
  /** Told of everything that happens, subagents included. */
  readonly onEvent?: (event: AgentEvent) => void
  /** Whether the model's text is told of as it comes, as `TextDelta`. Default false. */
  readonly stream?: boolean
  /** What was said before: the run or the conversation goes on from there. */
  readonly transcript?: Transcript
  /** One message that the model sees before the task. */
  readonly context?: string
  /** What exactly it shall answer. */
  readonly contract?: string
  /** Aborting it ends the run with the outcome `cancelled`; what was reached until then is in it. */
  readonly signal?: AbortSignal
}
