/**
 * The one rule that makes any output an object, because structured content is published as one.
 *
 * A schema whose root says `type: "object"` goes as it is; everything else, a list, a string, a union, goes as
 * `{ "value": … }` with the schema wrapped to match, in both eras.
 */
import { isRecord, own, type Json, type JsonObject } from "./Json.ts"
import { embed, hasObjectRoot } from "./JsonSchema.ts"

/** How the values of one output travel. */
export interface Structured {
  readonly wrapped: boolean
  /** The schema that is published for the value as it travels. */
  readonly schema: JsonObject
}

/** How values of a printed schema travel. */
export const structured = (schema: JsonObject): Structured => {
  if (hasObjectRoot(schema)) return { wrapped: false, schema }
  const { schema: value, definitions, dialect } = embed(schema)
  return {
    wrapped: true,
    schema: {
      ...dialect,
      type: "object",
      properties: { value },
      required: ["value"],
      ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions })
    }
  }
}

/** The value as it travels. */
export const wrap = (rule: Structured, value: Json): Json => (rule.wrapped ? { value } : value)

/** The value that travelled, or `undefined` where it is not of the agreed form. */
export const unwrap = (rule: Structured, value: unknown): unknown =>
  rule.wrapped ? (isRecord(value) ? own(value, "value") : undefined) : value
