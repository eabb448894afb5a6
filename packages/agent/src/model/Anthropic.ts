/**
 * Models behind Anthropic's messages.
 *
 * @see https://docs.claude.com/en/api/messages
 */
import type * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { toCodecAnthropic } from "effect/ai/AnthropicStructuredOutput"
import * as LanguageModel from "effect/ai/LanguageModel"
import { makeModel, type Adapter } from "./Adapter.ts"
import { anthropicBody } from "./AnthropicRequest.ts"
import { readAnthropic } from "./AnthropicResponse.ts"
import { AnthropicStream } from "./AnthropicStream.ts"
import type { ModelSettings, ModelSettingsError, SecretsOf } from "./ModelSettings.ts"

/** The version of the wire that this adapter speaks. */
const version = "2023-06-01"

const adapter: Adapter = {
  wire: {
    adapter: "Anthropic",
    keyHeader: ["x-api-key", ""],
    headers: { "content-type": "application/json", "anthropic-version": version },
    path: (path) => {
      if (path.endsWith("/messages")) return path
      return `${path.endsWith("/v1") ? path : `${path}/v1`}/messages`
    }
  },
  provider: "anthropic",
  codecTransformer: toCodecAnthropic,
  body: anthropicBody,
  read: readAnthropic,
  reading: (facts) => new AnthropicStream(facts)
}

/** Settings of a model of Anthropic. `maxTokens` is 8192 by default, because the wire demands a limit. */
export interface AnthropicSettings extends Omit<ModelSettings, "url"> {
  /** `https://api.anthropic.com` by default. */
  readonly url?: string | URL
}

/**
 * The model as a value.
 *
 * @param settings `model`, and a `key`; the rest has defaults
 * @returns fails with every problem of the settings; needs a `SecretStore` where they refer to secrets
 */
const make = <const Settings extends AnthropicSettings>(
  settings: Settings
): Effect.Effect<LanguageModel.LanguageModel, ModelSettingsError, SecretsOf<Settings>> =>
  makeModel(adapter, { url: "https://api.anthropic.com", ...settings })

/**
 * The model as a layer.
 *
 * @param settings `model`, and a `key`; the rest has defaults
 * @returns fails with every problem of the settings; needs a `SecretStore` where they refer to secrets
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as LanguageModel from "effect/ai/LanguageModel"
 * import { Anthropic } from "@treadle/agent/model"
 *
 * // In place of the service; yours needs no `fetch`, and a `key` such as "{{secret:ANTHROPIC_API_KEY}}".
 * const fetch = async () => Response.json({ content: [{ type: "text", text: "Hello." }], stop_reason: "end_turn" })
 * const model = Anthropic.layer({ model: "small", fetch })
 *
 * const said = LanguageModel.generateText({ prompt: "Say hello." }).pipe(Effect.provide(model))
 * await Effect.runPromise(said.pipe(Effect.map(({ finishReason, text }) => [text, finishReason])))
 * // => ["Hello.", "stop"]
 * ```
 */
const layer = <const Settings extends AnthropicSettings>(
  settings: Settings
): Layer.Layer<LanguageModel.LanguageModel, ModelSettingsError, SecretsOf<Settings>> =>
  Layer.effect(LanguageModel.LanguageModel, make(settings))

/** Models behind Anthropic's messages. */
export const Anthropic = { layer, make }
