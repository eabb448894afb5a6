/**
 * What makes a model dependable, as layers around the layers of models: asking again, asking another one, and leaving one
 * alone that does not answer.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Cause from "effect/Cause"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import { Breaker, type BreakerSettings, type CallEnd } from "./Breaker.ts"
import { isOpenBreaker, isPassing, isUnavailable, noneAnswered, openBreaker, retryAfterOf } from "./ModelFailure.ts"
import { aroundCalls, modelOf, type CallPolicy } from "./ModelPolicy.ts"

/** A layer of a model. */
export type ModelLayer<E = never, R = never> = Layer.Layer<LanguageModel.LanguageModel, E, R>

type AnyModelLayer = ModelLayer<unknown, unknown>

/** Settings of retries; times are in milliseconds. */
export interface RetrySettings {
  /** How long is waited before each further try, which also says how many there are: 250 and 500 by default. */
  readonly delays?: ReadonlyArray<number>
  /** A service that wants to be left alone for longer than this is not asked again: 60 s by default. */
  readonly maxDelay?: number
}

const around =
  (wrap: (model: LanguageModel.LanguageModel) => LanguageModel.LanguageModel) =>
  <E, R>(layer: ModelLayer<E, R>): ModelLayer<E, R> =>
    Layer.provide(Layer.effect(LanguageModel.LanguageModel, Effect.map(LanguageModel.LanguageModel, wrap)), layer)

/** How long to wait before the same call is made again; `undefined` where it is not. */
const waitFor = (error: unknown, delay: number | undefined, maxDelay: number): number | undefined => {
  if (delay === undefined || !isPassing(error) || isOpenBreaker(error)) return undefined
  const wanted = retryAfterOf(error) ?? 0
  return wanted > maxDelay ? undefined : Math.max(delay, wanted)
}

const retryPolicy =
  ({ delays = [250, 500], maxDelay = 60_000 }: RetrySettings): CallPolicy =>
  <A, E, R>([attempt]: readonly [Effect.Effect<A, E, R>, ...Array<Effect.Effect<A, E, R>>], began: () => boolean) => {
    const go = (index: number): Effect.Effect<A, E, R> =>
      Effect.catch(attempt, (error) => {
        const wait = began() ? undefined : waitFor(error, delays[index], maxDelay)
        return wait === undefined ? Effect.fail(error) : Effect.andThen(Effect.sleep(wait), go(index + 1))
      })
    return go(0)
  }

/**
 * Makes a call again that failed in a way that may pass (A154): twice by default, after 250 and 500 ms, or after as long as
 * the service asks for. A key that is refused is not tried again, nor a call whose tools ran or whose stream began.
 *
 * @param settings every one has a default
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as LanguageModel from "effect/ai/LanguageModel"
 * import { Intelligence, OpenAiCompat } from "@treadle/agent/model"
 *
 * const answers = [
 *   new Response("busy", { status: 503 }),
 *   Response.json({ choices: [{ message: { content: "Hello." } }] })
 * ]
 * const fetch = async () => answers.shift() ?? new Response("", { status: 500 })
 * const model = OpenAiCompat.layer({ url: "https://models.example", model: "small", fetch }).pipe(
 *   Intelligence.retry({ delays: [1] })
 * )
 *
 * const said = LanguageModel.generateText({ prompt: "Say hello." }).pipe(Effect.provide(model))
 * await Effect.runPromise(said.pipe(Effect.map(({ text }) => text))) // => "Hello."
 * ```
 */
const retry = (settings: RetrySettings = {}): (<E, R>(layer: ModelLayer<E, R>) => ModelLayer<E, R>) =>
  around((model) => modelOf([model], retryPolicy(settings)))

const failoverPolicy: CallPolicy = <A, E, R>(
  tries: readonly [Effect.Effect<A, E, R>, ...Array<Effect.Effect<A, E, R>>],
  began: () => boolean
) => {
  const errors: Array<E & AiError.AiError> = []
  const go = ([attempt, next, ...others]: typeof tries): Effect.Effect<A, E, R> =>
    Effect.catch(attempt, (error) => {
      if (began() || !isPassing(error)) return Effect.fail(error)
      errors.push(error)
      if (next !== undefined) return go([next, ...others])
      // It is one of the failures that every call of a model may have.
      return Effect.fail(errors.length === 1 ? error : (noneAnswered(errors) as E & AiError.AiError))
    })
  return go(tries)
}

/**
 * Asks models in order until one answers (A155): each once for a call, the first one first again for the next call. It goes
 * on after a failure that may pass; any other one, such as a refused key, is the failure of the call. Give each model a
 * `breaker`, so that one that is down costs no time.
 *
 * @param layers the models, the preferred one first
 * @returns where none answers, it fails with one error that tells all of them
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as LanguageModel from "effect/ai/LanguageModel"
 * import { Intelligence, OpenAiCompat } from "@treadle/agent/model"
 *
 * const small = { url: "https://models.example", model: "small" }
 * const model = Intelligence.failover([
 *   OpenAiCompat.layer({ ...small, fetch: async () => new Response("", { status: 500 }) }),
 *   OpenAiCompat.layer({ ...small, fetch: async () => Response.json({ choices: [{ message: { content: "Here." } }] }) })
 * ])
 *
 * const said = LanguageModel.generateText({ prompt: "Anybody?" }).pipe(Effect.provide(model))
 * await Effect.runPromise(said.pipe(Effect.map(({ text }) => text))) // => "Here."
 * ```
 */
const failover = <const Layers extends readonly [AnyModelLayer, ...Array<AnyModelLayer>]>(
  layers: Layers
): ModelLayer<Layer.Error<Layers[number]>, Layer.Services<Layers[number]>> => {
  // Each layer has errors and services of its own; together they are those of all.
  const all = layers as readonly [
    ModelLayer<Layer.Error<Layers[number]>, Layer.Services<Layers[number]>>,
    ...Array<ModelLayer<Layer.Error<Layers[number]>, Layer.Services<Layers[number]>>>
  ]
  return Layer.effect(
    LanguageModel.LanguageModel,
    Effect.map(
      Effect.forEach(all, (layer) =>
        Effect.map(Layer.build(layer), (context) => Context.get(context, LanguageModel.LanguageModel))
      ),
      (models) => modelOf(models, failoverPolicy)
    )
  )
}

const endOf = <A, E>(exit: Exit.Exit<A, E>): CallEnd => {
  if (Exit.isSuccess(exit)) return "answered"
  if (Cause.hasInterruptsOnly(exit.cause)) return "nothing"
  return Option.exists(Cause.findErrorOption(exit.cause), isPassing) ? "failed" : "answered"
}

/** Asks the breaker before a call. @returns what to do with the exit of the call */
const admitted = (breaker: Breaker) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const admission = breaker.admit(now)
    if ("wait" in admission) return Effect.fail(openBreaker(breaker.most, admission.wait))
    return Effect.succeed(<A, E>(exit: Exit.Exit<A, E>) =>
      Effect.map(Clock.currentTimeMillis, (then) => breaker.record(endOf(exit), admission.probe, then))
    )
  })

/** A model that is asked through a breaker. A probe that is interrupted leaves room for the next one. */
const broken = (model: LanguageModel.LanguageModel, breaker: Breaker): LanguageModel.LanguageModel => {
  const call = <A, E, R>(attempt: Effect.Effect<A, E, R>): Effect.Effect<A, E | AiError.AiError, R> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(admitted(breaker), (record) => Effect.onExit(restore(attempt), record))
    )
  const stream = <A, E, R>(attempt: Stream.Stream<A, E, R>): Stream.Stream<A, E | AiError.AiError, R> =>
    Stream.unwrap(
      Effect.as(
        Effect.acquireRelease(admitted(breaker), (record, exit) => record(exit)),
        attempt
      )
    )
  return aroundCalls(model, call, stream)
}

/**
 * Leaves a model alone that fails (A156): after three failures in a row that may pass, calls fail at once for 5 seconds;
 * then one call finds out whether it is back. As long as it is not, the time doubles, up to a minute.
 *
 * The state belongs to the layer where it is built, and all who use that model share it.
 *
 * @param settings every one has a default
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as LanguageModel from "effect/ai/LanguageModel"
 * import { Intelligence, OpenAiCompat } from "@treadle/agent/model"
 *
 * let asked = 0
 * const fetch = async () => new Response("", { status: 500 + asked++ })
 * const model = OpenAiCompat.layer({ url: "https://models.example", model: "small", fetch }).pipe(
 *   Intelligence.breaker({ failures: 2 })
 * )
 *
 * const anybody = LanguageModel.generateText({ prompt: "Anybody?" }).pipe(Effect.ignore)
 * await Effect.runPromise(anybody.pipe(Effect.repeat({ times: 9 }), Effect.provide(model)))
 * asked // => 2
 * ```
 */
const breaker = (settings: BreakerSettings = {}): (<E, R>(layer: ModelLayer<E, R>) => ModelLayer<E, R>) =>
  around((model) => broken(model, new Breaker(settings)))

/** What makes models dependable. */
export const Intelligence = { breaker, failover, isPassing, isUnavailable, retry }
