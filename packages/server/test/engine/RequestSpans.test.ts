/**
 * Spans of requests: what a tracer of the application hears, and that nobody hears where there is none.
 */
import { assert, describe, it } from "@effect/vitest"
import { Endpoint } from "@treadle/protocol"
import { failureOf, heardSpans, rawAsk, rawRequest, rawToolCall, type RawMessage } from "@treadle/testing"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Tracer from "effect/Tracer"
import { McpHttp } from "../../src/http.ts"
import { Ask, CurrentCall } from "../../src/index.ts"
import { nativeAsker } from "../fixtures/askers.ts"
import { bothEras } from "../fixtures/eras.ts"
import { empty, serving } from "../fixtures/calling.ts"
import { headersOf } from "../fixtures/rawPeers.ts"

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736"
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`

const NoSeat = { NoSeat: { row: Schema.Int } }
const seat = Endpoint.make("seat", { description: "Seats", input: { row: Schema.Int }, errors: NoSeat })

const mcp = empty()
  .tool(seat, ({ row }) =>
    row > 3 ? Effect.fail({ _tag: "NoSeat" as const, row }) : Effect.withSpan(Effect.succeed("seated"), "usher")
  )
  .tool("die", { description: "Dies" }, () => Effect.die("a bug"))
  .resource({ uri: "box://board", name: "board" }, async () => "the board")

const call = (name: string, args: object, meta?: object) => rawRequest(7, "tools/call", { name, arguments: args }, meta)

describe("the span of a request", () => {
  it.effect("has the name and the attributes of OpenTelemetry's conventions for MCP", () =>
    Effect.gen(function* () {
      const { hearing, named } = heardSpans()
      const { peer } = yield* hearing(serving(mcp, {}))
      yield* rawAsk(peer, call("seat", { row: 1 }))
      const span = named("tools/call seat")
      assert.strictEqual(span.kind, "server")
      assert.deepStrictEqual(Object.fromEntries(span.attributes), {
        "mcp.method.name": "tools/call",
        "jsonrpc.request.id": "7",
        "network.transport": "pipe",
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "seat",
        "mcp.protocol.version": "2026-07-28"
      })
      assert.isTrue(span.status._tag === "Ended" && Exit.isSuccess(span.status.exit))
      assert.isTrue(Option.isNone(span.parent), "the start of the server is nobody's parent")
    })
  )

  it.effect("META-14: is a child of the span that the request names, and parent of what the handler does", () =>
    Effect.gen(function* () {
      const { hearing, named } = heardSpans()
      const { peer } = yield* hearing(serving(mcp, {}))
      yield* rawAsk(peer, call("seat", { row: 1 }, { traceparent }))
      const span = named("tools/call seat")
      assert.strictEqual(span.traceId, traceId)
      assert.strictEqual(Option.getOrUndefined(span.parent)?.spanId, "00f067aa0ba902b7")
      assert.strictEqual(Option.getOrUndefined(named("usher").parent)?.spanId, span.spanId)
    })
  )

  it.effect("says of a tool that failed that it did, and of a bug no more than the caller is told", () =>
    Effect.gen(function* () {
      const { hearing, named } = heardSpans()
      const { peer } = yield* hearing(serving(mcp, {}))
      yield* rawAsk(peer, call("seat", { row: 4 }))
      yield* rawAsk(peer, call("die", {}))
      for (const name of ["tools/call seat", "tools/call die"]) {
        assert.strictEqual(named(name).attributes.get("error.type"), "tool_error")
        assert.deepInclude(failureOf(named(name)), { name: "tool_error" })
      }
    })
  )

  it.effect("has the code of an error, and no target that is only said to exist", () =>
    Effect.gen(function* () {
      const { hearing, named, spans } = heardSpans()
      const { peer } = yield* hearing(serving(mcp, {}))
      yield* rawAsk(peer, call("made_up", {}))
      const span = named("tools/call")
      assert.strictEqual(span.attributes.get("rpc.response.status_code"), "-32602")
      assert.strictEqual(span.attributes.get("error.type"), "-32602")
      assert.isFalse(span.attributes.has("gen_ai.tool.name"))
      assert.lengthOf(spans, 1)
    })
  )

  it.effect("is there for what is answered at once, in both eras", () =>
    Effect.gen(function* () {
      const { hearing, named, spans } = heardSpans()
      const { native, compat } = yield* hearing(bothEras(mcp, {}))
      yield* native()("server/discover")
      yield* (yield* compat())("tools/list")
      yield* native()("resources/read", { uri: "box://board" })
      assert.deepStrictEqual(
        spans.map(({ name }) => name),
        ["server/discover", "initialize", "tools/list", "resources/read"]
      )
      assert.strictEqual(named("tools/list").attributes.get("mcp.protocol.version"), "2025-11-25")
      assert.strictEqual(named("resources/read").attributes.get("mcp.resource.uri"), "box://board")
      assert.isTrue(spans.every(({ status }) => status._tag === "Ended"))
    })
  )

  it.effect("is one for each round of a call that asks", () =>
    Effect.gen(function* () {
      const { hearing, spans } = heardSpans()
      const asking = empty().tool("ask", { description: "Asks" }, () =>
        Effect.as(CurrentCall.ask("sure", Ask.form({ message: "Sure?", fields: { yes: Schema.Boolean } })), "done")
      )
      const answers = () => ({ action: "accept", content: { yes: true } })
      const asker = yield* hearing(nativeAsker(asking, answers))
      yield* asker.call("ask")
      assert.lengthOf(spans, 2)
      assert.isTrue(spans.every(({ status }) => status._tag === "Ended" && Exit.isSuccess(status.exit)))
    })
  )

  it.effect("ends as cancelled where the client gives the call up", () =>
    Effect.gen(function* () {
      const { hearing, named } = heardSpans()
      const waiting = empty().tool("wait", { description: "Waits" }, () => Effect.never)
      const { peer } = yield* hearing(serving(waiting, {}))
      const sent = yield* peer.send(call("wait", {}))
      yield* sent.cancel
      assert.strictEqual(named("tools/call wait").attributes.get("error.type"), "cancelled")
    })
  )

  it.effect("is made by a tracer that a layer of the server gives, too", () =>
    Effect.gen(function* () {
      const { named, tracer } = heardSpans()
      const { peer } = yield* serving(mcp.provide(Layer.succeed(Tracer.Tracer, tracer)), {})
      yield* rawAsk(peer, call("seat", { row: 1 }))
      assert.strictEqual(named("usher").traceId, named("tools/call seat").traceId)
    })
  )

  it.effect("is heard at a plain door by a tracer that is provided, for the entries that it is provided to", () =>
    Effect.gen(function* () {
      const { named, spans, tracer } = heardSpans()
      const provided = mcp.provide(Layer.succeed(Tracer.Tracer, tracer))
      const door = McpHttp.fetch(provided.add(empty().tool("other", { description: "Not heard" }, async () => "")))
      const send = (message: RawMessage) =>
        Effect.promise(() =>
          door(
            new Request("http://localhost/mcp", {
              method: "POST",
              headers: headersOf(message),
              body: JSON.stringify(message)
            })
          )
        )
      yield* send(rawToolCall(1, "seat", { row: 1 }))
      yield* send(rawToolCall(2, "other"))
      const span = named("tools/call seat")
      assert.strictEqual(span.attributes.get("network.protocol.name"), "http")
      const { parent } = named("usher")
      assert.strictEqual(Option.getOrUndefined(parent)?.spanId, span.spanId)
      assert.lengthOf(spans, 2)
      yield* Effect.promise(() => door.close())
    })
  )

  it.effect("costs no request its answer where the tracer fails", () =>
    Effect.gen(function* () {
      const fails = (): never => {
        throw new Error("the exporter is gone")
      }
      const failing = [
        Tracer.make({ span: fails }),
        Tracer.make({ span: (options) => Object.assign(new Tracer.NativeSpan(options), { end: fails }) })
      ]
      const logs: Array<unknown> = []
      const logger = Logger.layer([Logger.make(({ message }) => logs.push(message))])
      for (const tracer of failing) {
        const { list, result } = yield* serving(
          empty().tool("add", { description: "Adds", output: Schema.Int }, async () => 2),
          {}
        ).pipe(Effect.provideService(Tracer.Tracer, tracer), Effect.provide(logger))
        assert.deepStrictEqual((yield* result("add")).structuredContent, { value: 2 })
        assert.lengthOf(yield* list, 1)
      }
      assert.lengthOf(logs, 4)
      assert.include(String(logs[0]), "The tracer failed, and a request goes without its span.")
    })
  )

  it.effect("is not made where there is no tracer, nor where tracing is switched off", () =>
    Effect.gen(function* () {
      const seen = empty().tool("see", { description: "Sees" }, () =>
        Effect.map(Effect.option(Effect.currentSpan), (span) => String(Option.isSome(span)))
      )
      const { result } = yield* Effect.withSpan(serving(seen, {}), "start")
      assert.strictEqual((yield* result("see")).content[0].text, "false")

      const { hearing, spans } = heardSpans()
      const { peer } = yield* hearing(Effect.withTracerEnabled(serving(mcp, {}), false))
      yield* rawAsk(peer, call("seat", { row: 1 }, { traceparent }))
      assert.lengthOf(spans, 0)
    })
  )
})
