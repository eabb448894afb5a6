/**
 * The box office on the server of `effect/ai`, which speaks both eras: `node effect-ai.mjs stdio`, or `http`, at `/mcp`.
 */
import { createServer } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeStdio from "@effect/platform-node/NodeStdio"
import * as McpProtocol from "effect/ai/McpProtocol"
import * as McpSchema from "effect/ai/McpSchema"
import * as McpServer from "effect/ai/McpServer"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Schema from "effect/Schema"

const board = "box://board"
const party = Schema.Struct({ seats: Schema.Int })
const say = (text) => Effect.sync(() => process.stderr.write(`${text}\n`))
const text = (text) => new McpSchema.CallToolResult({ content: [{ type: "text", text }] })

const toolkit = Toolkit.make(
  Tool.make("get_show", {
    description: "One bill",
    parameters: Schema.Struct({ id: Schema.Number }),
    success: Schema.Struct({ id: Schema.Number, title: Schema.String }),
    failure: Schema.String
  })
)
const handlers = toolkit.toLayer({
  get_show: ({ id }) => (id === 9 ? Effect.fail("no show 9") : Effect.succeed({ id, title: "Hämlet 😀" }))
})

const steps = (server) =>
  Effect.gen(function* () {
    const { requestMetadata } = yield* McpSchema.McpRequestContext
    const { progressToken } = requestMetadata
    for (const progress of [1, 2, 3]) {
      yield* server.notifications["notifications/progress"]({ progressToken, progress, total: 3 })
    }
    return text("walked")
  })

const wait = () => Effect.onInterrupt(Effect.andThen(say("waiting"), Effect.never), () => say("aborted"))

/** Asks on the stream of the call where there is a session, and by its result where there is none. */
const ask = Effect.gen(function* () {
  const message = "How many seats?"
  const { inputResponses, protocolVersion } = yield* McpSchema.McpRequestContext
  if (protocolVersion !== "2026-07-28") {
    const { seats } = yield* McpServer.elicit({ message, schema: party })
    return text(`${seats} seats`)
  }
  const content = inputResponses?.party?.content
  if (content !== undefined) return text(`${content.seats} seats`)
  const requestedSchema = { type: "object", properties: { seats: { type: "number" } }, required: ["seats"] }
  const params = { mode: "form", message, requestedSchema }
  return new McpSchema.InputRequired({ inputRequests: { party: { method: "elicitation/create", params } } })
})

let touched = 0
const tools = Layer.effectDiscard(
  Effect.gen(function* () {
    const server = yield* McpServer.McpServer
    const add = (name, description, handle) =>
      server.addTool({
        tool: new McpSchema.Tool({ name, description, inputSchema: { type: "object" } }),
        annotations: Context.empty(),
        handle
      })
    let encores = 0
    yield* add("ping", "Is it up", () => Effect.succeed(text("pong")))
    yield* add("steps", "Three steps", () => steps(server))
    yield* add("wait", "Never ends", wait)
    yield* add("ask", "Asks how many seats", () => ask)
    yield* add("grow", "Adds a tool", () =>
      Effect.as(
        Effect.suspend(() => add(`encore_${++encores}`, "Once more", () => Effect.succeed(text("again")))),
        text("grown")
      )
    )
    yield* add("touch", "Changes the board", () =>
      Effect.as(
        Effect.suspend(() => {
          touched++
          return server.notifications["notifications/resources/updated"]({ uri: board })
        }),
        text("touched")
      )
    )
  })
)

const titles = ["Hamlet", "Henry V", "Faust"]
const id = McpSchema.param("id", Schema.String)
const registrations = Layer.mergeAll(
  McpServer.toolkit(toolkit).pipe(Layer.provide(handlers)),
  tools,
  McpServer.resource({
    uri: board,
    name: "board",
    mimeType: "text/plain",
    content: Effect.sync(() => `board ${touched}`)
  }),
  McpServer.resource`box://shows/${id}`({
    name: "show",
    mimeType: "text/plain",
    content: (_, id) => Effect.succeed(`show ${id}`)
  }),
  McpServer.prompt({
    name: "bill",
    description: "Sells a show",
    parameters: { title: Schema.String },
    completion: { title: (value) => Effect.succeed(titles.filter((title) => title.startsWith(value))) },
    content: ({ title }) => Effect.succeed(`Sell ${title}`)
  })
)

const options = {
  name: "effect",
  version: "4.1.0",
  protocols: [McpProtocol.v2026_07_28, McpProtocol.v2025_11_25],
  registrations
}

const server =
  process.argv[2] === "stdio"
    ? McpServer.layerStdio(options).pipe(Layer.provide(NodeStdio.layer))
    : HttpRouter.serve(McpServer.layerHttp({ ...options, path: "/mcp", allowSessionTermination: true }), {
        disableLogger: true,
        disableListenLog: true
      }).pipe(Layer.provide(NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" })))

server.pipe(Layer.provide(Layer.succeed(Logger.LogToStderr, true)), Layer.launch, NodeRuntime.runMain)
