/**
 * What proposes values while somebody fills in a prompt or a template (COMP-02).
 */
import type * as Effect from "effect/Effect"
import type { Call } from "./CurrentCall.ts"

/** What was chosen so far for the other arguments. */
export type Chosen<Names extends string> = { readonly [N in Names]?: string }

/** Proposals, the best first; those after the hundredth are counted and not sent. */
export type Proposals<R> =
  | Effect.Effect<ReadonlyArray<string>, never, R>
  | Promise<ReadonlyArray<string>>
  | ReadonlyArray<string>

/** Proposes values of one argument. @param value what is typed so far @param chosen the other arguments */
export type Completer<Names extends string, in Ctx, R> = (
  value: string,
  chosen: Chosen<Names>,
  call: Call<Ctx, never>
) => Proposals<R>

/** The completers of a prompt or a template, by the argument that each is for. */
export type Completers<Names extends string, in Ctx> = { readonly [N in Names]?: Completer<Names, Ctx, unknown> }

/** A completer for something that is not there does not compile, and says so. */
export type KnownOnly<C, Names extends string, What extends "arguments" | "variables"> = {
  readonly [N in Exclude<keyof C, Names>]: `"${N & string}" is not one of its ${What}`
}

/** The services that completers need. */
export type CompleterServices<C> = {
  [N in keyof C]: C[N] extends (...args: never) => infer Answer
    ? Answer extends Effect.Effect<infer _A, infer _E, infer R>
      ? R
      : never
    : never
}[keyof C]
