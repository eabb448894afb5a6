/**
 * Asking the client's model for a message. Deprecated by the specification in 2026-07-28 (SEP-2577), still served.
 */
import * as Schema from "effect/Schema"
import { AudioContent, ContentBlock, ImageContent, TextContent } from "./Content.ts"
import { Meta } from "./Meta.ts"
import { Role } from "./Prompt.ts"
import { Tool } from "./Tool.ts"

/** A model's wish to use a tool. */
export const ToolUseContent = Schema.Struct({
  type: Schema.Literal("tool_use"),
  id: Schema.String,
  name: Schema.String,
  input: Schema.JsonObject,
  _meta: Schema.optionalKey(Meta)
})
export interface ToolUseContent extends Schema.Schema.Type<typeof ToolUseContent> {}

/** What the tool answered. */
export const ToolResultContent = Schema.Struct({
  type: Schema.Literal("tool_result"),
  toolUseId: Schema.String,
  content: Schema.Array(ContentBlock),
  structuredContent: Schema.optionalKey(Schema.Json),
  isError: Schema.optionalKey(Schema.Boolean),
  _meta: Schema.optionalKey(Meta)
})
export interface ToolResultContent extends Schema.Schema.Type<typeof ToolResultContent> {}

const SamplingBlock = Schema.Union([TextContent, ImageContent, AudioContent, ToolUseContent, ToolResultContent])

export const SamplingMessage = Schema.Struct({
  role: Role,
  content: Schema.Union([SamplingBlock, Schema.Array(SamplingBlock)]),
  _meta: Schema.optionalKey(Meta)
})
export interface SamplingMessage extends Schema.Schema.Type<typeof SamplingMessage> {}

const priority = Schema.optionalKey(
  Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
)

/** Which model would suit; hints are tried in order, as parts of a name (SAMP-07). */
export const ModelPreferences = Schema.Struct({
  hints: Schema.optionalKey(Schema.Array(Schema.Struct({ name: Schema.optionalKey(Schema.String) }))),
  costPriority: priority,
  speedPriority: priority,
  intelligencePriority: priority
})
export interface ModelPreferences extends Schema.Schema.Type<typeof ModelPreferences> {}

export const CreateMessageRequest = Schema.Struct({
  messages: Schema.Array(SamplingMessage),
  maxTokens: Schema.Int,
  modelPreferences: Schema.optionalKey(ModelPreferences),
  systemPrompt: Schema.optionalKey(Schema.String),
  includeContext: Schema.optionalKey(Schema.Literals(["none", "thisServer", "allServers"])),
  temperature: Schema.optionalKey(Schema.Finite),
  stopSequences: Schema.optionalKey(Schema.Array(Schema.String)),
  metadata: Schema.optionalKey(Schema.JsonObject),
  tools: Schema.optionalKey(Schema.Array(Tool)),
  toolChoice: Schema.optionalKey(
    Schema.Struct({ mode: Schema.optionalKey(Schema.Literals(["auto", "required", "none"])) })
  ),
  _meta: Schema.optionalKey(Meta)
})
export interface CreateMessageRequest extends Schema.Schema.Type<typeof CreateMessageRequest> {}

export const CreateMessageResult = Schema.Struct({
  role: Role,
  content: Schema.Union([SamplingBlock, Schema.Array(SamplingBlock)]),
  model: Schema.String,
  stopReason: Schema.optionalKey(Schema.String),
  _meta: Schema.optionalKey(Meta)
})
export interface CreateMessageResult extends Schema.Schema.Type<typeof CreateMessageResult> {}
