/**
 * Where answers are kept that stay fresh for a while: lists and reads of servers, by the hints that come with them.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching
 */
import type { Json } from "@treadle/protocol/json"
import { keepNewest } from "./Bounded.ts"
import type { Eventual } from "./Eventual.ts"

/** An answer that is kept. It is JSON, so that a store may keep it elsewhere. */
export interface CacheEntry {
  readonly value: Json
  /** When it is no longer fresh, in milliseconds since 1970. */
  readonly expires: number
}

/** A store of answers; what it does not find, or what fails in it, is asked of the server. */
export interface CacheStore {
  readonly get: (key: string) => Eventual<CacheEntry | undefined>
  readonly set: (key: string, entry: CacheEntry) => Eventual<void>
  readonly remove: (key: string) => Eventual<void>
}

/** A store in memory; the entry that was set longest ago goes first. @param capacity how many entries it keeps */
export const makeCacheStore = (capacity = 1024): CacheStore => {
  const entries = new Map<string, CacheEntry>()
  return {
    get: (key) => entries.get(key),
    set: (key, entry) => {
      entries.delete(key)
      entries.set(key, entry)
      keepNewest(entries, capacity)
    },
    remove: (key) => void entries.delete(key)
  }
}

/** How answers are kept. */
export interface CacheSettings {
  /** One of this session by default. Sessions that share one share what servers call public. */
  readonly store?: CacheStore
  /**
   * Names on whose behalf the session calls, so that sessions of the same one share what servers call private. Without
   * it that stays in the session, apart for each `authorization` header.
   */
  readonly context?: string
}
