/** The answer of Anthropic's messages, as parts of a response. */
import * as Result from "effect/Result"
import type * as Response from "effect/ai/Response"
import { own } from "@treadle/protocol/json"
import type { Adapter, AnswerFacts } from "./Adapter.ts"
import { anthropicAdapter } from "./AnthropicRequest.ts"
import { invalid, saidFailure } from "./HttpFailure.ts"
import { countAt, difference, listAt, printJson, sum, textAt } from "./Members.ts"

const reasons: { readonly [reason: string]: Response.FinishReason } = {
  end_turn: "stop",
  stop_sequence: "stop",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  tool_use: "tool-calls",
  refusal: "content-filter",
  pause_turn: "pause"
}

/** @param answered whether the call that ended the turn was the answer itself */
export const finishReasonOf = (said: string | undefined, answered: boolean): Response.FinishReason => {
  if (said === undefined) return "unknown"
  const reason = Object.hasOwn(reasons, said) ? (reasons[said] ?? "other") : "other"
  return answered && reason === "tool-calls" ? "stop" : reason
}

/** Tokens that were read from a cache or written to one are not among `input_tokens`. */
export const usageOf = (usage: unknown): Response.FinishPartEncoded["usage"] => {
  const uncached = countAt(usage, "input_tokens")
  const cacheRead = countAt(usage, "cache_read_input_tokens")
  const cacheWrite = countAt(usage, "cache_creation_input_tokens")
  const output = countAt(usage, "output_tokens")
  const reasoning = countAt(own(usage, "output_tokens_details"), "thinking_tokens")
  return {
    inputTokens: { total: sum(uncached, cacheRead, cacheWrite), uncached, cacheRead, cacheWrite },
    outputTokens: { total: output, text: difference(output, reasoning), reasoning }
  }
}

export const metadataOf = (message: unknown): Response.ResponseMetadataPartEncoded => ({
  type: "response-metadata",
  id: textAt(message, "id"),
  modelId: textAt(message, "model")
})

/** What makes a thought one that can be sent back. */
export const signed = (signature: string) => ({ [anthropicAdapter]: { signature } })
export const hidden = (redacted: string) => ({ [anthropicAdapter]: { redacted } })

/** The text of an answer that came as the arguments of its tool. */
const answerText = (input: unknown, wrapped: boolean): string => printJson(wrapped ? own(input, "value") : input)

/** @param answered whether there is an answer by its tool; text beside it is no part of it */
const partOf = (
  block: unknown,
  index: number,
  facts: AnswerFacts,
  answered: boolean
): ReadonlyArray<Response.PartEncoded> => {
  const type = textAt(block, "type")
  if (type === "text") {
    const text = textAt(block, "text") ?? ""
    return text === "" || answered ? [] : [{ type: "text", text }]
  }
  if (type === "thinking") {
    const metadata = signed(textAt(block, "signature") ?? "")
    return [{ type: "reasoning", text: textAt(block, "thinking") ?? "", metadata }]
  }
  if (type === "redacted_thinking") {
    return [{ type: "reasoning", text: "", metadata: hidden(textAt(block, "data") ?? "") }]
  }
  const name = textAt(block, "name")
  if (type !== "tool_use" || name === undefined) return []
  const input = own(block, "input") ?? {}
  if (name === facts.answer?.name) return [{ type: "text", text: answerText(input, facts.answer.wrapped) }]
  return [
    {
      type: "tool-call",
      id: textAt(block, "id") || facts.callId(index),
      name: facts.names.fromWire(name),
      params: input
    }
  ]
}

export const readAnthropic: Adapter["read"] = (answer, facts) => {
  if (own(answer, "error") != null) return Result.fail(saidFailure(facts.exchange, answer))
  if (!Array.isArray(own(answer, "content"))) {
    return Result.fail(invalid(facts.exchange, "the answer has no `content`"))
  }
  const blocks = listAt(answer, "content")
  const name = facts.answer?.name
  const answered = name !== undefined && blocks.some((block) => textAt(block, "name") === name)
  const parts = blocks.flatMap((block, index) => partOf(block, index, facts, answered))
  return Result.succeed([
    metadataOf(answer),
    ...parts,
    {
      type: "finish",
      reason: finishReasonOf(textAt(answer, "stop_reason"), answered),
      usage: usageOf(own(answer, "usage"))
    }
  ])
}
