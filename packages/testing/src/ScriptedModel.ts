/**
 * Services of models on a loopback port, in the shapes that their public references show. A test says what is answered;
 * what was asked is recorded.
 *
 * @see https://platform.openai.com/docs/api-reference/chat
 * @see https://docs.claude.com/en/api/messages
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { scriptedHttp, type HttpScript, type HttpScriptReply, type HttpSeen } from "./ScriptedHttp.ts"
import type { Recorder } from "./Recorder.ts"

/** A service that runs. */
export interface ScriptedModel {
  /** Its address without a path. */
  readonly url: string
  readonly seen: Recorder<HttpSeen>
}

/** What is answered to one request: JSON, or whatever a function does. */
export type ModelAnswer = object | ((seen: HttpSeen, reply: HttpScriptReply) => void)

/**
 * Starts a service; it stops with the scope.
 *
 * @param answers one for each request, in order; the last one for all that follow
 */
export const scriptedModel = (
  ...answers: readonly [ModelAnswer, ...Array<ModelAnswer>]
): Effect.Effect<ScriptedModel, never, Scope.Scope> => {
  let asked = 0
  const script: HttpScript = (seen, reply) => {
    const answer = answers[Math.min(asked++, answers.length - 1)]
    if (typeof answer === "function") answer(seen, reply)
    else reply.json(answer)
  }
  return Effect.map(scriptedHttp(script), ({ port, seen }) => ({ url: `http://127.0.0.1:${port}`, seen }))
}

/** Answers with a stream of events, in the given pieces or whole. */
export const streams =
  (text: string, cut: (bytes: Uint8Array) => ReadonlyArray<Uint8Array> = (bytes) => [bytes]): ModelAnswer =>
  async (_, reply) => {
    const stream = reply.stream()
    await stream.write(...cut(new TextEncoder().encode(text)))
    stream.end()
  }

/** A call of a tool as chat completions write it. */
export const openAiCall = (id: string, name: string, args: string) => ({
  id,
  type: "function",
  function: { name, arguments: args }
})

const openAiUsage = {
  prompt_tokens: 19,
  completion_tokens: 10,
  total_tokens: 29,
  prompt_tokens_details: { cached_tokens: 4, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 3, audio_tokens: 0 }
}

/** An answer of chat completions. @param more of the answer itself, such as `usage` */
export const openAiAnswer = (message: object, finish_reason: string | null = "stop", more: object = {}) => ({
  id: "chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT",
  object: "chat.completion",
  created: 1741569952,
  model: "gpt-5.4-2026-01-01",
  choices: [
    {
      index: 0,
      message: { role: "assistant", content: null, refusal: null, ...message },
      logprobs: null,
      finish_reason
    }
  ],
  usage: openAiUsage,
  service_tier: "default",
  ...more
})

/** A stream of chat completions from its deltas; the counts come in an event of their own. */
export const openAiStream = (
  deltas: ReadonlyArray<object>,
  finish_reason: string | null = "stop",
  end = "data: [DONE]\n\n"
): string => {
  const chunk = (more: object) =>
    `data: ${JSON.stringify({
      id: "chatcmpl-123",
      object: "chat.completion.chunk",
      created: 1694268190,
      model: "gpt-5.4-2026-01-01",
      ...more
    })}\n\n`
  const choice = (delta: object, reason: string | null) =>
    chunk({ choices: [{ index: 0, delta, finish_reason: reason }] })
  return [
    choice({ role: "assistant", content: "" }, null),
    ...deltas.map((delta) => choice(delta, null)),
    choice({}, finish_reason),
    chunk({ choices: [], usage: openAiUsage }),
    end
  ].join("")
}

const anthropicUsage = {
  input_tokens: 25,
  cache_creation_input_tokens: 5,
  cache_read_input_tokens: 10,
  output_tokens: 15,
  output_tokens_details: { thinking_tokens: 3 },
  server_tool_use: null
}

/** An answer of Anthropic's messages. */
export const anthropicAnswer = (content: ReadonlyArray<object>, stop_reason = "end_turn", more: object = {}) => ({
  id: "msg_013Zva2CMHLNnXjNJJKqJ2EF",
  type: "message",
  role: "assistant",
  model: "claude-opus-5-5",
  content,
  stop_reason,
  stop_sequence: null,
  usage: anthropicUsage,
  ...more
})

/** A block of a stream: how it begins, and its deltas. */
export interface AnthropicBlock {
  readonly block: object
  readonly deltas: ReadonlyArray<object>
}

const anthropicEvent = (type: string, more: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`

/** Counts at the end of a stream; those that were told before may be null. */
const lastUsage = {
  ...anthropicUsage,
  input_tokens: null,
  cache_creation_input_tokens: null,
  cache_read_input_tokens: null
}

/** A stream of Anthropic's messages from its blocks. */
export const anthropicStream = (
  blocks: ReadonlyArray<AnthropicBlock>,
  stop_reason = "end_turn",
  end = anthropicEvent("message_stop", {})
): string =>
  [
    anthropicEvent("message_start", {
      message: anthropicAnswer([], undefined, {
        stop_reason: null,
        usage: { ...anthropicUsage, output_tokens: 1, output_tokens_details: null }
      })
    }),
    ...blocks.flatMap(({ block, deltas }, index) => [
      anthropicEvent("content_block_start", { index, content_block: block }),
      ...(index === 0 ? [anthropicEvent("ping", {})] : []),
      ...deltas.map((delta) => anthropicEvent("content_block_delta", { index, delta })),
      anthropicEvent("content_block_stop", { index })
    ]),
    anthropicEvent("message_delta", { delta: { stop_reason, stop_sequence: null }, usage: lastUsage }),
    end
  ].join("")
