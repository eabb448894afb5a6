/**
 * The definition of an operation that no client shares the contract of: what an endpoint has, and the options of its
 * tool.
 */
import type { Description, Endpoint, Route } from "@treadle/protocol/endpoint"
import type { ToolOptions } from "./ToolOptions.ts"

/** Of the input `I`, the output `O`, the errors `E`, the route `H`, for doors that are given a `Ctx`. */
export type InlineDefinition<I, O, E, H extends string, Ctx> = Description &
  ToolOptions<Ctx> & {
    readonly input?: I
    readonly output?: O
    readonly errors?: E
    /** A route in HTTP's own terms, as of an endpoint. */
    readonly http?: Route<H, I>
  }

/** The endpoint that a definition makes, which no client sees. */
export type InlineEndpoint<I, O, E> = Endpoint<
  string,
  { readonly input: I; readonly output: [O] extends [never] ? undefined : O; readonly errors: E }
>
