import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { parseChallenges, printChallenge } from "@treadle/protocol/http"

const printable = Schema.String.check(Schema.isPattern(/^[\t\x20-\x7e]*$/))

const bearerOf = (header: string) => parseChallenges(header).find(({ scheme }) => scheme === "bearer")?.parameters

describe("WWW-Authenticate (AUTH-03, B050)", () => {
  const table: ReadonlyArray<readonly [string, string | undefined, string | undefined]> = [
    ['Bearer realm="a, b", resource_metadata = "https://h/m", scope="x y"', "https://h/m", "x y"],
    ['Basic realm="z", Bearer resource_metadata="https://h/m"', "https://h/m", undefined],
    ['Negotiate YWJj==, Bearer scope="x"', undefined, "x"],
    ["bearer RESOURCE_METADATA=https://h/m, scope=x", "https://h/m", "x"],
    ['Bearer error_description="say \\"hi\\"", scope="x"', undefined, "x"],
    ['Bearer resource_metadata="https://a/", scope="x", resource_metadata="https://b/"', undefined, "x"],
    ['Bearer scope="x", scope="x"', undefined, "x"],
    ['Bearer resource_metadata="https://a/', undefined, undefined],
    ["Bearer", undefined, undefined],
    [" , ,Bearer  ,scope=x", undefined, "x"]
  ]
  for (const [header, metadata, scope] of table) {
    it(`reads ${header}`, () => {
      assert.strictEqual(bearerOf(header)?.get("resource_metadata"), metadata)
      assert.strictEqual(bearerOf(header)?.get("scope"), scope)
    })
  }

  it("keeps the escapes of a quoted string out of its value", () => {
    assert.strictEqual(bearerOf('Bearer error_description="say \\"hi\\""')?.get("error_description"), 'say "hi"')
  })

  it("gives no challenge for text that begins with none", () => {
    assert.deepStrictEqual(parseChallenges('="x"'), [])
  })

  it.prop("reads any text without throwing", [Schema.String], ([text]) => {
    assert.isAtLeast(parseChallenges(text).length, 0)
  })

  it.prop("reads what it prints", [printable, printable], ([scope, realm]) => {
    const parameters = bearerOf(printChallenge("Bearer", { scope, realm, error: undefined }))
    assert.deepStrictEqual(Object.fromEntries(parameters ?? []), { scope, realm })
  })
})
