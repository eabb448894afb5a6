/**
 * Keeping no more than so much of what others send.
 */

/** What is kept in the order in which it came: a `Map` by its keys, or a `Set`. */
interface Kept<K> {
  readonly size: number
  readonly keys: () => Iterable<K>
  readonly delete: (key: K) => boolean
}

/** Forgets what came first until no more is kept than there is room for. @returns what was forgotten */
export const keepNewest = <K>(kept: Kept<K>, capacity: number): ReadonlyArray<K> => {
  const forgotten: Array<K> = []
  for (const oldest of kept.keys()) {
    if (kept.size <= capacity) break
    kept.delete(oldest)
    forgotten.push(oldest)
  }
  return forgotten
}
