/**
 * The requests of one link that wait for their answer. Each settles once; when the link closes, all that are left settle
 * at once and are given up.
 */

/** One request that waits. */
export interface Waiter {
  /** Whether this was the first to settle it; whoever gets `false` does nothing. */
  readonly settle: () => boolean
  readonly waits: () => boolean
}

interface Entry<A> {
  readonly of: A
  readonly onClose: () => void
}

/** The waiters of a link, each with what it waits for. */
export class Waiters<A> {
  readonly #open = new Map<Waiter, Entry<A>>()
  #closed = false

  get closed(): boolean {
    return this.#closed
  }

  /** @param onClose called when the link closes before the waiter was settled */
  add(of: A, onClose: () => void): Waiter {
    const waiter: Waiter = { settle: () => this.#open.delete(waiter), waits: () => this.#open.has(waiter) }
    this.#open.set(waiter, { of, onClose })
    return waiter
  }

  *all(): Iterable<A> {
    for (const { of } of this.#open.values()) yield of
  }

  /** Settles all; nothing is added afterwards. */
  close(): void {
    this.#closed = true
    for (const { onClose } of this.#open.values()) onClose()
  }
}
