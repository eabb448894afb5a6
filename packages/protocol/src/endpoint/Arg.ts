/**
 * One word each for what almost every tool needs of its arguments.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** Annotates what is sent: a schema that transforms, such as a date, would lose what is said of its decoded side. */
const described = <S extends Schema.Top>(schema: S, annotations: Schema.Annotations.Annotations): S => {
  if (Object.keys(annotations).length === 0) return schema
  const transforms = schema.ast.encoding !== undefined || schema.ast._tag === "Declaration"
  return transforms
    ? (Schema.toCodecJson(schema).pipe(Schema.annotateEncoded(annotations)) as unknown as S)
    : (schema.annotate(annotations) as unknown as S)
}

/**
 * An argument that may be left out.
 *
 * @example
 * ```ts
 * import { Arg } from "@treadle/protocol"
 * import * as Schema from "effect/Schema"
 *
 * const input = { filter: Arg.optional(Schema.String, "Only titles that contain this") }
 * Object.keys(input) // => ["filter"]
 * ```
 */
const optional = <S extends Schema.Top>(schema: S, description?: string): Schema.optionalKey<S> =>
  Schema.optionalKey(described(schema, description === undefined ? {} : { description }))

/**
 * An argument with a default: callers may leave it out, handlers always get it, and the default is published.
 *
 * @param value the default, in its JSON form
 */
const withDefault = <S extends Schema.Top>(
  schema: S,
  value: S["Encoded"],
  description?: string
): Schema.withDecodingDefaultKey<S> =>
  described(schema, { default: value, ...(description === undefined ? {} : { description }) }).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(value))
  )

/** Makes arguments of tools, in the fields of an `input`. */
export const Arg = { optional, withDefault }
