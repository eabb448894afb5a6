/** Answers that no service should give, and prompts that no wire can say: each is an answer or a failure. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type * as AiError from "effect/ai/AiError"
import { Anthropic, OpenAiCompat } from "@treadle/agent/model"
import { hostileJson } from "@treadle/testing"
import type { AnswerFacts } from "../../src/model/Adapter.ts"
import { readAnthropic } from "../../src/model/AnthropicResponse.ts"
import { AnthropicStream } from "../../src/model/AnthropicStream.ts"
import { readOpenAi } from "../../src/model/OpenAiResponse.ts"
import { OpenAiStream } from "../../src/model/OpenAiStream.ts"
import { makeWireNames } from "../../src/model/WireNames.ts"
import { eventsOf, streamTurn, turn } from "./tools.ts"

/** Places in an answer where anything may be. */
const places: ReadonlyArray<(json: unknown) => unknown> = [
  (json) => json,
  (json) => ({ error: json }),
  (json) => ({ choices: json }),
  (json) => ({ choices: [json] }),
  (json) => ({ choices: [{ message: json, delta: json, finish_reason: json }], usage: json, created: json }),
  (json) => ({ choices: [{ message: { content: json, tool_calls: json, refusal: json } }] }),
  (json) => ({ choices: [{ delta: { content: json, tool_calls: [json], reasoning: json } }] }),
  (json) => ({ choices: [{ message: { tool_calls: [{ id: json, function: json }] } }] }),
  (json) => ({
    choices: [{ delta: { tool_calls: [{ index: json, id: json, function: { name: "x", arguments: json } }] } }]
  }),
  (json) => ({ content: json }),
  (json) => ({ content: [json], stop_reason: json, usage: json, model: json }),
  (json) => ({ content: [{ type: "tool_use", id: json, name: "x", input: json }] }),
  (json) => ({ content: [{ type: "tool_use", name: "answer", input: json }] }),
  (json) => ({ type: "message_start", message: json }),
  (json) => ({ type: "message_start", message: { usage: json } }),
  (json) => ({ type: "content_block_start", index: json, content_block: json }),
  (json) => ({ type: "content_block_start", index: 0, content_block: { type: "tool_use", name: "x", input: json } }),
  (json) => ({ type: "content_block_delta", index: 0, delta: json }),
  (json) => ({ type: "message_delta", delta: json, usage: json }),
  (json) => ({ type: "error", error: json })
]

const facts: AnswerFacts = {
  exchange: { shown: "https://models.example", hasKey: true, censor: (text) => text },
  names: makeWireNames([]),
  json: true,
  answer: { name: "answer", wrapped: true },
  callId: String
}

const everyReading = (json: unknown): void => {
  for (const read of [readOpenAi, readAnthropic]) {
    const parts = read(json, facts)
    if (Result.isSuccess(parts)) assert.strictEqual(parts.success.at(-1)?.type, "finish")
  }
  const data = JSON.stringify(json)
  for (const stream of [new OpenAiStream(facts), new AnthropicStream(facts)]) {
    for (const one of [data, data, '{"type":"content_block_stop","index":0}', '{"type":"message_stop"}', "[DONE]"]) {
      assert.isArray(stream.event({ event: "message", data: one }).parts)
    }
    stream.end()
  }
}

describe("an answer", () => {
  it.prop("of any JSON is one or a failure, whole and in a stream", [hostileJson], ([json]) => {
    for (const place of places) everyReading(place(json))
  })

  it.effect("that nests deeper than the stack is one or a failure", () =>
    Effect.gen(function* () {
      const deep = "[".repeat(200_000) + "]".repeat(200_000)
      for (const text of [
        `{"error":{"message":"deep","more":${deep}}}`,
        `{"type":"error","error":{"message":"deep","more":${deep}}}`,
        `{"choices":[{"delta":{"tool_calls":[{"function":{"name":"now","arguments":${deep}}}]}}]}`,
        deep
      ]) {
        const events = new TextEncoder().encode(`data: ${text}\n\n`)
        const whole = async () => new Response(text)
        const streamed = async () => eventsOf([events])
        for (const model of [
          (fetch: typeof whole) => OpenAiCompat.layer({ url: "https://models.example", model: "m", fetch }),
          (fetch: typeof whole) => Anthropic.layer({ model: "m", fetch })
        ]) {
          for (const failed of [
            yield* Effect.flip(turn("?").pipe(Effect.provide(model(whole)))),
            yield* Effect.flip(Stream.runDrain(streamTurn("?")).pipe(Effect.provide(model(streamed))))
          ]) {
            assert.strictEqual(failed._tag, "AiError")
          }
        }
      }
    })
  )
})

describe("a prompt", () => {
  it.effect("that JSON has no words for is a failure, and nothing is sent", () =>
    Effect.gen(function* () {
      let sent = 0
      const fetch = async () => new Response(String(sent++))
      const round: { self?: unknown } = {}
      round.self = round
      for (const result of [10n, { deep: 10n }, round]) {
        for (const model of [
          OpenAiCompat.layer({ url: "https://models.example", model: "m", fetch }),
          Anthropic.layer({ model: "m", fetch })
        ]) {
          const prompt = turn([
            { role: "user", content: "?" },
            { role: "assistant", content: [{ type: "tool-call", id: "c", name: "now", params: {} }] },
            { role: "tool", content: [{ type: "tool-result", id: "c", name: "now", isFailure: false, result }] }
          ])
          const error = yield* Effect.flip(Effect.provide(prompt, model))
          assert.strictEqual((error as AiError.AiError).reason._tag, "InvalidUserInputError")
          assert.include(error.message, "the prompt cannot be written as JSON")
        }
      }
      assert.strictEqual(sent, 0)
    })
  )
})
