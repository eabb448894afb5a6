// McpServer of effect/ai with a tool that waits for a minute: `node effect-wait.mjs PORT`.
import { createServer } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as McpProtocol from "effect/ai/McpProtocol"
import * as McpServer from "effect/ai/McpServer"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

const toolkit = Toolkit.make(Tool.make("wait", { description: "Waits a minute", success: Schema.String }))
const handlers = toolkit.toLayer({ wait: () => Effect.as(Effect.sleep("1 minute"), "done") })

const server = McpServer.layerHttp({
  name: "bench",
  version: "1.0.0",
  path: "/mcp",
  protocols: [McpProtocol.v2026_07_28],
  registrations: McpServer.toolkit(toolkit).pipe(Layer.provide(handlers))
})

HttpRouter.serve(server, { disableLogger: true, disableListenLog: true }).pipe(
  Layer.provide(NodeHttpServer.layer(createServer, { port: Number(process.argv[2]), host: "127.0.0.1" })),
  Layer.launch,
  NodeRuntime.runMain
)
