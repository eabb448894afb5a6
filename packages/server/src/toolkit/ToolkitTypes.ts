/**
 * The types of a toolkit's tools as contracts, and what their handlers need.
 */
import type * as Tool from "effect/ai/Tool"
import type * as Scope from "effect/Scope"
import type { Endpoint, PureSchema } from "@treadle/protocol/endpoint"
import type { CurrentCall } from "../CurrentCall.ts"
import type { Live } from "../Live.ts"

/** The tools of a toolkit by their names. */
export type AnyTools = Record<string, Tool.Any>

/** What a toolkit needs: the handlers of its layer, and the services that its tools depend on. */
export type ToolkitNeeds<Tools extends AnyTools> =
  | Tool.HandlersFor<Tools>
  | Exclude<Tool.HandlerServices<Tools[keyof Tools]>, CurrentCall | Live | Scope.Scope>

/** Without parameters, or with those of a JSON Schema, there is no more to say of them than that. */
type InputOf<T extends Tool.Any> =
  unknown extends Tool.Parameters<T>
    ? PureSchema<{ readonly [name: string]: unknown }>
    : T["parametersSchema"] extends typeof Tool.EmptyParams
      ? {}
      : T["parametersSchema"]

/** A tool that succeeds with anything, or with nothing, returns text. */
type OutputOf<A> = unknown extends A ? undefined : [A] extends [void] ? undefined : PureSchema<A>

/** Failures that are objects are declared; others are text for the model. */
type ErrorsOf<E> = [E] extends [never] ? never : [E] extends [object] ? PureSchema<E> : never

type ContractOf<T extends Tool.Any> = Endpoint<
  T["name"],
  {
    readonly input: InputOf<T>
    readonly output: OutputOf<Tool.Success<T>>
    readonly errors: ErrorsOf<Tool.Failure<T>>
  }
>

/** The contract of each tool, for clients. */
export type ToolkitContracts<Tools extends AnyTools> = {
  readonly [Name in keyof Tools & string]: ContractOf<Tools[Name]>
}
