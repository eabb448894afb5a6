/**
 * What `tools/call` answers: content for a model, structured content for a program (TOOL-10).
 */
import * as Schema from "effect/Schema"
import { ContentBlock } from "./Content.ts"
import { Meta } from "./Meta.ts"

/** `isError` marks a failure that the model should read, never a protocol error. */
export const ToolResult = Schema.Struct({
  resultType: Schema.optionalKey(Schema.Literal("complete")),
  content: Schema.Array(ContentBlock),
  structuredContent: Schema.optionalKey(Schema.Json),
  isError: Schema.optionalKey(Schema.Boolean),
  _meta: Schema.optionalKey(Meta)
})
export interface ToolResult extends Schema.Schema.Type<typeof ToolResult> {}

/** The text blocks of a result, joined by line ends. */
export const textOf = (content: ReadonlyArray<ContentBlock>): string =>
  content
    .flatMap((block) => (block.type === "text" && typeof block["text"] === "string" ? [block["text"]] : []))
    .join("\n")
