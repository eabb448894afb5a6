/**
 * The entries of a list as the payload of its answer, or of one of its pages.
 */
import type { CacheHint } from "@treadle/protocol/schema"
import type { NeutralResult } from "./NeutralResult.ts"

/** How long discover and list answers stay fresh unless a setting says otherwise, in milliseconds. */
const listTtl = 300_000

/** How long a list stays fresh, and for whom: what the setting says, and the defaults for what it does not say. */
export const listHint = ({ cacheScope = "public", ttlMs = listTtl }: Partial<CacheHint> = {}): CacheHint => ({
  ttlMs,
  cacheScope
})

/** @param entries each entry, printed */
export const listReply = (name: string, entries: ReadonlyArray<string>, cache: CacheHint): NeutralResult => ({
  members: `${JSON.stringify(name)}:[${entries.join(",")}]`,
  cache
})

/** The page with the cursor of the one after it. */
export const nextPage = (page: NeutralResult, cursor: string): NeutralResult => ({
  ...page,
  members: `${page.members},"nextCursor":${JSON.stringify(cursor)}`
})
