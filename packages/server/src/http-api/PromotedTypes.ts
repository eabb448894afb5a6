/**
 * The types of promoted operations: their names, and the contracts that follow from the endpoints of an api.
 */
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import type * as Schema from "effect/Schema"
import type { Endpoint, Hints, PureSchema, Simplify } from "@treadle/protocol/endpoint"
import type { TaskOption } from "../TaskOptions.ts"
import type { Icon, Meta } from "@treadle/protocol/schema"

/** An `HttpApi`, as far as it matters here. */
export interface AnyApi {
  readonly identifier: string
  readonly groups: {
    readonly [group: string]: {
      readonly identifier: string
      readonly endpoints: { readonly [endpoint: string]: HttpApiEndpoint.Constraint }
    }
  }
}

/** The operations of an api, each named `group.endpoint`. */
export type OperationName<A extends AnyApi> = {
  [G in keyof A["groups"] & string]: `${G}.${keyof A["groups"][G]["endpoints"] & string}`
}[keyof A["groups"] & string]

/** How an operation is shown as a tool, or in a catalog. */
export interface Promotion<Name extends string> {
  /** `group.endpoint`. */
  readonly operation: Name
  /** Whether it is a tool: `true` by default. One that is none is found by the catalog of the server. */
  readonly tool?: boolean
  /** For the model. By default the `OpenApi.Description` of the endpoint, or else its `OpenApi.Summary`. */
  readonly description?: string
  /** For people. By default the `OpenApi.Summary` of the endpoint, where it is not the description. */
  readonly title?: string
  /** What it does to the world; nothing is concluded from the method. */
  readonly hints?: Hints
  readonly icons?: ReadonlyArray<Icon>
  /** `_meta` of the listed tool. */
  readonly meta?: Meta
  /** Scopes of OAuth that a caller needs over HTTP, beside what the api itself demands. */
  readonly scopes?: ReadonlyArray<string>
  /** Milliseconds after which a call is interrupted and the model is told so. No limit by default. */
  readonly timeout?: number
  /** Whether its calls become tasks, as of other tools. */
  readonly task?: TaskOption
  /** Headers of the endpoint that are arguments, as `["x-tenant"]`. The others are those of the caller. */
  readonly headers?: ReadonlyArray<string>
  /** Whether the payload is one argument of the name `payload`; by default each of its fields is one. */
  readonly nestPayload?: boolean
}

/** Tools by their names, each with its operation. */
export interface Promotions<A extends AnyApi> {
  readonly [tool: string]: OperationName<A> | Promotion<OperationName<A>>
}

/** What no text is. A text that had to be another text would be refused as `never`, which says nothing. */
interface NoSetting<Why extends string> {
  readonly "~treadle/why": Why
}

type Misplaced<Why extends string, V> = V extends string ? NoSetting<Why> : Why

type CheckedSettings<V> = V extends string
  ? V
  : {
      readonly [K in keyof V]: K extends keyof Promotion<string>
        ? V[K]
        : Misplaced<`"${K & string}" says nothing of an operation`, V[K]>
    }

/** The same tools, where each setting of theirs is one, and a sentence where it is not. */
export type Checked<T> = { readonly [Tool in keyof T]: CheckedSettings<T[Tool]> }

type NameIn<V> = V extends string ? V : V extends { readonly operation: infer Name } ? Name : never

type Find<A extends AnyApi, Name> = {
  [G in keyof A["groups"] & string]: Name extends `${G}.${infer E}`
    ? E extends keyof A["groups"][G]["endpoints"]
      ? A["groups"][G]["endpoints"][E]
      : never
    : never
}[keyof A["groups"] & string]

/** The schema inside the codec that an endpoint has made of it. */
type Inside<S> = S extends { readonly schema: infer I } ? I : S

type FieldsOf<S> = [S] extends [never] ? {} : Inside<S> extends { readonly fields: infer F } ? F : {}

type IsUnion<S, All = S> = S extends unknown ? ([All] extends [S] ? false : true) : never

type PayloadFields<S, V> = [S] extends [never]
  ? {}
  : V extends { readonly nestPayload: true }
    ? { readonly payload: S }
    : true extends IsUnion<Inside<S>>
      ? { readonly payload: S }
      : Inside<S> extends { readonly fields: infer F }
        ? F
        : { readonly payload: S }

type ChosenHeaders<S, V> = V extends { readonly headers: ReadonlyArray<infer H> }
  ? { readonly [K in keyof FieldsOf<S> & H]: FieldsOf<S>[K] }
  : {}

type ArgumentsOf<E, V> = E extends HttpApiEndpoint.ConstraintRequest
  ? Simplify<
      FieldsOf<E["~Params"]> & FieldsOf<E["~Query"]> & ChosenHeaders<E["~Headers"], V> & PayloadFields<E["~Payload"], V>
    >
  : never

/** What a success is worth to a caller: headers of a response are left behind. */
type SuccessOf<S> =
  S extends HttpApiSchema.WithHeaders<infer Inner, Schema.Top>
    ? Inner["Type"]
    : S extends Schema.Constraint
      ? S["Type"]
      : never

type ContractOf<A extends AnyApi, Tool extends string, V, E = Find<A, NameIn<V>>> = E extends HttpApiEndpoint.Constraint
  ? Endpoint<
      Tool,
      {
        readonly input: ArgumentsOf<E, V>
        readonly output: PureSchema<SuccessOf<E["~Success"]>>
        readonly errors: PureSchema<HttpApiEndpoint.Errors<E>>
      }
    >
  : never

/** The contract of each tool, for clients. */
export type Contracts<A extends AnyApi, T> = {
  readonly [Tool in keyof T & string]: ContractOf<A, Tool, T[Tool]>
}
