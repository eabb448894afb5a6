/**
 * A neutral result as a revision wants it on the wire (BASE-08, META-05, CACHE-01).
 */
import { isJsonObject, type Json } from "@treadle/protocol/json"
import { MetaKey, type Implementation, type Meta } from "@treadle/protocol/schema"
import type { NeutralResult } from "../reply/NeutralResult.ts"

/** Prints the results of one server for one revision. */
export interface Dress {
  /** The JSON text of the `result` member. */
  readonly result: (result: NeutralResult) => string
}

/** The native revision: every result says that it is complete and who served it. */
export const nativeDress = (server: Implementation): Dress => {
  const serverInfo = server as unknown as Json
  const tail = `,"_meta":${JSON.stringify({ [MetaKey.serverInfo]: serverInfo })}}`
  const withMeta = (meta: Meta): string =>
    `,"_meta":${JSON.stringify({ ...meta, [MetaKey.serverInfo]: isJsonObject(serverInfo) ? serverInfo : {} })}}`
  return {
    result: ({ members, meta, cache }) => {
      const hint = cache === undefined ? "" : `,"ttlMs":${cache.ttlMs},"cacheScope":"${cache.cacheScope}"`
      return `{"resultType":"complete",${members}${hint}${meta === undefined ? tail : withMeta(meta)}`
    }
  }
}
