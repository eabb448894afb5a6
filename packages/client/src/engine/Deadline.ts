/**
 * A time limit for one request, retries included: on expiry what is under way is cancelled in the transport's way and
 * the caller stops waiting (TIME-01, TIME-02).
 */
import * as Effect from "effect/Effect"
import type { McpError } from "../McpError.ts"

/** Says why a request is given up, for the server's log (CANCEL-10). Written before it is interrupted. */
export interface GiveUp {
  why?: string
}

/**
 * The effect with a deadline.
 *
 * @param after milliseconds; `Infinity` for none
 * @param run what is limited; it finds in its argument why it is interrupted
 * @param expired the error of the deadline
 */
export const withDeadline = <A, E>(
  after: number,
  run: (giveUp: GiveUp) => Effect.Effect<A, E>,
  expired: () => McpError
): Effect.Effect<A, E | McpError> =>
  Effect.suspend((): Effect.Effect<A, E | McpError> => {
    const giveUp: GiveUp = {}
    const self = run(giveUp)
    if (!Number.isFinite(after)) return self
    const expiry = Effect.suspend(() => {
      giveUp.why = `no answer within ${after} ms`
      return Effect.fail(expired())
    })
    // Not `timeoutOrElse`: the reason must be there before the interruption.
    // @effect-diagnostics-next-line raceFirstWithSleepToTimeout:off
    return Effect.raceFirst(self, Effect.andThen(Effect.sleep(after), expiry))
  })
