/**
 * Ending children against their will, step by step: they are asked, and after 5 seconds interrupted, and after 2 more
 * given up and reported. The deepest go first.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { RunStatus } from "../Outcome.ts"
import type { Child } from "./Child.ts"

/** Milliseconds that a child may take to end by itself, and after it was interrupted. */
export const patience = 5_000
export const reaction = 2_000

/** Whether all of them end within a time. */
const ending = (children: ReadonlyArray<Child>, millis: number): Effect.Effect<boolean> =>
  children.every(({ done }) => done)
    ? Effect.succeed(true)
    : Effect.map(
        Effect.timeoutOption(
          Effect.forEach(children, ({ ended }) => Deferred.await(ended), { discard: true }),
          millis
        ),
        Option.isSome
      )

/**
 * Ends children.
 *
 * @param children the deepest first
 * @param abandoned hears of those that did not react
 */
export const halt = (
  children: ReadonlyArray<Child>,
  abandoned: (child: Child, status: RunStatus) => void
): Effect.Effect<void> =>
  Effect.suspend(() => {
    for (const child of children) child.ask()
    return Effect.flatMap(ending(children, patience), (ended) => (ended ? Effect.void : forced(children, abandoned)))
  })

const forced = (
  children: ReadonlyArray<Child>,
  abandoned: (child: Child, status: RunStatus) => void
): Effect.Effect<void> =>
  Effect.suspend(() => {
    for (const { done, fiber } of children) if (!done) fiber?.interruptUnsafe()
    return Effect.map(ending(children, reaction), (ended) => {
      if (ended) return
      for (const child of children) {
        const status = child.abandon()
        if (status !== undefined) abandoned(child, status)
      }
    })
  })
