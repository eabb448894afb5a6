/**
 * How long an answer stays fresh and who may share it (CACHE-01).
 */
import * as Schema from "effect/Schema"

/** `ttlMs` in milliseconds; `public` may be served to any caller, `private` to the same authorization only. */
export const CacheHint = Schema.Struct({
  ttlMs: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
  cacheScope: Schema.Literals(["public", "private"])
})
export interface CacheHint extends Schema.Schema.Type<typeof CacheHint> {}

/** The members of a result that carry the hint, for reading: an older server sends none. */
export const cacheMembers = {
  ttlMs: Schema.optionalKey(Schema.Int),
  cacheScope: Schema.optionalKey(Schema.Literals(["public", "private"]))
}
