/** Streams of chat completions, cut anywhere, and what is left out or wrong in them. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Prompt from "effect/ai/Prompt"
import { OpenAiCompat } from "@treadle/agent/model"
import { crumbs, everyCut, openAiStream, scriptedModel, streams } from "@treadle/testing"
import { bare, eventsOf, firstBody, streamTurn, toolkit } from "./tools.ts"

const ofBytes = (cut: ReadonlyArray<Uint8Array>) =>
  OpenAiCompat.layer({ url: "https://models.example", model: "m", fetch: async () => eventsOf(cut) })

const partsOf = (text: string, cut = (bytes: Uint8Array): ReadonlyArray<Uint8Array> => [bytes]) =>
  Stream.runCollect(streamTurn("?")).pipe(Effect.provide(ofBytes(cut(new TextEncoder().encode(text)))))

const call = (index: number | undefined, more: object) => ({
  tool_calls: [{ ...(index === undefined ? {} : { index }), ...more }]
})

/** Thoughts, text of more than one byte a letter, and two calls whose pieces take turns. */
const full = openAiStream(
  [
    { reasoning_content: "Hm" },
    { reasoning_content: "…" },
    { content: "Grüß" },
    { content: " 👋" },
    call(0, { id: "call_a", type: "function", function: { name: "read", arguments: "" } }),
    call(0, { function: { arguments: '{"pa' } }),
    call(1, { id: "call_b", type: "function", function: { name: "now", arguments: "" } }),
    call(0, { function: { arguments: 'ge":7}' } }),
    call(1, { function: { arguments: "{}" } })
  ],
  "tool_calls"
)

describe("a stream of chat completions", () => {
  it.effect("comes as parts: thoughts, text, calls as they grow and when they are complete, and the end", () =>
    Effect.gen(function* () {
      const parts = bare(yield* partsOf(full))
      assert.deepStrictEqual(
        parts.map(({ type }) => type),
        [
          "response-metadata",
          "reasoning-start",
          "reasoning-delta",
          "reasoning-delta",
          "reasoning-end",
          "text-start",
          "text-delta",
          "text-delta",
          "text-end",
          "tool-params-start",
          "tool-params-delta",
          "tool-params-start",
          "tool-params-delta",
          "tool-params-delta",
          "tool-params-end",
          "tool-call",
          "tool-params-end",
          "tool-call",
          "finish"
        ]
      )
      assert.deepStrictEqual(
        parts
          .filter(({ type }) => type === "tool-call")
          .map(({ id, name, params, providerExecuted }) => ({ id, name, params, providerExecuted })),
        [
          { id: "call_a", name: "read", params: { page: 7 }, providerExecuted: false },
          { id: "call_b", name: "now", params: {}, providerExecuted: false }
        ]
      )
      const last = parts.at(-1)
      assert.strictEqual(last?.["reason"], "tool-calls")
      assert.deepInclude(last?.["usage"], { outputTokens: { total: 10, text: 7, reasoning: 3 } })
    })
  )

  it.effect("reads alike wherever it is cut", () => {
    let pieces: ReadonlyArray<Uint8Array> = []
    const fetch = async () => eventsOf(pieces)
    return Effect.gen(function* () {
      const text = openAiStream([{ content: "ü👋" }, call(0, { id: "c", function: { name: "now", arguments: "{}" } })])
      const whole = bare(yield* partsOf(text))
      const bytes = new TextEncoder().encode(text)
      const lines = new TextEncoder().encode(text.replaceAll("\n", "\r\n"))
      for (const cut of [...everyCut(bytes), crumbs(lines)]) {
        pieces = cut
        assert.deepStrictEqual(bare(yield* Stream.runCollect(streamTurn("?"))), whole)
      }
    }).pipe(Effect.provide(OpenAiCompat.layer({ url: "https://models.example", model: "m", fetch })))
  })

  it.effect("is asked for with its counts, and comes over a connection piece by piece", () =>
    Effect.gen(function* () {
      const service = yield* scriptedModel(streams(full, (bytes) => [bytes.slice(0, 900), bytes.slice(900)]))
      const model = OpenAiCompat.layer({ url: service.url, model: "m" })
      const parts = yield* Stream.runCollect(streamTurn("?")).pipe(Effect.provide(model))
      assert.deepStrictEqual(bare(parts), bare(yield* partsOf(full)))
      const body = yield* firstBody(service)
      assert.deepInclude(body, { stream: true, stream_options: { include_usage: true } })
    })
  )

  it.effect("becomes a prompt that can be sent back", () =>
    Effect.gen(function* () {
      const parts = yield* partsOf(full)
      const [message] = Prompt.fromResponseParts(parts).content
      assert.deepStrictEqual(
        (message!.content as ReadonlyArray<Prompt.Part>).map(({ type }) => type),
        ["reasoning", "text", "tool-call", "tool-call"]
      )
    })
  )

  it.effect("A41: keeps arguments that are no JSON", () =>
    Effect.gen(function* () {
      const cutOff = openAiStream([call(0, { id: "c", function: { name: "read", arguments: '{"page"' } })], "length")
      const parts = yield* partsOf(cutOff)
      const found = parts.find(({ type }) => type === "tool-call")
      assert.deepInclude(found, { params: { _raw: '{"page"' } })
      assert.deepInclude(parts.at(-1), { reason: "length" })
    })
  )

  it.effect("keeps calls apart where a service gives no index, or always the same", () =>
    Effect.gen(function* () {
      for (const index of [undefined, 0]) {
        const text = openAiStream([
          call(index, { id: "c1", function: { name: "read", arguments: '{"page":1}' } }),
          call(index, { id: "c2", function: { name: "read", arguments: '{"pa' } }),
          call(index, { function: { arguments: 'ge":2}' } })
        ])
        const calls = (yield* partsOf(text)).filter((part) => part.type === "tool-call")
        assert.deepStrictEqual(
          calls.map(({ id, params }) => [id, params]),
          [
            ["c1", { page: 1 }],
            ["c2", { page: 2 }]
          ],
          String(index)
        )
      }
    })
  )

  it.effect("is complete with a reason to finish, if nothing says that it is done", () =>
    Effect.gen(function* () {
      const parts = yield* partsOf(openAiStream([{ content: "x" }], "stop", ""))
      assert.deepInclude(parts.at(-1), { type: "finish", reason: "stop" })
    })
  )

  it.effect("is read no further once it is done", () =>
    Effect.gen(function* () {
      const parts = yield* partsOf(`${openAiStream([{ content: "x" }])}data: nonsense\n\n`)
      assert.strictEqual(parts.at(-1)?.type, "finish")
    })
  )

  it.effect("A147: refuses where the model does", () =>
    Effect.gen(function* () {
      const parts = yield* partsOf(openAiStream([{ refusal: "I " }, { refusal: "cannot." }]))
      const said = parts.flatMap((part) => (part.type === "text-delta" ? [part.delta] : []))
      assert.deepStrictEqual(said, ["I ", "cannot."])
      assert.deepInclude(parts.at(-1), { reason: "content-filter" })
    })
  )

  it.effect("gives what came before it fails", () =>
    Effect.gen(function* () {
      const begun = openAiStream([{ content: "x" }], null, "")
      for (const [rest, tag, words] of [
        ["", "NetworkError", "the stream ended before the answer was complete"],
        ["data: {nonsense\n\n", "InvalidResponseError", "an event is not JSON"],
        ['data: {"error":{"message":"slow down","code":429}}\n\n', "RateLimitError", "Rate limit exceeded"],
        ['data: {"error":{"message":"it broke","type":"server_error"}}\n\n', "InternalProviderError", "it broke"],
        ['data: {"error":"no idea"}\n\n', "InternalProviderError", "no idea"]
      ] as const) {
        const seen: Array<string> = []
        const reading = streamTurn("?").pipe(
          Stream.runForEach(({ type }) => Effect.sync(() => void seen.push(type))),
          Effect.provide(ofBytes([new TextEncoder().encode(begun + rest)]))
        )
        const error = yield* Effect.flip(reading)
        assert.isTrue(AiError.isAiError(error))
        assert.strictEqual((error as AiError.AiError).reason._tag, tag)
        assert.include(error.message, words)
        assert.deepStrictEqual(seen, ["response-metadata", "text-start", "text-delta"])
      }
    })
  )

  it.effect("fails at a call of a tool that there is not, unless calls are looked at later", () =>
    Effect.gen(function* () {
      const made = openAiStream([call(0, { id: "c", function: { name: "made_up", arguments: "{}" } })])
      assert.include(
        (yield* partsOf(made)).map(({ type }) => type),
        "tool-call"
      )
      const strict = LanguageModel.streamText({ prompt: "?", toolkit, disableToolCallResolution: true })
      const error = yield* Stream.runDrain(strict).pipe(
        Effect.provide(ofBytes([new TextEncoder().encode(made)])),
        Effect.flip
      )
      assert.strictEqual((error as AiError.AiError).reason._tag, "ToolNotFoundError")
    })
  )
})
