import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { Feed } from "../src/Feed.ts"

const mebi = 1024 * 1024

/** The lengths of what is heard of a feed that was told texts of these lengths. */
const kept = (lengths: ReadonlyArray<number>) => {
  const feed = new Feed<string>()
  for (const length of lengths) feed.push("x".repeat(length))
  feed.end()
  return Effect.map(Stream.runCollect(feed.stream), (texts) => texts.map(({ length }) => length))
}

describe("what a call is told", () => {
  it.effect("is kept up to 16 Mi characters, the newest in any case", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* kept([1, 6 * mebi, 6 * mebi, 3 * mebi]), [1, 6 * mebi, 6 * mebi, 3 * mebi])
      assert.deepStrictEqual(yield* kept([6 * mebi, 6 * mebi, 6 * mebi]), [6 * mebi, 6 * mebi])
      assert.deepStrictEqual(yield* kept([1, 20 * mebi]), [20 * mebi])
      assert.deepStrictEqual(yield* kept([20 * mebi, 1]), [1])
    })
  )

  it.effect("is kept up to 1024 items", () =>
    Effect.gen(function* () {
      const lengths = Array.from({ length: 1030 }, (_, n) => n)
      assert.deepStrictEqual(yield* kept(lengths), lengths.slice(6))
    })
  )
})
