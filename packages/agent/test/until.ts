/**
 * Waits until something is so, by letting everything else go on; no time of a clock passes.
 */
import * as Effect from "effect/Effect"

export const until = (condition: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() =>
    condition()
      ? Effect.void
      : Effect.andThen(
          Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve))),
          until(condition)
        )
  )
