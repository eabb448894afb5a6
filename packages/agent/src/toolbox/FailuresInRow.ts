/**
 * How often in a row something failed, by its name; what worked once begins anew.
 */

/** Most runs have none, and share this. */
const none: ReadonlyMap<string, number> = new Map()

export class FailuresInRow {
  #counts = none

  /** Counts a failure. @returns how many there are in a row */
  failed(name: string): number {
    const count = (this.#counts.get(name) ?? 0) + 1
    this.#counts = new Map([...this.#counts, [name, count]])
    return count
  }

  worked(name: string): void {
    if (this.#counts.has(name)) this.#counts = new Map([...this.#counts].filter(([other]) => other !== name))
  }
}
