/**
 * What a function of the author's returns, in either colour. The name is what the compiler says where it returns neither.
 */
import type * as Effect from "effect/Effect"
import type { Reply } from "@treadle/protocol/endpoint"
import type { AskFailed } from "./AskFailed.ts"
import type { ToolFailed } from "./ToolError.ts"

/** An Effect or a promise of `A`: make the function `async` where there is nothing to wait for. */
export type EffectOrPromise<A, E, R> = Effect.Effect<A, E | ToolFailed | AskFailed, R> | Promise<A>

/** What the handler of a tool without an `output` gives. The name is what the compiler says where it gives more. */
export type TextUnlessOutputIsDeclared = string | void | Reply<string | void>

/** What a handler gives: the declared output or a reply with it; without an output, text or nothing. */
export type Replied<A> = [string | void] extends [A] ? TextUnlessOutputIsDeclared : A | Reply<A>
