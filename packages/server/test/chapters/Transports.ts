/**
 * What every transport carries whole: large messages, and many of them for a client that reads them as they come.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { rawCall, rawResult } from "@treadle/testing"
import { chapter, notifications } from "../fixtures/chapter.ts"

export const transports = chapter("transports", (test) => {
  test("BASE-01 STDIO-01: carry a message of a megabyte there and back, line ends and all", ({ connect }) =>
    Effect.gen(function* () {
      const one = yield* connect()
      const text = 'é\n\r\u2028"\\🎭 '.repeat(65_000)
      const { content } = yield* rawResult(one, "echo", { text })
      assert.isTrue(content[0].text === text)
    }))

  test(
    "D13 D16: carry what is sent ahead of the answer in order and without loss, more than any buffer holds",
    ({ connect }) =>
      Effect.gen(function* () {
        const one = yield* connect()
        const flood = yield* rawCall(one, "flood", { count: 100, size: 16_384 }, { progressToken: "flood" })
        assert.strictEqual((yield* flood.answer)["result"].content[0].text, "whole")
        assert.deepStrictEqual(
          notifications(flood).map(({ params }) => params.progress),
          Array.from({ length: 100 }, (_, at) => at + 1)
        )
      }),
    { needs: ["notifications"] }
  )
})
