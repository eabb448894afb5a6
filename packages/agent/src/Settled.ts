/**
 * Reading by a schema where nobody can wait: an outcome and a script answer at once.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

/** The value of an effect that is there at once; nothing where it fails or takes time. */
export const settled = <A>(effect: Effect.Effect<A, unknown>): A | undefined => {
  const exit = Effect.runSyncExit(effect)
  return Exit.isSuccess(exit) ? exit.value : undefined
}
