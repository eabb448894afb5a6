/**
 * What an author says of a tool for one server, beside the contract that clients share.
 */

import type { TaskOption } from "./TaskOptions.ts"

/** What a tool may be told beside its contract. */
export interface ToolOptions<in Ctx> {
  /** Whether a caller sees the tool and may call it. */
  readonly visible?: (context: Ctx) => boolean
  /**
   * Scopes of OAuth that a caller needs over HTTP, all of them; one without is refused with 403 and told which
   * (AUTH-22). Who sees the tool is up to `visible`.
   */
  readonly scopes?: ReadonlyArray<string>
  /** Milliseconds after which a call is interrupted and the model is told so. No limit by default. */
  readonly timeout?: number
  /**
   * Whether the state of a call that asks may be presented once only, for what must not be done twice with one answer.
   * It is spent in the `StateStore`.
   */
  readonly once?: boolean
  /**
   * Whether arguments that do not fit, and those that the tool does not have, are answered with -32602 in place of a
   * result that the model reads. Default false: unknown arguments are dropped.
   */
  readonly strict?: boolean
  /**
   * Whether calls become tasks, where the client declares the extension: it is answered at once, and asks for the result
   * later. `optional`: any other call is an ordinary one; `required`: a native client without the extension is refused.
   */
  readonly task?: TaskOption
}
