/**
 * Name and version of the software at one end. Unverified: never a basis for a decision (META-06).
 */
import * as Schema from "effect/Schema"
import { Icon } from "./Icon.ts"

/** The software at one end, as it names itself. */
export const Implementation = Schema.Struct({
  name: Schema.String,
  version: Schema.String,
  title: Schema.optionalKey(Schema.String),
  description: Schema.optionalKey(Schema.String),
  websiteUrl: Schema.optionalKey(Schema.String),
  icons: Schema.optionalKey(Schema.Array(Icon))
})
export interface Implementation extends Schema.Schema.Type<typeof Implementation> {}
