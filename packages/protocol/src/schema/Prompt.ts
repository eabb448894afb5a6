/**
 * A prompt as `prompts/list` shows it, and the messages it makes (PROMPT-02).
 */
import * as Schema from "effect/Schema"
import { ContentBlock } from "./Content.ts"
import { Icon } from "./Icon.ts"
import { Meta } from "./Meta.ts"

/** An argument of a prompt; its value is always text. */
export const PromptArgument = Schema.Struct({
  name: Schema.String,
  title: Schema.optionalKey(Schema.String),
  description: Schema.optionalKey(Schema.String),
  required: Schema.optionalKey(Schema.Boolean)
})
export interface PromptArgument extends Schema.Schema.Type<typeof PromptArgument> {}

/** A prompt as `prompts/list` shows it. */
export const Prompt = Schema.Struct({
  name: Schema.String,
  title: Schema.optionalKey(Schema.String),
  description: Schema.optionalKey(Schema.String),
  icons: Schema.optionalKey(Schema.Array(Icon)),
  arguments: Schema.optionalKey(Schema.Array(PromptArgument)),
  _meta: Schema.optionalKey(Meta)
})
export interface Prompt extends Schema.Schema.Type<typeof Prompt> {}

/** Who says a message. */
export const Role = Schema.Literals(["user", "assistant"])
export type Role = typeof Role.Type

/** One message, with one block of content. */
export const PromptMessage = Schema.Struct({ role: Role, content: ContentBlock })
export interface PromptMessage extends Schema.Schema.Type<typeof PromptMessage> {}

/** What `prompts/get` answers. */
export const PromptResult = Schema.Struct({
  resultType: Schema.optionalKey(Schema.Literal("complete")),
  description: Schema.optionalKey(Schema.String),
  messages: Schema.Array(PromptMessage),
  _meta: Schema.optionalKey(Meta)
})
export interface PromptResult extends Schema.Schema.Type<typeof PromptResult> {}
