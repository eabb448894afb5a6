/**
 * What came of a call, as the model reads it.
 */
import { parseJson, type Json } from "@treadle/protocol/json"
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
  /** The call ends the run once its round is over. */
  readonly finish?: Finish
}

/** Characters of one result that a model reads. */
const longest = 100_000

const textOf = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value))

/** A value, or the beginning of its text where it is too long; what was cut off is told. */
export const bounded = (value: Json, max: number = longest): Json => {
  const text = textOf(value)
  return text.length <= max ? value : cutText(text, max, `… [truncated: ${text.length} characters in all]`)
}

/** An answer in words. */
export const spoken = (text: string): Observation => ({ value: bounded(text), isError: false })

/** A failure in words. */
export const refusal = (text: string): Observation => ({ value: bounded(text), isError: true })

/**
 * The results of one round, so that together they fit: where they do not, each that is longer than its share is cut.
 *
 * @param room characters for all of them
 */
export const boundedRound = (round: ReadonlyArray<Observation>, room: number): ReadonlyArray<Observation> => {
  const sum = round.reduce((total, { value }) => total + textOf(value).length, 0)
  if (sum <= room) return round
  const share = Math.floor(room / round.length)
  return round.map((observation) => ({ ...observation, value: bounded(observation.value, share) }))
}

const bytesOf = (base64: string): number => Math.floor((base64.replace(/=+$/u, "").length * 3) / 4)

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

/** What is said where a result holds nothing. */
const nothing = "(no content)"

const isCopy = (text: string, value: Json): boolean => JSON.stringify(parseJson(text)) === JSON.stringify(value)

/**
 * The blocks that say something beside structured content. Text is a copy of it (SHOULD of the specification), but for
 * a failure, whose reason may be in its text alone.
 */
const beside = ({ content, isError = false }: ToolResult, structured: Json): ReadonlyArray<string> =>
  content
    .filter((block) => block.type !== "text" || (isError && !isCopy(described(block), structured)))
    .map(described)
    .filter((text) => text !== "")

/**
 * A result of a tool. Structured content is read where the revision has it; blocks that are no text are told of.
 *
 * @param structured whether the revision has structured content
 */
export const observed = (result: ToolResult, structured: boolean): Observation => {
  const { content, isError = false, structuredContent } = result
  if (!structured || structuredContent === undefined) {
    const text = content.map(described).join("\n")
    return { value: bounded(text === "" ? nothing : text), isError, result }
  }
  const blocks = beside(result, structuredContent)
  const value: Json = blocks.length === 0 ? structuredContent : { value: structuredContent, content: blocks }
  return { value: bounded(value), isError, result }
}
