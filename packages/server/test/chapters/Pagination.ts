/**
 * Lists of several pages.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { RawPeer } from "@treadle/testing"
import { chapter, errorOf, resultOf } from "../fixtures/chapter.ts"

const lists = [
  ["tools/list", "tools", "name"],
  ["prompts/list", "prompts", "name"],
  ["resources/list", "resources", "uri"],
  ["resources/templates/list", "resourceTemplates", "uriTemplate"]
] as const

/** Every page of a list, following its cursors. */
const pages = Effect.fnUntraced(function* (client: RawPeer, method: string) {
  const out: Array<any> = []
  let cursor: string | undefined
  do {
    const page = yield* resultOf(client, method, cursor === undefined ? {} : { cursor })
    out.push(page)
    cursor = page.nextCursor
  } while (cursor !== undefined && out.length < 30)
  return out
})

export const pagination = chapter(
  "pagination",
  (test) => {
    test(
      "PAGE-05: holds every entry of every list once, on full pages but the last",
      ({ connect }) =>
        Effect.gen(function* () {
          const one = yield* connect()
          for (const [method, member, key] of lists) {
            const found = yield* pages(one, method)
            const sizes = found.map((page) => page[member].length)
            assert.isAbove(sizes.length, 1, method)
            for (const size of sizes.slice(0, -1)) assert.strictEqual(size, 3)
            assert.isAtLeast(sizes.at(-1), 1)
            const keys = found.flatMap((page) => page[member].map((entry: { readonly [key]: string }) => entry[key]))
            assert.strictEqual(new Set(keys).size, keys.length, method)
            assert.isUndefined(found.at(-1).nextCursor)
          }
        }),
      { needs: ["state"] }
    )

    test(
      "PAGE-04: gives the same page for the same cursor, however often it is presented",
      ({ connect }) =>
        Effect.gen(function* () {
          const one = yield* connect()
          const [first, second, third] = yield* pages(one, "tools/list")
          const again = (cursor: string) => resultOf(one, "tools/list", { cursor })
          assert.deepStrictEqual(yield* again(second.nextCursor), third)
          for (const _ of [1, 2]) assert.deepStrictEqual(yield* again(first.nextCursor), second)
        }),
      { needs: ["state"] }
    )

    test(
      "PAGE-04: answers -32602 to a cursor that it did not give for this list",
      ({ connect }) =>
        Effect.gen(function* () {
          const one = yield* connect()
          const { nextCursor } = yield* resultOf(one, "tools/list")
          for (const [method] of lists) {
            const foreign = method === "tools/list" ? [] : [nextCursor]
            for (const cursor of ["", "x", "1", `${nextCursor}A`, nextCursor.slice(1), 1, null, {}, ...foreign]) {
              assert.strictEqual((yield* errorOf(one, method, { cursor })).code, -32602, `${method} ${cursor}`)
            }
          }
        }),
      { needs: ["state"] }
    )
  },
  { pageSize: 3 }
)
