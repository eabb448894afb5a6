/**
 * Spans of routes: a request of HTTP has that of the application's server, and is no request of MCP.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as HttpMiddleware from "effect/http/HttpMiddleware"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { heardSpans } from "@treadle/testing"
import { Endpoint } from "../../src/index.ts"
import { HttpRoutes } from "../../src/http-api/index.ts"
import { empty } from "../fixtures/calling.ts"

const at = (name: string, http: string) => Endpoint.make(name as "name", { description: "Tested", http })

const mcp = empty()
  .operation(at("look", "GET /look"), () => Effect.withSpan(Effect.succeed("seen"), "looking"))
  .operation(at("hidden", "GET /hidden"), async () => "seen", { visible: () => false })

describe("a request of a route", () => {
  const spansOf = Effect.fnUntraced(function* (path: string) {
    const heard = heardSpans()
    const served = Effect.gen(function* () {
      const { asHttpEffect } = yield* HttpRouter.HttpRouter
      return yield* HttpMiddleware.tracer(asHttpEffect())
    })
    const response = yield* heard.hearing(
      served.pipe(
        Effect.provide(Layer.provideMerge(HttpRoutes.layer(mcp), HttpRouter.layer)),
        Effect.provideService(
          HttpServerRequest.HttpServerRequest,
          HttpServerRequest.fromWeb(new Request(`http://localhost${path}`))
        )
      )
    )
    return { heard, status: response.status }
  })

  it.effect("has the span of the application's server, which what its handler does is within", () =>
    Effect.gen(function* () {
      const { heard, status } = yield* spansOf("/look")
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(
        heard.spans.map(({ name }) => name),
        ["GET", "looking"]
      )
      assert.strictEqual(Option.getOrUndefined(heard.named("looking").parent)?.spanId, heard.named("GET").spanId)
    })
  )

  it.effect("has no other where it is answered at once", () =>
    Effect.gen(function* () {
      const { heard, status } = yield* spansOf("/hidden")
      assert.strictEqual(status, 404)
      assert.deepStrictEqual(
        heard.spans.map(({ name }) => name),
        ["GET"]
      )
    })
  )
})
