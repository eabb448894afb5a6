/**
 * Keeping no more than so much of what others bring.
 */

/** Keeps an entry as the newest one, and forgets the oldest where there are too many. */
export const keepNewest = <K, V>(kept: Map<K, V>, key: K, value: V, capacity: number): void => {
  kept.delete(key)
  kept.set(key, value)
  const [oldest] = kept.keys()
  if (kept.size > capacity && oldest !== undefined) kept.delete(oldest)
}
