/**
 * The requests of one session that wait for their answer. Each settles once; when the session closes, all that are left
 * settle at once and are given up.
 */

/** One request that waits. */
export interface Waiter {
  /** Whether this was the first to settle it; whoever gets `false` does nothing. */
  readonly settle: () => boolean
  readonly waits: () => boolean
}

/** The waiters of a session. */
export class Waiters {
  readonly #open = new Map<Waiter, () => void>()
  #closed = false

  get closed(): boolean {
    return this.#closed
  }

  /** @param onClose called when the session closes before the waiter was settled */
  add(onClose: () => void): Waiter {
    const waiter: Waiter = { settle: () => this.#open.delete(waiter), waits: () => this.#open.has(waiter) }
    this.#open.set(waiter, onClose)
    return waiter
  }

  /** Settles all; nothing is added afterwards. */
  close(): void {
    this.#closed = true
    for (const onClose of this.#open.values()) onClose()
  }
}
