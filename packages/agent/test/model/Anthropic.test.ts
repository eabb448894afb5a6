/** Anthropic's messages: what is asked, and what answers come to. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Prompt from "effect/ai/Prompt"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import { Anthropic, type AnthropicSettings } from "@treadle/agent/model"
import { anthropicAnswer, scriptedModel, type ModelAnswer } from "@treadle/testing"
import { conversation, firstBody, toolkit, turn } from "./tools.ts"

type Settings = Partial<Omit<AnthropicSettings, "key" | "headers">>

const yes = anthropicAnswer([{ type: "text", text: "Yes." }])

/** A model behind a service that answers so. */
const serving = (answer: ModelAnswer, settings: Settings = {}) =>
  Effect.map(scriptedModel(answer), (service) => ({
    service,
    model: Anthropic.layer({ url: service.url, model: "claude-opus-5-5", ...settings })
  }))

/** What the service is asked in a call. */
const asked = <A, E>(
  call: Effect.Effect<A, E, LanguageModel.LanguageModel>,
  settings: Settings = {},
  answer: ModelAnswer = yes
) =>
  Effect.gen(function* () {
    const { model, service } = yield* serving(answer, settings)
    yield* Effect.provide(call, model)
    return yield* firstBody(service)
  })

const answered = (answer: ModelAnswer) =>
  Effect.flatMap(serving(answer), ({ model }) => Effect.provide(turn("Which rule is 7?"), model))

describe("a request to Anthropic's messages", () => {
  it.effect("holds the conversation in turns: the system apart, results in the turn of the user", () =>
    Effect.gen(function* () {
      const body = yield* asked(turn(conversation))
      assert.deepInclude(body, { model: "claude-opus-5-5", max_tokens: 8192, system: "You know the rules." })
      assert.strictEqual(body.stream, false)
      const [name, other] = body.tools.map((tool: any) => tool.name)
      assert.match(name, /^kb_search_[0-9a-z]+$/)
      assert.strictEqual(other, "read")
      assert.deepStrictEqual(body.messages, [
        { role: "user", content: [{ type: "text", text: "Which rule is 7?" }] },
        {
          role: "assistant",
          content: [
            { type: "text", text: "Let me look." },
            { type: "tool_use", id: "call_1", name, input: { query: "rule 7" } },
            { type: "tool_use", id: "call_2", name: "read", input: { page: 7 } }
          ]
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "call_1", content: '{"hits":["Rule 7"]}' },
            { type: "tool_result", tool_use_id: "call_2", content: "no page 7", is_error: true },
            { type: "text", text: "And now?" }
          ]
        }
      ])
    })
  )

  it.effect("says who calls and in which version, at the path of the wire", () =>
    Effect.gen(function* () {
      const service = yield* scriptedModel(yes)
      for (const [path, sent] of [
        ["", "/v1/messages"],
        ["/v1/", "/v1/messages"],
        ["/anthropic", "/anthropic/v1/messages"],
        ["/x/messages", "/x/messages"]
      ] as const) {
        const model = Anthropic.layer({
          url: service.url + path,
          model: "m",
          key: Redacted.make("k-1"),
          headers: { "anthropic-beta": "b-1", "Anthropic-Version": "2020-01-01" }
        })
        yield* Effect.provide(turn("?"), model)
        const last = service.seen.events.at(-1)
        assert.strictEqual(last?.path, sent)
        assert.deepInclude(last?.headers, {
          "x-api-key": "k-1",
          "anthropic-version": "2023-06-01",
          "anthropic-beta": "b-1",
          "content-type": "application/json"
        })
      }
    })
  )

  it.effect("joins what one side says in a row, and leaves out what is empty", () =>
    Effect.gen(function* () {
      const body = yield* asked(
        turn([
          { role: "system", content: "One." },
          { role: "user", content: "a" },
          { role: "user", content: "" },
          { role: "user", content: "b" },
          { role: "assistant", content: "c" },
          { role: "assistant", content: [{ type: "text", text: "" }] },
          { role: "system", content: "Two." },
          { role: "user", content: "d" }
        ])
      )
      assert.strictEqual(body.system, "One.\n\nTwo.")
      assert.deepStrictEqual(
        body.messages.map(({ content, role }: any) => [role, content.map(({ text }: any) => text)]),
        [
          ["user", ["a", "b"]],
          ["assistant", ["c"]],
          ["user", ["d"]]
        ]
      )
    })
  )

  it.effect("offers tools with their schemas, and says which may be called", () =>
    Effect.gen(function* () {
      const choose = (toolChoice: LanguageModel.ToolChoice<"kb.search" | "read" | "now">) =>
        asked(LanguageModel.generateText({ prompt: "?", toolkit, toolChoice, disableToolCallResolution: true }))
      const auto = yield* choose("auto")
      assert.deepStrictEqual(auto.tool_choice, { type: "auto" })
      assert.deepStrictEqual(auto.tools[1], {
        name: "read",
        description: "Reads a page",
        input_schema: { type: "object", properties: { page: { type: "integer" } }, required: ["page"] }
      })
      assert.deepStrictEqual((yield* choose("none")).tool_choice, { type: "none" })
      assert.deepStrictEqual((yield* choose("required")).tool_choice, { type: "any" })
      assert.deepStrictEqual((yield* choose({ tool: "kb.search" })).tool_choice, {
        type: "tool",
        name: auto.tools[0].name
      })
      assert.deepStrictEqual((yield* choose({ mode: "required", oneOf: ["now"] })).tool_choice, { type: "any" })
      assert.deepStrictEqual((yield* choose({ oneOf: ["now"] })).tool_choice, { type: "auto" })
    })
  )

  it.effect("names the tools of earlier calls where none are given any more", () =>
    Effect.gen(function* () {
      const body = yield* asked(LanguageModel.generateText({ prompt: conversation }))
      assert.lengthOf(body.tools, 2)
      assert.deepStrictEqual(body.tool_choice, { type: "none" })
      const plain = yield* asked(LanguageModel.generateText({ prompt: "?" }))
      assert.notProperty(plain, "tools")
    })
  )

  it.effect("carries ids and arguments that other services gave in the form of this one", () =>
    Effect.gen(function* () {
      const call = { type: "tool-call", id: "a.b:1", name: "read", params: [1] } as const
      const result = { type: "tool-result", id: "a.b:1", name: "read", isFailure: false, result: "x" } as const
      const body = yield* asked(
        turn([
          { role: "user", content: "?" },
          { role: "assistant", content: [call] },
          { role: "tool", content: [result] }
        ])
      )
      assert.deepInclude(body.messages[1].content[0], { id: "a_b_1", input: { _raw: "[1]" } })
      assert.strictEqual(body.messages[2].content[0].tool_use_id, "a_b_1")
    })
  )

  it.effect("carries images, documents and texts, of results too, and refuses what cannot be said", () =>
    Effect.gen(function* () {
      const file = (mediaType: string, data: string | Uint8Array | URL, fileName?: string) =>
        ({ type: "file", mediaType, data, fileName }) as const
      const sent = (part: Prompt.FilePartEncoded) =>
        Effect.map(asked(turn([{ role: "user", content: [part] }])), (body) => body.messages[0].content[0])
      assert.deepStrictEqual(yield* sent(file("image/png", new Uint8Array([1, 2, 3]))), {
        type: "image",
        source: { type: "base64", media_type: "image/png", data: "AQID" }
      })
      assert.deepStrictEqual(yield* sent(file("application/pdf", new URL("https://a.example/b.pdf"), "b.pdf")), {
        type: "document",
        source: { type: "url", url: "https://a.example/b.pdf" },
        title: "b.pdf"
      })
      assert.deepStrictEqual(yield* sent(file("text/csv", new TextEncoder().encode("a,b"))), {
        type: "document",
        source: { type: "text", media_type: "text/plain", data: "a,b" }
      })
      const error = yield* Effect.flip(sent(file("audio/wav", "AQID")))
      assert.include(String(error), "a file of the type audio/wav cannot be sent")
      const picture = { ...file("image/png", "AQID") }
      const result = { type: "tool-result", id: "c", name: "read", isFailure: false, result: "x" } as const
      const body = yield* asked(
        turn([
          { role: "user", content: "?" },
          { role: "assistant", content: [{ type: "tool-call", id: "c", name: "read", params: {} }] },
          { role: "tool", content: [{ ...result, modelOutput: [{ type: "text", text: "See:" }, picture] }] }
        ])
      )
      assert.deepStrictEqual(
        body.messages[2].content[0].content.map(({ type }: any) => type),
        ["text", "image"]
      )
    })
  )
})

describe("an answer of Anthropic's messages", () => {
  it.effect("is text, with what the service tells of it; cached tokens are among those that went in", () =>
    Effect.gen(function* () {
      const response = yield* answered(anthropicAnswer([{ type: "text", text: "Rule 7." }]))
      assert.strictEqual(response.text, "Rule 7.")
      assert.deepInclude(response.usage.inputTokens, { total: 40, uncached: 25, cacheRead: 10, cacheWrite: 5 })
      assert.deepInclude(response.usage.outputTokens, { total: 15, text: 12, reasoning: 3 })
      assert.deepInclude(response.content[0], { id: "msg_013Zva2CMHLNnXjNJJKqJ2EF", modelId: "claude-opus-5-5" })
    })
  )

  it.effect("A8: has calls under the names of the tools, in order", () =>
    Effect.gen(function* () {
      const { model } = yield* serving(({ json }, reply) => {
        const use = (id: string, name: string, input: object) => ({ type: "tool_use", id, name, input })
        const uses = [use("toolu_1", json.tools[0].name, { query: "a" }), use("toolu_2", "made_up", {})]
        reply.json(anthropicAnswer([{ type: "text", text: "Let me see." }, ...uses], "tool_use"))
      })
      const response = yield* Effect.provide(turn("?"), model)
      assert.deepStrictEqual(
        response.toolCalls.map(({ id, name, params }) => ({ id, name, params })),
        [
          { id: "toolu_1", name: "kb.search", params: { query: "a" } },
          { id: "toolu_2", name: "made_up", params: {} }
        ]
      )
      assert.strictEqual(response.text, "Let me see.")
      assert.strictEqual(response.finishReason, "tool-calls")
    })
  )

  it.effect("A147: says why it ended", () =>
    Effect.gen(function* () {
      for (const [reason, expected] of [
        ["end_turn", "stop"],
        ["stop_sequence", "stop"],
        ["max_tokens", "length"],
        ["model_context_window_exceeded", "length"],
        ["tool_use", "tool-calls"],
        ["refusal", "content-filter"],
        ["pause_turn", "pause"],
        ["toString", "other"],
        [null, "unknown"]
      ] as const) {
        const response = yield* answered(anthropicAnswer([], undefined, { stop_reason: reason }))
        assert.strictEqual(response.finishReason, expected, String(reason))
      }
    })
  )

  it.effect("A145: leaves open what the service does not count", () =>
    Effect.gen(function* () {
      const response = yield* answered(anthropicAnswer([], "end_turn", { usage: undefined }))
      assert.isUndefined(response.usage.inputTokens.total)
      assert.isUndefined(response.usage.outputTokens.total)
    })
  )

  it.effect("keeps thoughts with their signatures, and sends them back as they were; those of others not", () =>
    Effect.gen(function* () {
      const thoughts = [
        { type: "thinking", thinking: "Hm.", signature: "EqQBCg" },
        { type: "redacted_thinking", data: "hidden" }
      ]
      const use = { type: "tool_use", id: "toolu_1", name: "now", input: {} }
      const response = yield* answered(anthropicAnswer([...thoughts, use], "tool_use"))
      assert.strictEqual(response.reasoningText, "Hm.")
      const body = yield* asked(turn(Prompt.concat(Prompt.make("?"), Prompt.fromResponseParts(response.content))))
      assert.deepStrictEqual(body.messages[1].content, [...thoughts, use])
      const unsigned = anthropicAnswer([{ type: "thinking", thinking: "Hm." }, use], "tool_use")
      const parts = Prompt.fromResponseParts((yield* answered(unsigned)).content)
      const other = yield* asked(turn(Prompt.concat(Prompt.make("?"), parts)))
      assert.deepStrictEqual(other.messages[1].content, [use])
    })
  )
})

describe("an object from Anthropic's messages", () => {
  const Event = Schema.Struct({ title: Schema.String, place: Schema.optionalKey(Schema.String) })
  const generate = LanguageModel.generateObject({ prompt: "An event", schema: Event, objectName: "an event" })
  const use = (name: string, input: object) =>
    anthropicAnswer(
      [
        { type: "text", text: "Here." },
        { type: "tool_use", id: "t", name, input }
      ],
      "tool_use"
    )

  it.effect("is asked for by a tool that takes it, and decoded", () =>
    Effect.gen(function* () {
      const { model, service } = yield* serving(use("an_event", { title: "Fair" }))
      const response = yield* Effect.provide(generate, model)
      assert.deepStrictEqual(response.value, { title: "Fair" })
      assert.strictEqual(response.finishReason, "stop")
      assert.lengthOf(response.toolCalls, 0)
      const body = yield* firstBody(service)
      assert.deepStrictEqual(body.tool_choice, { type: "tool", name: "an_event" })
      assert.deepInclude(body.tools[0].input_schema, { type: "object", required: ["title", "place"] })
    })
  )

  it.effect("goes beside tools, under a name of its own", () =>
    Effect.gen(function* () {
      const an_event = Toolkit.make(Tool.make("an_event"))
      const both = LanguageModel.generateObject({
        prompt: "An event",
        schema: Event,
        objectName: "an event",
        toolkit: an_event,
        disableToolCallResolution: true
      })
      const { model, service } = yield* serving(use("an_event_2", { title: "Fair" }))
      assert.deepStrictEqual((yield* Effect.provide(both, model)).value, { title: "Fair" })
      const body = yield* firstBody(service)
      assert.deepStrictEqual(body.tool_choice, { type: "any" })
      assert.deepStrictEqual(
        body.tools.map(({ name }: any) => name),
        ["an_event", "an_event_2"]
      )
    })
  )

  it.effect("is wrapped where its schema is no object", () =>
    Effect.gen(function* () {
      const either = Schema.Union([Event, Schema.Struct({ none: Schema.String })])
      const { model, service } = yield* serving(use("generateObject", { value: { none: "x" } }))
      const union = LanguageModel.generateObject({ prompt: "An event", schema: either })
      assert.deepStrictEqual((yield* Effect.provide(union, model)).value, { none: "x" })
      const [tool] = (yield* firstBody(service)).tools
      assert.deepInclude(tool.input_schema, { type: "object", required: ["value"] })
    })
  )

  it.effect("is not forced on a model that thinks, and may be its text", () =>
    Effect.gen(function* () {
      const thinking = { body: { thinking: { type: "enabled", budget_tokens: 1024 } } }
      const { model, service } = yield* serving(anthropicAnswer([{ type: "text", text: '{"title":"Fair"}' }]), thinking)
      assert.deepStrictEqual((yield* Effect.provide(generate, model)).value, { title: "Fair" })
      assert.deepInclude(yield* firstBody(service), { tool_choice: { type: "auto" }, ...thinking.body })
    })
  )
})
