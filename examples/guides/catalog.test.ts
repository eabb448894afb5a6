/** The guide to catalogs does as its page says. */
import { assert, describe, it } from "@effect/vitest"
import { McpClient } from "@treadle/client"
import { connect } from "@treadle/client/promise"
import * as Effect from "effect/Effect"
import { billOf } from "./catalog-client.ts"
import { archive, getBill, NoBill } from "./catalog.ts"

describe("the guide to catalogs", () => {
  it("lists the tools, finds what may be run, and runs it", async () => {
    await using client = await connect(archive)
    const tools = await client.listTools()
    assert.deepStrictEqual(
      tools.map(({ name }) => name),
      ["opening_hours", "search_operations", "invoke"]
    )
    assert.deepStrictEqual(tools.at(-1)?.annotations, {
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false
    })
    const found = await client.callTool("search_operations", { query: "bill of a year" })
    assert.deepStrictEqual<unknown>(found.structuredContent, {
      operations: [
        {
          name: "get_bill",
          title: "A bill",
          description: "What was on in a year",
          inputSchema: { type: "object", properties: { year: { type: "integer" } }, required: ["year"] },
          outputSchema: getBill.shape.outputSchema,
          annotations: { readOnlyHint: true }
        },
        {
          name: "lend_bill",
          description: "Lends the bill of a year to a reader",
          inputSchema: {
            type: "object",
            properties: { year: { type: "integer" }, reader: { type: "string" } },
            required: ["year", "reader"]
          }
        }
      ],
      total: 2
    })
    const run = async (name: string, args: object) => {
      const { content } = await client.callTool("invoke", { name, arguments: { ...args } })
      return content.map((block) => ("text" in block ? block.text : "")).join()
    }
    assert.strictEqual(await run("lend_bill", { year: 1948, reader: "Ada" }), "Ada has the bill of 1948.")
    assert.strictEqual(await run("get_bill", { year: 1948 }), '{"year":1948,"title":"Hamlet"}')
    assert.match(await run("burn_bill", { year: 1948 }), /^The operation "burn_bill" is not marked as read-only/)
    assert.strictEqual(
      await run("get_bil", {}),
      'There is no operation "get_bil". The nearest: "get_bill". Use search_operations to see what there is.'
    )
  })

  it.effect("gives the value and the errors of the contract to a client that has it", () =>
    Effect.gen(function* () {
      const session = yield* McpClient.direct(archive)
      assert.deepStrictEqual(yield* billOf(session, 1948), { year: 1948, title: "Hamlet" })
      const error = yield* Effect.flip(billOf(session, 1900))
      assert.instanceOf(error, NoBill)
      assert.strictEqual(error.message, "There is no bill of 1900.")
    })
  )
})
