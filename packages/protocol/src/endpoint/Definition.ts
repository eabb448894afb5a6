/**
 * What an author may write for `input`, `output` and `errors`, and the types that follow from it on either side.
 *
 * An input has two views: what a caller gives, where defaults and optional members may be left out, and what a handler
 * gets, where defaults are filled in.
 */
import type * as Schema from "effect/Schema"
import type { StandardJSONSchemaV1, StandardSchemaV1 } from "effect/StandardSchema"

/** The same members as one object, as a hover shows it. */
export type Simplify<T> = { [K in keyof T]: T[K] } & {}

/** An Effect Schema that needs no services. */
export type PureSchema<T = unknown> = Schema.ConstraintCodec<T, unknown, never, never>

/** The fields of a struct. */
export interface PureFields {
  readonly [key: PropertyKey]: PureSchema
}

/** Any schema that validates and prints JSON Schema, as Zod 4 and ArkType do. */
export interface Standard<I = unknown, O = unknown> {
  readonly "~standard": StandardSchemaV1.Props<I, O> & StandardJSONSchemaV1.Props<I, O>
}

/** What may be written for `input`: fields, a schema of an object, or a Standard Schema that prints JSON Schema. */
export type InputDef = PureFields | PureSchema<object> | Standard
/** What may be written for `output`: one schema of any value. */
export type OutputDef = PureSchema | Standard
interface Tagged {
  readonly _tag: string
}
/** One error schema, several, or the fields of each error by its tag. */
export type ErrorsDef = PureSchema<Tagged> | ReadonlyArray<PureSchema<Tagged>> | { readonly [Tag: string]: PureFields }

type OptionalKeys<F> = {
  [K in keyof F]: F[K] extends { readonly "~type.optionality": "optional" }
    ? K
    : F[K] extends { readonly "~encoded.optionality": "optional" }
      ? K
      : never
}[keyof F]

/** Without fields nothing may be given: an empty type would take any object. */
type FieldArgs<F extends PureFields> = [keyof F] extends [never]
  ? { readonly [name: string]: never }
  : Simplify<
      { readonly [K in Exclude<keyof F, OptionalKeys<F>>]: F[K]["Type"] } & {
        readonly [K in OptionalKeys<F>]?: F[K]["Type"]
      }
    >

/** What a handler gets: decoded, defaults filled in. */
export type Input<I> =
  I extends PureSchema<infer T>
    ? T
    : [I] extends [Standard<infer _, infer O>]
      ? O
      : I extends Schema.Struct.Fields
        ? Schema.Struct.Type<I>
        : {}

/** What a caller gives: decoded types, and whatever has a default may be left out. */
export type Args<I> = I extends PureSchema
  ? I extends { readonly fields: infer F extends PureFields }
    ? FieldArgs<F>
    : I["Type"]
  : [I] extends [Standard<infer A, infer _>]
    ? A
    : I extends PureFields
      ? FieldArgs<I>
      : {}

/** What a handler returns; without an output schema, text or nothing. */
export type Returned<O> =
  O extends PureSchema<infer T> ? T : [O] extends [Standard<infer A, infer _>] ? A : string | void

/** What a caller gets; without an output schema, the text of the result. */
export type Output<O> = O extends PureSchema<infer T> ? T : [O] extends [Standard<infer _, infer B>] ? B : string

/** The declared errors, as a union. */
export type Failure<E> =
  E extends PureSchema<infer T>
    ? T
    : E extends ReadonlyArray<PureSchema<infer T>>
      ? T
      : E extends { readonly [Tag: string]: Schema.Struct.Fields }
        ? { [T in keyof E & string]: Simplify<{ readonly _tag: T } & Schema.Struct.Type<E[T]>> }[keyof E & string]
        : never

/** Whether a value is a Standard Schema that prints JSON Schema too. */
export const isStandard = (value: unknown): value is Standard =>
  (typeof value === "object" || typeof value === "function") &&
  value !== null &&
  "~standard" in value &&
  typeof (value as { readonly "~standard": { readonly jsonSchema?: unknown } })["~standard"]?.jsonSchema === "object"
