/**
 * The requests of one link that wait for their answer. Each settles once; when the link closes, all that are left settle
 * at once and are given up.
 */
import { TransitMap } from "../TransitMap.ts"

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
  readonly #open = new TransitMap<Waiter, Entry<A>>()
  #closed = false
  #onEmpty: (() => void) | undefined

  get closed(): boolean {
    return this.#closed
  }

  /** @param onClose called when the link closes before the waiter was settled */
  add(of: A, onClose: () => void): Waiter {
    const settle = (): boolean => {
      const first = this.#open.delete(waiter)
      if (first && this.#open.size === 0) this.#onEmpty?.()
      return first
    }
    const waiter: Waiter = { settle, waits: () => this.#open.has(waiter) }
    this.#open.set(waiter, { of, onClose })
    return waiter
  }

  *all(): Iterable<A> {
    for (const { of } of this.#open.values()) yield of
  }

  /** Calls back once nobody waits, at once where that is so. */
  whenEmpty(call: () => void): void {
    if (this.#open.size === 0) return call()
    this.#onEmpty = call
  }

  /** Settles all; nothing is added afterwards. */
  close(): void {
    this.#closed = true
    for (const { onClose } of this.#open.values()) onClose()
  }
}
