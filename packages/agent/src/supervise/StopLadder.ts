/**
 * Ending children against their will, step by step: they are asked, and after 5 seconds interrupted, and after 2 more
 * given up and reported. The wish goes from the top down, so that nobody goes on with what one below it left; the ends come
 * from the bottom up, because a run ends after those that it started.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Child } from "./Child.ts"

/** Milliseconds that a child may take to end by itself, and after it was interrupted. */
const patience = 5_000
const reaction = 2_000

/** Whether all of them end within a time. */
const ending = (children: ReadonlyArray<Child>, millis: number): Effect.Effect<boolean> =>
  Effect.suspend(() =>
    children.every(({ done }) => done)
      ? Effect.succeed(true)
      : Effect.map(
          Effect.timeoutOption(
            Effect.forEach(children, ({ ended }) => Deferred.await(ended), { discard: true }),
            millis
          ),
          Option.isSome
        )
  )

const topDown = (children: ReadonlyArray<Child>): ReadonlyArray<Child> =>
  children.toSorted((one, other) => one.depth - other.depth)

/** @param children the deepest first */
export const halt = (children: ReadonlyArray<Child>): Effect.Effect<void> =>
  Effect.suspend(() => {
    for (const child of topDown(children)) child.ask()
    return Effect.flatMap(ending(children, patience), (ended) => (ended ? Effect.void : forced(children)))
  })

const forced = (children: ReadonlyArray<Child>): Effect.Effect<void> =>
  Effect.suspend(() => {
    for (const child of topDown(children)) if (!child.done) child.fiber?.interruptUnsafe()
    return Effect.map(ending(children, reaction), (ended) => {
      if (!ended) for (const child of children) child.abandon()
    })
  })
