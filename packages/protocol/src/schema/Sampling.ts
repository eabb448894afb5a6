/**
 * Asking the client's model for a message (SAMP-01 to SAMP-09). Deprecated by the specification in 2026-07-28, still
 * served. A block of a type that is not known here is kept as it came.
 */
import * as Schema from "effect/Schema"
import { AudioContent, ContentBlock, ImageContent, otherThan, TextContent } from "./Content.ts"
import { Meta } from "./Meta.ts"
import { Role } from "./Prompt.ts"
import { Tool } from "./Tool.ts"

/**
 * A model's wish to use a tool.
 *
 * @deprecated by SEP-2577 with 2026-07-28; earliest removal 2027-07-28. It is still served and read.
 */
export const ToolUseContent = Schema.Struct({
  type: Schema.Literal("tool_use"),
  id: Schema.String,
  name: Schema.String,
  input: Schema.JsonObject,
  _meta: Schema.optionalKey(Meta)
})
export interface ToolUseContent extends Schema.Schema.Type<typeof ToolUseContent> {}

/**
 * What a tool answered to such a wish.
 *
 * @deprecated by SEP-2577 with 2026-07-28; earliest removal 2027-07-28. It is still served and read.
 */
export const ToolResultContent = Schema.Struct({
  type: Schema.Literal("tool_result"),
  toolUseId: Schema.String,
  content: Schema.Array(ContentBlock),
  structuredContent: Schema.optionalKey(Schema.Json),
  isError: Schema.optionalKey(Schema.Boolean),
  _meta: Schema.optionalKey(Meta)
})
export interface ToolResultContent extends Schema.Schema.Type<typeof ToolResultContent> {}

const SamplingBlock = Schema.Union([
  TextContent,
  ImageContent,
  AudioContent,
  ToolUseContent,
  ToolResultContent,
  otherThan("text", "image", "audio", "tool_use", "tool_result", "resource", "resource_link")
])
const SamplingContent = Schema.Union([SamplingBlock, Schema.Array(SamplingBlock)])

/**
 * A message of the conversation that the model is to go on with.
 *
 * @deprecated by SEP-2577 with 2026-07-28; earliest removal 2027-07-28. It is still served and read.
 */
export const SamplingMessage = Schema.Struct({
  role: Role,
  content: SamplingContent,
  _meta: Schema.optionalKey(Meta)
})
export interface SamplingMessage extends Schema.Schema.Type<typeof SamplingMessage> {}

const priority = Schema.optionalKey(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 })))

/**
 * Which model would suit; hints are tried in order, as parts of a name (SAMP-07). Priorities are 0 to 1.
 *
 * @deprecated by SEP-2577 with 2026-07-28; earliest removal 2027-07-28. It is still served and read.
 */
export const ModelPreferences = Schema.Struct({
  hints: Schema.optionalKey(Schema.Array(Schema.Struct({ name: Schema.optionalKey(Schema.String) }))),
  costPriority: priority,
  speedPriority: priority,
  intelligencePriority: priority
})
export interface ModelPreferences extends Schema.Schema.Type<typeof ModelPreferences> {}

/**
 * Parameters of `sampling/createMessage`; `maxTokens` is a limit that the client keeps (SAMP-05).
 *
 * @deprecated by SEP-2577 with 2026-07-28; earliest removal 2027-07-28. It is still served and read.
 */
export const CreateMessageRequest = Schema.Struct({
  messages: Schema.Array(SamplingMessage),
  maxTokens: Schema.Int,
  modelPreferences: Schema.optionalKey(ModelPreferences),
  systemPrompt: Schema.optionalKey(Schema.String),
  /** @deprecated `thisServer` and `allServers` by SEP-2577, with sampling itself; earliest removal 2027-07-28. */
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

/**
 * What the model said; `stopReason` is `endTurn`, `stopSequence`, `maxTokens`, `toolUse` or any other text (SAMP-09).
 *
 * @deprecated by SEP-2577 with 2026-07-28; earliest removal 2027-07-28. It is still served and read.
 */
export const CreateMessageResult = Schema.Struct({
  role: Role,
  content: SamplingContent,
  model: Schema.String,
  stopReason: Schema.optionalKey(Schema.String),
  _meta: Schema.optionalKey(Meta)
})
export interface CreateMessageResult extends Schema.Schema.Type<typeof CreateMessageResult> {}
