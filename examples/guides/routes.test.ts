/** The guide to routes does as its page says. */
import { assert, describe, it } from "@effect/vitest"
import { connect } from "@treadle/client/promise"
import { HttpRoutes } from "@treadle/server/http-api"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type { AddressInfo } from "node:net"
import { app as expressApp, routes as deskRoutes } from "./routes-express.ts"
import { titleOf } from "./routes-client.ts"
import { server } from "./routes-node.ts"
import { app, routes } from "./routes-plain.ts"
import { library } from "./routes.ts"

const ask = async (path: string, init?: RequestInit) => {
  const response = await app.request(`http://books.example${path}`, init)
  return [response.status, await response.text()] as const
}

const loan = (body: string) => ({ method: "POST", headers: { "content-type": "application/json" }, body })

describe("the guide to routes", () => {
  it("serves what the page says, in a framework that knows nothing of Effect", async () => {
    const book = { isbn: "0141439513", title: "Pride and Prejudice", lent: false }
    assert.deepStrictEqual(await ask("/api/books?title=Pride&lent=false"), [200, JSON.stringify([book])])
    assert.deepStrictEqual(await ask("/api/books/1"), [404, '{"_tag":"NoBook","isbn":"1"}'])
    assert.deepStrictEqual(await ask("/api/books/0141439513/loan", loan('{"reader":"Ada","days":14}')), [
      200,
      JSON.stringify({ ...book, lent: true })
    ])
    assert.deepStrictEqual(await ask("/api/books/0141439513/loan", loan('{"days":"many"}')), [
      400,
      '{"title":"The request does not fit","status":400,"detail":"Invalid arguments for lend_book",' +
        '"problems":["reader: is missing","days: Expected number"]}'
    ])
    assert.strictEqual((await ask("/docs"))[0], 200)
    assert.strictEqual((await ask("/openapi.json"))[0], 200)
    await routes.close()
  })

  it("serves them in Express, with the context of each request, under paths that the document has", async () => {
    const listening = expressApp.listen(0, "127.0.0.1")
    await new Promise((resolve) => listening.once("listening", resolve))
    const url = `http://127.0.0.1:${(listening.address() as AddressInfo).port}`
    const read = async (path: string) => (await fetch(`${url}${path}`, { headers: { "x-reader": "Ada" } })).json()
    assert.deepStrictEqual(await read("/api/loans"), ["Emma"])
    assert.deepStrictEqual(Object.keys((await read("/openapi.json")).paths), ["/api/loans"])
    await using client = await connect(`${url}/mcp`, { headers: { "x-reader": "Ada" } })
    assert.deepStrictEqual((await client.callTool("my_loans")).structuredContent, { value: ["Emma"] })
    assert.strictEqual((await fetch(`${url}/docs`)).status, 200)
    listening.close()
    await deskRoutes.close()
  })

  it("has tools for some of it", async () => {
    await using client = await connect(library)
    const tools = await client.listTools()
    assert.deepStrictEqual(
      tools.map(({ name }) => name),
      ["find_books", "get_book"]
    )
  })

  it.effect("is called by contract", () =>
    Effect.gen(function* () {
      const serve = HttpRoutes.fetch(library, { prefix: "/api" })
      const fetch = ((input: RequestInfo, init?: RequestInit) =>
        serve(new Request(input, init))) as typeof globalThis.fetch
      const title = (isbn: string) =>
        Effect.provideService(titleOf("http://localhost", isbn), FetchHttpClient.Fetch, fetch)
      assert.strictEqual(yield* title("0140449132"), "Crime and Punishment")
      assert.strictEqual(yield* title("1"), "There is no book 1.")
      yield* Effect.promise(() => serve.close())
    })
  )

  it.live("listens, and has a document", () =>
    Effect.gen(function* () {
      yield* Effect.scoped(Layer.build(server(0)))
      const { paths } = OpenApi.fromApi(Result.getOrThrow(HttpRoutes.api(library, { prefix: "/api" })))
      assert.deepStrictEqual(Object.keys(paths), ["/api/books", "/api/books/{isbn}", "/api/books/{isbn}/loan"])
    })
  )
})
