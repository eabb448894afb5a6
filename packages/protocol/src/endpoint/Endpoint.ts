/**
 * An endpoint: the typed contract of one operation, without a function. A server gives it a handler, a client calls it.
 */
import type { Icon, Meta, ToolName } from "../schema/index.ts"
import type { Args, ErrorsDef, Failure, Input, InputDef, Output, OutputDef, Returned } from "./Definition.ts"
import type { Hints } from "./Hint.ts"
import type { Route } from "./Route.ts"
import { toolShape, type ToolShape } from "./ToolShape.ts"

/** What an author says about an operation beside its schemas. */
export interface Description {
  /** For the model: what it does and when to use it. */
  readonly description: string
  /** For people. */
  readonly title?: string
  /** What it does to the world; what is not said is not sent. */
  readonly hints?: Hints
  /** For people. Clients load them from `https:` and `data:` addresses only (ICON-03). */
  readonly icons?: ReadonlyArray<Icon>
  /** `_meta` of the listed tool. */
  readonly meta?: Meta
}

/** The three schemas of an endpoint, as written. */
export interface EndpointDef {
  readonly input: unknown
  readonly output: unknown
  readonly errors: unknown
}

/**
 * A contract that server and client share.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools
 */
export interface Endpoint<out Name extends string, in out Def extends EndpointDef> {
  readonly name: Name
  readonly def: Def
  readonly about: Description & { readonly http?: string }
  /** How it travels; computed once, when it is first asked for. */
  readonly shape: ToolShape
}

/** Any endpoint. */
export interface AnyEndpoint {
  readonly name: string
  // oxlint-disable-next-line typescript/no-explicit-any -- the definition is invariant, so only `any` admits each one
  readonly def: any
  readonly about: Description & { readonly http?: string }
  readonly shape: ToolShape
}

/** What the handler of an endpoint gets. */
export type InputOf<X extends AnyEndpoint> = Input<X["def"]["input"]>
/** What a caller gives to an endpoint. */
export type ArgsOf<X extends AnyEndpoint> = Args<X["def"]["input"]>
/** What the handler of an endpoint returns. */
export type ReturnedOf<X extends AnyEndpoint> = Returned<X["def"]["output"]>
/** What a caller gets of an endpoint. */
export type OutputOf<X extends AnyEndpoint> = Output<X["def"]["output"]>
/** The errors that an endpoint declares, as a union. */
export type FailureOf<X extends AnyEndpoint> = Failure<X["def"]["errors"]>

class EndpointValue<Name extends string, Def extends EndpointDef> implements Endpoint<Name, Def> {
  readonly name: Name
  readonly def: Def
  readonly about: Description & { readonly http?: string }
  #shape: ToolShape | undefined

  constructor(name: Name, def: Def, about: Description & { readonly http?: string }) {
    this.name = name
    this.def = def
    this.about = about
  }

  get shape(): ToolShape {
    return (this.#shape ??= toolShape(this.def))
  }
}

/** An endpoint whose name was not checked by the compiler; the server checks it when it is built. */
export const endpointOf = (
  name: string,
  definition: Description & { readonly input?: unknown; readonly output?: unknown; readonly errors?: unknown }
): AnyEndpoint => {
  const { input, output, errors, ...about } = definition
  return new EndpointValue(name, { input, output, errors }, about)
}

/**
 * Makes an endpoint.
 *
 * @param name 1 to 128 characters of `A-Z a-z 0-9 _ - .`; a literal that is not one does not compile
 * @param definition `description`, and optionally `input` (fields, an Effect Schema, or a Standard Schema with JSON
 *   Schema), `output` (without it the operation returns text, blocks or nothing), `errors`, `hints`, `title`, `icons`,
 *   `meta`, `http`
 *
 * @example
 * ```ts
 * import { Endpoint } from "@treadle/protocol"
 * import * as Schema from "effect/Schema"
 *
 * const getShow = Endpoint.make("get_show", {
 *   description: "One bill",
 *   input: { id: Schema.Int },
 *   output: Schema.Struct({ id: Schema.Int, title: Schema.String })
 * })
 * getShow.shape.inputSchema
 * // => { type: "object", properties: { id: { type: "integer" } }, required: ["id"] }
 * ```
 */
const make = <
  const Name extends string,
  const I extends InputDef = {},
  const O extends OutputDef = never,
  const E extends ErrorsDef = never,
  const R extends string = string
>(
  name: ToolName<Name>,
  definition: Description & {
    readonly input?: I
    readonly output?: O
    readonly errors?: E
    /**
     * A route in HTTP's own terms, as `"GET /shows/:id"`; its parameters are fields of `input`. `HttpRoutes` of
     * `@treadle/server/http-api` serves it.
     */
    readonly http?: Route<R, I>
  }
): Endpoint<Name, { readonly input: I; readonly output: [O] extends [never] ? undefined : O; readonly errors: E }> =>
  endpointOf(name, definition as Description) as never

export const Endpoint = { make }
