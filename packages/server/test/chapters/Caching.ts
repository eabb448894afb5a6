/**
 * How long results stay fresh, and for whom: natively on every list, on discover and on what is read; in compat nowhere.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ask, chapter } from "../fixtures/chapter.ts"

const lists = ["tools/list", "prompts/list", "resources/list", "resources/templates/list"]
const uncached: ReadonlyArray<readonly [string, object]> = [
  ["tools/call", { name: "noargs" }],
  ["prompts/get", { name: "hello" }]
]

export const caching = chapter("caching", (test) => {
  test(
    "CACHE-01 CACHE-09 D15: is said of every list, of discover and of what was read, and of nothing else",
    ({ connect }) =>
      Effect.gen(function* () {
        const one = yield* connect()
        const hint = (method: string, params?: object) =>
          Effect.map(ask(one, method, params), ({ result }) => [result.ttlMs, result.cacheScope])
        for (const method of ["server/discover", ...lists]) {
          assert.deepStrictEqual(yield* hint(method), [300_000, "public"], method)
        }
        assert.deepStrictEqual(yield* hint("resources/read", { uri: "suite://one" }), [1000, "public"])
        assert.deepStrictEqual(yield* hint("resources/read", { uri: "suite://rooms/stalls" }), [0, "private"])
        for (const [method, params] of uncached) {
          assert.deepStrictEqual(yield* hint(method, params), [undefined, undefined], method)
        }
      }),
    { era: "native" }
  )

  test(
    "BASE-11 META-05: is not said in a session, nor is anything else that only the native era has",
    ({ connect }) =>
      Effect.gen(function* () {
        const one = yield* connect()
        const read = ["resources/read", { uri: "suite://one" }] as const
        const all = [...lists.map((method) => [method, {}] as const), ...uncached, read]
        for (const [method, params] of all) {
          const { result } = yield* ask(one, method, params)
          for (const key of ["ttlMs", "cacheScope", "resultType", "_meta"]) assert.notProperty(result, key, method)
        }
      }),
    { era: "compat" }
  )
})
