/**
 * Folders that a client works in: guidance, never access control (ROOT-01, ROOT-02). Deprecated by the specification
 * in 2026-07-28, still served.
 */
import * as Schema from "effect/Schema"
import { Meta } from "./Meta.ts"

/**
 * A folder that a client works in.
 *
 * @deprecated by SEP-2577 with 2026-07-28; earliest removal 2027-07-28. It is still served and read.
 */
export const Root = Schema.Struct({
  /** A `file://` address. */
  uri: Schema.String,
  name: Schema.optionalKey(Schema.String),
  _meta: Schema.optionalKey(Meta)
})
export interface Root extends Schema.Schema.Type<typeof Root> {}

/**
 * What `roots/list` answers.
 *
 * @deprecated by SEP-2577 with 2026-07-28; earliest removal 2027-07-28. It is still served and read.
 */
export const RootsResult = Schema.Struct({ roots: Schema.Array(Root), _meta: Schema.optionalKey(Meta) })
export interface RootsResult extends Schema.Schema.Type<typeof RootsResult> {}
