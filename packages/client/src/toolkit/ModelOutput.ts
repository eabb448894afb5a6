/**
 * The result of a tool as a model reads it: its text, or its blocks, or its structured value where there is nothing else.
 */
import * as Prompt from "effect/ai/Prompt"
import { isRecord, type Json } from "@treadle/protocol/json"
import { textOf, type Content, type ContentBlock, type ToolResult } from "@treadle/protocol/schema"

/** What is kept of a result: a text, a structured value, or `{ content }` with blocks of other kinds than text. */
export const outputOf = ({ content, structuredContent }: ToolResult): Json => {
  if (content.length === 0) return structuredContent ?? ""
  if (content.every(({ type }) => type === "text")) return textOf(content)
  // Blocks came as JSON.
  return { content: content as unknown as Json }
}

/** The words of a failed result. */
export const failureOf = ({ content, structuredContent }: ToolResult): string =>
  textOf(content) ||
  (structuredContent === undefined ? "The tool failed and did not say why." : JSON.stringify(structuredContent))

const text = (words: string): Prompt.ToolModelOutputPart => Prompt.textPart({ text: words })

const file = (mediaType: string, data: string, fileName?: string): Prompt.ToolModelOutputPart =>
  Prompt.filePart({ mediaType, data, ...(fileName === undefined ? {} : { fileName }) })

const partOf = (block: ContentBlock): Prompt.ToolModelOutputPart => {
  // A type that this version does not know is the default below.
  const known = block as Content
  switch (known.type) {
    case "text":
      return text(known.text)
    case "image":
    case "audio":
      return file(known.mimeType, known.data)
    case "resource_link":
      return text(
        [known.title ?? known.name, known.uri, known.description].filter((part) => part !== undefined).join("\n")
      )
    case "resource": {
      const { resource } = known
      return "blob" in resource
        ? file(resource.mimeType ?? "application/octet-stream", resource.blob, resource.uri)
        : text(resource.text)
    }
    default:
      return text(JSON.stringify(block))
  }
}

const isBlocks = (output: unknown): output is { readonly content: ReadonlyArray<ContentBlock> } =>
  isRecord(output) && Array.isArray(output["content"])

/** The parts of a result for a model. @param output what `outputOf` gave */
export const modelOutput = (output: unknown): ReadonlyArray<Prompt.ToolModelOutputPart> => {
  if (typeof output === "string") return [text(output)]
  return isBlocks(output) ? output.content.map(partOf) : [text(JSON.stringify(output))]
}
