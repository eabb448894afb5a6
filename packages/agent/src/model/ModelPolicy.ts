/**
 * A model made of others by a policy: which of them is asked, and when again. A call that has begun to have effects is
 * never made twice: tools that ran cannot run back, parts of a stream that were seen cannot be taken back.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Pull from "effect/Pull"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as Toolkit from "effect/ai/Toolkit"

/**
 * What is done with one call, each time that it is made.
 *
 * @param tries the call at each model, in order; nothing happens before one of them runs
 * @param began whether the call had effects already, so that it must not be tried again
 */
export type CallPolicy = <A, E, R>(
  tries: readonly [Effect.Effect<A, E, R>, ...Array<Effect.Effect<A, E, R>>],
  began: () => boolean
) => Effect.Effect<A, E, R>

/** The options of a call, as far as they matter here. */
interface CallOptions {
  readonly disableToolCallResolution?: boolean | undefined
  readonly toolkit?: unknown
}

type AnyToolkit = Toolkit.WithHandler<{}>
type Call<A> = (options: CallOptions) => A

/** Options that tell when a tool of theirs runs. */
const watched = (options: CallOptions): { readonly options: CallOptions; readonly began: () => boolean } => {
  const { disableToolCallResolution, toolkit } = options
  if (toolkit === undefined || disableToolCallResolution === true) return { options, began: () => false }
  let began = false
  const watch = (one: AnyToolkit): AnyToolkit => ({
    tools: one.tools,
    handle: (...call) => {
      began = true
      return one.handle(...call)
    }
  })
  // What a toolkit may be is fixed by the types of the model: one with handlers, or an effect of it.
  const next = Effect.isEffect(toolkit)
    ? Effect.map(toolkit as Effect.Effect<AnyToolkit>, watch)
    : watch(toolkit as AnyToolkit)
  return { options: { ...options, toolkit: next }, began: () => began }
}

/** A stream up to its first parts: from then on it is the one. */
const opened = <A, E, R>(stream: Stream.Stream<A, E, R>): Effect.Effect<Stream.Stream<A, E, R>, E, R | Scope.Scope> =>
  Effect.flatMap(Effect.scope, (outer) =>
    Effect.flatMap(Scope.fork(outer), (scope) =>
      Effect.onExit(
        Effect.flatMap(Scope.provide(Stream.toPull(stream), scope), (pull) =>
          Pull.matchEffect(pull, {
            onSuccess: (first) =>
              Effect.succeed(Stream.concat(Stream.fromArray(first), Stream.fromPull(Effect.succeed(pull)))),
            onFailure: (cause) => Effect.failCause(cause),
            onDone: () => Effect.succeed(Stream.empty)
          })
        ),
        (exit) => (Exit.isFailure(exit) ? Scope.close(scope, exit) : Effect.void)
      )
    )
  )

type AnyEffect = Effect.Effect<unknown, unknown, unknown>
type AnyStream = Stream.Stream<unknown, unknown, unknown>

/** The methods of a model without the overloads that say how options and results belong together. */
interface PlainModel {
  readonly generateText: Call<AnyEffect>
  readonly generateObject: Call<AnyEffect>
  readonly streamText: Call<AnyStream>
}

const plain = (model: LanguageModel.LanguageModel): PlainModel => ({
  generateText: model.generateText as Call<AnyEffect>,
  generateObject: model.generateObject as Call<AnyEffect>,
  streamText: model.streamText as Call<AnyStream>
})

/** @param like what prompts may be like is said by this one */
const withMethods = (methods: PlainModel, like: LanguageModel.LanguageModel): LanguageModel.LanguageModel =>
  LanguageModel.LanguageModel.of({
    [LanguageModel.TypeId]: LanguageModel.TypeId,
    supportsSystemMessagesInHistory: like.supportsSystemMessagesInHistory,
    generateText: methods.generateText as LanguageModel.LanguageModel["generateText"],
    generateObject: methods.generateObject as LanguageModel.LanguageModel["generateObject"],
    streamText: methods.streamText as LanguageModel.LanguageModel["streamText"]
  })

/** A model whose calls go through these functions. */
export const aroundCalls = (
  model: LanguageModel.LanguageModel,
  call: (attempt: AnyEffect) => AnyEffect,
  stream: (attempt: AnyStream) => AnyStream
): LanguageModel.LanguageModel => {
  const { generateObject, generateText, streamText } = plain(model)
  const methods = {
    generateText: (options: CallOptions) => call(generateText(options)),
    generateObject: (options: CallOptions) => call(generateObject(options)),
    streamText: (options: CallOptions) => stream(streamText(options))
  }
  return withMethods(methods, model)
}

/** A model that asks others by a policy. @param models one or more */
export const modelOf = (
  models: readonly [LanguageModel.LanguageModel, ...Array<LanguageModel.LanguageModel>],
  policy: CallPolicy
): LanguageModel.LanguageModel => {
  const [first, ...others] = models
  const decide = <A>(
    given: CallOptions,
    attempt: (model: PlainModel, options: CallOptions) => Effect.Effect<A, unknown, unknown>
  ) =>
    Effect.suspend(() => {
      const { began, options } = watched(given)
      return policy([attempt(plain(first), options), ...others.map((model) => attempt(plain(model), options))], began)
    })
  const methods: PlainModel = {
    generateText: (given) => decide(given, (model, options) => model.generateText(options)),
    generateObject: (given) => decide(given, (model, options) => model.generateObject(options)),
    streamText: (given) => Stream.unwrap(decide(given, (model, options) => opened(model.streamText(options))))
  }
  return withMethods(methods, first)
}
