/**
 * Running a function of the author's, whatever its colour: it may return an Effect, a promise or a plain value, and it
 * may throw.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { isRecord } from "@treadle/protocol/json"
import type { Call } from "../CurrentCall.ts"

/** The author's function, its types forgotten. */
export type AnyHandler = (input: never, call: Call<never, never>) => unknown

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  isRecord(value) && typeof value["then"] === "function"

const rejection = (error: unknown): NonNullable<unknown> => error ?? new Error("The handler rejected with nothing")

/** What the author's function returned, as an effect; a promise that rejects is a failure. */
const settled = (returned: unknown): Effect.Effect<unknown, unknown> => {
  if (Exit.isExit(returned)) return returned as Exit.Exit<unknown, unknown>
  if (Effect.isEffect(returned)) return Effect.scoped(returned as Effect.Effect<unknown, unknown>)
  if (!isThenable(returned)) return Effect.succeed(returned)
  const promise = returned
  return Effect.tryPromise({ try: () => promise as Promise<unknown>, catch: rejection })
}

/** Handles a failure; whatever else a cause holds goes on as it is. */
export const onFailureOf =
  <E, A, E2>(handle: (error: E) => Effect.Effect<A, E2>) =>
  (cause: Cause.Cause<E>): Effect.Effect<A, E2> => {
    const found = Cause.findError(cause)
    return found._tag === "Failure" ? Effect.failCause(found.failure) : handle(found.success)
  }

/** Runs the author's function; what it throws or rejects with is its failure. */
export const invoke = (
  handler: AnyHandler,
  input: unknown,
  call: Call<unknown, never>
): Effect.Effect<unknown, unknown> => {
  let returned: unknown
  try {
    returned = handler(input as never, call as never)
  } catch (error) {
    return Effect.fail(error)
  }
  return settled(returned)
}
