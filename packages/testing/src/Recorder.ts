/**
 * What happened, in order, and a way to wait for something to happen without looking again and again.
 */

/** A list of events that can be waited for. */
export class Recorder<A> {
  readonly events: Array<A> = []
  readonly #waiting = new Set<() => void>()
  readonly #lookers: Array<(event: A) => void> = []

  /** Adds an event. */
  record(event: A): void {
    this.events.push(event)
    for (const look of this.#lookers) look(event)
    for (const look of this.#waiting) look()
  }

  /** Looks at every event, past and future. */
  each(look: (event: A) => void): void {
    this.events.forEach(look)
    this.#lookers.push(look)
  }

  /** The first event, past or future, that fits. The time limit of the test bounds the wait. */
  first<B extends A>(fits: (event: A) => event is B): Promise<B>
  first(fits: (event: A) => boolean): Promise<A>
  first(fits: (event: A) => boolean): Promise<A> {
    return new Promise((resolve) => {
      const look = () => {
        const found = this.events.find(fits)
        if (found === undefined) return
        this.#waiting.delete(look)
        resolve(found)
      }
      this.#waiting.add(look)
      look()
    })
  }
}
