/**
 * What one tree of runs has used, and how fast it may grow: tokens, runs, and starts in a moment.
 */
import type { Limits } from "../Limits.ts"
import type { SpawnRefusal } from "../Supervisor.ts"

/** Starts at once, and how many come back in a second. */
const spawnBurst = 8
const spawnsPerSecond = 2

export class Ledger {
  readonly #limits: Pick<Limits, "totalChildren" | "treeTokens">
  #tokens = 0
  #runs = 1
  #starts = spawnBurst
  #counted = 0

  constructor(limits: Pick<Limits, "totalChildren" | "treeTokens">) {
    this.#limits = limits
  }

  /** Whether the tree has used all its tokens. */
  get spent(): boolean {
    return this.#tokens >= this.#limits.treeTokens
  }

  /** Runs that the tree has had, its root among them. */
  get runs(): number {
    return this.#runs
  }

  readonly charge = (tokens: number): void => {
    this.#tokens += tokens
  }

  /** Why the tree starts no other run now. @param now milliseconds */
  refuses(now: number): SpawnRefusal | undefined {
    const { totalChildren, treeTokens } = this.#limits
    if (this.#startsAt(now) < 1) return { _tag: "Rate", burst: spawnBurst, perSecond: spawnsPerSecond }
    if (this.#runs >= totalChildren) return { _tag: "TotalChildren", limit: totalChildren }
    return this.spent ? { _tag: "TreeTokens", limit: treeTokens } : undefined
  }

  /** Counts a run that starts. */
  started(now: number): void {
    this.#starts = this.#startsAt(now) - 1
    this.#counted = now
    this.#runs++
  }

  #startsAt(now: number): number {
    return Math.min(spawnBurst, this.#starts + ((now - this.#counted) / 1_000) * spawnsPerSecond)
  }
}
