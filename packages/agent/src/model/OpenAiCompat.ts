/**
 * Models behind the chat completions of OpenAI, and of the many services and local servers that speak alike.
 *
 * @see https://platform.openai.com/docs/api-reference/chat
 */
import type * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as LanguageModel from "effect/ai/LanguageModel"
import { toCodecOpenAI } from "effect/ai/OpenAiStructuredOutput"
import { makeModel, type Adapter } from "./Adapter.ts"
import type { ModelSettings, ModelSettingsError, SecretsOf } from "./ModelSettings.ts"
import { openAiBody } from "./OpenAiRequest.ts"
import { readOpenAi } from "./OpenAiResponse.ts"
import { OpenAiStream } from "./OpenAiStream.ts"

const adapter: Adapter = {
  wire: {
    adapter: "OpenAiCompat",
    keyHeader: ["authorization", "Bearer "],
    headers: { "content-type": "application/json" },
    path: (path) => (path.endsWith("/chat/completions") ? path : `${path === "" ? "/v1" : path}/chat/completions`)
  },
  provider: "openai",
  codecTransformer: toCodecOpenAI,
  body: openAiBody,
  read: readOpenAi,
  reading: (facts) => new OpenAiStream(facts)
}

/**
 * The model as a value.
 *
 * @param settings `url` and `model`; the rest has defaults
 * @returns fails with every problem of the settings; needs a `SecretStore` where they refer to secrets
 */
const make = <const Settings extends ModelSettings>(
  settings: Settings
): Effect.Effect<LanguageModel.LanguageModel, ModelSettingsError, SecretsOf<Settings>> => makeModel(adapter, settings)

/**
 * The model as a layer.
 *
 * @param settings `url` and `model`; the rest has defaults
 * @returns fails with every problem of the settings; needs a `SecretStore` where they refer to secrets
 *
 * @example
 * ```ts
 * import * as Effect from "effect/Effect"
 * import * as LanguageModel from "effect/ai/LanguageModel"
 * import { OpenAiCompat } from "@treadle/agent/model"
 *
 * // In place of a service; yours needs no `fetch`, and a `key` such as "{{secret:OPENAI_API_KEY}}".
 * const fetch = async () => Response.json({ choices: [{ message: { content: "Hello." }, finish_reason: "stop" }] })
 * const model = OpenAiCompat.layer({ url: "https://models.example/v1", model: "small", fetch })
 *
 * const said = LanguageModel.generateText({ prompt: "Say hello." }).pipe(Effect.provide(model))
 * await Effect.runPromise(said.pipe(Effect.map(({ finishReason, text }) => [text, finishReason])))
 * // => ["Hello.", "stop"]
 * ```
 */
const layer = <const Settings extends ModelSettings>(
  settings: Settings
): Layer.Layer<LanguageModel.LanguageModel, ModelSettingsError, SecretsOf<Settings>> =>
  Layer.effect(LanguageModel.LanguageModel, make(settings))

/** Models behind chat completions. */
export const OpenAiCompat = { layer, make }
