/**
 * A tool as `tools/list` shows it (TOOL-08).
 */
import * as Schema from "effect/Schema"
import { ToolAnnotations } from "./Annotations.ts"
import { Icon } from "./Icon.ts"
import { Meta } from "./Meta.ts"

/** A JSON Schema with an object at its root (TOOL-07); every other keyword is kept. */
export const ObjectSchema = Schema.StructWithRest(Schema.Struct({ type: Schema.Literal("object") }), [
  Schema.Record(Schema.String, Schema.Json)
])
export type ObjectSchema = typeof ObjectSchema.Type

/** Names are taken as they come: a server's own names are checked when it is built. */
export const Tool = Schema.Struct({
  name: Schema.String,
  title: Schema.optionalKey(Schema.String),
  description: Schema.optionalKey(Schema.String),
  icons: Schema.optionalKey(Schema.Array(Icon)),
  inputSchema: ObjectSchema,
  outputSchema: Schema.optionalKey(Schema.JsonObject),
  annotations: Schema.optionalKey(ToolAnnotations),
  _meta: Schema.optionalKey(Meta)
})
export interface Tool extends Schema.Schema.Type<typeof Tool> {}

/** The name to show a person (BASE-25). */
export const displayName = (tool: Tool): string => tool.title ?? tool.annotations?.title ?? tool.name
