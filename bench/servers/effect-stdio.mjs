// McpServer of effect/ai over stdio: serves the tool `add`.
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeStdio from "@effect/platform-node/NodeStdio"
import * as McpProtocol from "effect/ai/McpProtocol"
import * as McpServer from "effect/ai/McpServer"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Schema from "effect/Schema"

const toolkit = Toolkit.make(
  Tool.make("add", {
    description: "Adds two numbers",
    parameters: Schema.Struct({ a: Schema.Number, b: Schema.Number }),
    success: Schema.Struct({ sum: Schema.Number })
  })
)
const handlers = toolkit.toLayer({ add: ({ a, b }) => Effect.succeed({ sum: a + b }) })

McpServer.layerStdio({
  name: "bench",
  version: "1.0.0",
  protocols: [McpProtocol.v2026_07_28],
  registrations: McpServer.toolkit(toolkit).pipe(Layer.provide(handlers))
}).pipe(
  Layer.provide(NodeStdio.layer),
  Layer.provide(Layer.succeed(Logger.LogToStderr, true)),
  Layer.launch,
  NodeRuntime.runMain
)
