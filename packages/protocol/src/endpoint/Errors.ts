/**
 * The declared errors of an endpoint: one union of tagged schemas, whatever form the author chose.
 */
import * as Schema from "effect/Schema"
import { own } from "../json/index.ts"
import type { ErrorsDef, PureFields, PureSchema } from "./Definition.ts"

const classless = (errors: { readonly [Tag: string]: PureFields }): ReadonlyArray<PureSchema> =>
  Object.entries(errors).map(([tag, fields]) => Schema.TaggedStruct(tag, fields))

/** Each declared error's schema, in the order of definition. */
export const errorSchemas = (errors: ErrorsDef | undefined): ReadonlyArray<PureSchema> => {
  if (errors === undefined) return []
  if (Schema.isSchema(errors)) {
    const ast = errors.ast
    const members = (errors as unknown as { readonly members?: unknown }).members
    return ast._tag === "Union" && Array.isArray(members)
      ? (members as ReadonlyArray<PureSchema>)
      : [errors as unknown as PureSchema]
  }
  if (Array.isArray(errors)) return errors as ReadonlyArray<PureSchema>
  return classless(errors as { readonly [Tag: string]: PureFields })
}

/** The tag of an error schema, or `undefined` where it has no literal one. */
export const errorTag = (printed: unknown): string | undefined => {
  const tag = own(own(printed, "properties"), "_tag")
  const values = own(tag, "enum")
  const only = own(tag, "const") ?? (Array.isArray(values) && values.length === 1 ? values[0] : undefined)
  return typeof only === "string" ? only : undefined
}
