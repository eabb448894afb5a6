/**
 * Pages of a list. A cursor is opaque and may be the empty string; its absence is the end (PAGE-01, PAGE-02).
 */
import * as Schema from "effect/Schema"
import { cacheMembers } from "./CacheHint.ts"
import { Meta } from "./Meta.ts"
import { Tool } from "./Tool.ts"

const page = {
  resultType: Schema.optionalKey(Schema.Literal("complete")),
  nextCursor: Schema.optionalKey(Schema.String),
  ...cacheMembers,
  _meta: Schema.optionalKey(Meta)
}

/** What `tools/list` answers. */
export const ToolPage = Schema.Struct({ ...page, tools: Schema.Array(Tool) })
export interface ToolPage extends Schema.Schema.Type<typeof ToolPage> {}
