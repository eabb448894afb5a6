/** The answer of chat completions, as parts of a response. */
import * as Result from "effect/Result"
import * as AiError from "effect/ai/AiError"
import type * as Response from "effect/ai/Response"
import { own } from "@treadle/protocol/json"
import type { Adapter, AnswerFacts } from "./Adapter.ts"
import { invalid, saidFailure } from "./HttpFailure.ts"
import { openAiAdapter } from "./OpenAiRequest.ts"
import { parsedArguments } from "./PromptValues.ts"
import { countAt, difference, listAt, textAt } from "./Members.ts"

/** Fields in which models show what they think. */
const thoughtFields = ["reasoning_content", "reasoning"] as const

/** What a model thought, with the field in which it said so. */
export const thoughtIn = (message: unknown): { readonly text: string; readonly field: string } | undefined => {
  const field = thoughtFields.find((one) => (textAt(message, one) ?? "") !== "")
  return field === undefined ? undefined : { field, text: textAt(message, field) ?? "" }
}

export const thoughtMetadata = (field: string) => ({ [openAiAdapter]: { field } })

/** The text of a message; some services give it in parts. */
export const contentOf = (message: unknown): string =>
  textAt(message, "content") ??
  listAt(message, "content")
    .map((part) => textAt(part, "text") ?? "")
    .join("")

const reasons: { readonly [reason: string]: Response.FinishReason } = {
  stop: "stop",
  eos: "stop",
  length: "length",
  model_length: "length",
  tool_calls: "tool-calls",
  function_call: "tool-calls",
  content_filter: "content-filter",
  error: "error"
}

/** @param calls whether tools were called, which some services do not tell by the reason */
export const finishReasonOf = (said: unknown, calls: boolean): Response.FinishReason => {
  const reason = typeof said === "string" ? (Object.hasOwn(reasons, said) ? reasons[said] : "other") : undefined
  if (calls && (reason === undefined || reason === "stop")) return "tool-calls"
  return reason ?? "unknown"
}

/** What is not told stays open: it is not 0. */
export const usageOf = (usage: unknown): Response.FinishPartEncoded["usage"] => {
  const input = countAt(usage, "prompt_tokens")
  const output = countAt(usage, "completion_tokens")
  const cached = countAt(own(usage, "prompt_tokens_details"), "cached_tokens")
  const reasoning = countAt(own(usage, "completion_tokens_details"), "reasoning_tokens")
  return {
    inputTokens: { total: input, uncached: difference(input, cached), cacheRead: cached, cacheWrite: undefined },
    outputTokens: { total: output, text: difference(output, reasoning), reasoning }
  }
}

/** The last moment that a date can say, in seconds. */
const lastSecond = 8_640_000_000_000

export const metadataOf = (answer: unknown): Response.ResponseMetadataPartEncoded => {
  const created = countAt(answer, "created")
  return {
    type: "response-metadata",
    id: textAt(answer, "id"),
    modelId: textAt(answer, "model"),
    timestamp: created === undefined || created > lastSecond ? undefined : new Date(created * 1000).toISOString()
  }
}

const callOf = (call: unknown, index: number, facts: AnswerFacts): Response.ToolCallPartEncoded | undefined => {
  const name = textAt(own(call, "function"), "name")
  if (name === undefined) return undefined
  const given = own(own(call, "function"), "arguments")
  return {
    type: "tool-call",
    id: textAt(call, "id") || facts.callId(index),
    name: facts.names.fromWire(name),
    // Some services give the arguments as JSON itself.
    params: typeof given === "string" ? parsedArguments(given) : (given ?? {})
  }
}

/** A refusal is a text, but where JSON was asked for it must not be read as the answer. */
const refusalFailure = (refusal: string): AiError.AiErrorReason =>
  new AiError.ContentPolicyError({ description: `the model refuses: ${refusal}` })

export const readOpenAi: Adapter["read"] = (answer, facts) => {
  const { exchange } = facts
  if (own(answer, "error") != null) return Result.fail(saidFailure(exchange, answer))
  const [choice] = listAt(answer, "choices")
  const message = own(choice, "message")
  if (typeof message !== "object" || message === null) {
    return Result.fail(invalid(exchange, "the answer has no `choices[0].message`"))
  }
  const refusal = textAt(message, "refusal") ?? ""
  if (refusal !== "" && facts.json) return Result.fail(refusalFailure(refusal))
  const calls = listAt(message, "tool_calls").flatMap((call, index) => callOf(call, index, facts) ?? [])
  const thought = thoughtIn(message)
  const text = contentOf(message) + refusal
  return Result.succeed([
    metadataOf(answer),
    ...(thought === undefined
      ? []
      : [{ type: "reasoning" as const, text: thought.text, metadata: thoughtMetadata(thought.field) }]),
    ...(text === "" ? [] : [{ type: "text" as const, text }]),
    ...calls,
    {
      type: "finish",
      reason: refusal === "" ? finishReasonOf(own(choice, "finish_reason"), calls.length > 0) : "content-filter",
      usage: usageOf(own(answer, "usage"))
    }
  ])
}
