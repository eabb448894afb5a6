/** Models for agents: hosted and local ones, kept dependable. */
// #region hosted
import { Anthropic, OpenAiCompat } from "@treadle/agent/model"
import { NodeSecrets } from "@treadle/agent/node"
import * as Layer from "effect/Layer"

export const gpt = OpenAiCompat.layer({
  url: "https://api.openai.com/v1",
  model: "gpt-5",
  key: "{{secret:OPENAI_API_KEY}}"
}).pipe(Layer.provide(NodeSecrets.layer()))

export const claude = Anthropic.layer({
  model: "claude-sonnet-4-5",
  key: "{{secret-file:/run/secrets/anthropic}}",
  maxTokens: 4096
}).pipe(Layer.provide(NodeSecrets.layer()))
// #endregion

// #region local
/** @param url such as `http://127.0.0.1:11434` */
export const local = (url: string) => OpenAiCompat.layer({ url, model: "qwen3:8b" })
// #endregion

// #region ask
import * as Effect from "effect/Effect"
import * as LanguageModel from "effect/ai/LanguageModel"

export const ask = (prompt: string) => Effect.map(LanguageModel.generateText({ prompt }), ({ text }) => text)

export const askLocally = (url: string, prompt: string): Promise<string> =>
  Effect.runPromise(ask(prompt).pipe(Effect.provide(local(url))))
// #endregion

// #region dependable
import { Intelligence } from "@treadle/agent/model"

export const dependable = Intelligence.failover([
  claude.pipe(Intelligence.retry(), Intelligence.breaker()),
  gpt.pipe(Intelligence.retry(), Intelligence.breaker())
])
// #endregion

// #region unavailable
export const answer = (prompt: string) =>
  ask(prompt).pipe(
    Effect.catchIf(Intelligence.isUnavailable, ({ message }) =>
      Effect.as(Effect.logError(message), "Nobody can answer now. Try again later.")
    )
  )
// #endregion

// #region headers
export const azure = (url: string) =>
  OpenAiCompat.layer({
    url: `${url}/openai/deployments/small/chat/completions?api-version=2024-10-21`,
    model: "small",
    headers: { "api-key": "{{secret:AZURE_KEY}}" },
    body: { reasoning_effort: "low" },
    timeout: 60_000
  })
// #endregion
