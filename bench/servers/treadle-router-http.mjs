// Treadle in an Effect HTTP application: `node treadle-router-http.mjs PORT` serves the tool `add` at /mcp.
import { createServer } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Mcp } from "@treadle/server"
import { McpRouter } from "@treadle/server/http-router"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

const mcp = Mcp.make({ name: "bench", version: "1.0.0" }).tool(
  "add",
  {
    description: "Adds two numbers",
    input: { a: Schema.Number, b: Schema.Number },
    output: Schema.Struct({ sum: Schema.Number })
  },
  ({ a, b }) => Effect.succeed({ sum: a + b })
)

HttpRouter.serve(McpRouter.layer(mcp, { path: "/mcp" }), { disableLogger: true, disableListenLog: true }).pipe(
  Layer.provide(NodeHttpServer.layer(createServer, { port: Number(process.argv[2]), host: "127.0.0.1" })),
  Layer.launch,
  NodeRuntime.runMain
)
