import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import { assert, describe, it } from "@effect/vitest"
import { anyText, wellFormedText } from "@treadle/testing"
import { cutBytes, cutText } from "../src/Text.ts"

const size = Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 40 })))

const bytesOf = (text: string): number => new TextEncoder().encode(text).length

describe("cutting a text", () => {
  it.prop(
    "leaves a short one alone, and of a long one its beginning and the marker (A106)",
    [anyText, size],
    (given) => {
      const [text, max] = given
      const cut = cutText(text, max, "…")
      if (text.length <= max) return assert.strictEqual(cut, text)
      const kept = cut.slice(0, -1)
      assert.isTrue(text.startsWith(kept) && cut.endsWith("…"))
      assert.isAtMost(kept.length, max)
      assert.isAtLeast(kept.length, max - 1)
    }
  )

  it.prop("by characters or by bytes never parts a character (A106, A125)", [wellFormedText, size], ([text, max]) => {
    for (const cut of [cutText(text, max, ""), cutBytes(text, max, "")]) {
      assert.isFalse(/\p{Surrogate}/u.test(cut))
      assert.isTrue(text.startsWith(cut))
    }
  })

  it.prop("by bytes keeps as many as fit (A125)", [wellFormedText, size], ([text, max]) => {
    const kept = cutBytes(text, max, "")
    assert.isAtMost(bytesOf(kept), max)
    if (kept === text) return
    const [next = ""] = text.slice(kept.length)
    assert.isAbove(bytesOf(kept + next), max)
  })
})
