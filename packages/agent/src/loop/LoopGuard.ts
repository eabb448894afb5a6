/**
 * Notices a model that goes in circles: the same call again and again, or rounds that bring nothing new.
 */
import type { RunStatus } from "../Outcome.ts"
import type { Observation } from "../toolbox/Observation.ts"
import type { ModelCall } from "./History.ts"

/** The same call, tool and arguments, as often as this in one turn. */
const sameCalls = 4

/** Rounds that bring the same, as many as this one after another. */
const sameRounds = 3

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, member]) => [key, sorted(member)])
  )
}

const keyOf = ({ name, params }: ModelCall): string => `${name} ${JSON.stringify(sorted(params)) ?? ""}`

export class LoopGuard {
  readonly #calls = new Map<string, number>()
  #lastRound = ""
  #rounds = 0

  /** Counts the calls of a round before they are made. */
  counts(calls: ReadonlyArray<ModelCall>): Extract<RunStatus, "loop_detected"> | undefined {
    let found: "loop_detected" | undefined
    for (const call of calls) {
      const key = keyOf(call)
      const count = (this.#calls.get(key) ?? 0) + 1
      this.#calls.set(key, count)
      if (count >= sameCalls) found = "loop_detected"
    }
    return found
  }

  /**
   * Counts what a round brought. Failures are the same whatever was tried; an answer is only the same as one to the same
   * call, since many calls have nothing to say but that they were made.
   *
   * @param results of the calls, in their order
   */
  learns(
    calls: ReadonlyArray<ModelCall>,
    results: ReadonlyArray<Observation>
  ): Extract<RunStatus, "stalled"> | undefined {
    const round = JSON.stringify(
      results.map(({ isError, value }, index) => {
        const call = calls[index]
        return isError || call === undefined ? value : [keyOf(call), value]
      })
    )
    this.#rounds = round === this.#lastRound ? this.#rounds + 1 : 1
    this.#lastRound = round
    return this.#rounds >= sameRounds ? "stalled" : undefined
  }
}
