import { assert, describe, it } from "@effect/vitest"
import {
  isJsonObject,
  isRecord,
  own,
  parseJson,
  pathText,
  record,
  schemaProblems,
  standardProblems
} from "@treadle/protocol/json"
import { anyText, hostileJson, json } from "@treadle/testing"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

describe("Json", () => {
  it.prop("parsing inverts printing", [json], ([value]) => {
    assert.strictEqual(JSON.stringify(parseJson(JSON.stringify(value))), JSON.stringify(value))
  })

  it.prop("parsing is total: what is no JSON is undefined", [anyText], ([text]) => {
    const parsed = parseJson(text)
    if (parsed !== undefined) assert.strictEqual(JSON.stringify(parsed), JSON.stringify(JSON.parse(text)))
    else assert.throws(() => JSON.parse(text))
  })

  it.prop(
    "own finds the members that the text names, and nothing of the prototype",
    [hostileJson, anyText],
    ([value, key]) => {
      for (const name of [key, "__proto__", "constructor", "toString", "hasOwnProperty", "length", "0"]) {
        const expected =
          isRecord(value) && Object.keys(value).includes(name)
            ? Object.getOwnPropertyDescriptor(value, name)?.value
            : undefined
        assert.strictEqual(own(value, name), expected)
      }
    }
  )

  it("a record has no prototype, so any key is only a key", () => {
    const made = record([
      ["__proto__", 1],
      ["a", 2]
    ])
    assert.isNull(Object.getPrototypeOf(made))
    assert.deepStrictEqual(Object.entries(made), [
      ["__proto__", 1],
      ["a", 2]
    ])
    assert.isUndefined(record()["constructor"])
  })

  it.each([
    [{}, true],
    [Object.create(null), true],
    [[], false],
    [null, false],
    ["a", false],
    [undefined, false]
  ])("%j is an object with keys: %s", (value, expected) => {
    assert.deepStrictEqual([isRecord(value), isJsonObject(value)], [expected, expected])
  })
})

describe("Problems", () => {
  it.each([
    [[], ""],
    [["guests", 2, "name"], "guests[2].name"],
    [[0], "[0]"],
    [["a b", "x-y"], '["a b"]["x-y"]'],
    [["a", { key: "b" }, { key: 1 }], "a.b[1]"],
    [["__proto__", "$ref"], "__proto__.$ref"],
    [["a", ""], 'a[""]'],
    [['"'], '["\\""]']
  ])("the path %j reads %s", (path, expected) => {
    assert.strictEqual(pathText(path), expected)
  })

  it("problems of Standard Schemas are led by their path", () => {
    assert.deepStrictEqual(standardProblems([{ message: "bad" }, { message: "worse", path: ["a", { key: 0 }] }]), [
      "bad",
      "a[0]: worse"
    ])
  })

  it("problems of Effect Schemas are all named, each with its path", () => {
    const decode = Schema.decodeUnknownResult(
      Schema.Struct({ a: Schema.Int, b: Schema.Struct({ c: Schema.String }) }),
      { errors: "all" }
    )
    const decoded = decode({ a: "1", b: {} })
    assert.isTrue(Result.isFailure(decoded))
    if (Result.isFailure(decoded))
      assert.deepStrictEqual(schemaProblems(decoded.failure.issue), ["a: Expected number", "b.c: is missing"])
  })
})
