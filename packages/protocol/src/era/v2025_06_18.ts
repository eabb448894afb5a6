/**
 * Icons and polling streams are not known yet; readers pass over them. People are asked in forms only, whose fields take
 * one choice each and have their titles beside them; models are offered no tools, and context may always be included.
 */
import * as Result from "effect/Result"
import type { FormField } from "../schema/index.ts"
import type { Revision } from "./Revision.ts"
import { v2025_11_25 } from "./v2025_11_25.ts"

/** The titles of choices stand in a list of their own. */
const titlesBeside = (field: FormField): FormField => {
  if (!("oneOf" in field) || field.oneOf === undefined) return field
  const { oneOf, ...rest } = field
  return { ...rest, enum: oneOf.map((choice) => choice.const), enumNames: oneOf.map(({ title }) => title) }
}

export const v2025_06_18: Revision = {
  ...v2025_11_25,
  version: "2025-06-18",
  polls: false,
  able: (declared) => {
    const { elicitation, sampling, ...rest } = v2025_11_25.able(declared)
    return {
      ...rest,
      ...(elicitation === undefined ? {} : { elicitation: { form: {} } }),
      ...(sampling === undefined ? {} : { sampling: { context: {} } })
    }
  },
  form: ({ properties, ...rest }) => {
    const fields = Object.entries(properties)
    const several = fields.flatMap(([name, { type }]) => (type === "array" ? [name] : []))
    return several.length > 0
      ? Result.fail(several)
      : Result.succeed({
          ...rest,
          properties: Object.fromEntries(fields.map(([name, field]) => [name, titlesBeside(field)]))
        })
  }
}
