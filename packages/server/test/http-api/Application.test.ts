/**
 * Tools in the application that serves the api: its services, its middleware, its groups, and a router without the api.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpEffect from "effect/http/HttpEffect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { HttpApiTools } from "../../src/http-api/index.ts"
import { Mcp } from "../../src/index.ts"
import { defectText, empty, said, serving } from "../fixtures/calling.ts"

class Prices extends Context.Service<Prices, { readonly of: (seat: number) => number }>()("test/Prices") {}

const seen: Array<string> = []

const Api = HttpApi.make("prices")
  .add(
    HttpApiGroup.make("top", { topLevel: true }).add(
      HttpApiEndpoint.get("of", "/prices/:seat", { params: { seat: Schema.Int }, success: Schema.Int })
    )
  )
  .prefix("/v1")

const Top = HttpApiBuilder.group(Api, "top", (handlers) =>
  handlers.handle("of", ({ params }) =>
    Effect.andThen(
      HttpEffect.appendPreResponseHandler((_, response) =>
        Effect.as(
          Effect.sync(() => seen.push("before the response")),
          response
        )
      ),
      Prices.use((prices) => Effect.succeed(prices.of(params.seat)))
    )
  )
)

const ApiLive = HttpApiBuilder.layer(Api).pipe(Layer.provide(Top))
const tools = HttpApiTools.make(Api, { price_of: { operation: "top.of", description: "What a seat costs" } })
const cheap = Layer.succeed(Prices, { of: (seat) => 100 - seat })

describe("the tools of an application", () => {
  it.effect("run with its services, in groups without a name of their own, below a prefix", () =>
    Effect.gen(function* () {
      const mcp: Mcp<Prices> = empty().add(tools.mcp.provide(HttpApiTools.layer(ApiLive)))
      const { result } = yield* serving(mcp.provide(cheap), {})
      assert.deepStrictEqual((yield* result("price_of", { seat: 1 })).structuredContent, { value: 99 })
      assert.deepStrictEqual(seen, ["before the response"])
    })
  )

  it.effect("pass its middleware, which may change what is answered", () =>
    Effect.gen(function* () {
      const closed = HttpRouter.use((router) =>
        router.addGlobalMiddleware((handled) => Effect.as(handled, HttpServerResponse.text("closed", { status: 503 })))
      )
      const routes = Layer.mergeAll(ApiLive, closed)
      const { result } = yield* serving(
        empty()
          .add(tools.mcp.provide(HttpApiTools.layer(routes)))
          .provide(cheap),
        {}
      )
      assert.match(said(yield* result("price_of", { seat: 1 })), defectText)
    })
  )

  it.effect("say what is missing where there is no router", () =>
    Effect.gen(function* () {
      const defects: Array<unknown> = []
      const mcp = empty().add(tools.mcp) as unknown as Mcp<never>
      const { result } = yield* serving(mcp, {}, { onDefect: (error) => defects.push(error) })
      assert.match(said(yield* result("price_of", { seat: 1 })), defectText)
      assert.include(
        String(defects[0]),
        "price_of runs top.of, and there is no HttpRouter that has it. Serve it with McpRouter or HttpRoutes in the router"
      )
    })
  )

  it.effect("say what is missing where their router does not serve the api", () =>
    Effect.gen(function* () {
      const defects: Array<unknown> = []
      const mcp = empty().add(tools.mcp.provide(HttpRouter.layer))
      const { result } = yield* serving(mcp, {}, { onDefect: (error) => defects.push(error) })
      assert.match(said(yield* result("price_of", { seat: 1 })), defectText)
      assert.strictEqual(
        (defects[0] as Error).message,
        "price_of runs top.of, and GET /v1/prices/:seat is not in this router. Serve HttpApiBuilder.layer of the api " +
          "in the same HttpRouter, or provide HttpApiTools.layer."
      )
    })
  )
})
