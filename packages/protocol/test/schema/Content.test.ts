import { assert, describe, it } from "@effect/vitest"
import {
  Content,
  ContentBlock,
  displayName,
  isIconAddress,
  ResourceContents,
  textOf,
  Tool
} from "@treadle/protocol/schema"
import { wireDecoder } from "@treadle/protocol/json"
import * as Result from "effect/Result"

const block = wireDecoder(ContentBlock)
const contents = wireDecoder(ResourceContents)
const tool = wireDecoder(Tool)

describe("ContentBlock", () => {
  it("a block of a type that is not known here is kept as it came", () => {
    const hologram = { type: "hologram", points: [1, 2], _meta: { "com.example/depth": 3 } }
    assert.deepStrictEqual(block(hologram), Result.succeed(hologram))
  })

  it.each([
    ["text without text", { type: "text" }],
    ["an image without mimeType", { type: "image", data: "AA==" }],
    ["audio without data", { type: "audio", mimeType: "audio/wav" }],
    ["a link without name", { type: "resource_link", uri: "box://1" }],
    ["a resource without contents", { type: "resource", resource: { uri: "box://1" } }],
    ["no type", { text: "a" }],
    ["a list", []]
  ])("a known type does not pass as unknown: %s", (_, value) => {
    assert.isTrue(Result.isFailure(block(value)))
  })

  it.each([
    ["text", Content.text("Bill"), { type: "text", text: "Bill" }],
    [
      "an image of bytes",
      Content.image(new Uint8Array([1, 2]), "image/png"),
      { type: "image", data: "AQI=", mimeType: "image/png" }
    ],
    ["an image of Base64", Content.image("AQI=", "image/png"), { type: "image", data: "AQI=", mimeType: "image/png" }],
    [
      "audio",
      Content.audio(new Uint8Array([255]), "audio/wav"),
      { type: "audio", data: "/w==", mimeType: "audio/wav" }
    ],
    [
      "a link",
      Content.link("box://1", "bill", { size: 3 }),
      { type: "resource_link", uri: "box://1", name: "bill", size: 3 }
    ],
    [
      "a resource",
      Content.resource({ uri: "box://1", text: "t" }),
      { type: "resource", resource: { uri: "box://1", text: "t" } }
    ]
  ])("TOOL-10 Content makes %s", (_, made, expected) => {
    assert.deepStrictEqual<unknown>(made, expected)
    assert.isTrue(Result.isSuccess(block(made)))
  })

  it("the text of a result is its text blocks, a line each", () => {
    assert.strictEqual(textOf([Content.text("a"), Content.image("", "image/png"), Content.text("b")]), "a\nb")
    assert.strictEqual(textOf([{ type: "hologram", text: "not text" }]), "")
  })
})

describe("ResourceContents", () => {
  it.each([
    ["text", { uri: "box://1", text: "" }, true],
    ["a blob", { uri: "box://1", blob: "" }, true],
    ["both", { uri: "box://1", text: "a", blob: "AA==" }, false],
    ["neither", { uri: "box://1" }, false]
  ])("RES-03 exactly one of text and blob: %s", (_, value, fits) => {
    assert.strictEqual(Result.isSuccess(contents(value)), fits)
  })
})

describe("Tool", () => {
  it.each([
    ["an object schema", { type: "object" }, true],
    ["SCHEMA-09 any other keyword", { type: "object", $defs: { A: { $anchor: "a" } }, if: {}, else: {} }, true],
    ["TOOL-07 a schema of another type", { type: "string" }, false],
    ["TOOL-07 a schema without a type", {}, false],
    ["TOOL-07 true", true, false]
  ])("TOOL-08 takes as inputSchema %s", (_, inputSchema, fits) => {
    const decoded = tool({ name: "a/b", inputSchema })
    assert.strictEqual(Result.isSuccess(decoded), fits)
    if (Result.isSuccess(decoded)) assert.deepStrictEqual<unknown>(decoded.success.inputSchema, inputSchema)
  })

  it("BASE-25 is shown by title, then annotations.title, then name", () => {
    const bare: Tool = { name: "n", inputSchema: { type: "object" } }
    assert.strictEqual(displayName(bare), "n")
    assert.strictEqual(displayName({ ...bare, annotations: { title: "hint" } }), "hint")
    assert.strictEqual(displayName({ ...bare, title: "title", annotations: { title: "hint" } }), "title")
  })

  it.each([
    ["https://a.example/i.png", true],
    ["HTTPS://a.example/i.png", true],
    ["data:image/png;base64,AA==", true],
    ["http://a.example/i.png", false],
    ["javascript:alert(1)", false],
    ["file:///etc/passwd", false],
    [" https://a.example", false],
    ["", false]
  ])("ICON-03 an icon at %s may be loaded: %s", (src, allowed) => {
    assert.strictEqual(isIconAddress(src), allowed)
  })
})
