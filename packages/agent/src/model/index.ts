/** Models behind the interface of `effect/ai`: adapters of two wires, and what makes a model dependable. */

/** Adapters. */
export { Anthropic, type AnthropicSettings } from "./Anthropic.ts"
export { OpenAiCompat } from "./OpenAiCompat.ts"
export { ModelSettingsError, type ModelSettings, type SecretsOf, type SendModelRequest } from "./ModelSettings.ts"

/** What makes models dependable. */
export { Intelligence, type ModelLayer, type RetrySettings } from "./Intelligence.ts"
export type { BreakerSettings } from "./Breaker.ts"
