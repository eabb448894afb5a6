/**
 * A path argument stays in its segment: whatever it says, it reaches the operation as it is, or nothing is run.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import { anyText } from "@treadle/testing"
import { hallMcp } from "../fixtures/hallApi.ts"
import { said, serving } from "../fixtures/calling.ts"

const escapes = [
  "a/b",
  "/etc/passwd",
  "../today",
  "..%2ftoday",
  "%2f",
  "%2e%2e",
  "%00",
  "\u0000",
  "a?x=1",
  "a#b",
  "a;b",
  "a//b",
  "\\..\\today",
  ":hall",
  "*",
  " ",
  "today ",
  "%E0%A4%A",
  "ünï/cödé 🎭",
  "__proto__"
]

describe("a path argument", () => {
  it.effect("reaches the operation as it is, whatever it holds", () =>
    Effect.gen(function* () {
      const { result } = yield* serving(hallMcp, {})
      for (const hall of escapes) {
        const { structuredContent } = yield* result("get_hall", { hall })
        assert.deepStrictEqual(structuredContent, { value: `hall ${JSON.stringify(hall)}` })
      }
    })
  )

  it.effect("is refused where no path can hold it, and nothing is run", () =>
    Effect.gen(function* () {
      const { result } = yield* serving(hallMcp, {})
      for (const hall of ["", ".", "..", "\ud800", "a\udc00b"]) {
        const refused = yield* result("get_hall", { hall })
        assert.isTrue(refused.isError, JSON.stringify(hall))
        assert.match(said(refused), /^Invalid arguments for get_hall:\n- hall: /)
      }
    })
  )

  it.effect("is refused where it names another operation", () =>
    Effect.gen(function* () {
      const { result } = yield* serving(hallMcp, {})
      assert.deepStrictEqual((yield* result("today")).structuredContent, { value: "today's hall" })
      const refused = yield* result("get_hall", { hall: "today" })
      assert.deepStrictEqual(
        [refused.isError, said(refused)],
        [true, "Invalid arguments for get_hall:\n- /halls/today is the address of another operation"]
      )
    })
  )

  it.effect("of any text is kept or refused", () =>
    Effect.gen(function* () {
      const { result } = yield* serving(hallMcp, {})
      const checked = yield* Arbitrary.checkEffect(
        Arbitrary.filter(anyText, (text) => text.length < 50),
        (hall) =>
          Effect.map(result("get_hall", { hall }), ({ isError, structuredContent }) => {
            if (isError !== true) assert.deepStrictEqual(structuredContent, { value: `hall ${JSON.stringify(hall)}` })
            return true
          }),
        { runs: 200 }
      )
      assert.strictEqual(checked._tag, "Passed", Arbitrary.formatCheckFailure(checked))
    })
  )
})
