/** The key of a model: read for each call, sent to its service, and told to nobody else. */
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as Tracer from "effect/Tracer"
import * as LanguageModel from "effect/ai/LanguageModel"
import { inspect } from "node:util"
import { SecretStore } from "@treadle/agent"
import { Anthropic, OpenAiCompat } from "@treadle/agent/model"
import { openAiAnswer, scriptedModel, type HttpScriptReply, type HttpSeen } from "@treadle/testing"

const secret = 'sk-hunter/2+and"more'
const header = "{{secret:KEY}}"
const call = LanguageModel.generateText({ prompt: "?" })
const streamed = Stream.runDrain(LanguageModel.streamText({ prompt: "?" }))

const names = (values: Record<string, string>) => SecretStore.layerNames(values)

describe("the key of a model", () => {
  it.effect("A164: is what its reference refers to, on both wires, and in headers", () =>
    Effect.gen(function* () {
      const service = yield* scriptedModel(openAiAnswer({ content: "x" }))
      const settings = { url: service.url, model: "m", key: "{{secret:KEY}}", headers: { "x-token": header } } as const
      const store = names({ KEY: "k-1" })
      yield* call.pipe(Effect.provide(OpenAiCompat.layer(settings).pipe(Layer.provide(store))))
      yield* Effect.ignore(call.pipe(Effect.provide(Anthropic.layer(settings).pipe(Layer.provide(store)))))
      const [first, second] = service.seen.events
      assert.deepInclude(first?.headers, { authorization: "Bearer k-1", "x-token": "k-1" })
      assert.deepInclude(second?.headers, { "x-api-key": "k-1", "x-token": "k-1" })
      assert.notProperty(second?.headers, "authorization")
    })
  )

  it.effect("A164: that is missing is named, and nothing is sent", () =>
    Effect.gen(function* () {
      const service = yield* scriptedModel(openAiAnswer({ content: "x" }))
      const model = OpenAiCompat.layer({ url: service.url, model: "m", key: "{{secret:GONE}}" })
      for (const way of [call, streamed]) {
        const error = yield* Effect.flip(way.pipe(Effect.provide(model.pipe(Layer.provide(names({}))))))
        assert.strictEqual(error._tag === "AiError" && error.reason._tag, "AuthenticationError")
        assert.include(error.message, "{{secret:GONE}} cannot be read")
        assert.include(error.message, "the request was not sent")
      }
      assert.lengthOf(service.seen.events, 0)
    })
  )

  it.effect("A167: is read anew for each call", () =>
    Effect.gen(function* () {
      const service = yield* scriptedModel(openAiAnswer({ content: "x" }))
      let reads = 0
      const store = Layer.succeed(
        SecretStore,
        SecretStore.of({ read: () => Effect.sync(() => Redacted.make(`k-${++reads}`)) })
      )
      const model = OpenAiCompat.layer({ url: service.url, model: "m", key: "{{secret-file:/run/key}}" })
      yield* Effect.andThen(call, call).pipe(Effect.provide(model.pipe(Layer.provide(store))))
      assert.deepStrictEqual(
        service.seen.events.map(({ headers }) => headers.authorization),
        ["Bearer k-1", "Bearer k-2"]
      )
    })
  )

  it.effect("that cannot be a header is no header, and is not told", () =>
    Effect.gen(function* () {
      const service = yield* scriptedModel(openAiAnswer({ content: "x" }))
      const model = OpenAiCompat.layer({ url: service.url, model: "m", key: Redacted.make("hunter\n2") })
      const error = yield* Effect.flip(call.pipe(Effect.provide(model)))
      assert.include(error.message, 'the value of the header "authorization" cannot be sent')
      assert.notInclude(inspect(error, { depth: null }), "hunter")
      assert.lengthOf(service.seen.events, 0)
    })
  )
})

/** All that a program can see of a call: its exit in every form, its logs and its spans. */
const recorded = <A, E>(way: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const seen: Array<unknown> = []
    const logger = Logger.make((entry) => void seen.push(inspect(entry, { depth: null })))
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        seen.push(span)
        return span
      }
    })
    const exit = yield* Effect.exit(way).pipe(
      Effect.tap((exit) => Effect.logError("failed", exit)),
      Effect.provide(Logger.layer([logger])),
      Effect.provideService(Tracer.Tracer, tracer)
    )
    const forms = Exit.isFailure(exit)
      ? [Cause.pretty(exit.cause), JSON.stringify(exit.cause), JSON.stringify(Cause.squash(exit.cause)), String(exit)]
      : [JSON.stringify(exit), String(exit)]
    return inspect([forms, exit, seen.map((one) => inspect(one, { depth: null }))], { depth: null })
  })

type Script = (seen: HttpSeen, reply: HttpScriptReply) => void

/** Services that give back what they were shown. */
const telling: Readonly<Record<string, Script>> = {
  "in an answer": (_, reply) => reply.json(openAiAnswer({ content: "x" })),
  "in a refusal": ({ headers }, reply) =>
    reply.raw(JSON.stringify({ error: { message: `bad key ${headers.authorization}`, code: secret } }), {}, 401),
  "in a page, at the end of what is told": ({ headers }, reply) =>
    reply.raw(`${"x".repeat(280)}${headers.authorization}${headers["x-other-key"]}`, { "x-request-id": secret }, 500),
  "where it moved": ({ headers }, reply) =>
    reply.raw("", { location: `/?key=${encodeURIComponent(String(headers.authorization))}` }, 302),
  "in what is no JSON": ({ headers }, reply) => reply.raw(`key: ${headers.authorization}`),
  "in a stream": ({ headers }, reply) => {
    const stream = reply.stream()
    void stream.write(`data: ${JSON.stringify({ error: headers.authorization })}\n\n`).then(stream.end)
  }
}

describe("A166: a key", () => {
  for (const [where, script] of Object.entries(telling)) {
    it.effect(`is not told ${where}`, () =>
      Effect.gen(function* () {
        const service = yield* scriptedModel(script)
        const model = OpenAiCompat.layer({
          url: service.url,
          model: "m",
          key: Redacted.make(secret),
          headers: { "x-other-key": "Token {{secret:OTHER}}" }
        }).pipe(Layer.provide(names({ OTHER: "hunter-other" })))
        for (const way of [call, streamed]) {
          const all = yield* recorded(way.pipe(Effect.provide(model), Effect.withSpan("root")))
          assert.include(all, "LanguageModel.")
          assert.notInclude(all, "hunter")
        }
        assert.include(service.seen.events[0]?.headers.authorization, secret)
        assert.include(service.seen.events[0]?.headers["x-other-key"], "hunter-other")
      })
    )
  }

  it.effect("is not told by what sends requests and fails", () =>
    Effect.gen(function* () {
      const fetch = async (request: Request): Promise<Response> => {
        throw new TypeError(`cannot send ${request.headers.get("authorization")}`)
      }
      const model = OpenAiCompat.layer({ url: "https://m.example", model: "m", key: Redacted.make(secret), fetch })
      for (const way of [call, streamed]) {
        const all = yield* recorded(way.pipe(Effect.provide(model)))
        assert.include(all, "cannot send Bearer ***")
        assert.notInclude(all, "hunter")
      }
    })
  )

  it("is not among the properties of settings or of a layer", () => {
    const settings = { model: "m", url: "https://m.example", key: Redacted.make(secret) }
    assert.notInclude(
      JSON.stringify(settings) + inspect([settings, OpenAiCompat.layer(settings)], { depth: null }),
      "hunter"
    )
  })
})
