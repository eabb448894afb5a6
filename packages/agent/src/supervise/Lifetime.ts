/**
 * What an agent uses for as long as it is connected, over all its runs: it is told of once before it is used up, and no
 * run asks a model after that.
 */
import type { RunFacts } from "../RunFacts.ts"

/** The share of the limit at which it is told of. */
const threshold = 0.9

export class Lifetime {
  readonly #limit: number
  #tokens = 0

  /** @param limit tokens */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** Whether nothing is left. */
  get spent(): boolean {
    return this.#tokens >= this.#limit
  }

  /** @param facts of the run that used them */
  charge(tokens: number, { emit }: RunFacts): void {
    const before = this.#tokens
    this.#tokens += tokens
    const at = threshold * this.#limit
    if (before < at && this.#tokens >= at) {
      emit({ _tag: "LifetimeThreshold", used: this.#tokens, limit: this.#limit })
    }
  }
}
