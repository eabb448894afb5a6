/** What a tracer hears of a call: the attributes of GenAI. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Tracer from "effect/Tracer"
import * as LanguageModel from "effect/ai/LanguageModel"
import { Anthropic, OpenAiCompat } from "@treadle/agent/model"
import { anthropicStream, openAiAnswer, scriptedModel, streams } from "@treadle/testing"

const traced = <A, E, R>(call: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const spans: Array<Tracer.NativeSpan> = []
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        spans.push(span)
        return span
      }
    })
    yield* Effect.provideService(call, Tracer.Tracer, tracer)
    const span = spans.find(({ name }) => name.startsWith("LanguageModel."))
    return Object.fromEntries(span?.attributes ?? [])
  })

describe("the span of a call", () => {
  it.effect("says which model was asked, how much, and how it ended", () =>
    Effect.gen(function* () {
      const service = yield* scriptedModel(openAiAnswer({ content: "x" }))
      const model = OpenAiCompat.layer({ url: service.url, model: "gpt-5.4", maxTokens: 10, temperature: 0.5 })
      const attributes = yield* traced(LanguageModel.generateText({ prompt: "?" }).pipe(Effect.provide(model)))
      assert.deepInclude(attributes, {
        "gen_ai.provider.name": "openai",
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "gpt-5.4",
        "gen_ai.request.max_tokens": 10,
        "gen_ai.request.temperature": 0.5,
        "gen_ai.response.id": "chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT",
        "gen_ai.response.model": "gpt-5.4-2026-01-01",
        "gen_ai.response.finish_reasons": ["stop"],
        "gen_ai.usage.input_tokens": 19,
        "gen_ai.usage.output_tokens": 10
      })
    })
  )

  it.effect("says so of a stream", () =>
    Effect.gen(function* () {
      const text = { block: { type: "text", text: "" }, deltas: [{ type: "text_delta", text: "x" }] }
      const service = yield* scriptedModel(streams(anthropicStream([text])))
      const model = Anthropic.layer({ url: service.url, model: "claude" })
      const call = Stream.runDrain(LanguageModel.streamText({ prompt: "?" })).pipe(Effect.provide(model))
      assert.deepInclude(yield* traced(call), {
        "gen_ai.provider.name": "anthropic",
        "gen_ai.request.model": "claude",
        "gen_ai.response.finish_reasons": ["stop"],
        "gen_ai.usage.input_tokens": 40,
        "gen_ai.usage.output_tokens": 15
      })
    })
  )
})
