import { assert, describe, it } from "@effect/vitest"
import { printSse, sseComment, SseReader, type SseEvent } from "@treadle/protocol/framing"
import { crumbs, cutAt, everyCut, json, places } from "@treadle/testing"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"

interface Outcome {
  readonly events: ReadonlyArray<SseEvent>
  readonly overflow: boolean
}

const read = (chunks: ReadonlyArray<string>, limit = 1000): Outcome => {
  const reader = new SseReader(limit)
  const events = chunks.flatMap((chunk) => reader.push(chunk))
  return { events, overflow: reader.overflow }
}

const message = (data: string, more: { readonly id?: string; readonly retry?: number } = {}): SseEvent => ({
  event: "message",
  data,
  ...more
})

const pieces = [
  "\n",
  "\r",
  "\r\n",
  "\uFEFF",
  "data: x",
  "data:",
  "data",
  ": c",
  "id: 7",
  "id: \0",
  "retry: 10",
  "retry: 1x",
  "event: e",
  "data: 123456789",
  " "
]
const stream = Arbitrary.map(Arbitrary.array(Arbitrary.schema(Schema.Literals(pieces)), { maxLength: 14 }), (chosen) =>
  chosen.join("")
)

describe("SseReader", () => {
  it("CHTTP-12: says where to take the stream up again: after the last event that was complete, with data or without", () => {
    const reader = new SseReader(1000)
    assert.isUndefined(reader.lastEventId)
    reader.push("id: a\ndata: x\n\n")
    assert.strictEqual(reader.lastEventId, "a")
    reader.push("id: b\n\n")
    assert.strictEqual(reader.lastEventId, "b")
    reader.push("id: c\ndata: half")
    assert.strictEqual(reader.lastEventId, "b")
    reader.push("\n\ndata: y\n\n")
    assert.strictEqual(reader.lastEventId, "c")
  })

  it.prop(
    "any cut of the same text gives the same events and the same overflow",
    [stream, places(80)],
    ([whole, at]) => {
      const expected = read([whole], 14)
      assert.deepStrictEqual(read(cutAt(whole, at), 14), expected)
      assert.deepStrictEqual(read(crumbs(whole), 14), expected)
    }
  )

  it.prop(
    "HTTP-13 every message that is printed comes back, comments between them or not",
    [Arbitrary.array(json), places(400)],
    ([values, at]) => {
      const texts = values.map((value) => JSON.stringify(value))
      const whole = texts.map((text) => sseComment + printSse(text)).join("")
      assert.deepStrictEqual(
        read(cutAt(whole, at), 1_000_000).events,
        texts.map((text) => message(text))
      )
    }
  )

  it.prop(
    "an id and a delay come back with their event",
    [Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))],
    ([number]) => {
      const text = printSse("{}", { id: `id-${number}`, retry: number })
      assert.deepStrictEqual(read([text]).events, [message("{}", { id: `id-${number}`, retry: number })])
    }
  )

  const cases: ReadonlyArray<readonly [string, string, ReadonlyArray<SseEvent>]> = [
    ["an event of one line", "data: a\n\n", [message("a")]],
    ["lines that end in a carriage return and line feed", "data: a\r\n\r\n", [message("a")]],
    ["lines that end in a carriage return alone", "data: a\r\rdata: b\r\r", [message("a"), message("b")]],
    ["line ends of all three kinds", "data: a\r\ndata: b\rdata: c\n\r\n", [message("a\nb\nc")]],
    ["a byte order mark at the start", "\uFEFFdata: a\n\n", [message("a")]],
    ["no byte order mark later", "data: a\n\n\uFEFFdata: b\n\n", [message("a")]],
    ["only one space after the colon away", "data:  a\n\ndata:a\n\n", [message(" a"), message("a")]],
    ["data of several lines", "data: a\ndata:\ndata: b\n\n", [message("a\n\nb")]],
    ["a field without a colon", "data\n\n", [message("")]],
    ["HTTP-14 comments, which mean nothing", ": keep\n:\n\ndata: a\n: in between\n\n", [message("a")]],
    ["fields that it does not know", "foo: 1\nDATA: 2\ndata: a\n\n", [message("a")]],
    [
      "the name of an event, for one event",
      "event: e\ndata: a\n\ndata: b\n\n",
      [{ event: "e", data: "a" }, message("b")]
    ],
    ["an event without data as none", "event: e\n\nid: 1\n\n", []],
    ["an id that lasts", "id: 1\ndata: a\n\ndata: b\n\n", [message("a", { id: "1" }), message("b", { id: "1" })]],
    [
      "an id that is emptied",
      "id: 1\ndata: a\n\nid\ndata: b\n\n",
      [message("a", { id: "1" }), message("b", { id: "" })]
    ],
    ["no id that has a NUL", "id: 1\0\ndata: a\n\n", [message("a")]],
    [
      "a delay in digits only",
      "retry: 15\ndata: a\n\nretry: 1.5\ndata: b\n\n",
      [message("a", { retry: 15 }), message("b")]
    ],
    ["a delay without data", "retry: 15\n\n", [message("", { retry: 15 })]],
    ["the event that primes a stream", "id: 0\nretry: 15\ndata:\n\n", [message("", { id: "0", retry: 15 })]],
    ["no event that the end cuts", "data: a\n\ndata: b\n", [message("a")]],
    ["text of other languages", "data: 日😀\n\n", [message("日😀")]]
  ]
  it.each(cases)("reads %s, wherever the text is cut", (_, whole, events) => {
    for (const chunks of [[whole], ...everyCut(whole)])
      assert.deepStrictEqual(read(chunks), { events, overflow: false })
  })

  it("hands on an event in the call in which its blank line begins", () => {
    const reader = new SseReader(99)
    assert.deepStrictEqual(reader.push("data: a\r"), [])
    assert.deepStrictEqual(reader.push("\r"), [message("a")])
    assert.deepStrictEqual(reader.push("\ndata: b\n\n"), [message("b")])
  })

  const limited: ReadonlyArray<readonly [string, string, Outcome]> = [
    ["a line of exactly the limit", "data: 123456\n\n", { events: [message("123456")], overflow: false }],
    ["a line beyond it", "data: 1234567\n\n", { events: [], overflow: true }],
    ["a line that never ends", "data: 1234567", { events: [], overflow: true }],
    ["lines that are too much together", "data: 123\ndata: 456\ndata: 7\n\n", { events: [], overflow: true }],
    ["a comment beyond it", ": 1234567890123\n", { events: [], overflow: true }],
    ["the events before it", "data: a\n\ndata: 1234567\n\ndata: b\n\n", { events: [message("a")], overflow: true }],
    [
      "many small events",
      "data: 12345\n\n".repeat(9),
      { events: Array.from({ length: 9 }, () => message("12345")), overflow: false }
    ],
    ["many comments in one event", `${": keep\n".repeat(9)}data: a\n\n`, { events: [message("a")], overflow: false }]
  ]
  it.each(limited)("D13 with a limit of 12 characters, knows %s", (_, whole, expected) => {
    for (const chunks of [[whole], ...everyCut(whole)]) assert.deepStrictEqual(read(chunks, 12), expected)
  })

  it("D13 nothing after an overflow is read", () => {
    const reader = new SseReader(12)
    reader.push("data: 1234567")
    assert.deepStrictEqual(reader.push("\n\ndata: a\n\n"), [])
    assert.isTrue(reader.overflow)
  })
})

describe("printSse", () => {
  it.each([
    [printSse("{}"), "data: {}\n\n"],
    [printSse("{}", { id: "4" }), "id: 4\ndata: {}\n\n"],
    [printSse("", { id: "4", retry: 1000 }), "id: 4\nretry: 1000\ndata: \n\n"],
    [sseComment, ": \n\n"]
  ])("WIRE %j", (printed, expected) => {
    assert.strictEqual(printed, expected)
  })
})
