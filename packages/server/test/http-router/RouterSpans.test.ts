/**
 * Spans of requests in an Effect HTTP application, which has a span for each of its own requests.
 */
import { NodeHttpServer } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { createServer } from "node:http"
import { heardSpans, rawToolCall } from "@treadle/testing"
import { McpRouter } from "../../src/http-router/index.ts"
import { empty } from "../fixtures/calling.ts"
import { posting } from "../fixtures/rawPeers.ts"

const mcp = empty().tool("look", { description: "Looks" }, async () => "seen")

describe("the span of a request in an Effect HTTP application", () => {
  const spansOf = Effect.fnUntraced(function* (meta: object) {
    const heard = heardSpans()
    const node = createServer()
    const routes = HttpRouter.serve(McpRouter.layer(mcp, { path: "/mcp" }), {
      disableLogger: true,
      disableListenLog: true
    })
    const server = Layer.provideMerge(
      routes,
      NodeHttpServer.layer(() => node, { port: 0, host: "127.0.0.1" })
    )
    const { address } = Context.get(yield* heard.hearing(Layer.build(server)), HttpServer.HttpServer)
    yield* Effect.addFinalizer(() => Effect.sync(() => node.closeAllConnections()))
    const { text } = posting("port" in address ? address.port : 0, rawToolCall(1, "look", {}, meta))
    yield* Effect.promise(() => text)
    return { http: heard.named("POST"), own: heard.named("tools/call look") }
  })

  it.effect("is a child of the application's where the request names no parent", () =>
    Effect.gen(function* () {
      const { http, own } = yield* spansOf({})
      assert.strictEqual(Option.getOrUndefined(own.parent)?.spanId, http.spanId)
    })
  )

  it.effect("META-14: is a child of the one that the request names, and linked to the application's", () =>
    Effect.gen(function* () {
      const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
      const { http, own } = yield* spansOf({ traceparent })
      assert.strictEqual(Option.getOrUndefined(own.parent)?.spanId, "00f067aa0ba902b7")
      assert.deepStrictEqual(
        own.links.map(({ span }) => span.spanId),
        [http.spanId]
      )
    })
  )
})
