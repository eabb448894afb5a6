/** Orders over a real Express app, and in process. */
import { assert, describe, it } from "@effect/vitest"
import { connect } from "@treadle/client/promise"
import { makeApp } from "./app.ts"
import { ordersFor } from "./domain.ts"
import { orders } from "./server.ts"

const listening = async () => {
  const { app, close } = makeApp()
  const server = app.listen(0, "127.0.0.1")
  await new Promise((resolve) => server.once("listening", resolve))
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    [Symbol.asyncDispose]: async () => {
      await close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }
}

describe("orders", () => {
  it("answers each caller with the orders of his own organisation", async () => {
    await using server = await listening()
    await using ada = await connect(server.url, { headers: { authorization: "Bearer ada" } })
    await using bob = await connect(server.url, { headers: { authorization: "Bearer bob" } })
    const ofAda = await ada.callTool("list_orders", {})
    const ofBob = await bob.callTool("list_orders", {})
    assert.deepStrictEqual(ofAda.structuredContent, {
      orders: [
        { id: 1, status: "open", total: 61.5 },
        { id: 2, status: "shipped", total: 12 }
      ]
    })
    assert.deepStrictEqual(ofBob.structuredContent, { orders: [{ id: 7, status: "open", total: 3 }] })
  })

  it("shows a tool only to who may use it", async () => {
    const user = { id: "bob", organisation: "globex", canCancel: false }
    await using client = await connect(orders, { user, db: ordersFor("globex") })
    assert.deepStrictEqual(
      (await client.listTools()).map((tool) => tool.name),
      ["list_orders", "get_order"]
    )
  })

  it("tells the model in words what went wrong", async () => {
    const user = { id: "ada", organisation: "acme", canCancel: true }
    await using client = await connect(orders, { user, db: ordersFor("acme") })
    const result = await client.callTool("get_order", { id: 9 })
    assert.isTrue(result.isError)
    assert.deepStrictEqual(result.content, [{ type: "text", text: "There is no order 9." }])
  })
})
