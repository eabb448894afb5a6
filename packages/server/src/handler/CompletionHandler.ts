/**
 * What runs when proposals for an argument are asked for.
 */
import * as Effect from "effect/Effect"
import type { Call, CurrentCall } from "../CurrentCall.ts"
import { completionReply } from "../reply/CompletionReply.ts"
import type { NeutralResult } from "../reply/NeutralResult.ts"
import { invoke } from "./Invocation.ts"

/** The author's function, its types forgotten. */
export type AnyCompleter = (value: string, chosen: never, call: Call<never, never>) => unknown

/** The author's functions by argument. */
export interface AnyCompleters {
  readonly [argument: string]: AnyCompleter | undefined
}

/** What is being typed. */
export interface Typed {
  readonly argument: string
  readonly value: string
  readonly chosen: { readonly [name: string]: string }
}

/** Something whose arguments may be completed. */
export interface Completable {
  /** The arguments that there are. */
  readonly names: ReadonlyArray<string>
  /** Those that somebody proposes values for. */
  readonly completers: ReadonlyMap<string, AnyCompleter>
}

export const completersOf = (complete: AnyCompleters | undefined): Completable["completers"] =>
  new Map(Object.entries(complete ?? {}).flatMap(([name, one]) => (one === undefined ? [] : [[name, one] as const])))

/** Runs a completer. It has no failures of its own: whatever goes wrong is a defect. */
export const propose = (
  completer: AnyCompleter,
  { argument, chosen, value }: Typed,
  call: Call<unknown, never>
): Effect.Effect<NeutralResult, never, CurrentCall> =>
  Effect.map(
    Effect.orDie(invoke((_, current) => completer(value, chosen as never, current), undefined, call)),
    (proposals) => completionReply(argument, proposals)
  )
