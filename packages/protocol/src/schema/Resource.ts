/**
 * A resource and a template of resources as lists show them (RES-03, RES-11).
 */
import * as Schema from "effect/Schema"
import { Annotations } from "./Annotations.ts"
import { Icon } from "./Icon.ts"
import { Meta } from "./Meta.ts"

const described = {
  name: Schema.String,
  title: Schema.optionalKey(Schema.String),
  description: Schema.optionalKey(Schema.String),
  mimeType: Schema.optionalKey(Schema.String),
  icons: Schema.optionalKey(Schema.Array(Icon)),
  annotations: Schema.optionalKey(Annotations),
  _meta: Schema.optionalKey(Meta)
}

/** A resource as `resources/list` shows it. */
export const Resource = Schema.Struct({
  uri: Schema.String,
  ...described,
  /** Bytes, before any encoding. */
  size: Schema.optionalKey(Schema.Int)
})
export interface Resource extends Schema.Schema.Type<typeof Resource> {}

/** A template as `resources/templates/list` shows it; `mimeType` only where all resources share it. */
export const ResourceTemplate = Schema.Struct({ uriTemplate: Schema.String, ...described })
export interface ResourceTemplate extends Schema.Schema.Type<typeof ResourceTemplate> {}
