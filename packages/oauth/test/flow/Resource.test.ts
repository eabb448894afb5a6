import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { covers, resourceOf } from "../../src/flow/Resource.ts"

describe("the addresses that a resource covers (AUTH-13b, W145)", () => {
  const table: ReadonlyArray<readonly [string, string, boolean]> = [
    ["https://host/mcp", "https://host/mcp", true],
    ["https://host/mcp", "https://host/mcp/", true],
    ["https://host/mcp/", "https://host/mcp", true],
    ["https://host/mcp", "https://host/mcp/deep?x=1", true],
    ["https://host", "https://host/anything", true],
    ["https://host/", "https://host/", true],
    ["HTTPS://HOST/mcp", "https://host/mcp", true],
    ["https://host:443/mcp", "https://host/mcp", true],
    ["https://host/mcp", "https://host/mcpx", false],
    ["https://host/mcp", "https://host/", false],
    ["https://host/mcp", "https://host/MCP", false],
    ["https://host/mcp", "http://host/mcp", false],
    ["https://host/mcp", "https://host:8443/mcp", false],
    ["https://host/mcp", "https://host.evil/mcp", false],
    ["https://host/mcp#part", "https://host/mcp", false],
    ["https://host/mcp?tenant=1", "https://host/mcp?tenant=1", true],
    ["https://host/mcp?tenant=1", "https://host/mcp?tenant=2", false],
    ["https://host/a/../mcp", "https://host/mcp", true],
    ["urn:host:mcp", "https://host/mcp", false],
    ["data:text/plain,x", "data:text/plain,x", false],
    ["", "https://host/mcp", false]
  ]
  for (const [resource, url, expected] of table) {
    it(`${JSON.stringify(resource)} ${expected ? "covers" : "does not cover"} ${url}`, () => {
      assert.strictEqual(covers(resource, new URL(url)), expected)
    })
  }

  it.prop(
    "no text covers an address of another origin, and none is too strange to be judged",
    [Schema.String],
    ([text]) => {
      assert.isFalse(covers(text, new URL("https://a-host-that-no-generator-writes.example/mcp")))
    }
  )

  it("an identifier that is made up has neither fragment nor slash at the end, and covers its own address", () => {
    for (const [url, expected] of [
      ["https://Host/mcp/#x", "https://host/mcp"],
      ["https://host", "https://host"],
      ["https://host/mcp?x=1", "https://host/mcp?x=1"]
    ] as const) {
      assert.strictEqual(resourceOf(new URL(url)), expected)
      assert.isTrue(covers(expected, new URL(url)))
    }
  })
})
