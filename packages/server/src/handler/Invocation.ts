/**
 * Running a function of the author's, whatever its colour: it may return an Effect, a promise or a plain value, and it
 * may throw.
 */
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
