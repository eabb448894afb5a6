/**
 * Starting and steering subagents: the contract. Everything that starts a run below another asks a supervisor, and a
 * supervisor is handed to one caller, so depth and path are never the caller's to say.
 */
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type { RunStatus } from "./Outcome.ts"

/** How a subagent is run. */
export type SpawnMode =
  /** The caller waits for its end. */
  | "sync"
  /** The caller goes on, and looks at it by its handle. */
  | "async"
  /** It stays after each turn, for `send`. */
  | "warm"

/** What is asked of a new subagent. */
export interface SpawnRequest {
  /** The task. */
  readonly instruction: string
  /** One message that it sees before the task; it sees nothing else of its parent. */
  readonly context?: string
  /** What exactly it shall answer. */
  readonly contract?: string
  /** Names of servers that it may reach, which the caller may reach too. Nothing for those of the caller, `[]` for none. */
  readonly servers?: ReadonlyArray<string>
  readonly mode: SpawnMode
}

/** Why a subagent was not started. The caller goes on. */
export type SpawnRefusal =
  | { readonly _tag: "Depth"; readonly limit: number; readonly at: string }
  | { readonly _tag: "Children"; readonly limit: number; readonly at: string }
  | { readonly _tag: "TotalChildren"; readonly limit: number }
  | { readonly _tag: "Rate"; readonly burst: number; readonly perSecond: number }
  | { readonly _tag: "TreeTokens"; readonly limit: number }
  | { readonly _tag: "Draining" }
  | { readonly _tag: "ToolScope"; readonly servers: ReadonlyArray<string> }
  | { readonly _tag: "Trifecta"; readonly servers: ReadonlyArray<string> }
  | { readonly _tag: "Concurrent"; readonly limit: number }
  | { readonly _tag: "Warm"; readonly limit: number }
  | { readonly _tag: "Start"; readonly detail: string }

const quoted = (names: ReadonlyArray<string>): string => names.map((name) => JSON.stringify(name)).join(", ")

/** A refusal in a sentence that a model can act on. */
const said = (reason: SpawnRefusal): string => {
  switch (reason._tag) {
    case "Depth":
      return `max_depth=${reason.limit} reached at handle ${reason.at}`
    case "Children":
      return `max_children=${reason.limit} reached at handle ${reason.at}`
    case "TotalChildren":
      return `max_total=${reason.limit} runs of this tree reached`
    case "Rate":
      return `more than ${reason.burst} at once; try again in a moment (${reason.perSecond} a second)`
    case "TreeTokens":
      return `the tree has used its ${reason.limit} tokens`
    case "Draining":
      return "the tree is being stopped"
    case "ToolScope":
      return `these servers cannot be given: ${quoted(reason.servers)}`
    case "Trifecta":
      return `servers ${quoted(reason.servers)} together bring untrusted input, read what is sensitive and reach the outside; name fewer`
    case "Concurrent":
      return `${reason.limit} concurrent served spawns in flight`
    case "Warm":
      return `${reason.limit} warm sessions live; cancel one`
    case "Start":
      return reason.detail
  }
}

/** A spawn that was refused. */
export class SpawnRefused extends Data.TaggedError("SpawnRefused")<{ readonly reason: SpawnRefusal }> {
  override get message(): string {
    return `spawn refused: ${said(this.reason)}`
  }
}

/** A handle that nothing stands behind, or that cannot do what was asked of it. */
export class HandleRefused extends Data.TaggedError("HandleRefused")<{
  readonly handle: string
  readonly why: "unknown" | "ended" | "not_warm" | "full"
}> {
  override get message(): string {
    const { handle, why } = this
    switch (why) {
      case "unknown":
        return `no such subagent: ${JSON.stringify(handle)}`
      case "ended":
        return `warm session ${JSON.stringify(handle)} has ended`
      case "full":
        return `too many messages wait for ${JSON.stringify(handle)}; let it answer some first`
      case "not_warm":
        return `${JSON.stringify(handle)} is not warm: it takes no messages. Spawn it warm to send it some`
    }
  }
}

/** A subagent as it stands. */
export interface SubagentState {
  readonly handle: string
  readonly mode: SpawnMode
  /** `running` until it ended; a warm one runs until it is cancelled. */
  readonly status: "running" | RunStatus
  readonly done: boolean
  /** Milliseconds since it was started. */
  readonly age: number
  /** What it answered, distilled: an answer of the agreed form, or text. Of a warm one, the last turn's. */
  readonly result?: unknown
  readonly partial?: boolean
  /** What a failed one failed of. */
  readonly error?: string
  readonly abandoned?: true
  /** Warm: turns that ended, and messages that wait or are being answered. */
  readonly turns: number
  readonly awaiting: number
  /** Warm: whether the last turn ended in something else than an answer. */
  readonly lastIsError?: boolean
}

/** What became of a message to a warm subagent: it is queued. */
export interface Delivered {
  /** Turns that ended before. */
  readonly turns: number
  /** The number of the turn that answers this message. */
  readonly awaiting: number
}

/** What became of a wish to end one. */
export interface CancelAck {
  /** False where it had ended already; its result stays. */
  readonly cancelled: boolean
  readonly mode: SpawnMode
}

/**
 * A supervisor as one caller has it.
 */
export interface Supervisor {
  /** A turn of the caller begins: those that it started before count no more towards its limit of children. */
  readonly turn: () => void
  /** Starts a subagent of the caller. A sync one is over when this returns. */
  readonly spawn: (request: SpawnRequest) => Effect.Effect<SubagentState, SpawnRefused>
  /** Queues a message for a warm subagent. */
  readonly send: (handle: string, message: string) => Effect.Effect<Delivered, HandleRefused>
  readonly status: (handle: string) => Effect.Effect<SubagentState, HandleRefused>
  /** Waits for its end, or for the end of the turn that answers the last message, at most `millis`. */
  readonly await: (handle: string, millis: number) => Effect.Effect<SubagentState, HandleRefused>
  /** Asks it to end, with everything below it; returns at once. */
  readonly cancel: (handle: string) => Effect.Effect<CancelAck, HandleRefused>
  /** Those of the caller, in the order of their start. */
  readonly list: Effect.Effect<ReadonlyArray<SubagentState>>
}
