/**
 * The payload of an answer before it is dressed for a revision: its members as JSON text, and beside them what only
 * some revisions send.
 */
import type { CacheHint, Meta } from "@treadle/protocol/schema"

export interface NeutralResult {
  /** Members of a JSON object, printed, without braces: `"content":[…],"isError":true`. */
  readonly members: string
  /** What a native result says that it is; `complete`, where absent. */
  readonly resultType?: "input_required" | "task"
  /** Whether a tool says in it that it failed. */
  readonly isError?: true
  readonly meta?: Meta | undefined
  readonly cache?: CacheHint | undefined
}
