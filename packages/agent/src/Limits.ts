/**
 * What bounds a run, a tree of runs and what an agent serves. One place, with the defaults.
 */

/** Settings of an agent's `limits`; what is not said has its default. */
export interface AgentLimits {
  /** Calls of the model in one run, or in one turn of a conversation; each may make 64 calls of tools. Default 50. */
  readonly steps?: number
  /** Tokens of one run or turn, in and out together; may be overshot by one call of the model. Default 200,000. */
  readonly tokens?: number
  /** Milliseconds of one run, connecting its servers included, or of one turn. Default 600,000. */
  readonly deadline?: number
  /** How deep subagents may nest; the root is 0. Default 4. */
  readonly depth?: number
  /** Subagents that one run, or one turn of a conversation, may start. Default 8. */
  readonly children?: number
  /** Runs of one tree, the root among them; a conversation is one tree from its start to its end. Default 64. */
  readonly totalChildren?: number
  /** Tokens of a tree. Default 2,000,000. */
  readonly treeTokens?: number
  /** Tokens of all runs of an agent that stays connected, or that is served. No bound by default. */
  readonly lifetimeTokens?: number
  /** Tokens that the model can read at once; a transcript is shortened at 70 % of it. Default 128,000. */
  readonly window?: number
}

/** Messages that may wait in a conversation, and for a warm subagent. */
export const waitingMessages = 64

/** All limits, as they hold. */
export type Limits = Required<AgentLimits>

/** The limits that hold where an agent does not say its own. */
export const defaultLimits: Limits = {
  steps: 50,
  tokens: 200_000,
  deadline: 600_000,
  depth: 4,
  children: 8,
  totalChildren: 64,
  treeTokens: 2_000_000,
  lifetimeTokens: Infinity,
  window: 128_000
}

/** The names of all limits, for those who write JavaScript. */
export const limitNames: ReadonlySet<string> = new Set(Object.keys(defaultLimits))

/** The limits of an agent with the defaults of those that it does not say. */
export const limitsOf = (said: AgentLimits = {}): Limits => ({ ...defaultLimits, ...said })
