/**
 * A value that may take its time, in whatever form the caller writes it.
 */
import * as Effect from "effect/Effect"

/** A value, a promise of it, or an effect that gives it. */
export type Eventual<A> = A | PromiseLike<A> | Effect.Effect<A, unknown>

/**
 * The value as an effect; what `give` throws, and what a promise rejects with, is a defect.
 *
 * @param give its signal fires when the effect is interrupted, while a promise or an effect of its own is under way
 */
export const eventually = <A>(give: (signal: AbortSignal) => Eventual<A>): Effect.Effect<A, unknown> =>
  Effect.suspend(() => {
    const controller = new AbortController()
    const given = Effect.promise(async (): Promise<Effect.Effect<A, unknown>> => {
      const value = give(controller.signal)
      return Effect.isEffect(value) ? value : Effect.succeed(await value)
    })
    return Effect.onInterrupt(Effect.flatten(given), () => Effect.sync(() => controller.abort()))
  })
