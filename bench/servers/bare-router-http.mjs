// No MCP, only a route of an Effect HTTP application and the same JSON in and out: `node bare-router-http.mjs PORT`.
import { createServer } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import { answer } from "./bare-answer.mjs"

const app = HttpRouter.use((router) =>
  router.add("POST", "/mcp", (request) =>
    Effect.map(request.text, (text) => HttpServerResponse.text(answer(text), { contentType: "application/json" }))
  )
)

HttpRouter.serve(app, { disableLogger: true, disableListenLog: true }).pipe(
  Layer.provide(NodeHttpServer.layer(createServer, { port: Number(process.argv[2]), host: "127.0.0.1" })),
  Layer.launch,
  NodeRuntime.runMain
)
