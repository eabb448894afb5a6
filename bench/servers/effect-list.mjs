// McpServer of effect/ai with 200 tools over HTTP: `node effect-list.mjs PORT`.
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

const parameters = Schema.Struct({ id: Schema.Int, query: Schema.String, tags: Schema.Array(Schema.String) })
const success = Schema.Struct({ found: Schema.Int, names: Schema.Array(Schema.String) })
const names = Array.from({ length: 200 }, (_, n) => `find_${n}`)

const toolkit = Toolkit.make(
  ...names.map((name, n) => Tool.make(name, { description: `Finds things of kind ${n}`, parameters, success }))
)
const none = () => Effect.succeed({ found: 0, names: [] })
const handlers = toolkit.toLayer(Object.fromEntries(names.map((name) => [name, none])))

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
