/** What goes wrong between a model and its service, on both wires: each is one of the errors of effect/ai. */
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import { TestClock } from "effect/testing"
import { Anthropic, Intelligence, OpenAiCompat, type ModelSettings } from "@treadle/agent/model"
import { openAiAnswer, scriptedModel, withSleeps, type HttpScriptReply, type HttpSeen } from "@treadle/testing"

type Settings = Omit<ModelSettings, "key" | "headers" | "model">

const adapters = {
  "chat completions": (settings: Settings) => Layer.orDie(OpenAiCompat.layer({ model: "m", ...settings })),
  "Anthropic's messages": (settings: Settings) => Layer.orDie(Anthropic.layer({ model: "m", ...settings }))
}

const calls = {
  whole: LanguageModel.generateText({ prompt: "?" }),
  streamed: Stream.runDrain(LanguageModel.streamText({ prompt: "?" }))
}

type Script = (seen: HttpSeen, reply: HttpScriptReply) => void

const refusing =
  (status: number, body: object | string, headers: Record<string, string> = {}): Script =>
  (_, reply) =>
    reply.raw(typeof body === "string" ? body : JSON.stringify(body), headers, status)

const said = (type: string, message: string, code?: string) => ({ error: { type, message, code } })

/** Status, body, headers; the reason, a part of its message, and how long to wait. */
const refusals: ReadonlyArray<
  readonly [number, object | string, Record<string, string>, AiError.AiErrorReason["_tag"], string, number?]
> = [
  [400, said("invalid_request_error", "messages: too long"), {}, "InvalidRequestError", "HTTP 400: messages: too long"],
  [400, said("", "filtered", "content_filter"), {}, "ContentPolicyError", "filtered"],
  [401, said("authentication_error", "invalid key"), {}, "AuthenticationError", "MissingKey"],
  [402, said("billing_error", "pay"), {}, "QuotaExhaustedError", "Quota exhausted"],
  [403, said("permission_error", "not you"), {}, "AuthenticationError", "InsufficientPermissions"],
  [404, said("not_found_error", "model: m"), {}, "InvalidRequestError", "model: m"],
  [404, { error: 'no "m"' }, {}, "InvalidRequestError", 'HTTP 404: no "m" (POST http'],
  [408, "", {}, "InternalProviderError", "HTTP 408"],
  [413, said("request_too_large", "large"), {}, "InvalidRequestError", "HTTP 413: large"],
  [422, { detail: "unprocessable" }, {}, "InvalidRequestError", "unprocessable"],
  [429, said("rate_limit_error", "slow"), { "retry-after": "7" }, "RateLimitError", "Retry after 7s", 7000],
  [429, said("", "slow"), { "retry-after-ms": "1500" }, "RateLimitError", "Retry after 1s 500ms", 1500],
  [
    429,
    said("", "slow"),
    { date: "Tue, 01 Dec 2026 04:00:00 GMT", "retry-after": "Tue, 01 Dec 2026 04:00:20 GMT" },
    "RateLimitError",
    "Retry after 20s",
    20_000
  ],
  [429, said("", "slow"), { "retry-after": "soon" }, "RateLimitError", "Rate limit exceeded"],
  [429, said("insufficient_quota", "spent", "insufficient_quota"), {}, "QuotaExhaustedError", "Quota exhausted"],
  [500, said("server_error", "it broke"), {}, "InternalProviderError", "HTTP 500: it broke"],
  [502, "<html>\n<h1>Bad   Gateway</h1>", {}, "InternalProviderError", "HTTP 502: <html> <h1>Bad Gateway</h1>"],
  [503, "", { "retry-after": "2.5" }, "InternalProviderError", "HTTP 503"],
  [529, said("overloaded_error", "Overloaded"), {}, "InternalProviderError", "HTTP 529: Overloaded"],
  [302, "", { location: "https://elsewhere.example/" }, "NetworkError", "it moved to https://elsewhere.example/"]
]

for (const [wire, layer] of Object.entries(adapters)) {
  for (const [way, call] of Object.entries(calls)) {
    const failing = (script: Script, settings: Partial<Settings> = {}) =>
      Effect.gen(function* () {
        const service = yield* scriptedModel(script)
        const error = yield* Effect.flip(Effect.provide(call, layer({ url: service.url, ...settings })))
        assert.lengthOf(service.seen.events, 1)
        return error
      })

    describe(`${wire}, ${way}`, () => {
      for (const [status, body, headers, tag, words, retryAfter] of refusals) {
        it.effect(`a refusal with ${status} is ${tag}: ${words}`, () =>
          Effect.gen(function* () {
            const error = yield* failing(refusing(status, body, headers))
            assert.strictEqual(error.reason._tag, tag)
            assert.include(error.message, words)
            const wait = error.retryAfter
            assert.strictEqual(wait === undefined ? undefined : Duration.toMillis(wait), retryAfter)
          })
        )
      }

      it.effect("an answer that is none says where it came from and what it is", () =>
        Effect.gen(function* () {
          for (const [body, type, words] of [
            ["<html>Login</html>", "text/html", "<html>Login</html>"],
            ["{", "application/json", "{"],
            ["[]", "application/json", ""],
            ["", "application/json", ""],
            ["null", "application/json", ""]
          ] as const) {
            const error = yield* failing((_, reply) => reply.raw(body, { "content-type": type }))
            assert.strictEqual(error.reason._tag, "InvalidResponseError")
            assert.include(error.message, words)
            assert.match(error.message, /POST http:\/\/127\.0\.0\.1:\d+\/v1\/(?:chat\/completions|messages)/)
          }
        })
      )

      it.effect("an answer that is too large is not read", () =>
        Effect.gen(function* () {
          const large = `data: ${JSON.stringify({ x: "x".repeat(5000) })}\n\n`
          const type = way === "whole" ? "application/json" : "text/event-stream"
          const error = yield* failing((_, reply) => reply.raw(large, { "content-type": type }), { bodyLimit: 1000 })
          assert.strictEqual(error.reason._tag, "InvalidResponseError")
          assert.include(error.message, "larger than 1000 bytes; raise `bodyLimit`")
        })
      )

      it.effect("a refusal that is too large is told by its status", () =>
        Effect.gen(function* () {
          const error = yield* failing(refusing(500, "x".repeat(100_000)))
          assert.strictEqual(error.reason._tag, "InternalProviderError")
          assert.isBelow(error.message.length, 600)
        })
      )

      it.effect("a connection that breaks is one that may be made again", () =>
        Effect.gen(function* () {
          const error = yield* failing((_, reply) => reply.destroy())
          assert.strictEqual(error.reason._tag, "NetworkError")
          assert.isTrue(Intelligence.isPassing(error))
          const cut = yield* failing((_, reply) => {
            const stream = reply.stream()
            void stream.write("data: {").then(() => reply.destroy())
          })
          assert.isTrue(Intelligence.isPassing(cut))
        })
      )

      it.effect("a port where nobody listens is one that may be called again", () =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(Effect.provide(call, layer({ url: "http://127.0.0.1:1" })))
          assert.strictEqual(error.reason._tag, "NetworkError")
          assert.include(error.message, "no answer came")
          assert.isTrue(Intelligence.isPassing(error))
        })
      )

      it.effect("a service that is silent is given up, and the connection broken", () =>
        withSleeps((sleeps) =>
          Effect.gen(function* () {
            const service = yield* scriptedModel(() => {})
            const model = layer({ url: service.url, timeout: 4000 })
            const fiber = yield* Effect.forkChild(Effect.flip(Effect.provide(call, model)))
            const seen = yield* Effect.promise(() => service.seen.first(() => true))
            yield* Effect.promise(() => sleeps.first((millis) => millis === 4000))
            yield* TestClock.adjust(3999)
            assert.isUndefined(fiber.pollUnsafe())
            yield* TestClock.adjust(1)
            const error = yield* Fiber.join(fiber)
            assert.include(error.message, "nothing came for 4000 ms; raise `timeout`")
            assert.isTrue(Intelligence.isPassing(error))
            yield* Effect.promise(() => seen.gone)
          })
        )
      )

      it.effect("A158: a call that is interrupted breaks its connection", () =>
        Effect.gen(function* () {
          const service = yield* scriptedModel((_, reply) => {
            if (way === "streamed") void reply.stream().write(": \n\n")
          })
          const fiber = yield* Effect.forkChild(Effect.provide(call, layer({ url: service.url })))
          const seen = yield* Effect.promise(() => service.seen.first(() => true))
          yield* Fiber.interrupt(fiber)
          yield* Effect.promise(() => seen.gone)
        })
      )
    })
  }
}

describe("a stream", () => {
  it.effect("A158: breaks its connection where no more of it is wanted", () =>
    Effect.gen(function* () {
      const service = yield* scriptedModel((_, reply) => {
        void reply.stream().event({ ...openAiAnswer({}), choices: [{ delta: { content: "x" } }] })
      })
      const model = OpenAiCompat.layer({ url: service.url, model: "m" })
      const some = LanguageModel.streamText({ prompt: "?" }).pipe(Stream.take(1), Stream.runCollect)
      assert.lengthOf(yield* Effect.provide(some, model), 1)
      yield* Effect.promise(() => service.seen.events[0]!.gone)
    })
  )

  it.effect("may be silent for the time limit between any two pieces", () =>
    withSleeps((sleeps) =>
      Effect.gen(function* () {
        const service = yield* scriptedModel((_, reply) => {
          void reply.stream().event({ choices: [{ delta: { content: "x" } }] })
        })
        const model = OpenAiCompat.layer({ url: service.url, model: "m", timeout: 4000 })
        const fiber = yield* Effect.forkChild(Effect.flip(Effect.provide(calls.streamed, model)))
        yield* Effect.promise(() => sleeps.first(() => sleeps.events.filter((millis) => millis === 4000).length === 3))
        yield* TestClock.adjust(4000)
        assert.include((yield* Fiber.join(fiber)).message, "nothing came for 4000 ms")
      })
    )
  )
})
