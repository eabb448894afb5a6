/** What the page on asking says. */
import { assert, describe, it } from "@effect/vitest"
import { McpHttp } from "@treadle/server/http"
import { desk } from "./asking.ts"
import { nativeRounds } from "./native-rounds.ts"

describe("the desk", () => {
  it("asks natively in rounds, and reserves once", async () => {
    await using door = McpHttp.fetch(desk)
    const send = nativeRounds(door, "http://localhost/mcp", "book", { show: "Evening bill" })
    const call = async (round: object) => (await send(round)).result
    const { inputRequests, requestState } = await call({})
    assert.strictEqual(inputRequests.details.params.message, "How many seats for Evening bill?")
    const inputResponses = { details: { action: "accept", content: { seats: 3 } } }
    for (const _ of [1, 2]) {
      const { content } = await call({ requestState, inputResponses })
      assert.deepStrictEqual(content, [{ type: "text", text: "Reservation 1: 3 seats for Evening bill" }])
    }
  })
})
