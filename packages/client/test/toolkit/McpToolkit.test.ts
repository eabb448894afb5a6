/**
 * Tools of servers as a toolkit: a language model of `effect/ai` calls them, and reads what comes of it.
 */
import { assert, describe, expectTypeOf, it } from "@effect/vitest"
import { McpClient } from "@treadle/client"
import { McpToolkit } from "@treadle/client/toolkit"
import { Content, Endpoint, Mcp, Reply } from "@treadle/server"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Prompt from "effect/ai/Prompt"
import type * as Response from "effect/ai/Response"
import * as Tool from "effect/ai/Tool"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

class SoldOut extends Schema.TaggedError<SoldOut>()("SoldOut", { left: Schema.Int }) {
  override get message() {
    return `Only ${this.left} seats left.`
  }
}

const book = Endpoint.make("book", {
  description: "Books seats",
  input: { seats: Schema.Int, day: Schema.Date },
  output: Schema.Struct({ booked: Schema.Int, day: Schema.Date }),
  errors: SoldOut,
  hints: { destructive: false }
})

const shows = Mcp.make({ name: "Box office", version: "1.0.0" })
  .tool(book, ({ day, seats }) =>
    seats > 3 ? Effect.fail(new SoldOut({ left: 3 })) : Effect.succeed({ booked: seats, day })
  )
  .tool("show.poster", { description: "A poster", title: "Poster" }, async () =>
    Reply.text(
      Content.text("Evening bill"),
      Content.image(new Uint8Array([1, 2, 3]), "image/png"),
      Content.link("box://bill", "bill"),
      Content.resource({ uri: "box://a", text: "inside" })
    )
  )
  .tool("show_poster", { description: "Another poster" }, async () => "plain")
  .tool("silent", { description: "Says nothing" }, async () => undefined)

const session = McpClient.direct(shows)

const args = { seats: 2, day: "2026-12-24T00:00:00.000Z" }

/** A model that has said beforehand what it says, and keeps what it was given. */
const scripted = (...turns: ReadonlyArray<ReadonlyArray<Response.PartEncoded>>) => {
  const given: Array<LanguageModel.ProviderOptions> = []
  const model = LanguageModel.make({
    generateText: (options) => Effect.sync(() => turns[given.push(options) - 1]?.slice() ?? []),
    streamText: () => Stream.empty
  })
  return { given, model }
}

const toolCall = (name: string, params: unknown): Response.PartEncoded => ({
  type: "tool-call",
  id: name,
  name,
  params
})

/** What comes of one call by a model. */
const called = Effect.fnUntraced(function* (name: string, params: unknown = {}) {
  const live = yield* session
  const { given, model } = scripted([toolCall(name, params)])
  const toolkit = yield* McpToolkit.fromSession(live, { name: "box" })
  const { toolResults } = yield* LanguageModel.generateText({ prompt: "go", toolkit }).pipe(
    Effect.provideServiceEffect(LanguageModel.LanguageModel, model)
  )
  const [result] = toolResults
  assert.isDefined(result)
  return { given, result }
})

describe("a toolkit of a session", () => {
  it.effect("has the server's tools under names that models take (A8)", () =>
    Effect.gen(function* () {
      const toolkit = yield* McpToolkit.fromSession(yield* session, { name: "box" })
      const [, dotted, ...others] = Object.keys(toolkit.tools)
      assert.match(dotted ?? "", /^mcp__box__show_poster_[0-9a-z]{8}$/)
      assert.deepStrictEqual(others, ["mcp__box__show_poster", "mcp__box__silent"])
    })
  )

  it.effect("calls the server by its own name where none is given", () =>
    Effect.gen(function* () {
      const toolkit = yield* McpToolkit.fromSession(yield* session)
      assert.property(toolkit.tools, "mcp__Box_office__book")
    })
  )

  it.effect("shows a model the server's own JSON Schema and words, and keeps its hints as it said them", () =>
    Effect.gen(function* () {
      const live = yield* session
      const { given } = yield* called("mcp__box__silent")
      const tool = given[0]?.tools.find(({ name }) => name === "mcp__box__book")
      assert.isDefined(tool)
      const [listed] = yield* live.listTools()
      assert.deepStrictEqual(Tool.getJsonSchema(tool), listed?.inputSchema)
      assert.strictEqual(Tool.getDescription(tool), "Books seats")
      assert.isFalse(Context.get(tool.annotations, Tool.Destructive))
      assert.isFalse(tool.annotations.mapUnsafe.has(Tool.Readonly.key))
      const poster = given[0]?.tools.find(({ annotations }) => annotations.mapUnsafe.has(Tool.Title.key))
      assert.strictEqual(poster === undefined ? "" : Context.getUnsafe(poster.annotations, Tool.Title), "Poster")
    })
  )

  it.effect("runs the server's tool for a model, which reads its text", () =>
    Effect.gen(function* () {
      const { result } = yield* called("mcp__box__book", args)
      assert.isFalse(result.isFailure)
      assert.deepStrictEqual(JSON.parse(String(result.result)), { booked: 2, day: args.day })
      const silent = yield* called("mcp__box__silent")
      assert.strictEqual(silent.result.encodedResult, "")
    })
  )

  it.effect("hands on images, links and resources as parts", () =>
    Effect.gen(function* () {
      const toolkit = yield* McpToolkit.fromSession(yield* session, { name: "box" })
      const name = Object.keys(toolkit.tools).find((key) => key.startsWith("mcp__box__show_poster_")) ?? ""
      const { result } = yield* called(name)
      assert.deepStrictEqual(result.modelOutput, [
        Prompt.textPart({ text: "Evening bill" }),
        Prompt.filePart({ mediaType: "image/png", data: "AQID" }),
        Prompt.textPart({ text: "bill\nbox://bill" }),
        Prompt.textPart({ text: "inside" })
      ])
    })
  )

  it.effect("returns a failed result and an error of the session as words for the model", () =>
    Effect.gen(function* () {
      const failed = yield* called("mcp__box__book", { ...args, seats: 4 })
      assert.isTrue(failed.result.isFailure)
      assert.strictEqual(failed.result.encodedResult, "Only 3 seats left.")
      const strange = yield* called("mcp__box__silent", "no object")
      assert.isTrue(strange.result.isFailure)
      assert.match(String(strange.result.encodedResult), /^silent takes an object of arguments/)

      const toolkit = yield* Effect.scoped(
        Effect.flatMap(session, (live) => McpToolkit.fromSession(live, { name: "box" }))
      )
      const [closed] = yield* Stream.runCollect(Stream.unwrap(toolkit.handle("mcp__box__silent", {})))
      assert.isTrue(closed?.isFailure)
      assert.match(String(closed?.encodedResult), /^tools\/call "silent" at .*: the session is closed/)
    })
  )

  it.effect("asks for approval of the tools that are said to need it, and has those that are wanted only", () =>
    Effect.gen(function* () {
      const toolkit = yield* McpToolkit.fromSession(yield* session, {
        name: "box",
        needsApproval: ({ annotations }) => annotations?.destructiveHint === false,
        only: ({ name }) => name !== "silent"
      })
      assert.notProperty(toolkit.tools, "mcp__box__silent")
      const { model } = scripted([toolCall("mcp__box__book", args), toolCall("mcp__box__show_poster", {})])
      const { content, toolResults } = yield* LanguageModel.generateText({ prompt: "go", toolkit }).pipe(
        Effect.provideServiceEffect(LanguageModel.LanguageModel, model)
      )
      assert.include(
        content.map(({ type }) => type),
        "tool-approval-request"
      )
      assert.deepStrictEqual(
        toolResults.map(({ name }) => name),
        ["mcp__box__show_poster"]
      )
    })
  )
})

describe("a toolkit of several sessions", () => {
  it.effect("calls the server that has the tool", () =>
    Effect.gen(function* () {
      const other = Mcp.make({ name: "other", version: "1.0.0" }).tool(
        "silent",
        { description: "Talks" },
        async () => "hi"
      )
      const sessions = { box: yield* session, other: yield* McpClient.direct(other) }
      const toolkit = yield* McpToolkit.fromSessions(sessions, { only: ({ name }) => name === "silent" })
      assert.deepStrictEqual(Object.keys(toolkit.tools), ["mcp__box__silent", "mcp__other__silent"])
      const [said] = yield* Stream.runCollect(Stream.unwrap(toolkit.handle("mcp__other__silent", {})))
      assert.strictEqual(said?.encodedResult, "hi")
    })
  )
})

describe("a toolkit of contracts", () => {
  it.effect("has the schemas and the types of the contract", () =>
    Effect.gen(function* () {
      const live = yield* session
      const booked: { readonly booked: number; readonly day: Date } = { booked: 2, day: new Date(args.day) }
      const { given, model } = scripted([toolCall("book", args)])
      const { toolResults } = yield* LanguageModel.generateText({
        prompt: "go",
        toolkit: McpToolkit.fromEndpoints(live, { book })
      }).pipe(Effect.provideServiceEffect(LanguageModel.LanguageModel, model))
      const [result] = toolResults
      assert.isDefined(result)
      if (!result.isFailure) expectTypeOf(result.result).toEqualTypeOf<typeof booked>()
      assert.deepStrictEqual(result.result, booked)
      assert.deepStrictEqual(result.encodedResult, { booked: 2, day: args.day })
      const [tool] = given[0]?.tools ?? []
      assert.isDefined(tool)
      assert.deepStrictEqual(Tool.getJsonSchema(tool)["required"], ["seats", "day"])
    })
  )

  it.effect("returns a declared error as its own class, and other errors in words", () =>
    Effect.gen(function* () {
      const toolkit = yield* McpToolkit.fromEndpoints(yield* session, { book })
      const [sold] = yield* Stream.runCollect(Stream.unwrap(toolkit.handle("book", { ...args, seats: 4 })))
      assert.instanceOf(sold?.result, SoldOut)
      assert.deepStrictEqual(sold?.encodedResult, { _tag: "SoldOut", left: 3 })

      const closed = yield* Effect.scoped(Effect.flatMap(session, (live) => McpToolkit.fromEndpoints(live, { book })))
      const [late] = yield* Stream.runCollect(Stream.unwrap(closed.handle("book", args)))
      assert.isTrue(late?.isFailure)
      assert.match(String(late?.encodedResult), /^tools\/call "book" at /)
    })
  )

  it("does not take a name that models do not take, and says why", () => {
    const dotted = Endpoint.make("show.poster", { description: "A poster" })
    // @ts-expect-error -- models take no "." in the name of a tool
    const refused = (live: Effect.Success<typeof session>) => McpToolkit.fromEndpoints(live, { dotted })
    assert.isFunction(refused)
  })
})
