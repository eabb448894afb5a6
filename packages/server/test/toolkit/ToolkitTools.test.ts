/**
 * Tools of a toolkit of `effect/ai`: what is published of them, and what comes of a call.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { rawAsk, rawRequest } from "@treadle/testing"
import { CurrentCall, Mcp } from "../../src/index.ts"
import { describe as inWords } from "../../src/McpBuildError.ts"
import { ToolkitTools } from "../../src/toolkit/index.ts"
import { defectText, empty, said, serving } from "../fixtures/calling.ts"
import { handlers, Seats, toolkit } from "./toolkits.ts"

const tools = ToolkitTools.make(toolkit)
const needy: Mcp<Seats> = empty().add(tools.mcp.provide(handlers))
const mcp: Mcp<never> = needy.provide(Layer.succeed(Seats, { left: 3 }))

const listed = Effect.map(
  Effect.flatMap(serving(mcp, {}), ({ list }) => list),
  (all) => (name: string) => all.find((tool) => tool["name"] === name) ?? {}
)

const called = (name: string, args?: unknown) => Effect.flatMap(serving(mcp, {}), ({ result }) => result(name, args))

const day = "2026-12-24T00:00:00.000Z"

describe("a tool of a toolkit", () => {
  it("can be served as it is", () => {
    assert.deepStrictEqual(Mcp.check(mcp), [])
  })

  it.effect("publishes its schemas and what was said of it, and no default of an annotation (D7)", () =>
    Effect.gen(function* () {
      const tool = yield* listed
      const { _meta, annotations, description, inputSchema, outputSchema, title } = tool("book")
      assert.deepStrictEqual([title, description], ["Booking", "Books seats"])
      assert.deepStrictEqual(annotations, { destructiveHint: false, readOnlyHint: false })
      assert.deepStrictEqual(_meta, { "com.example/group": "seats" })
      assert.deepStrictEqual(inputSchema.required, ["seats", "day"])
      assert.lengthOf(outputSchema.anyOf, 2)
      assert.isUndefined(tool("refuse")["annotations"])
    })
  )

  it.effect("has a closed empty object as input where it has no parameters", () =>
    Effect.gen(function* () {
      const tool = yield* listed
      assert.deepStrictEqual(tool("board")["inputSchema"], { type: "object", additionalProperties: false })
      assert.deepStrictEqual(tool("board")["outputSchema"].required, ["value"])
    })
  )

  it.effect("gets its arguments decoded from JSON, and its value is encoded to JSON", () =>
    Effect.gen(function* () {
      const { structuredContent } = yield* called("book", { seats: 2, day })
      assert.deepStrictEqual(structuredContent, { booked: 2, day })
    })
  )

  it.effect.each(["book", "book_returning"])("%s fails with its declared error, in either failure mode (D5)", (name) =>
    Effect.gen(function* () {
      const result = yield* called(name, { seats: 4, day })
      assert.isTrue(result.isError)
      assert.deepStrictEqual(result.structuredContent, { _tag: "SoldOut", left: 3 })
      assert.strictEqual(said(result), "Only 3 seats left.")
    })
  )

  it.effect("fails in words where its failure is no object", () =>
    Effect.gen(function* () {
      const result = yield* called("refuse")
      assert.isTrue(result.isError)
      assert.isUndefined(result.structuredContent)
      assert.strictEqual(said(result), "Not on Mondays")
      assert.isUndefined((yield* listed)("refuse")["outputSchema"].anyOf)
    })
  )

  it.effect("lets the model read an AiError in the failure mode that returns it, and in no other", () =>
    Effect.gen(function* () {
      const returned = yield* called("ask_model")
      assert.isTrue(returned.isError)
      assert.include(said(returned), "the model is overloaded")
      assert.match(said(yield* called("ask_model_plainly")), defectText)
    })
  )

  it.effect("adds what it has for models to its value", () =>
    Effect.gen(function* () {
      const { content, structuredContent } = yield* called("board")
      assert.deepStrictEqual(structuredContent, { value: ["Evening bill", "Late bill"] })
      assert.deepStrictEqual(content.slice(1), [
        { type: "text", text: "2 lines" },
        { type: "image", data: "AQID", mimeType: "image/png" }
      ])
    })
  )

  it.effect("sends its preliminary results as progress", () =>
    Effect.gen(function* () {
      const { peer } = yield* serving(mcp, {})
      const call = yield* peer.send(rawRequest("c", "tools/call", { name: "count" }, { progressToken: "p" }))
      yield* call.answer
      assert.deepStrictEqual(
        call.seen.events
          .filter(({ method }) => method !== undefined)
          .map(({ params }) => [params.progress, params.message]),
        [
          [1, "one"],
          [2, "two"]
        ]
      )
    })
  )
})

describe("the handler of a toolkit", () => {
  it.effect("has the services that its layer was built with, and those of the call before them", () =>
    Effect.gen(function* () {
      const asking = Toolkit.make(
        Tool.make("who", { description: "Who is here", success: Schema.String, dependencies: [CurrentCall] })
      )
      const who = asking.toLayer({
        who: () =>
          Effect.gen(function* () {
            const built = yield* Effect.serviceOption(Seats)
            const meta = yield* CurrentCall.meta
            return `${meta["com.example/name"]} of ${Option.getOrUndefined(built)?.left}`
          })
      })
      // A layer that was built in a call keeps that one.
      const noCall = {} as CurrentCall["Service"]
      const part: Mcp<never> = ToolkitTools.make(asking).mcp.provide(
        Layer.provide(who, Layer.merge(Layer.succeed(Seats, { left: 8 }), Layer.succeed(CurrentCall, noCall)))
      )
      const { peer } = yield* serving(empty().add(part), {})
      const answer = yield* rawAsk(peer, rawRequest("w", "tools/call", { name: "who" }, { "com.example/name": "Ada" }))
      assert.deepStrictEqual(answer["result"].structuredContent, { value: "Ada of 8" })
    })
  )
})

describe("a dynamic tool of a toolkit", () => {
  it.effect("publishes its JSON Schema, is checked by it, and gets the arguments as they came", () =>
    Effect.gen(function* () {
      const tool = yield* listed
      assert.deepStrictEqual(tool("echo")["inputSchema"], {
        type: "object",
        properties: { n: { type: "integer", minimum: 1 } },
        required: ["n"]
      })
      assert.isUndefined(tool("echo")["outputSchema"])
      assert.deepStrictEqual(JSON.parse(said(yield* called("echo", { n: 1, more: [2] }))), { n: 1, more: [2] })
      const unfit = yield* called("echo", { n: 0 })
      assert.isTrue(unfit.isError)
      assert.match(said(unfit), /^Invalid arguments for echo:\n- n: .*1/)
    })
  )

  it.effect("takes any object where it has no schema", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* listed)("anything")["inputSchema"], { type: "object" })
      assert.notProperty(yield* called("anything", { a: { b: 1 } }), "isError")
    })
  )
})

describe("what cannot be served of a toolkit", () => {
  it("is an error of the build, all at once, at the place of the call (D1)", () => {
    const Search = Tool.providerDefined({ id: "acme.search", customName: "AcmeSearch", providerName: "web_search" })
    const odd = Toolkit.make(
      Search(undefined),
      Tool.dynamic("contains", {
        description: "Tested",
        parameters: { type: "object", properties: { a: { contains: { const: 1 } } } }
      }),
      Tool.make("text_only", { description: "Tested", parameters: Schema.String }),
      Tool.make("no name", { description: "Tested" })
    )
    const errors = Mcp.check(empty().add(ToolkitTools.make(odd).mcp as unknown as Mcp<never>))
    assert.deepStrictEqual(
      errors.map((error) => error._tag),
      ["NotPromotable", "NotPromotable", "NotPromotable", "InvalidToolName"]
    )
    const words = errors.map(inWords)
    assert.match(words[0] ?? "", /"AcmeSearch" \(ToolkitTools\.test\.ts:\d+\).*"web_search"/)
    assert.match(words[1] ?? "", /contains.*Write its parameters as an Effect Schema/)
  })

  it.effect("is a sentence in the log where its layer is missing, and nothing that a client reads", () =>
    Effect.gen(function* () {
      const { result } = yield* serving(empty().add(tools.mcp as unknown as Mcp<never>), {})
      assert.match(said(yield* result("board")), defectText)
    })
  )
})
