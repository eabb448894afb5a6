/**
 * The entries of a list as the payload of its answer.
 */
import type { CacheHint } from "@treadle/protocol/schema"
import type { NeutralResult } from "./NeutralResult.ts"

/** How long discover and list answers stay fresh unless a setting says otherwise, in milliseconds. */
export const listTtl = 300_000

/** @param entries each entry, printed */
export const listReply = (name: string, entries: ReadonlyArray<string>, cache: CacheHint): NeutralResult => ({
  members: `${JSON.stringify(name)}:[${entries.join(",")}]`,
  cache
})
