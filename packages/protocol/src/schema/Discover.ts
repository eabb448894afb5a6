/**
 * `server/discover`: which versions a server speaks and what it offers (DISC-02).
 */
import * as Schema from "effect/Schema"
import { cacheMembers } from "./CacheHint.ts"
import { ServerCapabilities } from "./Capabilities.ts"
import { Meta } from "./Meta.ts"

/** What `server/discover` answers. */
export const DiscoverResult = Schema.Struct({
  resultType: Schema.optionalKey(Schema.Literal("complete")),
  supportedVersions: Schema.Array(Schema.String),
  capabilities: ServerCapabilities,
  instructions: Schema.optionalKey(Schema.String),
  ...cacheMembers,
  _meta: Schema.optionalKey(Meta)
})
export interface DiscoverResult extends Schema.Schema.Type<typeof DiscoverResult> {}
