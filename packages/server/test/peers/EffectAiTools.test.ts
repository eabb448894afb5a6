/**
 * One toolkit, served by `McpServer` of `effect/ai` 4.1 and by Treadle: what models and clients see of either.
 */
import { assert, describe, it } from "@effect/vitest"
import * as McpServer from "effect/ai/McpServer"
import * as Prompt from "effect/ai/Prompt"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Schema from "effect/Schema"
import { HttpApiTools } from "../../src/http-api/index.ts"
import { Mcp } from "../../src/index.ts"
import { ToolkitTools } from "../../src/toolkit/index.ts"
import { defectText, empty, said } from "../fixtures/calling.ts"
import { asked, called, effectServer, treadleServer } from "../fixtures/effectAi.ts"

class SoldOut extends Schema.TaggedError<SoldOut>()("SoldOut", { left: Schema.Int }) {
  override get message() {
    return `Only ${this.left} seats left.`
  }
}

let cleared = 0

const toolkit = Toolkit.make(
  Tool.make("book", {
    description: "Books seats",
    parameters: Schema.Struct({ seats: Schema.Int }),
    success: Schema.Struct({ booked: Schema.Int }),
    failure: SoldOut
  }).annotate(Tool.Destructive, false),
  Tool.make("clear", { description: "Clears the house", success: Schema.String, needsApproval: true }),
  Tool.make("board", {
    description: "Tonight's board",
    success: Schema.Array(Schema.String),
    toModelOutput: () => [Prompt.filePart({ mediaType: "image/png", data: "AQID" })]
  }),
  Tool.make("die", { description: "Has a bug" })
)

const handlers = toolkit.toLayer({
  book: ({ seats }) => (seats > 3 ? Effect.fail(new SoldOut({ left: 3 })) : Effect.succeed({ booked: seats })),
  clear: () => Effect.sync(() => `cleared ${++cleared}`),
  board: () => Effect.succeed(["Evening bill"]),
  die: () => Effect.die(new Error("password=hunter2"))
})

const silent = Logger.layer([])

/** The same toolkit behind both. */
const both = Effect.all({
  effect: effectServer(Layer.provide(McpServer.toolkit(toolkit), handlers), { app: silent }),
  treadle: treadleServer(empty().add(ToolkitTools.make(toolkit).mcp.provide(handlers)).provide(silent))
})

const tool = (name: string, description: string) => Tool.make(name, { description, success: Schema.String })

describe("a toolkit behind effect/ai and behind Treadle", () => {
  it.effect("hints: effect/ai sends its defaults as if they were said, Treadle what was said", () =>
    Effect.gen(function* () {
      const { effect, treadle } = yield* both
      const annotations = (answer: { readonly [key: string]: any }) =>
        answer["result"].tools.map((one: { readonly annotations?: object }) => one.annotations)
      const silence = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true }
      assert.deepStrictEqual(annotations(yield* asked(effect, "tools/list")), [
        { ...silence, destructiveHint: false },
        silence,
        silence,
        silence
      ])
      assert.deepStrictEqual(annotations(yield* asked(treadle, "tools/list")), [
        { destructiveHint: false },
        undefined,
        undefined,
        undefined
      ])
    })
  )

  it.effect("a declared error: both tell the model its message, Treadle its facts as well", () =>
    Effect.gen(function* () {
      const { effect, treadle } = yield* both
      const theirs = yield* called(effect, "book", { seats: 9 })
      const ours = yield* called(treadle, "book", { seats: 9 })
      for (const result of [theirs, ours]) {
        assert.isTrue(result["isError"])
        assert.strictEqual(said(result as never), "Only 3 seats left.")
      }
      assert.notProperty(theirs, "structuredContent")
      assert.deepStrictEqual(ours["structuredContent"], { _tag: "SoldOut", left: 3 })
    })
  )

  it.effect("arguments that do not fit: both tell the model every problem", () =>
    Effect.gen(function* () {
      const { effect, treadle } = yield* both
      const theirs = yield* called(effect, "book", { seats: "two" })
      const ours = yield* called(treadle, "book", { seats: "two" })
      for (const result of [theirs, ours]) {
        assert.isTrue(result["isError"])
        assert.match(said(result as never), /seats/)
      }
    })
  )

  it.effect("a bare string: in quotation marks from effect/ai, as it is from Treadle", () =>
    Effect.gen(function* () {
      const text = Toolkit.make(Tool.make("greet", { description: "Greets", success: Schema.String }))
      const greeting = text.toLayer({ greet: () => Effect.succeed("Hello!") })
      const effect = yield* effectServer(Layer.provide(McpServer.toolkit(text), greeting))
      const treadle = yield* treadleServer(empty().add(ToolkitTools.make(text).mcp.provide(greeting)))
      assert.strictEqual(said((yield* called(effect, "greet")) as never), '"Hello!"')
      assert.strictEqual(said((yield* called(treadle, "greet")) as never), "Hello!")
    })
  )

  it.effect("needsApproval: effect/ai runs the tool all the same, Treadle does not without a person", () =>
    Effect.gen(function* () {
      const { effect, treadle } = yield* both
      cleared = 0
      assert.strictEqual(said((yield* called(effect, "clear")) as never), '"cleared 1"')
      assert.match(said((yield* called(treadle, "clear")) as never), /^clear did not run: a person has to approve it/)
      assert.strictEqual(cleared, 1)
    })
  )

  it.effect("toModelOutput: left out by effect/ai, content of the result with Treadle", () =>
    Effect.gen(function* () {
      const { effect, treadle } = yield* both
      const types = (result: { readonly [key: string]: any }) =>
        result["content"].map(({ type }: { readonly type: string }) => type)
      assert.deepStrictEqual(types(yield* called(effect, "board")), ["text"])
      assert.deepStrictEqual(types(yield* called(treadle, "board")), ["text", "image"])
    })
  )

  it.effect("a bug: neither tells of it, Treadle gives a reference to the log", () =>
    Effect.gen(function* () {
      const { effect, treadle } = yield* both
      const theirs = said((yield* called(effect, "die")) as never)
      const ours = said((yield* called(treadle, "die")) as never)
      assert.notInclude(theirs + ours, "hunter2")
      assert.notMatch(theirs, /[0-9a-f]{8}/)
      assert.match(ours, defectText)
    })
  )
})

describe("operations of an HttpApi, with effect/ai and with Treadle", () => {
  it("have no function in effect/ai; in Treadle their own tests show them", () => {
    assert.deepStrictEqual(
      Object.keys(McpServer).filter((name) => /http|api/i.test(name)),
      ["layerHttp", "layerHttpRequestScoped"]
    )
    assert.isFunction(HttpApiTools.make)
  })
})

describe("what is wrong with a definition, with effect/ai and with Treadle", () => {
  it.effect("a name that is used twice: the last one stands in effect/ai, an error of the build in Treadle", () =>
    Effect.gen(function* () {
      const one = Toolkit.make(tool("look", "The first"))
      const other = Toolkit.make(tool("look", "The second"))
      const looking = (text: string) => ({ look: () => Effect.succeed(text) })
      const effect = yield* effectServer(
        Layer.mergeAll(
          Layer.provide(McpServer.toolkit(one), one.toLayer(looking("one"))),
          Layer.provide(McpServer.toolkit(other), other.toLayer(looking("other")))
        )
      )
      const { tools } = (yield* asked(effect, "tools/list"))["result"]
      assert.lengthOf(tools, 1)

      const parts = [one, other].map((each) => ToolkitTools.make(each).mcp as unknown as Mcp<never>)
      const errors = Mcp.check(parts.reduce((mcp, part) => mcp.add(part), empty()))
      assert.deepStrictEqual(
        errors.map(({ _tag }) => _tag),
        ["DuplicateTool"]
      )
    })
  )

  it.effect("a name that the specification does not take: served by effect/ai, an error of the build in Treadle", () =>
    Effect.gen(function* () {
      const odd = Toolkit.make(tool("look here", "Looks"))
      const handled = odd.toLayer({ "look here": () => Effect.succeed("seen") })
      const effect = yield* effectServer(Layer.provide(McpServer.toolkit(odd), handled))
      assert.strictEqual((yield* asked(effect, "tools/list"))["result"].tools[0].name, "look here")
      assert.deepStrictEqual(
        Mcp.check(empty().add(ToolkitTools.make(odd).mcp.provide(handled))).map(({ _tag }) => _tag),
        ["InvalidToolName"]
      )
      // @ts-expect-error -- a literal that is no name of a tool does not compile
      empty().tool("look here", { description: "Looks" }, async () => "seen")
    })
  )

  it.effect("several mistakes: effect/ai dies of the first when it is built, Treadle says all at once", () =>
    Effect.gen(function* () {
      const odd = Toolkit.make(
        Tool.make("first", { description: "Tested", parameters: Schema.String }),
        Tool.make("second", { description: "Tested", parameters: Schema.Array(Schema.Int) })
      )
      const handled = odd.toLayer({ first: () => Effect.void, second: () => Effect.void })
      const registered = Layer.provide(Layer.provide(McpServer.toolkit(odd), handled), McpServer.McpServer.layer)
      const exit = yield* Effect.exit(Effect.scoped(Layer.build(registered)))
      const why = Exit.isFailure(exit) ? String(exit.cause) : ""
      assert.include(why, "'first'")
      assert.notInclude(why, "'second'")

      const errors = Mcp.check(empty().add(ToolkitTools.make(odd).mcp.provide(handled)))
      assert.deepStrictEqual(
        errors.map((error) => [error._tag, error._tag === "NotPromotable" ? error.tool : ""]),
        [
          ["NotPromotable", "first"],
          ["NotPromotable", "second"]
        ]
      )
    })
  )
})
