/**
 * A map that much passes through: few entries at a time, and each of them soon gone.
 *
 * V8 leaves each table that a Map has outgrown with a pointer to the next one. Once one of them is old, all that passes
 * through the map afterwards lives until the next full collection, so this one moves into a new Map from time to time.
 */

/** After how many deletions it moves, at least; later where it holds more, so that moving costs next to nothing. */
const leastDeletions = 512

export class TransitMap<K, V> {
  #entries = new Map<K, V>()
  #deletions = 0

  get size(): number {
    return this.#entries.size
  }

  get(key: K): V | undefined {
    return this.#entries.get(key)
  }

  has(key: K): boolean {
    return this.#entries.has(key)
  }

  set(key: K, value: V): void {
    this.#entries.set(key, value)
  }

  /** Whether there was such an entry. */
  delete(key: K): boolean {
    const deleted = this.#entries.delete(key)
    if (deleted && ++this.#deletions >= Math.max(leastDeletions, this.size)) this.#move()
    return deleted
  }

  /** The values in the order they came; what comes or goes meanwhile may be among them or not. */
  values(): Iterable<V> {
    return this.#entries.values()
  }

  #move(): void {
    this.#deletions = 0
    this.#entries = new Map(this.#entries)
  }
}
