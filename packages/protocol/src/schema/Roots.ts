/**
 * Folders that a client works in: guidance, never access control. Deprecated by the specification in 2026-07-28
 * (SEP-2577), still served.
 */
import * as Schema from "effect/Schema"
import { Meta } from "./Meta.ts"

export const Root = Schema.Struct({
  /** A `file://` address. */
  uri: Schema.String,
  name: Schema.optionalKey(Schema.String),
  _meta: Schema.optionalKey(Meta)
})
export interface Root extends Schema.Schema.Type<typeof Root> {}

export const RootsResult = Schema.Struct({ roots: Schema.Array(Root), _meta: Schema.optionalKey(Meta) })
export interface RootsResult extends Schema.Schema.Type<typeof RootsResult> {}
