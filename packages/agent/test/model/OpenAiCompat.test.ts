/** Chat completions: what is asked, and what answers come to. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Prompt from "effect/ai/Prompt"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import { OpenAiCompat, type ModelSettings } from "@treadle/agent/model"
import { openAiAnswer, openAiCall, scriptedModel, type ModelAnswer } from "@treadle/testing"
import { conversation, firstBody, toolkit, turn } from "./tools.ts"

type Settings = Partial<Omit<ModelSettings, "key" | "headers">>

/** A model behind a service that answers so. */
const serving = (answer: ModelAnswer, settings: Settings = {}) =>
  Effect.map(scriptedModel(answer), (service) => ({
    service,
    model: Layer.orDie(OpenAiCompat.layer({ url: service.url, model: "gpt-5.4", ...settings }))
  }))

/** What the service is asked in a call. */
const asked = <A, E>(
  call: Effect.Effect<A, E, LanguageModel.LanguageModel>,
  settings: Settings = {},
  answer: ModelAnswer = openAiAnswer({ content: "Yes." })
) =>
  Effect.gen(function* () {
    const { model, service } = yield* serving(answer, settings)
    yield* Effect.provide(call, model)
    return yield* firstBody(service)
  })

const answered = (answer: ModelAnswer) =>
  Effect.flatMap(serving(answer), ({ model }) => Effect.provide(turn("Which rule is 7?"), model))

describe("a request to chat completions", () => {
  it.effect("holds the whole conversation, and a failed result says so in its text", () =>
    Effect.gen(function* () {
      const body = yield* asked(turn(conversation))
      assert.strictEqual(body.model, "gpt-5.4")
      assert.strictEqual(body.stream, false)
      const [{ function: called }, other] = body.messages[2].tool_calls
      assert.match(called.name, /^kb_search_[0-9a-z]+$/)
      assert.deepStrictEqual(body.messages, [
        { role: "system", content: "You know the rules." },
        { role: "user", content: "Which rule is 7?" },
        {
          role: "assistant",
          content: "Let me look.",
          tool_calls: [openAiCall("call_1", called.name, '{"query":"rule 7"}'), other]
        },
        { role: "tool", tool_call_id: "call_1", content: '{"hits":["Rule 7"]}' },
        { role: "tool", tool_call_id: "call_2", content: "ERROR: no page 7" },
        { role: "user", content: "And now?" }
      ])
      assert.deepStrictEqual(other, openAiCall("call_2", "read", '{"page":7}'))
    })
  )

  it.effect("A8: offers each tool under a name that the service takes, the one of earlier calls", () =>
    Effect.gen(function* () {
      const body = yield* asked(turn(conversation))
      const [first, second, third] = body.tools.map((tool: any) => tool.function)
      assert.strictEqual(first.name, body.messages[2].tool_calls[0].function.name)
      assert.strictEqual(first.description, "Searches the knowledge base")
      assert.deepStrictEqual(first.parameters, {
        type: "object",
        properties: { query: { type: "string" } },
        required: ["query"]
      })
      assert.deepStrictEqual(second, {
        name: "read",
        description: "Reads a page",
        parameters: { type: "object", properties: { page: { type: "integer" } }, required: ["page"] }
      })
      assert.deepInclude(third.parameters, { type: "object", properties: {} })
      assert.strictEqual(body.tool_choice, "auto")
    })
  )

  it.effect("says which tools may be called", () =>
    Effect.gen(function* () {
      const choose = (toolChoice: LanguageModel.ToolChoice<"kb.search" | "read" | "now">) =>
        asked(LanguageModel.generateText({ prompt: "?", toolkit, toolChoice, disableToolCallResolution: true }))
      assert.strictEqual((yield* choose("none")).tool_choice, "none")
      assert.strictEqual((yield* choose("required")).tool_choice, "required")
      assert.deepStrictEqual((yield* choose({ tool: "read" })).tool_choice, {
        type: "function",
        function: { name: "read" }
      })
      const some = yield* choose({ mode: "required", oneOf: ["read", "now"] })
      assert.deepStrictEqual(
        some.tools.map((tool: any) => tool.function.name),
        ["read", "now"]
      )
      assert.strictEqual(some.tool_choice, "required")
      assert.strictEqual((yield* choose({ oneOf: ["read"] })).tool_choice, "auto")
    })
  )

  it.effect("has no tools where none are given", () =>
    Effect.gen(function* () {
      const body = yield* asked(LanguageModel.generateText({ prompt: "Yes?" }))
      assert.hasAllKeys(body, ["model", "messages", "stream"])
    })
  )

  it.effect("names the limit of tokens as the family of the model wants it", () =>
    Effect.gen(function* () {
      for (const model of ["gpt-5.4", "openai/gpt-5-mini", "o1", "o3-mini", "o4-mini"]) {
        const body = yield* asked(turn("?"), { model, maxTokens: 100, temperature: 0 })
        assert.strictEqual(body.max_completion_tokens, 100, model)
        assert.notProperty(body, "max_tokens")
        assert.strictEqual(body.temperature, 0)
      }
      for (const model of ["gpt-4o", "llama-o3", "qwen3"]) {
        const body = yield* asked(turn("?"), { model, maxTokens: 100 })
        assert.strictEqual(body.max_tokens, 100, model)
        assert.notProperty(body, "max_completion_tokens")
      }
    })
  )

  it.effect("has the fields that the settings add, which replace none of its own", () =>
    Effect.gen(function* () {
      const body = yield* asked(turn("?"), { body: { reasoning_effort: "low", model: "other", stream: true } })
      assert.deepInclude(body, { reasoning_effort: "low", model: "gpt-5.4", stream: false })
    })
  )

  it.effect("goes to the path of the wire, wherever the address ends", () =>
    Effect.gen(function* () {
      const service = yield* scriptedModel(openAiAnswer({ content: "Yes." }))
      for (const [path, sent] of [
        ["", "/v1/chat/completions"],
        ["/", "/v1/chat/completions"],
        ["/v1/", "/v1/chat/completions"],
        ["/api/openai", "/api/openai/chat/completions"],
        ["/x/chat/completions?api-version=2", "/x/chat/completions?api-version=2"]
      ] as const) {
        const model = OpenAiCompat.layer({ url: service.url + path, model: "m" })
        yield* Effect.provide(turn("?"), model)
        assert.strictEqual(service.seen.events.at(-1)?.path, sent)
      }
    })
  )

  it.effect("carries images, sound and documents, and refuses what cannot be said", () =>
    Effect.gen(function* () {
      const file = (mediaType: string, data: string | Uint8Array | URL) =>
        [{ role: "user", content: [{ type: "file", mediaType, data }] }] as ReadonlyArray<Prompt.MessageEncoded>
      const sent = (mediaType: string, data: string | Uint8Array | URL) =>
        Effect.map(asked(turn(file(mediaType, data))), (body) => body.messages[0].content[0])
      const bytes = new Uint8Array([1, 2, 3])
      assert.deepStrictEqual(yield* sent("image/png", bytes), {
        type: "image_url",
        image_url: { url: "data:image/png;base64,AQID" }
      })
      assert.deepStrictEqual(yield* sent("image/png", new URL("https://a.example/b.png")), {
        type: "image_url",
        image_url: { url: "https://a.example/b.png" }
      })
      assert.deepStrictEqual(yield* sent("audio/wav", "data:audio/wav;base64,AQID"), {
        type: "input_audio",
        input_audio: { data: "AQID", format: "wav" }
      })
      assert.deepStrictEqual(yield* sent("application/pdf", "AQID"), {
        type: "file",
        file: { filename: "document.pdf", file_data: "data:application/pdf;base64,AQID" }
      })
      const error = yield* Effect.flip(sent("video/mp4", bytes))
      assert.include(String(error), "a file of the type video/mp4 cannot be sent")
    })
  )
})

describe("an answer of chat completions", () => {
  it.effect("is text, with what the service tells of it", () =>
    Effect.gen(function* () {
      const response = yield* answered(openAiAnswer({ content: "Rule 7 it is." }))
      assert.strictEqual(response.text, "Rule 7 it is.")
      assert.strictEqual(response.finishReason, "stop")
      assert.deepInclude(response.usage.inputTokens, { total: 19, uncached: 15, cacheRead: 4 })
      assert.deepInclude(response.usage.outputTokens, { total: 10, text: 7, reasoning: 3 })
      const [metadata] = response.content
      assert.deepInclude(metadata, { id: "chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT", modelId: "gpt-5.4-2026-01-01" })
      const created = metadata?.type === "response-metadata" ? metadata.timestamp : undefined
      assert.strictEqual(created?.epochMilliseconds, 1_741_569_952_000)
      for (const other of [undefined, "now", Number.MAX_SAFE_INTEGER]) {
        const [unknown] = (yield* answered(openAiAnswer({ content: "x" }, "stop", { created: other }))).content
        assert.notProperty(unknown, "created")
        assert.isTrue(unknown?.type === "response-metadata" && unknown.timestamp === undefined)
      }
    })
  )

  it.effect("A8: has calls under the names of the tools, in order", () =>
    Effect.gen(function* () {
      const { model } = yield* serving(({ json }, reply) => {
        const calls = [
          openAiCall("call_9", json.tools[0].function.name, '{"query":"a"}'),
          openAiCall("call_8", "read", '{"page":1}')
        ]
        reply.json(openAiAnswer({ tool_calls: calls }, "tool_calls"))
      })
      const response = yield* Effect.provide(turn("?"), model)
      assert.deepStrictEqual(
        response.toolCalls.map(({ id, name, params }) => ({ id, name, params })),
        [
          { id: "call_9", name: "kb.search", params: { query: "a" } },
          { id: "call_8", name: "read", params: { page: 1 } }
        ]
      )
      assert.strictEqual(response.finishReason, "tool-calls")
    })
  )

  it.effect("A41: keeps arguments that are no JSON, so that the call can be refused", () =>
    Effect.gen(function* () {
      for (const [text, params] of [
        ['{"query": ', { _raw: '{"query": ' }],
        ["", {}],
        [" ", {}],
        ["[1]", [1]],
        ['"text"', "text"]
      ] as const) {
        const response = yield* answered(openAiAnswer({ tool_calls: [openAiCall("c", "read", text)] }, "tool_calls"))
        assert.deepStrictEqual(response.toolCalls[0]?.params, params, text)
      }
    })
  )

  it.effect("gives calls ids where the service gives none", () =>
    Effect.gen(function* () {
      const calls = [
        { function: { name: "read", arguments: "{}" } },
        { id: "", function: { name: "now", arguments: { deep: 1 } } },
        { function: {} }
      ]
      const { toolCalls } = yield* answered(openAiAnswer({ tool_calls: calls }, "stop"))
      assert.deepStrictEqual(
        toolCalls.map(({ name, params }) => [name, params]),
        [
          ["read", {}],
          ["now", { deep: 1 }]
        ]
      )
      assert.strictEqual(new Set(toolCalls.map(({ id }) => id)).size, 2)
      assert.isTrue(toolCalls.every(({ id }) => id !== ""))
    })
  )

  it.effect("A147: says why it ended", () =>
    Effect.gen(function* () {
      const calls = { tool_calls: [openAiCall("c", "read", "{}")] }
      for (const [reason, message, expected] of [
        ["stop", {}, "stop"],
        ["length", {}, "length"],
        ["length", calls, "length"],
        ["content_filter", {}, "content-filter"],
        ["tool_calls", calls, "tool-calls"],
        ["function_call", {}, "tool-calls"],
        ["stop", calls, "tool-calls"],
        [null, calls, "tool-calls"],
        [null, {}, "unknown"],
        ["toString", {}, "other"]
      ] as const) {
        const response = yield* answered(openAiAnswer({ content: "x", ...message }, reason))
        assert.strictEqual(response.finishReason, expected, String(reason))
      }
    })
  )

  it.effect("A147: is a refusal where the model refuses", () =>
    Effect.gen(function* () {
      const response = yield* answered(openAiAnswer({ refusal: "I cannot." }))
      assert.strictEqual(response.text, "I cannot.")
      assert.strictEqual(response.finishReason, "content-filter")
    })
  )

  it.effect("A145: leaves open what the service does not count", () =>
    Effect.gen(function* () {
      for (const usage of [undefined, null, {}, { prompt_tokens: -1, completion_tokens: 1.5 }, "many"]) {
        const response = yield* answered(openAiAnswer({ content: "x" }, "stop", { usage }))
        assert.isUndefined(response.usage.inputTokens.total)
        assert.isUndefined(response.usage.outputTokens.total)
      }
    })
  )

  it.effect("keeps what the model thought, and sends it back beside its calls", () =>
    Effect.gen(function* () {
      const thinking = { reasoning_content: "Hm.", tool_calls: [openAiCall("c", "read", "{}")] }
      const response = yield* answered(openAiAnswer(thinking, "tool_calls"))
      assert.strictEqual(response.reasoningText, "Hm.")
      const history = Prompt.concat(Prompt.make("?"), Prompt.fromResponseParts(response.content))
      const body = yield* asked(turn(history))
      assert.deepInclude(body.messages[1], { role: "assistant", content: null, reasoning_content: "Hm." })
    })
  )

  it.effect("fails where it calls a tool that there is not, unless calls are looked at later", () =>
    Effect.gen(function* () {
      const made = openAiAnswer({ tool_calls: [openAiCall("c", "made_up", "{}")] }, "tool_calls")
      assert.strictEqual((yield* answered(made)).toolCalls[0]?.name, "made_up")
      const { model } = yield* serving(made)
      const strict = LanguageModel.generateText({ prompt: "?", toolkit, disableToolCallResolution: true })
      const error = yield* Effect.flip(Effect.provide(strict, model))
      assert.strictEqual(error.reason._tag, "ToolNotFoundError")
    })
  )

  it.effect("runs tools where effect/ai resolves calls, under their own names", () =>
    Effect.gen(function* () {
      const searching = Toolkit.make(
        Tool.make("kb.search", { parameters: Schema.Struct({ query: Schema.String }), success: Schema.String })
      )
      const handlers = searching.toLayer({ "kb.search": ({ query }) => Effect.succeed(`found ${query}`) })
      const { model } = yield* serving(({ json }, reply) => {
        const call = openAiCall("c", json.tools[0].function.name, '{"query":"x"}')
        reply.json(openAiAnswer({ tool_calls: [call] }, "tool_calls"))
      })
      const response = yield* LanguageModel.generateText({ prompt: "?", toolkit: searching }).pipe(
        Effect.provide(Layer.merge(handlers, model))
      )
      assert.strictEqual(response.toolResults[0]?.result, "found x")
    })
  )
})

describe("an object from chat completions", () => {
  const Event = Schema.Struct({ title: Schema.String, place: Schema.optionalKey(Schema.String) })
  const generate = LanguageModel.generateObject({ prompt: "An event", schema: Event, objectName: "an event" })

  it.effect("is asked for by its schema, and decoded", () =>
    Effect.gen(function* () {
      const { model, service } = yield* serving(openAiAnswer({ content: '{"title":"Fair","place":null}' }))
      const { value } = yield* Effect.provide(generate, model)
      assert.deepStrictEqual(value, { title: "Fair" })
      const { response_format: format } = yield* firstBody(service)
      assert.strictEqual(format.type, "json_schema")
      assert.deepInclude(format.json_schema, { name: "an_event", strict: true })
      assert.deepInclude(format.json_schema.schema, {
        type: "object",
        required: ["title", "place"],
        additionalProperties: false
      })
    })
  )

  it.effect("fails with the policy where the model refuses, not with the text of the refusal as an object", () =>
    Effect.gen(function* () {
      const { model } = yield* serving(openAiAnswer({ refusal: "I cannot." }))
      const error = yield* Effect.flip(Effect.provide(generate, model))
      assert.strictEqual(error.reason._tag, "ContentPolicyError")
    })
  )

  it.effect("fails before anything is sent where the wire cannot say its schema", () =>
    Effect.gen(function* () {
      const { model, service } = yield* serving(openAiAnswer({ content: "{}" }))
      const either = Schema.Union([Event, Schema.Struct({ none: Schema.Null })])
      const union = LanguageModel.generateObject({ prompt: "An event", schema: either })
      const error = yield* Effect.flip(Effect.provide(union, model))
      assert.strictEqual(error.reason._tag, "UnsupportedSchemaError")
      assert.lengthOf(service.seen.events, 0)
    })
  )
})
