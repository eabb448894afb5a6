import { assert, describe, it } from "@effect/vitest"
import { decodeHeaderValue, encodeHeaderValue, trimHeaderValue } from "@treadle/protocol/http"
import { fromBase64, textFromBase64, toBase64 } from "@treadle/protocol/json"
import { anyText, wellFormedText } from "@treadle/testing"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"

const markerish = Arbitrary.map(
  Arbitrary.array(
    Arbitrary.schema(Schema.Literals(["=?base64?", "?=", "=?BASE64?", "YQ==", "YQ", " ", "\t", "a", "é", "="])),
    {
      maxLength: 5
    }
  ),
  (parts) => parts.join("")
)

describe("Header values", () => {
  it.prop("HDR-08 HDR-09 HDR-11 decoding inverts encoding for any text", [wellFormedText, markerish], (texts) => {
    for (const text of texts) assert.strictEqual(decodeHeaderValue(encodeHeaderValue(text)), text)
  })

  it.prop("HDR-08 what is encoded is a field value that HTTP carries unchanged", [anyText, markerish], (texts) => {
    for (const value of texts.map(encodeHeaderValue)) {
      assert.match(value, /^[\x20-\x7E\t]*$/)
      assert.strictEqual(trimHeaderValue(value), value)
    }
  })

  it.prop(
    "HDR-10 HDR-12 decoding is total: text that has a spelling of its own, or nothing",
    [anyText, markerish],
    (values) => {
      for (const value of values) {
        const text = decodeHeaderValue(value)
        if (text !== undefined) assert.strictEqual(decodeHeaderValue(encodeHeaderValue(text)), text)
        else assert.isTrue(/[^\x20-\x7E\t]/.test(value) || value.includes("=?base64?"), value)
      }
    }
  )

  it("HDR-08 a lone surrogate, which UTF-8 cannot carry, travels as the replacement character", () => {
    assert.strictEqual(decodeHeaderValue(encodeHeaderValue("a\uD800")), "a\uFFFD")
  })

  it.each([
    ["", ""],
    ["get_show", "get_show"],
    ["a b\tc", "a b\tc"],
    ["~!@#", "~!@#"],
    ["=?BASE64?YQ==?=", "=?BASE64?YQ==?="],
    ["=?base64?YQ==", "=?base64?YQ=="],
    ["YQ==?=", "YQ==?="],
    [" a", "=?base64?IGE=?="],
    ["a\t", "=?base64?YQk=?="],
    ["日本", "=?base64?5pel5pys?="],
    ["é", "=?base64?w6k=?="],
    ["a\r\nb", "=?base64?YQ0KYg==?="],
    ["\x7F", "=?base64?fw==?="],
    ["\x1F", "=?base64?Hw==?="],
    ["=?base64?YQ==?=", "=?base64?PT9iYXNlNjQ/WVE9PT89?="],
    ["=?base64??=", "=?base64?PT9iYXNlNjQ/Pz0=?="],
    ["=?base64?=", "=?base64?PT9iYXNlNjQ/PQ==?="]
  ])("HDR-08 HDR-09 %j travels as %s", (text, value) => {
    assert.strictEqual(encodeHeaderValue(text), value)
  })

  it.each([
    ["HDR-07 white space around a value", " \t get_show\t ", "get_show"],
    ["HDR-07 white space around an encoded value", " =?base64?YQ==?= ", "a"],
    ["HDR-10 upper case markers", "=?Base64?YQ==?=", "=?Base64?YQ==?="],
    ["HDR-10 a missing prefix", "YQ==?=", "YQ==?="],
    ["HDR-10 a missing suffix", "=?base64?YQ==", "=?base64?YQ=="],
    ["HDR-10 markers that share a question mark", "=?base64?=", "=?base64?="],
    ["HDR-12 nothing between the markers", "=?base64??=", ""],
    ["HDR-12 missing padding", "=?base64?YQ?=", undefined],
    ["HDR-12 too much padding", "=?base64?YQ===?=", undefined],
    ["HDR-12 the alphabet of URLs", "=?base64?_-8=?=", undefined],
    ["HDR-12 white space inside", "=?base64?Y Q=?=", undefined],
    ["HDR-12 bits that no encoder sets", "=?base64?YR==?=", undefined],
    ["HDR-12 bytes that are not UTF-8", "=?base64?/w==?=", undefined],
    ["HDR-05 characters that no header carries", "caf\u00E9", undefined],
    ["HDR-05 a control character", "a\x01", undefined],
    ["HDR-05 a line end", "a\nb", undefined]
  ])("%s: %j reads as %j", (_, value, text) => {
    assert.strictEqual(decodeHeaderValue(value), text)
  })
})

describe("Base64", () => {
  it.prop("bytes come back", [Schema.Uint8Array], ([bytes]) => {
    assert.deepStrictEqual(fromBase64(toBase64(bytes)), bytes)
  })

  it.prop("text comes back", [wellFormedText], ([text]) => {
    assert.strictEqual(textFromBase64(toBase64(text)), text)
  })

  it.prop("HDR-12 each bytes have one spelling: what is read is written the same", [anyText, markerish], (texts) => {
    for (const text of texts) {
      const bytes = fromBase64(text)
      if (bytes !== undefined) assert.strictEqual(toBase64(bytes), text)
    }
  })

  it("a byte order mark is part of the text", () => {
    assert.strictEqual(textFromBase64("77u/YQ=="), "\uFEFFa")
  })
})
