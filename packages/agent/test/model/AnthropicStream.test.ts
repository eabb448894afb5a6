/** Streams of Anthropic's messages, cut anywhere, and what is left out or wrong in them. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as AiError from "effect/ai/AiError"
import * as Prompt from "effect/ai/Prompt"
import { Anthropic } from "@treadle/agent/model"
import { anthropicStream, everyCut, scriptedModel, streams, type AnthropicBlock } from "@treadle/testing"
import { bare, eventsOf, firstBody, streamTurn } from "./tools.ts"

const ofBytes = (cut: ReadonlyArray<Uint8Array>) => Anthropic.layer({ model: "m", fetch: async () => eventsOf(cut) })

const partsOf = (text: string, cut = (bytes: Uint8Array): ReadonlyArray<Uint8Array> => [bytes]) =>
  Stream.runCollect(streamTurn("?")).pipe(Effect.provide(ofBytes(cut(new TextEncoder().encode(text)))))

const text = (...deltas: ReadonlyArray<string>): AnthropicBlock => ({
  block: { type: "text", text: "" },
  deltas: deltas.map((delta) => ({ type: "text_delta", text: delta }))
})

const use = (id: string, name: string, ...pieces: ReadonlyArray<string>): AnthropicBlock => ({
  block: { type: "tool_use", id, name, input: {} },
  deltas: pieces.map((partial_json) => ({ type: "input_json_delta", partial_json }))
})

const thinking: AnthropicBlock = {
  block: { type: "thinking", thinking: "", signature: "" },
  deltas: [
    { type: "thinking_delta", thinking: "Hm" },
    { type: "thinking_delta", thinking: "…" },
    { type: "signature_delta", signature: "EqQ" },
    { type: "signature_delta", signature: "BCg" }
  ]
}

const hidden: AnthropicBlock = { block: { type: "redacted_thinking", data: "hidden" }, deltas: [] }

const full = anthropicStream(
  [thinking, hidden, text("Grüß", " 👋"), use("toolu_1", "read", "", '{"pa', 'ge":7}'), use("toolu_2", "now", "")],
  "tool_use"
)

describe("a stream of Anthropic's messages", () => {
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
          "reasoning-start",
          "reasoning-end",
          "text-start",
          "text-delta",
          "text-delta",
          "text-end",
          "tool-params-start",
          "tool-params-delta",
          "tool-params-delta",
          "tool-params-end",
          "tool-call",
          "tool-params-start",
          "tool-params-end",
          "tool-call",
          "finish"
        ]
      )
      const calls = parts.filter(({ type }) => type === "tool-call")
      assert.deepStrictEqual(
        calls.map(({ id, name, params }) => ({ id, name, params })),
        [
          { id: "toolu_1", name: "read", params: { page: 7 } },
          { id: "toolu_2", name: "now", params: {} }
        ]
      )
      const last = parts.at(-1)
      assert.strictEqual(last?.["reason"], "tool-calls")
      assert.deepInclude(last?.["usage"], { outputTokens: { total: 15, text: 12, reasoning: 3 } })
      assert.deepInclude(last?.["usage"], { inputTokens: { total: 40, uncached: 25, cacheRead: 10, cacheWrite: 5 } })
    })
  )

  it.effect("reads alike wherever it is cut", () => {
    let pieces: ReadonlyArray<Uint8Array> = []
    const fetch = async () => eventsOf(pieces)
    return Effect.gen(function* () {
      const small = anthropicStream([text("ü👋"), use("t", "now", "{}")])
      const whole = bare(yield* partsOf(small))
      const bytes = new TextEncoder().encode(small)
      for (const cut of everyCut(bytes)) {
        pieces = cut
        assert.deepStrictEqual(bare(yield* Stream.runCollect(streamTurn("?"))), whole)
      }
    }).pipe(Effect.provide(Anthropic.layer({ model: "m", fetch })))
  })

  it.effect("becomes a prompt that is sent back as it was said, signatures among it", () =>
    Effect.gen(function* () {
      const parts = yield* partsOf(full)
      const service = yield* scriptedModel(streams(full))
      const model = Anthropic.layer({ url: service.url, model: "m" })
      const history = Prompt.concat(Prompt.make("?"), Prompt.fromResponseParts(parts))
      yield* Stream.runDrain(streamTurn(history)).pipe(Effect.provide(model))
      const body = yield* firstBody(service)
      assert.strictEqual(body.stream, true)
      assert.deepStrictEqual(body.messages[1].content, [
        { type: "thinking", thinking: "Hm…", signature: "EqQBCg" },
        { type: "redacted_thinking", data: "hidden" },
        { type: "text", text: "Grüß 👋" },
        { type: "tool_use", id: "toolu_1", name: "read", input: { page: 7 } },
        { type: "tool_use", id: "toolu_2", name: "now", input: {} }
      ])
    })
  )

  it.effect("A41: keeps arguments that are no JSON", () =>
    Effect.gen(function* () {
      const parts = yield* partsOf(anthropicStream([use("t", "read", '{"page"')], "max_tokens"))
      assert.deepInclude(
        parts.find(({ type }) => type === "tool-call"),
        { params: { _raw: '{"page"' } }
      )
      assert.deepInclude(parts.at(-1), { reason: "length" })
    })
  )

  it.effect("leaves out blocks that it does not know", () =>
    Effect.gen(function* () {
      const other: AnthropicBlock = {
        block: { type: "server_tool_use", id: "s", name: "web_search", input: {} },
        deltas: [{ type: "input_json_delta", partial_json: "{}" }]
      }
      const parts = yield* partsOf(anthropicStream([other, text("x")]))
      assert.deepStrictEqual(
        parts.map(({ type }) => type),
        ["response-metadata", "text-start", "text-delta", "text-end", "finish"]
      )
    })
  )

  it.effect("gives what came before it fails", () =>
    Effect.gen(function* () {
      const begun = anthropicStream([text("x")], "end_turn", "")
      const failing = (type: string, message: string) =>
        `event: error\ndata: ${JSON.stringify({ type: "error", error: { type, message } })}\n\n`
      for (const [rest, tag, words] of [
        ["", "NetworkError", "the stream ended before the answer was complete"],
        ["data: {nonsense\n\n", "InvalidResponseError", "an event is not JSON"],
        [failing("overloaded_error", "Overloaded"), "InternalProviderError", "HTTP 529: Overloaded"],
        [failing("rate_limit_error", "Slow"), "RateLimitError", "Rate limit"],
        [failing("api_error", "It broke"), "InternalProviderError", "It broke"],
        [failing("timeout_error", "Late"), "InternalProviderError", "HTTP 504: Late"],
        [failing("billing_error", "No money"), "QuotaExhaustedError", "Quota exhausted"],
        [failing("invalid_request_error", "Bad"), "InvalidRequestError", "HTTP 400: Bad"]
      ] as const) {
        const seen: Array<string> = []
        const error = yield* streamTurn("?").pipe(
          Stream.runForEach(({ type }) => Effect.sync(() => void seen.push(type))),
          Effect.provide(ofBytes([new TextEncoder().encode(begun + rest)])),
          Effect.flip
        )
        assert.strictEqual((error as AiError.AiError).reason._tag, tag)
        assert.include(error.message, words)
        assert.deepStrictEqual(seen, ["response-metadata", "text-start", "text-delta", "text-end"])
      }
    })
  )
})
