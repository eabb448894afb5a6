/** The programs of the page for users of Effect do what it says. */
import { assert, describe, it } from "@effect/vitest"
import { McpClient } from "@treadle/client"
import { textOf } from "@treadle/protocol/schema"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as Tracer from "effect/Tracer"
import { routes } from "./application.ts"
import { answer } from "./toolkit-client.ts"
import { mcp, Rows, seats } from "./toolkit.ts"

const served = mcp.provide(Layer.succeed(Rows, { free: (row) => (row === "A" ? 3 : 0) }))

describe("the page for users of Effect", () => {
  it.effect("serves a toolkit, which its contract calls", () =>
    Effect.gen(function* () {
      const session = yield* McpClient.direct(
        served,
        {},
        {
          answers: { form: async () => ({ action: "accept", content: { approve: true } }) }
        }
      )
      assert.strictEqual(yield* session.call(seats.contract.free_seats)({ row: "A" }), 3)
      const full = yield* Effect.flip(session.call(seats.contract.free_seats)({ row: "B" }))
      assert.strictEqual(full._tag, "RowIsFull")
      assert.strictEqual(yield* session.call(seats.contract.clear_row)({ row: "A" }), "Row A is empty.")
    })
  )

  it.effect("gives the tools of sessions to a language model", () =>
    Effect.gen(function* () {
      const session = yield* McpClient.direct(served)
      const model = LanguageModel.make({
        generateText: () =>
          Effect.succeed([
            { type: "tool-call", id: "1", name: "mcp__seats__free_seats", params: { row: "A" } },
            { type: "tool-call", id: "2", name: "mcp__seats__clear_row", params: { row: "A" } }
          ]),
        streamText: () => Stream.empty
      })
      const { content, toolResults } = yield* answer("Is row A free?", { seats: session }).pipe(
        Effect.provideServiceEffect(LanguageModel.LanguageModel, model)
      )
      assert.deepStrictEqual(
        toolResults.map(({ encodedResult }) => encodedResult),
        ['{"value":3}']
      )
      assert.lengthOf(
        content.filter(({ type }) => type === "tool-approval-request"),
        1
      )
    })
  )

  it.effect("is part of an application, whose tracer hears of its calls", () =>
    Effect.gen(function* () {
      const names: Array<string> = []
      const tracer = Tracer.make({
        span: (options) => {
          names.push(options.name)
          return new Tracer.NativeSpan(options)
        }
      })
      const { handler } = yield* Effect.acquireRelease(
        Effect.sync(() =>
          HttpRouter.toWebHandler(
            Layer.provide(routes(Layer.succeed(Tracer.Tracer, tracer)), HttpServer.layerServices),
            { disableLogger: true }
          )
        ),
        ({ dispose }) => Effect.promise(dispose)
      )
      const fetch = (input: string | URL | Request, init?: RequestInit) => handler(new Request(input, init))
      const session = yield* McpClient.http("http://localhost/mcp", { fetch: fetch as typeof globalThis.fetch })
      assert.strictEqual(textOf((yield* session.callTool("town")).content), "Oslo")
      assert.deepStrictEqual(names.slice(-2), ["tools/call town", "looking"])
    })
  )
})
