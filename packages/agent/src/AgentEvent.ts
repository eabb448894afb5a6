/**
 * What a run reports while it runs, as one union: for live output, for logs, for tests.
 */
import type { RunStatus, RunUsage } from "./Outcome.ts"

/** A tool as it was listed: its name, and what tells whether its description changed. */
export interface ListedTool {
  readonly tool: string
  /** Of the description, 16 hexadecimal digits. */
  readonly hash: string
  /** Characters of the description. */
  readonly length: number
}

/** What happened, whichever run it is of. */
export type AgentEventBody =
  | { readonly _tag: "RunStarted"; readonly agent: string }
  | { readonly _tag: "ServerConnected"; readonly server: string; readonly version: string }
  | { readonly _tag: "ServerUnavailable"; readonly server: string; readonly detail: string }
  | { readonly _tag: "ToolsListed"; readonly server: string; readonly tools: ReadonlyArray<ListedTool> }
  /** The description of a tool that was listed before is another one now. */
  | {
      readonly _tag: "ToolDescriptionChanged"
      readonly server: string
      readonly tool: string
      readonly before: string
      readonly after: string
    }
  /** Something that a server cannot do, or did wrong, and that the run goes on without. */
  | { readonly _tag: "Degraded"; readonly server: string; readonly what: string }
  /** All three tags are together, because the definition says that they may be. */
  | { readonly _tag: "TrifectaAllowed"; readonly servers: ReadonlyArray<string> }
  | { readonly _tag: "StepStarted"; readonly step: number }
  /** A part of the model's text, where it is streamed. */
  | { readonly _tag: "TextDelta"; readonly text: string }
  | {
      readonly _tag: "ModelAnswered"
      readonly step: number
      readonly text: string
      readonly finishReason: string
      readonly input: number
      readonly output: number
    }
  | {
      readonly _tag: "ToolCalled"
      readonly id: string
      /** The server; empty for the agent's own tools. */
      readonly server: string
      readonly tool: string
      readonly input: unknown
    }
  | {
      readonly _tag: "ToolProgress"
      readonly id: string
      readonly done: number
      readonly total?: number
      readonly message?: string
    }
  | {
      readonly _tag: "ToolReturned"
      readonly id: string
      readonly server: string
      readonly tool: string
      readonly isError: boolean
      readonly text: string
    }
  | { readonly _tag: "Compacted"; readonly removed: number; readonly kept: number }
  | { readonly _tag: "SubagentStarted"; readonly handle: string; readonly depth: number }
  | { readonly _tag: "SubagentEnded"; readonly handle: string; readonly status: RunStatus }
  /** All runs together have used nine tenths of `lifetimeTokens`; told once. */
  | { readonly _tag: "LifetimeThreshold"; readonly used: number; readonly limit: number }
  | { readonly _tag: "RunEnded"; readonly status: RunStatus; readonly partial: boolean; readonly usage: RunUsage }

/** One event, and the run that it is of. */
export type AgentEvent = AgentEventBody & {
  readonly runId: string
  /** Where the run stands in its tree: `0` for the root, `0.2` for its third child. */
  readonly path: string
}
