/** What the page on asking says of pages to visit and of forms. */
import { assert, describe, it } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { ElicitationCompleteNotificationSchema, ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js"
import { McpHttp } from "@treadle/server/http"
import { McpNode } from "@treadle/server/node"
import { survey, sure } from "./forms.ts"
import { nativeRounds } from "./native-rounds.ts"
import { settle, till } from "./paying.ts"

/** Rounds of paying an order. */
const roundsOf = (door: (request: Request) => Promise<Response>, order: string) => {
  const send = nativeRounds(door, "http://localhost/mcp", "pay", { order })
  return async (round: object) => (await send(round)).result
}

describe("the till", () => {
  it("sends a session to the page, waits for the provider, and tells the client that the page is done with", async () => {
    await using server = await McpNode.listen(till)
    const client = new Client({ name: "guide", version: "1.0.0" }, { capabilities: { elicitation: { url: {} } } })
    const heard: Array<string> = []
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
      heard.push(params.mode === "url" ? params.url : "a form")
      setTimeout(() => settle("7"))
      return { action: "accept" }
    })
    client.setNotificationHandler(ElicitationCompleteNotificationSchema, () => void heard.push("complete"))
    await client.connect(new StreamableHTTPClientTransport(new URL(server.url)))
    const { content } = await client.callTool({ name: "pay", arguments: { order: "7" } })
    assert.deepStrictEqual(content, [{ type: "text", text: "Order 7 is paid" }])
    assert.deepStrictEqual(heard, ["https://box.example/pay/7", "complete"])
    await client.close()
  })

  it("waits for the provider natively too, in the round after the page was opened", async () => {
    await using door = McpHttp.fetch(till)
    const call = roundsOf(door, "8")
    const { inputRequests, requestState } = await call({})
    assert.deepStrictEqual(inputRequests.page.params, {
      mode: "url",
      message: "Pay for order 8",
      url: "https://box.example/pay/8"
    })
    const declined = await call({ requestState, inputResponses: { page: { action: "decline" } } })
    assert.deepStrictEqual(declined, {
      ...declined,
      content: [{ type: "text", text: "Nothing was paid" }],
      isError: true
    })
    const paying = call({ requestState, inputResponses: { page: { action: "accept" } } })
    assert.strictEqual(
      await Promise.race([paying, new Promise((resolve) => setTimeout(resolve, 50, "waits"))]),
      "waits"
    )
    settle("8")
    assert.deepStrictEqual((await paying).content, [{ type: "text", text: "Order 8 is paid" }])
    assert.deepStrictEqual((await call({})).content, [{ type: "text", text: "Order 8 is paid" }])
  })
})

describe("a survey", () => {
  it("has text, numbers, choices, several choices and yes or no", () => {
    assert.deepStrictEqual(survey.request.params, {
      message: "How was your evening?",
      requestedSchema: {
        type: "object",
        properties: {
          name: { type: "string", minLength: 2, maxLength: 40 },
          email: { type: "string", format: "email", title: "Your address" },
          stars: { type: "integer", minimum: 1, maximum: 5 },
          seat: {
            type: "string",
            oneOf: [
              { const: "a", title: "In the stalls" },
              { const: "b", title: "On the balcony" }
            ]
          },
          liked: { type: "array", items: { type: "string", enum: ["play", "music", "bar"] } },
          again: { type: "boolean", default: true },
          remarks: { type: "string" }
        },
        required: ["name", "email", "stars", "seat", "liked", "again"]
      }
    })
    assert.deepInclude(sure.request.params, { message: "Sure?" })
  })
})
