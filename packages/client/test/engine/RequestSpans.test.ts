/**
 * Spans of a session's requests, and the trace that goes on in the server.
 */
import { assert, describe, it } from "@effect/vitest"
import { McpClient } from "@treadle/client"
import { textOf } from "@treadle/protocol/schema"
import { CurrentCall, Mcp } from "@treadle/server"
import { McpHttp } from "@treadle/server/http"
import { heardSpans } from "@treadle/testing"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"

const parentOf = ({ parent }: Tracer.NativeSpan) => Option.getOrUndefined(parent)?.spanId

const told = Effect.map(CurrentCall.meta, (meta) => JSON.stringify(meta))

const inner = Mcp.make({ name: "inner", version: "1.0.0" })
  .tool("tell", { description: "Tells its _meta" }, () => told)
  .tool("wait", { description: "Waits" }, () => Effect.never)
  .tool("refuse", { description: "Says no" }, async (_, { fail }) => fail("no"))
  .prompt("plan", { description: "A plan" }, async () => "a plan")

/** A server whose handler calls another one. */
const outer = Mcp.make({ name: "outer", version: "1.0.0" }).tool(
  "forward",
  { description: "Calls another server" },
  () =>
    Effect.scoped(
      Effect.flatMap(McpClient.direct(inner), (session) =>
        Effect.map(session.callTool("tell"), ({ content }) => textOf(content))
      )
    ).pipe(Effect.orDie)
)

describe("the span of a session's request", () => {
  it.effect("has the name and the attributes of OpenTelemetry's conventions for MCP", () =>
    Effect.gen(function* () {
      const { hearing, named } = heardSpans()
      const fetch = McpHttp.fetch(inner, { hosts: "any" })
      yield* hearing(
        Effect.flatMap(McpClient.http("https://box.example/mcp", { fetch }), (session) =>
          Effect.andThen(session.callTool("tell"), session.getPrompt("plan"))
        )
      )
      const { "jsonrpc.request.id": id, ...attributes } = Object.fromEntries(
        named("tools/call tell", "client").attributes
      )
      assert.isString(id)
      assert.deepStrictEqual(attributes, {
        "mcp.method.name": "tools/call",
        "network.transport": "tcp",
        "network.protocol.name": "http",
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "tell",
        "mcp.protocol.version": "2026-07-28"
      })
      assert.strictEqual(named("prompts/get plan", "client").attributes.get("gen_ai.prompt.name"), "plan")
      assert.strictEqual(named("server/discover", "client").status._tag, "Ended")
    })
  )

  it.effect("names the session that it belongs to, on either side", () =>
    Effect.gen(function* () {
      const { hearing, named, tracer } = heardSpans()
      const fetch = McpHttp.fetch(inner.provide(Layer.succeed(Tracer.Tracer, tracer)))
      yield* hearing(
        Effect.flatMap(McpClient.http("http://localhost/mcp", { fetch, revision: "2025-11-25" }), (session) =>
          session.callTool("tell")
        )
      )
      const [client, server] = (["client", "server"] as const).map((kind) => named("tools/call tell", kind).attributes)
      assert.isString(client?.get("mcp.session.id"))
      for (const key of ["mcp.session.id", "mcp.protocol.version", "jsonrpc.request.id", "network.transport"]) {
        assert.strictEqual(client?.get(key), server?.get(key), key)
      }
      assert.isFalse(named("initialize", "client").attributes.has("mcp.session.id"))
    })
  )

  it.effect("META-14: is the parent of the server's, and so on through a handler that calls another server", () =>
    Effect.gen(function* () {
      const { hearing, named } = heardSpans()
      yield* hearing(
        Effect.flatMap(McpClient.direct(outer), (session) =>
          Effect.withSpan(session.callTool("forward"), "application")
        )
      )
      const path = [
        named("application", "internal"),
        named("tools/call forward", "client"),
        named("tools/call forward", "server"),
        named("tools/call tell", "client"),
        named("tools/call tell", "server")
      ]
      assert.deepStrictEqual(
        path.slice(1).map(parentOf),
        path.slice(0, -1).map(({ spanId }) => spanId)
      )
      assert.lengthOf([...new Set(path.map(({ traceId }) => traceId))], 1)
    })
  )

  it.effect("META-14: lets the caller's own traceparent stand, and sends none without a tracer", () =>
    Effect.gen(function* () {
      const { hearing } = heardSpans()
      const own = { traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01" }
      const metaOf = (given?: typeof own) =>
        Effect.map(
          Effect.flatMap(McpClient.direct(inner), (session) =>
            session.callTool("tell", {}, given === undefined ? {} : { meta: given })
          ),
          ({ content }) => JSON.parse(textOf(content))
        )
      assert.strictEqual((yield* hearing(metaOf(own))).traceparent, own.traceparent)
      assert.notProperty(yield* Effect.withSpan(metaOf(), "unheard"), "traceparent")
    })
  )

  it.effect("ends with what came of the request", () =>
    Effect.gen(function* () {
      const { hearing, named } = heardSpans()
      yield* hearing(
        Effect.gen(function* () {
          const session = yield* McpClient.direct(inner)
          yield* session.callTool("refuse")
          yield* Effect.ignore(session.callTool("unknown"))
          const waiting = yield* Effect.forkChild(session.callTool("wait"))
          yield* Effect.yieldNow
          yield* Fiber.interrupt(waiting)
        })
      )
      const typeOf = (name: string) => named(name, "client").attributes.get("error.type")
      assert.deepStrictEqual(["tools/call refuse", "tools/call unknown", "tools/call wait"].map(typeOf), [
        "tool_error",
        "-32602",
        "cancelled"
      ])
      const { status } = named("tools/call refuse", "client")
      assert.isTrue(status._tag === "Ended" && Exit.isFailure(status.exit))
    })
  )
})
