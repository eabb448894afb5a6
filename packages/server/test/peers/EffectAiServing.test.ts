/**
 * `McpServer` of `effect/ai` 4.1 and Treadle as servers: eras, sessions, streams, asking, spans.
 */
import { assert, describe, it } from "@effect/vitest"
import * as McpSchema from "effect/ai/McpSchema"
import * as McpServer from "effect/ai/McpServer"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Tracer from "effect/Tracer"
import { heardSpans, rawAsk, rawToolCall } from "@treadle/testing"
import { McpRouter } from "../../src/http-router/index.ts"
import { Ask, CurrentCall } from "../../src/index.ts"
import { ToolkitTools } from "../../src/toolkit/index.ts"
import { able, compatAsker, nativeAsker } from "../fixtures/askers.ts"
import { empty, said, serving } from "../fixtures/calling.ts"
import { compatRequest, initialize } from "../fixtures/compatDoor.ts"
import { asked, called, effectServer, posted, routerFetch, treadleServer, type Fetch } from "../fixtures/effectAi.ts"

const look = Toolkit.make(Tool.make("look", { description: "Looks", success: Schema.String }))
const looking = look.toLayer({ look: () => Effect.withSpan(Effect.succeed("seen"), "looking") })

const theirs = Layer.mergeAll(
  Layer.provide(McpServer.toolkit(look), looking),
  McpServer.resource({ uri: "box://board", name: "board", content: Effect.succeed("the board") }),
  McpServer.prompt({ name: "plan", content: () => Effect.succeed("plan it") })
)

const ours = empty()
  .tool("look", { description: "Looks", output: Schema.String }, () =>
    Effect.withSpan(Effect.succeed("seen"), "looking")
  )
  .tool("draw", { description: "Draws", task: "required" }, () => Effect.succeed("drawn"))
  .resource({ uri: "box://board", name: "board" }, async () => "the board")
  .prompt("plan", { description: "Plans" }, async () => "plan it")

const both = Effect.all({ effect: effectServer(theirs), treadle: treadleServer(ours) })

const each = <A>(look: (fetch: Fetch) => Effect.Effect<A>) =>
  Effect.flatMap(both, ({ effect, treadle }) => Effect.all([look(effect), look(treadle)]))

/** Opens a session. */
const opened = (fetch: Fetch, version?: string) =>
  Effect.map(posted(fetch, initialize(version)), ({ answer, headers }) => ({
    version: answer["result"].protocolVersion as string,
    headers: { "mcp-session-id": headers.get("mcp-session-id") ?? "", "mcp-protocol-version": version ?? "2025-11-25" }
  }))

/** The status of a request without a body. */
const statusOf = (fetch: Fetch, method: string, headers: Record<string, string>) =>
  Effect.promise(async () => {
    const url = "http://localhost/mcp"
    const response = await fetch(new Request(url, { method, headers: { ...headers, accept: "text/event-stream" } }))
    await response.body?.cancel()
    return response.status
  })

describe("eras, with effect/ai and with Treadle", () => {
  it.effect("tools, resources and prompts: both serve them", () =>
    Effect.gen(function* () {
      const answers = yield* each((fetch) =>
        Effect.all([
          asked(fetch, "resources/read", { uri: "box://board" }),
          asked(fetch, "prompts/get", { name: "plan" }),
          called(fetch, "look")
        ])
      )
      for (const [read, prompt, result] of answers) {
        assert.strictEqual(read["result"].contents[0].text, "the board")
        assert.strictEqual(prompt["result"].messages[0].content.text, "plan it")
        assert.include(said(result as never), "seen")
      }
    })
  )

  it.effect.each(["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"])(
    "%s: both serve it, effect/ai where it is listed",
    (version) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(
          yield* each((fetch) => Effect.map(opened(fetch, version), (session) => session.version)),
          [version, version]
        )
      })
  )

  it.effect("tasks: Treadle serves them, effect/ai does not", () =>
    Effect.gen(function* () {
      const knowing = { extensions: { "io.modelcontextprotocol/tasks": {} } }
      const meta = { "io.modelcontextprotocol/clientCapabilities": knowing }
      const { effect, treadle } = yield* both
      assert.strictEqual((yield* asked(effect, "tasks/get", { taskId: "none" }, meta))["error"].code, -32601)
      const { taskId } = yield* called(treadle, "draw", {}, meta)
      const { status } = (yield* asked(treadle, "tasks/get", { taskId }, meta))["result"]
      assert.strictEqual(status, "completed")
    })
  )
})

describe("sessions, with effect/ai and with Treadle", () => {
  it.effect("a request of a session: both answer it", () =>
    Effect.gen(function* () {
      const answers = yield* each((fetch) =>
        Effect.flatMap(opened(fetch), ({ headers }) => posted(fetch, compatRequest(1, "tools/list"), headers))
      )
      for (const { answer } of answers) assert.strictEqual(answer["result"].tools[0].name, "look")
    })
  )

  it.effect("the server's own stream: 405 from effect/ai, open with Treadle", () =>
    Effect.gen(function* () {
      const statuses = yield* each((fetch) =>
        Effect.flatMap(opened(fetch), ({ headers }) => statusOf(fetch, "GET", headers))
      )
      assert.deepStrictEqual(statuses, [405, 200])
    })
  )

  it.effect("ending a session: 405 from effect/ai unless it is allowed, 204 from Treadle", () =>
    Effect.gen(function* () {
      const statuses = yield* each((fetch) =>
        Effect.flatMap(opened(fetch), ({ headers }) => statusOf(fetch, "DELETE", headers))
      )
      assert.deepStrictEqual(statuses, [405, 204])
    })
  )

  it.effect("a strange Origin and a strange Host: effect/ai looks at the one, Treadle at both", () =>
    Effect.gen(function* () {
      const origins = yield* each((fetch) =>
        Effect.map(posted(fetch, initialize(), { origin: "https://evil.example" }), ({ status }) => status)
      )
      assert.deepStrictEqual(origins, [403, 403])
      const hosts = yield* each((fetch) =>
        Effect.map(
          posted((request) => fetch(new Request("http://evil.example/mcp", request)), initialize()),
          ({ status }) => status
        )
      )
      assert.deepStrictEqual(hosts, [200, 403])
    })
  )
})

describe("requests, with effect/ai and with Treadle", () => {
  class User extends Context.Service<User, string>()("test/User") {}

  const who = Toolkit.make(Tool.make("who", { description: "Who asks", success: Schema.String, dependencies: [User] }))
  const naming = who.toLayer({ who: () => User })

  it.effect("services of one request: from middleware in effect/ai, at the door of Treadle", () =>
    Effect.gen(function* () {
      const authorizing = McpServer.middleware<{ provides: User }>()((handled, { headers }) =>
        Effect.provideService(handled, User, String(headers["x-user"]))
      )
      const registered = McpServer.toolkit(who).pipe(Layer.provide(authorizing.layer), Layer.provide(naming))
      const effect = yield* effectServer(registered)
      const routes = McpRouter.layer(empty().add(ToolkitTools.make(who).mcp.provide(naming)), {
        path: "/mcp",
        request: ({ headers }) => Effect.succeed(Context.make(User, String(headers["x-user"])))
      })
      const treadle = yield* routerFetch(routes)
      for (const fetch of [effect, treadle]) {
        const { answer } = yield* posted(fetch, rawToolCall(1, "who", {}), { "x-user": "Ada" })
        assert.include(said(answer["result"]), "Ada")
      }
    })
  )

  it.effect("something round every request: middleware in effect/ai, nothing of that kind in Treadle", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const watching = McpServer.middleware((handled, { sessionId }) =>
        Effect.andThen(
          Effect.sync(() => seen.push(String(sessionId))),
          handled
        )
      )
      const fetch = yield* effectServer(
        McpServer.toolkit(look).pipe(Layer.provide(watching.layer), Layer.provide(looking))
      )
      yield* called(fetch, "look")
      assert.lengthOf(seen, 1)
      assert.notProperty(empty(), "middleware")
    })
  )
})

describe("asking, with effect/ai and with Treadle", () => {
  const asking = Toolkit.make(
    Tool.make("ask", { description: "Asks", success: Schema.String, dependencies: [McpSchema.McpServerClient] })
  )
  const eliciting = asking.toLayer({
    ask: () =>
      Effect.orDie(
        Effect.map(McpServer.elicit({ message: "Sure?", schema: Schema.Struct({ yes: Schema.Boolean }) }), ({ yes }) =>
          String(yes)
        )
      )
  })

  it.effect("a handler of effect/ai that elicits has nobody to ask at 2026-07-28; its type says so", () =>
    Effect.gen(function* () {
      const registered = Layer.provide(McpServer.toolkit(asking), eliciting)
      // @effect-diagnostics missingLayerContext:off
      // @ts-expect-error -- McpServerClient is there only where every revision that is served has sessions
      const fetch = yield* effectServer(registered, { app: Logger.layer([]) })
      const result = yield* called(fetch, "ask")
      assert.strictEqual(said(result as never), "Tool execution failed due to an internal server error.")
    })
  )

  it.effect("one handler of Treadle asks in both eras, and a step before the question runs once", () =>
    Effect.gen(function* () {
      for (const asker of [nativeAsker, compatAsker]) {
        let steps = 0
        const mcp = empty().tool("ask", { description: "Asks" }, () =>
          Effect.gen(function* () {
            yield* CurrentCall.step(
              "count",
              Effect.sync(() => ++steps)
            )
            const answer = yield* CurrentCall.ask(
              "sure",
              Ask.form({ message: "Sure?", fields: { yes: Schema.Boolean } })
            )
            return answer.action === "accept" ? String(answer.content.yes) : answer.action
          })
        )
        const { call } = yield* asker(mcp, () => ({ action: "accept", content: { yes: true } }), undefined, able)
        const { answer } = yield* call("ask")
        assert.strictEqual(said(answer["result"]), "true")
        assert.strictEqual(steps, 1)
      }
    })
  )
})

describe("spans, with effect/ai and with Treadle", () => {
  const traceId = "4bf92f3577b34da6a3ce929d0e0e4736"
  const meta = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` }

  it.effect("effect/ai has spans of its RPC, which do not go on with the trace in _meta", () =>
    Effect.gen(function* () {
      const { named, tracer } = heardSpans()
      const fetch = yield* effectServer(theirs, { app: Layer.succeed(Tracer.Tracer, tracer) })
      yield* called(fetch, "look", {}, meta)
      const span = named("McpServer.@effect/mcp/2026-07-28/tools/call")
      assert.notStrictEqual(span.traceId, traceId)
      assert.isFalse(span.attributes.has("mcp.method.name"))
      assert.strictEqual(Option.getOrUndefined(named("looking").parent)?.spanId, span.spanId)
    })
  )

  it.effect("META-14: Treadle has spans of OpenTelemetry's conventions, which do", () =>
    Effect.gen(function* () {
      const { hearing, named } = heardSpans()
      const { peer } = yield* hearing(serving(ours, {}))
      yield* rawAsk(peer, rawToolCall(1, "look", {}, meta))
      const span = named("tools/call look")
      assert.strictEqual(span.traceId, traceId)
      assert.strictEqual(span.attributes.get("mcp.method.name"), "tools/call")
      assert.strictEqual(Option.getOrUndefined(named("looking").parent)?.spanId, span.spanId)
    })
  )
})
