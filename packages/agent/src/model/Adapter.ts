/**
 * A wire made into a `LanguageModel`: names of tools, one request, its answer whole or in pieces, and what a tracer hears
 * of it. An adapter is what this takes: the body of a request, and readers of answers.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as AiError from "effect/ai/AiError"
import { IdGenerator } from "effect/ai/IdGenerator"
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as Response from "effect/ai/Response"
import { addGenAIAnnotations } from "effect/ai/Telemetry"
import type { JsonObject } from "@treadle/protocol/json"
import type { Exchange } from "./HttpFailure.ts"
import { postJson, postStream, type StreamReading, type StreamStep } from "./ModelHttp.ts"
import {
  makePeer,
  type ModelPeer,
  type ModelSettings,
  type ModelSettingsError,
  type ModelWire
} from "./ModelSettings.ts"
import { toolNamesOf } from "./PromptValues.ts"
import { makeWireNames, type WireNames } from "./WireNames.ts"

/** A tool that stands for the answer, where a wire asks for JSON by one. */
export interface AnswerTool {
  readonly name: string
  /** Whether the answer is the property `value` of its arguments. */
  readonly wrapped: boolean
}

/** What is sent. */
export interface RequestBody {
  readonly body: JsonObject
  readonly answer?: AnswerTool
}

/** What a reader of an answer has to know of its request. */
export interface AnswerFacts {
  readonly exchange: Exchange
  readonly names: WireNames
  /** Whether the text of the answer must be JSON. */
  readonly json: boolean
  readonly answer?: AnswerTool | undefined
  /** An id for a call that came without one. @param index which call of the answer it is */
  readonly callId: (index: number) => string
}

type Reason = AiError.AiErrorReason
type Part = Response.PartEncoded | Response.StreamPartEncoded

/** One wire. */
export interface Adapter {
  readonly wire: ModelWire
  /** What tracers call the provider. */
  readonly provider: string
  readonly codecTransformer: LanguageModel.CodecTransformer
  /**
   * @param stream whether the answer is to come in pieces
   * @returns the body of a request, or why there is none
   */
  readonly body: (
    settings: ModelSettings,
    options: LanguageModel.ProviderOptions,
    names: WireNames,
    stream: boolean
  ) => Result.Result<RequestBody, Reason>
  /** @returns the parts of an answer, or why it is none */
  readonly read: (answer: unknown, facts: AnswerFacts) => Result.Result<Array<Response.PartEncoded>, Reason>
  /** Reads the answer that comes in pieces. */
  readonly reading: (facts: AnswerFacts) => StreamReading
}

/** A call of a tool that was not offered, unless the caller looks at calls by itself. */
const madeUp = (parts: ReadonlyArray<Part>, options: LanguageModel.ProviderOptions): Reason | undefined => {
  if (options.toolCallValidation === "deferred") return undefined
  const call = parts.find(
    (part) =>
      (part.type === "tool-call" || part.type === "tool-params-start") &&
      options.tools.every((tool) => tool.name !== part.name)
  )
  return call !== undefined && "name" in call
    ? new AiError.ToolNotFoundError({ toolName: call.name, availableTools: options.tools.map(({ name }) => name) })
    : undefined
}

const annotateRequest = (
  { span }: LanguageModel.ProviderOptions,
  { provider }: Adapter,
  { maxTokens, model, temperature }: ModelSettings
): void =>
  addGenAIAnnotations(span, {
    provider: { name: provider },
    operation: { name: "chat" },
    request: { model, maxTokens, temperature }
  })

const annotateResponse = ({ span }: LanguageModel.ProviderOptions, parts: ReadonlyArray<Part>): void => {
  for (const part of parts) {
    if (part.type === "response-metadata") {
      addGenAIAnnotations(span, { response: { id: part.id, model: part.modelId } })
    } else if (part.type === "finish") {
      addGenAIAnnotations(span, {
        response: { finishReasons: [part.reason] },
        usage: { inputTokens: part.usage.inputTokens.total, outputTokens: part.usage.outputTokens.total }
      })
    }
  }
}

/** A reading that stops at a call of a tool that does not exist. */
const checkedReading = (reading: StreamReading, options: LanguageModel.ProviderOptions): StreamReading => {
  const check = (step: StreamStep): StreamStep => {
    annotateResponse(options, step.parts)
    const failure = madeUp(step.parts, options)
    return failure === undefined ? step : { parts: [], over: failure }
  }
  return { event: (event) => check(reading.event(event)), end: () => check(reading.end()) }
}

/** One call of a model, ready to be sent. */
interface ReadyCall {
  /** The body. */
  readonly text: string
  readonly factsOf: (exchange: Exchange) => AnswerFacts
}

/** A prompt may hold what JSON has no words for. */
const unprintable = (thrown: unknown): Reason =>
  new AiError.InvalidUserInputError({
    description: `the prompt cannot be written as JSON: ${thrown instanceof Error ? thrown.message : String(thrown)}`
  })

const readyCall = (
  adapter: Adapter,
  settings: ModelSettings,
  options: LanguageModel.ProviderOptions,
  stream: boolean
): Effect.Effect<ReadyCall, Reason, IdGenerator> =>
  Effect.flatMap(
    IdGenerator.use((ids) => ids.generateId()),
    (id) => {
      const names = makeWireNames(toolNamesOf(options.tools, options.prompt))
      annotateRequest(options, adapter, settings)
      const json = options.responseFormat.type === "json"
      const callId = (index: number) => `${id}_${index}`
      const made = Result.try({
        try: () =>
          Result.map(adapter.body(settings, options, names, stream), ({ answer, body }) => ({
            text: JSON.stringify(body),
            factsOf: (exchange: Exchange): AnswerFacts => ({ exchange, names, json, answer, callId })
          })),
        catch: unprintable
      })
      return Effect.fromResult(Result.flatMap(made, (call) => call))
    }
  )

const named =
  ({ adapter }: ModelPeer, method: string) =>
  (reason: Reason) =>
    AiError.make({ module: adapter, method, reason })

const generateText =
  (adapter: Adapter, settings: ModelSettings, peer: ModelPeer) => (options: LanguageModel.ProviderOptions) =>
    Effect.mapError(
      Effect.flatMap(readyCall(adapter, settings, options, false), ({ factsOf, text }) =>
        postJson(peer, text, (json, exchange) => {
          const read = adapter.read(json, factsOf(exchange))
          if (Result.isFailure(read)) return Effect.fail(read.failure)
          annotateResponse(options, read.success)
          const failure = madeUp(read.success, options)
          return failure === undefined ? Effect.succeed(read.success) : Effect.fail(failure)
        })
      ),
      named(peer, "generateText")
    )

const streamText =
  (adapter: Adapter, settings: ModelSettings, peer: ModelPeer) => (options: LanguageModel.ProviderOptions) =>
    Stream.mapError(
      Stream.unwrap(
        Effect.map(readyCall(adapter, settings, options, true), ({ factsOf, text }) =>
          postStream(peer, text, (exchange) => checkedReading(adapter.reading(factsOf(exchange)), options))
        )
      ),
      named(peer, "streamText")
    )

/** A model of these settings, on the wire of the adapter. */
export const makeModel = (
  adapter: Adapter,
  settings: ModelSettings
): Effect.Effect<LanguageModel.LanguageModel, ModelSettingsError> =>
  Effect.flatMap(makePeer(settings, adapter.wire), (peer) =>
    LanguageModel.make({
      generateText: generateText(adapter, settings, peer),
      streamText: streamText(adapter, settings, peer),
      codecTransformer: adapter.codecTransformer
    })
  )
