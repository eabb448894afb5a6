/**
 * Why a question to the client has no answer.
 */
import type { JsonObject } from "@treadle/protocol/json"

/**
 * `no-capability`: the client did not declare what the question needs, or the revision of its session has no such
 * question. `no-stream`: nothing can be sent to it now.
 * `timed-out`: nobody answered within `limits.askTimeout`. `refused`: the client answered with an error. `malformed`: the
 * answer is not one to this question.
 */
export type AskFailure = "no-capability" | "no-stream" | "timed-out" | "refused" | "malformed"

/**
 * A question that has no answer. A handler may catch it and go on without one; where it does not, the client is told:
 * of a missing capability and of a malformed answer with an error of the protocol, of the rest as the failure of a tool.
 *
 * @example
 * ```ts
 * import { AskFailed } from "@treadle/server"
 *
 * new AskFailed("timed-out", "Nobody answered within 600000 ms").reason // => "timed-out"
 * ```
 */
export class AskFailed extends Error {
  readonly _tag = "AskFailed"
  override readonly name = "AskFailed"
  readonly reason: AskFailure
  /** What the client lacks, where it is something that clients declare. */
  readonly requires: JsonObject | undefined

  constructor(reason: AskFailure, message: string, requires?: JsonObject) {
    super(message)
    this.reason = reason
    this.requires = requires
  }
}
