/** What the page on asking says. */
import { assert, describe, it } from "@effect/vitest"
import { McpHttp } from "@treadle/server/http"
import { desk } from "./asking.ts"

const version = "2026-07-28"

describe("the desk", () => {
  it("asks natively in rounds, and reserves once", async () => {
    await using door = McpHttp.fetch(desk)
    const call = async (round: object) => {
      const response = await door(
        new Request("http://localhost/mcp", {
          method: "POST",
          headers: {
            "content-type": "application/json",
            accept: "application/json, text/event-stream",
            "mcp-protocol-version": version,
            "mcp-method": "tools/call",
            "mcp-name": "book"
          },
          body: JSON.stringify({
            jsonrpc: "2.0",
            id: 1,
            method: "tools/call",
            params: {
              name: "book",
              arguments: { show: "Evening bill" },
              ...round,
              _meta: {
                "io.modelcontextprotocol/protocolVersion": version,
                "io.modelcontextprotocol/clientCapabilities": { elicitation: {} }
              }
            }
          })
        })
      )
      const { result } = await response.json()
      return result
    }
    const { inputRequests, requestState } = await call({})
    assert.strictEqual(inputRequests.details.params.message, "How many seats for Evening bill?")
    const inputResponses = { details: { action: "accept", content: { seats: 3 } } }
    for (const _ of [1, 2]) {
      const { content } = await call({ requestState, inputResponses })
      assert.deepStrictEqual(content, [{ type: "text", text: "Reservation 1: 3 seats for Evening bill" }])
    }
  })
})
