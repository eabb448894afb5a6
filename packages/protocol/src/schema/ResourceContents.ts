/**
 * What a resource holds: text, or bytes in Base64, never both (RES-03).
 */
import * as Schema from "effect/Schema"
import { Meta } from "./Meta.ts"

const common = {
  uri: Schema.String,
  mimeType: Schema.optionalKey(Schema.String),
  _meta: Schema.optionalKey(Meta)
}

/** Contents that are text. */
export const TextResourceContents = Schema.Struct({ ...common, text: Schema.String })
export interface TextResourceContents extends Schema.Schema.Type<typeof TextResourceContents> {}

/** Contents that are bytes, as Base64. */
export const BlobResourceContents = Schema.Struct({ ...common, blob: Schema.String })
export interface BlobResourceContents extends Schema.Schema.Type<typeof BlobResourceContents> {}

/** Exactly one of `text` and `blob`. */
export const ResourceContents = Schema.Union([TextResourceContents, BlobResourceContents], { mode: "oneOf" })
export type ResourceContents = typeof ResourceContents.Type
