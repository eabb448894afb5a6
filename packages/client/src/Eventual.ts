/**
 * A value that may take its time, in whatever form the caller writes it.
 */
import * as Effect from "effect/Effect"

/** A value, a promise of it, or an effect that gives it. */
export type Eventual<A> = A | PromiseLike<A> | Effect.Effect<A, unknown>

/** The value as an effect; what `give` throws, and what a promise rejects with, is a defect. */
export const eventually = <A>(give: (signal: AbortSignal) => Eventual<A>): Effect.Effect<A, unknown> =>
  Effect.flatten(
    Effect.promise(async (signal): Promise<Effect.Effect<A, unknown>> => {
      const given = give(signal)
      return Effect.isEffect(given) ? given : Effect.succeed(await given)
    })
  )
