/**
 * What came of a call, as the model reads it.
 */
import type { McpError } from "@treadle/client"
import type { Json } from "@treadle/protocol/json"
import type { ContentBlock, ToolResult } from "@treadle/protocol/schema"
import { cutText } from "../Text.ts"

/** What `finish` says of the end of a run. */
export interface Finish {
  readonly refused: boolean
  readonly answer: unknown
}

/** One result of one call. */
export interface Observation {
  /** JSON, or text as a string. */
  readonly value: Json
  readonly isError: boolean
  readonly result?: ToolResult
  readonly error?: McpError
  /** The call ends the run once its round is over. */
  readonly finish?: Finish
}

/** Characters of one result that a model reads. */
const longest = 100_000

const marker = "… [truncated]"

/** An answer in words. */
export const spoken = (text: string): Observation => ({ value: cutText(text, longest, marker), isError: false })

/** A failure in words. */
export const refusal = (text: string): Observation => ({ value: cutText(text, longest, marker), isError: true })

/** A value, or its text where it is too long. */
export const bounded = (value: Json): Json => {
  const text = typeof value === "string" ? value : JSON.stringify(value)
  return text.length <= longest ? value : cutText(text, longest, marker)
}

const bytesOf = (base64: string): number => Math.floor((base64.length * 3) / 4)

const memberText = (block: ContentBlock, name: string): string | undefined => {
  const value = (block as { readonly [member: string]: unknown })[name]
  return typeof value === "string" ? value : undefined
}

/** A block that a model gets no text of is told of. */
const described = (block: ContentBlock): string => {
  switch (block.type) {
    case "text":
      return memberText(block, "text") ?? ""
    case "image":
    case "audio":
      return `[${block.type} ${memberText(block, "mimeType") ?? "of unknown type"}, ${bytesOf(memberText(block, "data") ?? "")} bytes]`
    case "resource_link":
      return `[resource ${memberText(block, "uri") ?? ""}: ${memberText(block, "name") ?? ""}]`
    case "resource": {
      const { resource } = block as { readonly resource: ResourceItem }
      return itemText(resource)
    }
    default:
      return `[content of type ${JSON.stringify(block.type)}]`
  }
}

/** One item of what a resource holds. */
export interface ResourceItem {
  readonly uri: string
  readonly mimeType?: string
  readonly text?: string
  readonly blob?: string
}

/** The text of an item; bytes are told of by type and size, since a model cannot read them as Base64. */
export const itemText = ({ blob, mimeType, text, uri }: ResourceItem): string =>
  text ?? `[${uri}: ${mimeType ?? "bytes of unknown type"}, ${bytesOf(blob ?? "")} bytes]`

/**
 * A result of a tool. Structured content is read where the revision has it; blocks that are no text are told of.
 *
 * @param structured whether the revision has structured content (2025-06-18 and later)
 */
export const observed = (result: ToolResult, structured: boolean): Observation => {
  const { content, isError = false, structuredContent } = result
  const blocks = content.filter(({ type }) => structuredContent === undefined || type !== "text").map(described)
  if (!structured || structuredContent === undefined) {
    return { value: bounded(content.map(described).join("\n")), isError, result }
  }
  const value: Json = blocks.length === 0 ? structuredContent : { value: structuredContent, content: blocks }
  return { value: bounded(value), isError, result }
}
