import { assert, describe, it } from "@effect/vitest"
import { linePair, type LinePort } from "@treadle/protocol/framing"
import { wellFormedText } from "@treadle/testing"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"

/** Lets every microtask that is under way run. */
const settle = Effect.promise(() => new Promise<void>((resolve) => queueMicrotask(() => queueMicrotask(resolve))))

const utf8 = new TextDecoder()

/** What one end hears, in order. */
const listen = (port: LinePort, onChunk: (text: string) => void = () => {}): Array<string> => {
  const heard: Array<string> = []
  port.open({
    chunk: (bytes) => {
      const text = utf8.decode(bytes)
      heard.push(text)
      onChunk(text)
    },
    end: () => heard.push("(end)"),
    drain: () => heard.push("(drain)")
  })
  return heard
}

describe("linePair", () => {
  it.effect.prop("what one end writes the other reads, in order", [Arbitrary.array(wellFormedText)], ([texts]) =>
    Effect.gen(function* () {
      const [left, right] = linePair()
      const heard = listen(right)
      for (const text of texts) left.write(text)
      left.close()
      yield* settle
      assert.strictEqual(heard.join(""), `${texts.join("")}(end)`)
    })
  )

  it.effect("nothing is delivered in the call that writes it", () =>
    Effect.gen(function* () {
      const [left, right] = linePair()
      const heard = listen(right)
      left.write("a")
      assert.deepStrictEqual(heard, [])
      yield* settle
      assert.deepStrictEqual(heard, ["a"])
    })
  )

  it.effect("what is written before the other end opens waits for it", () =>
    Effect.gen(function* () {
      const [left, right] = linePair()
      left.write("a")
      left.close()
      yield* settle
      const heard = listen(right)
      yield* settle
      assert.deepStrictEqual(heard, ["a", "(end)"])
    })
  )

  it.effect("a paused end hears nothing until it resumes, then everything", () =>
    Effect.gen(function* () {
      const [left, right] = linePair()
      const heard = listen(right, () => right.pause())
      left.write("a")
      left.write("b")
      left.close()
      yield* settle
      assert.deepStrictEqual(heard, ["a"])
      right.resume()
      yield* settle
      assert.deepStrictEqual(heard, ["a", "b"])
      right.resume()
      yield* settle
      assert.deepStrictEqual(heard, ["a", "b", "(end)"])
    })
  )

  it.effect("a writer above the mark is asked to wait, and told when there is room", () =>
    Effect.gen(function* () {
      const [left, right] = linePair(4)
      const writer = listen(left)
      assert.isTrue(left.write("1234"))
      assert.isFalse(left.write("5"))
      yield* settle
      assert.deepStrictEqual(writer, [])
      listen(right)
      yield* settle
      assert.deepStrictEqual(writer, ["(drain)"])
      assert.isTrue(left.write("6"))
    })
  )

  it.effect("a writer that fills the pair while the other end is reading is told too", () =>
    Effect.gen(function* () {
      const [left, right] = linePair(4)
      const writer = listen(left)
      const asked: Array<boolean> = []
      listen(right, (text) => {
        if (text === "go") asked.push(left.write("123456"))
      })
      left.write("go")
      yield* settle
      assert.deepStrictEqual(asked, [false])
      assert.deepStrictEqual(writer, ["(drain)"])
    })
  )

  it.effect("a writer that was never asked to wait is not told", () =>
    Effect.gen(function* () {
      const [left, right] = linePair(4)
      const writer = listen(left)
      listen(right)
      left.write("1")
      yield* settle
      assert.deepStrictEqual(writer, [])
    })
  )

  it.effect("a closed end sends nothing more, ends once, and still hears the other", () =>
    Effect.gen(function* () {
      const [left, right] = linePair()
      const heard = listen(right)
      const back = listen(left)
      left.close()
      left.close()
      left.write("late")
      right.write("still here")
      yield* settle
      assert.deepStrictEqual([heard, back], [["(end)"], ["still here"]])
    })
  )
})
