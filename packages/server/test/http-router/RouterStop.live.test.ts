/**
 * The end of an Effect application round the router, while clients hold streams open.
 */
import { createServer } from "node:http"
import { NodeHttpServer } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { rawRequest, rawToolCall, Recorder } from "@treadle/testing"
import { CurrentCall } from "../../src/index.ts"
import { McpRouter } from "../../src/http-router/index.ts"
import { empty } from "../fixtures/calling.ts"
import { posting } from "../fixtures/rawPeers.ts"

describe("an Effect application that ends", () => {
  it.live("D17: ends the streams that are open, runs finalizers, and does not wait for longer than it was told", () =>
    Effect.gen(function* () {
      const events = new Recorder<string>()
      const mcp = empty().tool("hold", { description: "Tested" }, () =>
        Effect.andThen(CurrentCall.progress(1), Effect.never).pipe(
          Effect.onInterrupt(() => Effect.sync(() => events.record("interrupted")))
        )
      )
      const app = HttpRouter.serve(McpRouter.layer(mcp, { path: "/mcp" }), {
        disableLogger: true,
        disableListenLog: true
      })
      const scope = yield* Scope.make()
      const server = NodeHttpServer.layer(() => createServer(), {
        port: 0,
        host: "127.0.0.1",
        gracefulShutdownTimeout: "100 millis"
      })
      const built = yield* Scope.provide(Layer.build(Layer.provideMerge(app, server)), scope)
      const { address } = Context.get(built, HttpServer.HttpServer)
      const port = "port" in address ? address.port : 0
      const call = posting(port, rawToolCall(1, "hold", {}, { progressToken: 1 }))
      const listener = posting(port, rawRequest(2, "subscriptions/listen", { notifications: {} }))
      for (const { res } of [call, listener]) {
        assert.strictEqual((yield* Effect.promise(() => res)).headers["content-type"], "text/event-stream")
      }
      yield* Effect.timeout(Scope.close(scope, Exit.void), "5 seconds")
      yield* Effect.promise(() => events.first((event) => event === "interrupted"))
      yield* Effect.promise(() => Promise.allSettled([call.text, listener.text]))
    })
  )
})
