import { assert, describe, it } from "@effect/vitest"
import {
  ExtensionId,
  isMetaKey,
  isReservedMetaKey,
  MetaKey,
  passesLevel,
  logLevels,
  isLogLevel,
  ToolName
} from "@treadle/protocol/schema"
import { anyText } from "@treadle/testing"
import * as Arbitrary from "effect/Arbitrary"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const alphabet = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-."]
const nameOf = (lengths: { readonly minLength: number; readonly maxLength: number }) =>
  Arbitrary.map(Arbitrary.array(Arbitrary.schema(Schema.Literals(alphabet)), lengths), (parts) => parts.join(""))
const goodName = nameOf({ minLength: 1, maxLength: 128 })

describe("ToolName.from", () => {
  it.prop("TOOL-05 accepts every name of the grammar, unchanged", [goodName], ([name]) => {
    assert.deepStrictEqual(ToolName.from(name), Result.succeed(name))
  })

  it.prop("TOOL-05 accepts no other text", [anyText], ([text]) => {
    const fits = text.length > 0 && text.length <= 128 && [...text].every((char) => alphabet.includes(char))
    assert.strictEqual(Result.isSuccess(ToolName.from(text)), fits)
  })

  it.prop("a refusal names the first character that is wrong and where", [goodName, goodName], ([before, after]) => {
    assert.deepStrictEqual(
      ToolName.from(`${before}/${after} `),
      Result.fail(`"/" at ${before.length} is not allowed in a tool name (A-Z a-z 0-9 _ - .)`)
    )
  })

  it.each([
    ["", "a tool name must not be empty"],
    ["get show", '" " at 3 is not allowed in a tool name (A-Z a-z 0-9 _ - .)'],
    ["日本", '"日" at 0 is not allowed in a tool name (A-Z a-z 0-9 _ - .)'],
    ["ok😀", '"😀" at 2 is not allowed in a tool name (A-Z a-z 0-9 _ - .)'],
    ["a\n", '"\\n" at 1 is not allowed in a tool name (A-Z a-z 0-9 _ - .)'],
    ["x".repeat(129), "a tool name has at most 128 characters, this one has 129"]
  ])("%j is refused by its rule", (name, why) => {
    assert.deepStrictEqual(ToolName.from(name), Result.fail(why))
  })

  it("128 characters are allowed", () => {
    assert.isTrue(Result.isSuccess(ToolName.from("x".repeat(128))))
  })
})

/** META-11 written a second time, as one expression. */
const metaGrammar =
  /^(?:[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*\/(?:[A-Za-z0-9](?:[-._A-Za-z0-9]*[A-Za-z0-9])?)?|[A-Za-z0-9](?:[-._A-Za-z0-9]*[A-Za-z0-9])?)$/

const keyish = Arbitrary.map(
  Arbitrary.array(Arbitrary.schema(Schema.Literals(["a", "Z", "0", "-", ".", "_", "/", "mcp", " "])), { maxLength: 9 }),
  (parts) => parts.join("")
)

describe("isMetaKey", () => {
  it.prop("META-11 accepts exactly the grammar", [keyish, anyText], (texts) => {
    for (const text of texts) assert.strictEqual(isMetaKey(text), metaGrammar.test(text), text)
  })

  it("META-11 every reserved key follows it", () => {
    for (const key of Object.values(MetaKey)) assert.isTrue(isMetaKey(key), key)
  })

  it.each([
    ["io.modelcontextprotocol/clientInfo", true],
    ["dev.mcp/x", true],
    ["com.mcp.tools/x", true],
    ["com.example.mcp/x", false],
    ["mcp/x", false],
    ["progressToken", false]
  ])("META-13 the prefix of %s is reserved: %s", (key, reserved) => {
    assert.strictEqual(isReservedMetaKey(key), reserved)
  })
})

describe("ExtensionId.from", () => {
  it.prop("VER-04 accepts exactly the meta keys that have a prefix and a name", [keyish, anyText], (texts) => {
    for (const text of texts) {
      const fits = metaGrammar.test(text) && text.includes("/") && !text.endsWith("/")
      const id = ExtensionId.from(text)
      assert.strictEqual(Result.isSuccess(id), fits, text)
      if (Result.isSuccess(id)) assert.strictEqual<string>(id.success, text)
    }
  })

  it.each([
    ["ui", 'Extension id "ui" must be a prefix and a name, as "com.example/thing"'],
    ["/ui", 'Extension id "/ui" must be a prefix and a name, as "com.example/thing"'],
    ["com.example/", 'Extension id "com.example/" must be a prefix and a name, as "com.example/thing"'],
    [
      "1com.example/x",
      'Extension id "1com.example/x" breaks the grammar: the prefix is labels of A-Z a-z 0-9 - joined by dots, each starting with a letter; the name is A-Z a-z 0-9 . _ - between letters or digits'
    ]
  ])("%j is refused by its rule", (id, why) => {
    assert.deepStrictEqual(ExtensionId.from(id), Result.fail(why))
  })
})

describe("LogLevel", () => {
  it("LOG-04 a message passes where its level is the asked one or more urgent", () => {
    const passing = logLevels.map((level) => logLevels.filter((asked) => passesLevel(level, asked)).length)
    assert.deepStrictEqual(passing, [1, 2, 3, 4, 5, 6, 7, 8])
  })

  it("LOG-04 only the eight names are levels", () => {
    assert.isTrue(logLevels.every(isLogLevel))
    assert.isFalse(["warn", "", null, 0, "DEBUG"].some(isLogLevel))
  })
})
