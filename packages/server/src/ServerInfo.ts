/**
 * Who a server says it is, and how it asks to be used.
 */
import type { CacheHint, Implementation } from "@treadle/protocol/schema"
import type { LiveSettings } from "./Live.ts"
import type { Place } from "./McpBuildError.ts"

/**
 * How long lists stay fresh, in milliseconds, and who may share them: 300,000 and `public` by default. What depends on
 * the caller is `private`, whatever is said here: a list with entries for some callers, and one of several pages.
 */
export interface ListHints {
  readonly discover?: Partial<CacheHint>
  readonly tools?: Partial<CacheHint>
  readonly resources?: Partial<CacheHint>
  readonly templates?: Partial<CacheHint>
  readonly prompts?: Partial<CacheHint>
}

export interface ServerInfo {
  readonly implementation: Implementation
  /** For the model: how the tools work together (DISC-06). */
  readonly instructions: string | undefined
  readonly cache: ListHints
  readonly live: LiveSettings
  /** Whether it sends log messages to clients that ask for them. */
  readonly logging: boolean
  /** Where it was made. */
  readonly place: Place
}
