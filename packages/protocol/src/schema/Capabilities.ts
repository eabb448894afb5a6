/**
 * What each side declares that it can do (DISC-05).
 */
import * as Schema from "effect/Schema"

const Settings = Schema.Record(Schema.String, Schema.Json)
const Extensions = Schema.Record(Schema.String, Settings)

/** What a server offers. What is not there is not served; extensions stand under their ids. */
export const ServerCapabilities = Schema.Struct({
  experimental: Schema.optionalKey(Extensions),
  /** @deprecated by SEP-2577 with 2026-07-28; earliest removal 2027-07-28. */
  logging: Schema.optionalKey(Settings),
  completions: Schema.optionalKey(Settings),
  prompts: Schema.optionalKey(Schema.Struct({ listChanged: Schema.optionalKey(Schema.Boolean) })),
  resources: Schema.optionalKey(
    Schema.Struct({ subscribe: Schema.optionalKey(Schema.Boolean), listChanged: Schema.optionalKey(Schema.Boolean) })
  ),
  tools: Schema.optionalKey(Schema.Struct({ listChanged: Schema.optionalKey(Schema.Boolean) })),
  extensions: Schema.optionalKey(Extensions)
})
export interface ServerCapabilities extends Schema.Schema.Type<typeof ServerCapabilities> {}

/** What a client can be asked for. What is not there must not be asked; extensions stand under their ids. */
export const ClientCapabilities = Schema.Struct({
  experimental: Schema.optionalKey(Extensions),
  /** @deprecated by SEP-2577 with 2026-07-28; earliest removal 2027-07-28. */
  roots: Schema.optionalKey(Settings),
  /** @deprecated by SEP-2577 with 2026-07-28; earliest removal 2027-07-28. */
  sampling: Schema.optionalKey(
    Schema.Struct({ context: Schema.optionalKey(Settings), tools: Schema.optionalKey(Settings) })
  ),
  elicitation: Schema.optionalKey(
    Schema.Struct({ form: Schema.optionalKey(Settings), url: Schema.optionalKey(Settings) })
  ),
  extensions: Schema.optionalKey(Extensions)
})
export interface ClientCapabilities extends Schema.Schema.Type<typeof ClientCapabilities> {}
