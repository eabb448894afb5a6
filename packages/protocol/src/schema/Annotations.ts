/**
 * Annotations of content and the hints of tools. What was not said stays unsaid.
 */
import * as Schema from "effect/Schema"

/** Who content is for and how much it matters (RES-12). */
export const Annotations = Schema.Struct({
  audience: Schema.optionalKey(Schema.Array(Schema.Literals(["user", "assistant"]))),
  priority: Schema.optionalKey(Schema.Finite),
  lastModified: Schema.optionalKey(Schema.String)
})
export interface Annotations extends Schema.Schema.Type<typeof Annotations> {}

/** Hints about a tool; untrusted unless the server is (TOOL-09). */
export const ToolAnnotations = Schema.Struct({
  title: Schema.optionalKey(Schema.String),
  readOnlyHint: Schema.optionalKey(Schema.Boolean),
  destructiveHint: Schema.optionalKey(Schema.Boolean),
  idempotentHint: Schema.optionalKey(Schema.Boolean),
  openWorldHint: Schema.optionalKey(Schema.Boolean)
})
export interface ToolAnnotations extends Schema.Schema.Type<typeof ToolAnnotations> {}
