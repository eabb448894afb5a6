/** What makes models dependable, by the clock of the test. */
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import type { PartEncoded } from "effect/ai/Response"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import { TestClock } from "effect/testing"
import { Intelligence, type ModelLayer } from "@treadle/agent/model"
import { withSleeps } from "@treadle/testing"

const error = (reason: AiError.AiErrorReason) => AiError.make({ module: "test", method: "generateText", reason })
const busy = error(new AiError.InternalProviderError({ description: "busy" }))
const limited = (seconds: number) => error(new AiError.RateLimitError({ retryAfter: Duration.seconds(seconds) }))
const noKey = error(new AiError.AuthenticationError({ kind: "InvalidKey" }))
const bad = error(new AiError.InvalidRequestError({ description: "bad" }))
const reset = error(new AiError.NetworkError({ reason: "TransportError", method: "POST", url: "x" }))
const misled = error(new AiError.NetworkError({ reason: "InvalidUrlError", method: "POST", url: "x" }))

type Answer = string | AiError.AiError | "never"

/** A model that gives these answers in order, the last one for ever, and counts what it is asked. */
const scripted = (...answers: readonly [Answer, ...Array<Answer>]) => {
  const model = { asked: 0, layer: undefined as unknown as ModelLayer }
  const next = () => answers[Math.min(model.asked++, answers.length - 1)]!
  const text = (answer: Answer): Effect.Effect<string, AiError.AiError> =>
    answer === "never" ? Effect.never : typeof answer === "string" ? Effect.succeed(answer) : Effect.fail(answer)
  model.layer = Layer.effect(
    LanguageModel.LanguageModel,
    LanguageModel.make({
      generateText: () => Effect.suspend(() => Effect.map(text(next()), (text) => [{ type: "text" as const, text }])),
      streamText: () =>
        Stream.unwrap(
          Effect.suspend(() => text(next())).pipe(
            Effect.map((delta) => {
              const part = { type: "text-delta" as const, id: "1", delta }
              // A text that ends so breaks off.
              return delta.endsWith("-") ? Stream.concat(Stream.make(part), Stream.fail(busy)) : Stream.make(part)
            })
          )
        )
    })
  )
  return model
}

const call = Effect.map(LanguageModel.generateText({ prompt: "?" }), ({ text }) => text)
const streamed = LanguageModel.streamText({ prompt: "?" }).pipe(
  Stream.runFold(
    () => "",
    (text, part) => (part.type === "text-delta" ? text + part.delta : text)
  )
)
const ways = { whole: call, streamed } as const

describe("Intelligence.retry", () => {
  for (const [way, run] of Object.entries(ways)) {
    it.effect(`A154: asks twice again, after 250 and 500 ms (${way})`, () =>
      withSleeps((sleeps) =>
        Effect.gen(function* () {
          const model = scripted(busy, reset, "here")
          const fiber = yield* Effect.forkChild(Effect.provide(run, model.layer.pipe(Intelligence.retry())))
          yield* Effect.promise(() => sleeps.first((millis) => millis === 250))
          yield* TestClock.adjust(249)
          assert.strictEqual(model.asked, 1)
          yield* TestClock.adjust(1)
          yield* Effect.promise(() => sleeps.first((millis) => millis === 500))
          assert.strictEqual(model.asked, 2)
          yield* TestClock.adjust(500)
          assert.strictEqual(yield* Fiber.join(fiber), "here")
          assert.deepStrictEqual(sleeps.events, [250, 500])
        })
      )
    )
  }

  it.effect("A154: gives up after the last try, with its failure", () =>
    Effect.gen(function* () {
      const model = scripted(reset, reset, busy)
      const layer = model.layer.pipe(Intelligence.retry({ delays: [0, 0] }))
      const fiber = yield* Effect.forkChild(Effect.flip(Effect.provide(call, layer)))
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(yield* Fiber.join(fiber), busy)
      assert.strictEqual(model.asked, 3)
    })
  )

  it.effect("A154: does not ask again what will not pass", () =>
    Effect.gen(function* () {
      for (const failure of [noKey, bad, misled]) {
        const model = scripted(failure)
        const failed = yield* Effect.flip(Effect.provide(call, model.layer.pipe(Intelligence.retry())))
        assert.strictEqual(failed, failure)
        assert.strictEqual(model.asked, 1)
      }
    })
  )

  it.effect("A154: waits as long as the service asks for, and not at all for one that asks for too much", () =>
    withSleeps((sleeps) =>
      Effect.gen(function* () {
        const overloaded = error(
          new AiError.InternalProviderError({
            description: "",
            metadata: { treadle: { status: 529, retryAfter: 3000 } }
          })
        )
        const model = scripted(limited(7), overloaded, "here")
        const fiber = yield* Effect.forkChild(Effect.provide(call, model.layer.pipe(Intelligence.retry())))
        yield* Effect.promise(() => sleeps.first((millis) => millis === 7000))
        yield* TestClock.adjust("7 seconds")
        yield* Effect.promise(() => sleeps.first((millis) => millis === 3000))
        yield* TestClock.adjust("3 seconds")
        assert.strictEqual(yield* Fiber.join(fiber), "here")
        const patient = scripted(limited(61))
        yield* Effect.flip(Effect.provide(call, patient.layer.pipe(Intelligence.retry())))
        assert.strictEqual(patient.asked, 1)
      })
    )
  )

  it.effect("does not begin a stream again that has begun", () =>
    Effect.gen(function* () {
      const model = scripted("half-")
      const failed = yield* Effect.flip(Effect.provide(streamed, model.layer.pipe(Intelligence.retry())))
      assert.strictEqual(failed, busy)
      assert.strictEqual(model.asked, 1)
    })
  )

  it.effect("lets go of a stream that failed before it begins the next one", () =>
    Effect.gen(function* () {
      const happened: Array<string> = []
      const failing = Stream.unwrap(
        Effect.acquireRelease(
          Effect.sync(() => void happened.push("open")),
          () => Effect.sync(() => void happened.push("close"))
        ).pipe(Effect.as(Stream.fail(busy)))
      )
      const layer = Layer.effect(
        LanguageModel.LanguageModel,
        LanguageModel.make({ generateText: () => Effect.succeed([]), streamText: () => failing })
      ).pipe(Intelligence.retry({ delays: [0] }))
      const fiber = yield* Effect.forkChild(Effect.flip(Effect.provide(streamed, layer)))
      yield* TestClock.adjust(1)
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(happened, ["open", "close", "open", "close"])
    })
  )

  it.effect("A154: asks again for an object too", () =>
    Effect.gen(function* () {
      const model = scripted(busy, '{"title":"Fair"}')
      const fiber = yield* Effect.forkChild(
        Effect.provide(
          LanguageModel.generateObject({ prompt: "?", schema: Schema.Struct({ title: Schema.String }) }),
          model.layer.pipe(Intelligence.breaker(), Intelligence.retry({ delays: [0] }))
        )
      )
      yield* TestClock.adjust(1)
      assert.deepStrictEqual((yield* Fiber.join(fiber)).value, { title: "Fair" })
    })
  )

  it.effect("does not make a call again whose tools ran, but one that is made anew", () =>
    Effect.gen(function* () {
      const toolkit = Toolkit.make(Tool.make("write", { failure: AiError.AiError }))
      const happened: Array<string> = []
      const handlers = toolkit.toLayer({
        write: () => Effect.suspend(() => (happened.push("ran"), Effect.fail(busy)))
      })
      const answers: Array<Effect.Effect<Array<PartEncoded>, AiError.AiError>> = [
        Effect.succeed([{ type: "tool-call", id: "c", name: "write", params: {} }]),
        Effect.fail(reset),
        Effect.succeed([{ type: "text", text: "here" }])
      ]
      const model = Layer.effect(
        LanguageModel.LanguageModel,
        LanguageModel.make({
          generateText: () => Effect.suspend(() => (happened.push("asked"), answers.shift() ?? Effect.succeed([]))),
          streamText: () => Stream.empty
        })
      ).pipe(Intelligence.retry({ delays: [0] }))
      const both = Effect.gen(function* () {
        const call = LanguageModel.generateText({ prompt: "?", toolkit })
        const failed = yield* Effect.flip(call)
        assert.include(failed.message, "busy")
        assert.deepStrictEqual(happened, ["asked", "ran"])
        assert.strictEqual((yield* call).text, "here")
      })
      const fiber = yield* Effect.forkChild(Effect.provide(both, Layer.merge(handlers, model)))
      yield* TestClock.adjust(1)
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(happened, ["asked", "ran", "asked", "asked"])
    })
  )

  it.effect("A158: stops waiting where it is interrupted", () =>
    withSleeps((sleeps) =>
      Effect.gen(function* () {
        const model = scripted(busy, "here")
        const fiber = yield* Effect.forkChild(Effect.provide(call, model.layer.pipe(Intelligence.retry())))
        yield* Effect.promise(() => sleeps.first(() => true))
        yield* Fiber.interrupt(fiber)
        assert.strictEqual(model.asked, 1)
      })
    )
  )
})

describe("Intelligence.failover", () => {
  for (const [way, run] of Object.entries(ways)) {
    it.effect(`A155: asks each model once, in order, and the first one first again (${way})`, () =>
      Effect.gen(function* () {
        const [first, second, third] = [scripted(busy, "back"), scripted(limited(1)), scripted("third")]
        const model = Intelligence.failover([first.layer, second.layer, third.layer])
        yield* Effect.gen(function* () {
          assert.strictEqual(yield* run, "third")
          assert.deepStrictEqual([first.asked, second.asked, third.asked], [1, 1, 1])
          assert.strictEqual(yield* run, "back")
          assert.deepStrictEqual([first.asked, second.asked, third.asked], [2, 1, 1])
        }).pipe(Effect.provide(model))
      })
    )
  }

  it.effect("A155: stops at a failure that is not of the model's absence", () =>
    Effect.gen(function* () {
      for (const failure of [noKey, bad]) {
        const other = scripted("other")
        const model = Intelligence.failover([scripted(failure).layer, other.layer])
        assert.strictEqual(yield* Effect.flip(Effect.provide(call, model)), failure)
        assert.strictEqual(other.asked, 0)
      }
    })
  )

  it.effect("A157: tells what each failed with, where none answers", () =>
    Effect.gen(function* () {
      const down = Intelligence.failover([scripted(busy).layer, scripted(reset).layer])
      const failed = yield* Effect.flip(Effect.provide(call, down))
      assert.include(
        failed.message,
        "none of 2 models answered: 1. test.generateText: Internal provider error: busy 2. "
      )
      assert.isTrue(Intelligence.isPassing(failed))
      assert.isTrue(Intelligence.isUnavailable(failed))
      const only = Intelligence.failover([scripted(busy).layer])
      assert.strictEqual(yield* Effect.flip(Effect.provide(call, only)), busy)
    })
  )

  it.effect("does not go on with another model in the midst of a stream", () =>
    Effect.gen(function* () {
      const other = scripted("other")
      const model = Intelligence.failover([scripted("half-").layer, other.layer])
      assert.strictEqual(yield* Effect.flip(Effect.provide(streamed, model)), busy)
      assert.strictEqual(other.asked, 0)
    })
  )

  it.effect("leaves out a model whose breaker is open", () =>
    Effect.gen(function* () {
      const first = scripted(busy)
      const model = Intelligence.failover([first.layer.pipe(Intelligence.breaker()), scripted("second").layer])
      const all = yield* Effect.provide(
        Effect.forEach([1, 2, 3, 4, 5], () => call),
        model
      )
      assert.deepStrictEqual(all, ["second", "second", "second", "second", "second"])
      assert.strictEqual(first.asked, 3)
    })
  )
})

describe("Intelligence.breaker", () => {
  const isOpen = (exit: Exit.Exit<unknown, AiError.AiError>) =>
    Exit.isFailure(exit) && String(exit.cause).includes("is not asked")

  for (const [way, run] of Object.entries(ways)) {
    it.effect(`A156: opens after 3 failures in a row, for 5 s, twice as long each time, up to 60 s (${way})`, () =>
      Effect.gen(function* () {
        const model = scripted(busy)
        const attempt = Effect.exit(run)
        yield* Effect.gen(function* () {
          for (const _ of [1, 2, 3]) assert.isFalse(isOpen(yield* attempt))
          let asked = 3
          for (const seconds of [5, 10, 20, 40, 60, 60]) {
            assert.isTrue(isOpen(yield* attempt))
            yield* TestClock.adjust(seconds * 1000 - 1)
            assert.isTrue(isOpen(yield* attempt))
            assert.strictEqual(model.asked, asked)
            yield* TestClock.adjust(1)
            assert.isFalse(isOpen(yield* attempt))
            assert.strictEqual(model.asked, ++asked)
          }
        }).pipe(Effect.provide(model.layer.pipe(Intelligence.breaker())))
      })
    )

    it.effect(`A156: closes with the first answer, and begins anew (${way})`, () =>
      Effect.gen(function* () {
        const model = scripted(busy, busy, busy, busy, "back", busy, busy, bad, busy, busy, busy, "again")
        const attempt = Effect.exit(run)
        const open = Effect.map(attempt, isOpen)
        yield* Effect.gen(function* () {
          for (const _ of [1, 2, 3]) yield* attempt
          yield* TestClock.adjust(5000)
          yield* attempt
          yield* TestClock.adjust(10_000)
          assert.strictEqual(yield* run, "back")
          // Two failures are no three, and a refusal of the request is an answer.
          for (const _ of [1, 2, 3, 4, 5, 6]) assert.isFalse(yield* open)
          assert.isTrue(yield* open)
          yield* TestClock.adjust(5000)
          assert.strictEqual(yield* run, "again")
        }).pipe(Effect.provide(model.layer.pipe(Intelligence.breaker())))
      })
    )

    it.effect(`A156: lets one probe through, and the next one where that is interrupted (${way})`, () =>
      Effect.gen(function* () {
        const model = scripted(busy, busy, busy, "never", "never", "back")
        const attempt = Effect.exit(run)
        yield* Effect.gen(function* () {
          for (const _ of [1, 2, 3]) yield* attempt
          yield* TestClock.adjust(5000)
          for (const asked of [4, 5]) {
            const probe = yield* Effect.forkChild(run, { startImmediately: true })
            assert.strictEqual(model.asked, asked)
            assert.isTrue(isOpen(yield* attempt))
            assert.strictEqual(model.asked, asked)
            yield* Fiber.interrupt(probe)
          }
          assert.strictEqual(yield* run, "back")
        }).pipe(Effect.provide(model.layer.pipe(Intelligence.breaker())))
      })
    )
  }

  it.effect("counts a stream that breaks off", () =>
    Effect.gen(function* () {
      const model = scripted("half-")
      const attempt = Effect.exit(streamed)
      yield* Effect.gen(function* () {
        for (const _ of [1, 2, 3]) assert.isFalse(isOpen(yield* attempt))
        assert.isTrue(isOpen(yield* attempt))
      }).pipe(Effect.provide(model.layer.pipe(Intelligence.breaker())))
    })
  )

  it.effect("is not asked again by retries while it is open", () =>
    Effect.gen(function* () {
      const model = scripted(busy)
      const layer = model.layer.pipe(Intelligence.breaker({ failures: 1 }), Intelligence.retry({ delays: [1, 1] }))
      const fiber = yield* Effect.forkChild(Effect.flip(Effect.provide(call, layer)))
      yield* TestClock.adjust(1)
      assert.include((yield* Fiber.join(fiber)).message, "the model failed 1 times in a row")
      assert.strictEqual(model.asked, 1)
    })
  )
})
