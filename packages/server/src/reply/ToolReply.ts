/**
 * What a tool call becomes: a value, a declared error, a failure in words or a defect, as a tool result.
 *
 * The text block carries the same JSON as the structured content, for models that read text only; a bare string stays
 * bare (TOOL-13).
 */
import type { Reply } from "@treadle/protocol/endpoint"
import { isJsonObject, type Json } from "@treadle/protocol/json"
import type { Content, Meta } from "@treadle/protocol/schema"
import type { NeutralResult } from "./NeutralResult.ts"

/**
 * The JSON text of what a handler made.
 *
 * @throws where it has none, such as a cycle or a function: inside the handler's fiber, so that it is the handler's defect
 */
export const printed = (value: unknown): string => {
  const text = JSON.stringify(value)
  if (text === undefined) throw new TypeError(`A ${typeof value} has no JSON form`)
  return text
}

/** `_meta` of a result, as JSON has it. */
const metaOf = (meta: Meta | undefined): Meta | undefined =>
  meta === undefined ? undefined : (JSON.parse(printed(meta)) as Meta)

const textBlock = (text: string): string => `{"type":"text","text":${JSON.stringify(text)}}`

const blocks = (content: ReadonlyArray<Content>): string =>
  content.length === 0 ? "" : `,${content.map(printed).join(",")}`

/** A wrapped string is the one value whose text is not its JSON. */
const textOf = (json: Json, text: string, wrapped: boolean): string => {
  const value = wrapped && isJsonObject(json) ? json["value"] : undefined
  return typeof value === "string" ? value : text
}

/** What a handler adds to its value: blocks beside it, a text in place of its JSON, `_meta`. */
export type Beside = Partial<Pick<Reply<unknown>, "content" | "text" | "meta">>

/** A value of the declared output, with what its handler added. */
export const valueReply = (json: Json, wrapped: boolean, { content = [], meta, text }: Beside): NeutralResult => {
  const body = printed(json)
  const first = textBlock(text ?? textOf(json, body, wrapped))
  return { members: `"content":[${first}${blocks(content)}],"structuredContent":${body}`, meta: metaOf(meta) }
}

/** The result of a tool without an output schema: its text, where there is one, and its blocks. */
export const contentReply = (text: string, content: ReadonlyArray<Content>, meta: Meta | undefined): NeutralResult => {
  const first = text === "" ? blocks(content).slice(1) : textBlock(text) + blocks(content)
  return { members: `"content":[${first}]`, meta: metaOf(meta) }
}

/** A failure in words that the model should read. */
export const failureReply = (text: string): NeutralResult => ({
  members: `"content":[${textBlock(text)}],"isError":true`,
  isError: true
})

/** A declared error: its message as text, its JSON as structured content. */
export const errorReply = (json: Json, message: string): NeutralResult => {
  const body = printed(json)
  const text = message === "" ? body : message
  return { members: `"content":[${textBlock(text)}],"structuredContent":${body},"isError":true`, isError: true }
}

/** Arguments that do not fit, with every problem named (TOOL-16). */
export const argumentsReply = (tool: string, problems: ReadonlyArray<string>): NeutralResult =>
  failureReply(`Invalid arguments for ${tool}:\n${problems.map((problem) => `- ${problem}`).join("\n")}`)

/** A bug in a handler: a fixed text; the reference leads to the log. */
export const defectReply = (reference: string): NeutralResult =>
  failureReply(`The tool failed because of an internal error (reference ${reference}).`)
