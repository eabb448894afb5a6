import { assert, describe, it } from "@effect/vitest"
import { LineCutter, type Line } from "@treadle/protocol/framing"
import { crumbs, cutAt, everyCut, places } from "@treadle/testing"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"

const utf8 = new TextEncoder()
const bytes = (...parts: ReadonlyArray<string | ReadonlyArray<number>>): Uint8Array =>
  Uint8Array.from(parts.flatMap((part) => (typeof part === "string" ? [...utf8.encode(part)] : part)))

const read = (chunks: ReadonlyArray<Uint8Array>, limit = 1024): ReadonlyArray<Line> => {
  const lines: Array<Line> = []
  const cutter = new LineCutter(limit, (line) => lines.push(line))
  for (const chunk of chunks) cutter.push(chunk)
  cutter.end()
  return lines
}

const text = (value: string): Line => ({ _tag: "Text", text: value })
const notUtf8: Line = { _tag: "NotUtf8" }
const tooLong = (limit: number): Line => ({ _tag: "TooLong", limit })
const bom = [0xef, 0xbb, 0xbf]

/** Pieces of which the difficult streams are made; the limit of the laws is eight bytes. */
const pieces: ReadonlyArray<ReadonlyArray<number>> = [
  [10],
  [13],
  [13, 10],
  [32],
  bom,
  [0xff],
  [0xc3],
  [0],
  [...utf8.encode("é")],
  [...utf8.encode("日")],
  [...utf8.encode("😀")],
  [...utf8.encode("1234567")],
  [...utf8.encode("12345678")],
  [...utf8.encode("a")]
]
const piece = Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: pieces.length - 1 })))
const stream = Arbitrary.map(Arbitrary.array(piece, { maxLength: 12 }), (chosen) =>
  Uint8Array.from(chosen.flatMap((at) => pieces[at] ?? []))
)

describe("LineCutter", () => {
  it("B066: looks at each byte of a long line once, however many chunks it comes in", () => {
    const line = new Uint8Array(4_000_000).fill(120)
    const chunks = Array.from({ length: 1_000 }, (_, at) => line.subarray(at * 4_000, (at + 1) * 4_000))
    let decoded = 0
    const lines: Array<Line> = []
    const cutter = new LineCutter(
      line.length,
      (one) => lines.push(one),
      (part) => {
        decoded += part.length
        return "whole"
      }
    )
    for (const chunk of chunks) cutter.push(chunk)
    cutter.push(Uint8Array.of(10))
    assert.deepStrictEqual([lines, decoded], [[text("whole")], line.length])
  })

  it.prop("STDIO-01 any cut of the same bytes gives the same lines", [stream, places(60)], ([whole, at]) => {
    const expected = read([whole], 8)
    assert.deepStrictEqual(read(cutAt(whole, at), 8), expected)
    assert.deepStrictEqual(read(crumbs(whole), 8), expected)
  })

  it.prop(
    "STDIO-01 every text that is printed as JSON comes back",
    [Arbitrary.schema(Schema.Array(Schema.Json)), places(400)],
    ([values, at]) => {
      const lines = values.map((value) => JSON.stringify(value))
      const whole = bytes(lines.map((line) => `${line}\n`).join(""))
      assert.deepStrictEqual(read(cutAt(whole, at), 1_000_000), lines.map(text))
    }
  )

  const cases: ReadonlyArray<readonly [string, Uint8Array, ReadonlyArray<Line>]> = [
    ["a line each", bytes("a\nb\n"), [text("a"), text("b")]],
    ["a last line without end", bytes("a\nb"), [text("a"), text("b")]],
    ["carriage returns before line feeds", bytes("a\r\nb\r\n"), [text("a"), text("b")]],
    ["a carriage return within a line", bytes("a\rb\n"), [text("a\rb")]],
    ["only the last of two carriage returns", bytes("a\r\r\n"), [text("a\r")]],
    ["blank lines left out", bytes("\n \n\r\n\t\na\n"), [text("a")]],
    ["a byte order mark at the start of the stream", bytes(bom, "a\nb"), [text("a"), text("b")]],
    ["no byte order mark later", bytes("a\n", bom, "b\n"), [text("a"), text("\uFEFFb")]],
    ["characters of two to four bytes", bytes("é日😀\n"), [text("é日😀")]],
    [
      "BASE-01 a line that is not UTF-8 in its place",
      bytes("a\n", [0xc3, 0x28], "\nb\n"),
      [text("a"), notUtf8, text("b")]
    ],
    ["BASE-01 an overlong form is not UTF-8", bytes([0xc0, 0xaf], "\n"), [notUtf8]],
    ["BASE-01 a surrogate is not UTF-8", bytes([0xed, 0xa0, 0x80], "\n"), [notUtf8]],
    ["BASE-01 a cut last character", bytes("a\n", [0xf0, 0x9f, 0x98]), [text("a"), notUtf8]],
    ["a NUL as it is", bytes("a\0b\n"), [text("a\0b")]],
    ["nothing of nothing", bytes(), []]
  ]
  it.each(cases)("STDIO-01 reads %s, wherever the bytes are cut", (_, whole, expected) => {
    for (const chunks of [[whole], ...everyCut(whole)]) assert.deepStrictEqual(read(chunks), expected)
  })

  const limited: ReadonlyArray<readonly [string, Uint8Array, ReadonlyArray<Line>]> = [
    ["of exactly the limit", bytes("12345678\n"), [text("12345678")]],
    ["of exactly the limit with its line end", bytes("12345678\r\n"), [text("12345678")]],
    ["of exactly the limit behind a byte order mark", bytes(bom, "12345678\r\n"), [text("12345678")]],
    ["one byte longer, and reads on", bytes("123456789\nok\n"), [tooLong(8), text("ok")]],
    ["one byte longer in bytes, not in characters", bytes("日日日\nok\n"), [tooLong(8), text("ok")]],
    ["much longer, and reads on", bytes("x".repeat(99), "\nok\n"), [tooLong(8), text("ok")]],
    ["that never ends", bytes("x".repeat(99)), [tooLong(8)]],
    ["that is long and not UTF-8", bytes([0xff], "x".repeat(20), "\nok\n"), [tooLong(8), text("ok")]],
    [
      "that is long and first, and knows no byte order mark after it",
      bytes("x".repeat(20), "\n", bom, "a\n"),
      [tooLong(8), text("\uFEFFa")]
    ]
  ]
  it.each(limited)("D13 with a limit of 8 bytes, reports a line %s", (_, whole, expected) => {
    for (const chunks of [[whole], ...everyCut(whole)]) assert.deepStrictEqual(read(chunks, 8), expected)
  })

  it("hands on a line in the call in which it ends", () => {
    const lines: Array<Line> = []
    const cutter = new LineCutter(99, (line) => lines.push(line))
    cutter.push(bytes("a"))
    assert.deepStrictEqual(lines, [])
    cutter.push(bytes("b\nc"))
    assert.deepStrictEqual(lines, [text("ab")])
  })

  it("decodes with the decoder it is given", () => {
    const lines: Array<Line> = []
    const cutter = new LineCutter(
      99,
      (line) => lines.push(line),
      () => undefined
    )
    cutter.push(bytes("a\n"))
    assert.deepStrictEqual(lines, [notUtf8])
  })
})
