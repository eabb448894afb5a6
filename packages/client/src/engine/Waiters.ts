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

/** What happens to a waiter that is left when the session closes. */
export type OnClose = () => void

/** The waiters of a session. */
export class Waiters {
  readonly #open = new Map<Waiter, OnClose>()
  #closed = false

  get closed(): boolean {
    return this.#closed
  }

  /** How many requests wait. */
  get size(): number {
    return this.#open.size
  }

  add(onClose: OnClose): Waiter {
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
