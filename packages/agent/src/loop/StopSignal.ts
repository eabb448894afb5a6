/**
 * The wish that a run ends. It is looked at between steps, and what is under way is given up; how that ends is told by
 * the outcome.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type { RunStatus } from "../Outcome.ts"

export type StopSignal = Deferred.Deferred<RunStatus>

export const makeStopSignal = (): StopSignal => Deferred.makeUnsafe()

/** Asks for the end; the first wish counts. */
export const requestStop = (signal: StopSignal, status: RunStatus): Effect.Effect<void> =>
  Effect.asVoid(Deferred.succeed(signal, status))

/** Lets a signal of the platform ask for the end. */
export const heeding = <A, E, R>(
  signal: AbortSignal | undefined,
  stop: StopSignal,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => {
  if (signal === undefined) return effect
  return Effect.suspend(() => {
    const onAbort = () => Effect.runSync(requestStop(stop, "cancelled"))
    if (signal.aborted) onAbort()
    signal.addEventListener("abort", onAbort)
    return Effect.ensuring(
      effect,
      Effect.sync(() => signal.removeEventListener("abort", onAbort))
    )
  })
}

/** How long something that is given up may take to react, in milliseconds. */
const reaction = 2_000

/** What came of something that may be stopped. */
export type Stoppable<A> =
  | { readonly _tag: "Done"; readonly value: A }
  | { readonly _tag: "Stopped"; readonly status: RunStatus; readonly abandoned: boolean }

/**
 * Runs something until it is done, until the signal, or until its time is up. After the signal it is not begun. What
 * does not react to being given up is left behind.
 *
 * @param left milliseconds
 */
export const stoppable = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  signal: StopSignal,
  left: number
): Effect.Effect<Stoppable<A>, E, R> =>
  Effect.flatMap(Deferred.poll(signal), (asked) =>
    Option.isSome(asked)
      ? Effect.map(asked.value, (status) => ({ _tag: "Stopped", status, abandoned: false }))
      : until(effect, signal, left)
  )

const until = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  signal: StopSignal,
  left: number
): Effect.Effect<Stoppable<A>, E, R> =>
  Effect.flatMap(Effect.forkChild(effect, { startImmediately: true }), (fiber) => {
    const late = Effect.as(Effect.sleep(left), "deadline" as const)
    const first = Effect.raceFirst(Fiber.await(fiber), Effect.raceFirst(Deferred.await(signal), late))
    return Effect.flatMap(first, (came): Effect.Effect<Stoppable<A>, E> => {
      if (typeof came !== "string") return Effect.map(came, (value) => ({ _tag: "Done", value }))
      return Effect.map(Effect.timeoutOption(Fiber.interrupt(fiber), reaction), (reacted) => ({
        _tag: "Stopped",
        status: came,
        abandoned: Option.isNone(reacted)
      }))
    })
  })
