/**
 * Asking the model once, whole or in a stream, and what it answered. Calls of tools come back as they are: the loop makes
 * them.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { AiError } from "effect/ai/AiError"
import type { LanguageModel } from "effect/ai/LanguageModel"
import * as Prompt from "effect/ai/Prompt"
import type * as Response from "effect/ai/Response"
import type { ModelTools } from "../toolbox/Toolbox.ts"

/** What the model answered. */
export interface ModelAnswer {
  readonly parts: ReadonlyArray<Response.AnyPart>
  readonly text: string
  readonly finishReason: Response.FinishReason
  /** Tokens; 0 where the provider does not say. */
  readonly input: number
  readonly output: number
}

const textIn = (part: Response.AnyPart): string =>
  part.type === "text" ? part.text : part.type === "text-delta" ? part.delta : ""

const answerOf = (parts: ReadonlyArray<Response.AnyPart>): ModelAnswer => {
  const finish = parts.findLast((part) => part.type === "finish")
  return {
    parts,
    text: parts.map(textIn).join(""),
    finishReason: finish?.reason ?? "unknown",
    input: finish?.usage.inputTokens.total ?? 0,
    output: finish?.usage.outputTokens.total ?? 0
  }
}

const request = (messages: ReadonlyArray<Prompt.Message>, toolkit: ModelTools) => ({
  prompt: Prompt.fromMessages(messages),
  toolkit,
  disableToolCallResolution: true as const,
  toolCallValidation: "deferred" as const
})

/** Asks and waits for the whole answer. */
export const askWhole = (
  model: LanguageModel,
  messages: ReadonlyArray<Prompt.Message>,
  tools: ModelTools
): Effect.Effect<ModelAnswer, AiError> =>
  Effect.map(model.generateText(request(messages, tools)), ({ content }) => answerOf(content))

/**
 * Asks and tells of text as it comes.
 *
 * @param onText told of each part of the text
 */
export const askStreaming = (
  model: LanguageModel,
  messages: ReadonlyArray<Prompt.Message>,
  tools: ModelTools,
  onText: (text: string) => void
): Effect.Effect<ModelAnswer, AiError> =>
  Effect.map(
    Stream.runCollect(
      Stream.tap(model.streamText(request(messages, tools)), (part) =>
        Effect.sync(() => {
          const text = textIn(part)
          if (text !== "") onText(text)
        })
      )
    ),
    answerOf
  )
