/**
 * Follows the cursors of a list to its end. A cursor is opaque and may be empty; a list in which one comes again would
 * never end (PAGE-01, PAGE-02).
 */
import * as Effect from "effect/Effect"
import { own } from "@treadle/protocol/json"
import { McpReason } from "../../McpError.ts"

/** The most pages of one list. */
export const maxPages = 1024

/** How many entries a list may have. */
const maxEntries = 100_000

/** How large the pages before the last one may be together, in characters of JSON: as large as one answer by default. */
const maxSize = 64 * 1024 * 1024

const broken = (problem: string): McpReason => new McpReason.Undecodable({ what: "the list", problems: [problem] })

/**
 * Every entry of a list, in order.
 *
 * @param page asks for one page, as the server sends it
 * @param member the member of a page that holds its entries
 * @param fail makes an error of a list that is broken
 * @param onEndless hears why one without an end is cut, where what was read of it will do
 */
export const drainPages = <E>(
  page: (cursor: string | undefined) => Effect.Effect<unknown, E>,
  member: string,
  fail: (reason: McpReason) => E,
  onEndless?: (problem: string) => void
): Effect.Effect<ReadonlyArray<unknown>, E> =>
  Effect.gen(function* () {
    const entries: Array<unknown> = []
    const cut = (problem: string) =>
      onEndless === undefined
        ? Effect.fail(fail(broken(problem)))
        : Effect.sync(() => {
            onEndless(problem)
            return entries
          })
    const seen = new Set<string>()
    let size = 0
    let cursor: string | undefined
    for (let pages = 0; pages < maxPages; pages++) {
      const result = yield* page(cursor)
      const found = own(result, member)
      if (!Array.isArray(found)) return yield* Effect.fail(fail(broken(`${member}: it must be an array`)))
      if (entries.length + found.length > maxEntries) {
        return yield* cut(`it has more than ${maxEntries} entries`)
      }
      for (const entry of found) entries.push(entry)
      const next = own(result, "nextCursor")
      if (next === undefined || next === null) return entries
      if (typeof next !== "string") return yield* Effect.fail(fail(broken("nextCursor: it must be a string")))
      if (seen.has(next)) return yield* cut(`the cursor ${JSON.stringify(next)} came twice`)
      size += JSON.stringify(found).length + next.length
      if (size > maxSize) return yield* cut(`it is larger than ${maxSize} characters`)
      seen.add(next)
      cursor = next
    }
    return yield* cut(`it has more than ${maxPages} pages`)
  })
