/** The body of a request to Anthropic's messages. */
import * as Result from "effect/Result"
import type * as AiError from "effect/ai/AiError"
import { toCodecAnthropic } from "effect/ai/AnthropicStructuredOutput"
import type * as LanguageModel from "effect/ai/LanguageModel"
import type * as Prompt from "effect/ai/Prompt"
import * as Tool from "effect/ai/Tool"
import { isRecord, textFromBase64, type JsonObject } from "@treadle/protocol/json"
import type { Adapter, AnswerTool } from "./Adapter.ts"
import {
  asJson,
  calledTools,
  optionOf,
  parametersOf,
  resultText,
  sayable,
  schemaName,
  sourceOf,
  unsupported,
  type Problems
} from "./PromptValues.ts"
import { textAt } from "./Members.ts"
import type { WireNames } from "./WireNames.ts"

/** The name of this adapter in options and metadata of parts. */
export const anthropicAdapter = "anthropic"

/** The wire demands a limit. */
const defaultMaxTokens = 8192

/** Empty texts are refused. */
const textBlock = (text: string): ReadonlyArray<JsonObject> => (text === "" ? [] : [{ type: "text", text }])

const fileBlock = ({ data, fileName, mediaType }: Prompt.FilePart, problems: Problems): ReadonlyArray<JsonObject> => {
  const source = sourceOf(data)
  const block = (type: string, from: JsonObject): ReadonlyArray<JsonObject> => [
    { type, source: from, ...(type === "document" && fileName !== undefined ? { title: fileName } : {}) }
  ]
  const at = "url" in source ? { type: "url", url: source.url } : undefined
  const bytes = "base64" in source ? { type: "base64", media_type: mediaType, data: source.base64 } : undefined
  if (mediaType.startsWith("image/")) return block("image", at ?? bytes ?? {})
  if (mediaType === "application/pdf") return block("document", at ?? bytes ?? {})
  const text = "base64" in source && mediaType.startsWith("text/") ? textFromBase64(source.base64) : undefined
  if (text !== undefined) return block("document", { type: "text", media_type: "text/plain", data: text })
  problems.push(`a file of the type ${mediaType} cannot be sent; images, PDF and texts can`)
  return []
}

/** Thoughts go back only as they were signed; those of other services are left out. */
const thoughtBlock = (part: Prompt.ReasoningPart): ReadonlyArray<JsonObject> => {
  const signature = optionOf(part, anthropicAdapter, "signature")
  if (typeof signature === "string" && signature !== "") return [{ type: "thinking", thinking: part.text, signature }]
  const data = optionOf(part, anthropicAdapter, "redacted")
  return typeof data === "string" ? [{ type: "redacted_thinking", data }] : []
}

/** Ids of calls that another service gave may have other letters; a result finds its call under the same id. */
const idOnWire = (id: string): string => id.replaceAll(/[^A-Za-z0-9_-]/gu, "_") || "_"

/** Arguments are an object on this wire. */
const inputOf = (params: unknown): JsonObject =>
  isRecord(params) ? asJson(params) : { _raw: JSON.stringify(params) ?? "" }

const assistantBlocks = (
  { content }: Prompt.AssistantMessage,
  names: WireNames,
  problems: Problems
): ReadonlyArray<JsonObject> =>
  content.flatMap((part): ReadonlyArray<JsonObject> => {
    if (part.type === "text") return textBlock(part.text)
    if (part.type === "reasoning") return thoughtBlock(part)
    if (part.type === "file") {
      problems.push("a file of an assistant's message cannot be sent back")
      return []
    }
    if (part.type !== "tool-call" || part.providerExecuted) return []
    return [{ type: "tool_use", id: idOnWire(part.id), name: names.toWire(part.name), input: inputOf(part.params) }]
  })

const resultContent = (part: Prompt.ToolResultPart, problems: Problems): string | ReadonlyArray<JsonObject> => {
  const files = part.modelOutput?.some(({ type }) => type === "file") === true
  if (!files || part.modelOutput === undefined) return resultText(part)
  return part.modelOutput.flatMap((one) => (one.type === "text" ? textBlock(one.text) : fileBlock(one, problems)))
}

const resultBlocks = ({ content }: Prompt.ToolMessage, problems: Problems): ReadonlyArray<JsonObject> =>
  content.flatMap((part) =>
    part.type === "tool-result" && !part.providerExecuted
      ? [
          {
            type: "tool_result",
            tool_use_id: idOnWire(part.id),
            content: resultContent(part, problems),
            ...(part.isFailure ? { is_error: true } : {})
          }
        ]
      : []
  )

interface Turn {
  readonly role: "user" | "assistant"
  readonly content: Array<JsonObject>
}

/** Turns alternate: what one side says in a row is one of them. */
const turnsOf = (prompt: Prompt.Prompt, names: WireNames, problems: Problems): ReadonlyArray<Turn> => {
  const turns: Array<Turn> = []
  const say = (role: Turn["role"], blocks: ReadonlyArray<JsonObject>) => {
    const last = turns.at(-1)
    if (last?.role === role) last.content.push(...blocks)
    else if (blocks.length > 0) turns.push({ role, content: [...blocks] })
  }
  for (const message of prompt.content) {
    if (message.role === "user") {
      const blocks = message.content.map((part) =>
        part.type === "text" ? textBlock(part.text) : fileBlock(part, problems)
      )
      say("user", blocks.flat())
    } else if (message.role === "assistant") say("assistant", assistantBlocks(message, names, problems))
    else if (message.role === "tool") say("user", resultBlocks(message, problems))
  }
  return turns
}

const systemOf = (prompt: Prompt.Prompt): JsonObject => {
  const system = prompt.content.flatMap((message) => (message.role === "system" ? [message.content] : []))
  const text = system.filter((one) => one !== "").join("\n\n")
  return text === "" ? {} : { system: text }
}

const toolOf = (tool: Tool.Any, names: WireNames): JsonObject => {
  const description = Tool.getDescription(tool)
  return {
    name: names.toWire(tool.name),
    ...(description === undefined ? {} : { description }),
    input_schema: parametersOf(tool)
  }
}

/** A conversation with calls is refused where no tools are given, so those that were called are named. */
const goneTools = (prompt: Prompt.Prompt, names: WireNames): JsonObject => {
  const called = [...new Set(calledTools(prompt))]
  if (called.length === 0) return {}
  const tools = called.map((name) => ({
    name: names.toWire(name),
    description: "Not available any more.",
    input_schema: { type: "object", properties: {} }
  }))
  return { tools, tool_choice: { type: "none" } }
}

const choiceOf = (choice: LanguageModel.ProviderOptions["toolChoice"], names: WireNames): JsonObject => {
  if (choice === "required") return { type: "any" }
  if (typeof choice === "string") return { type: choice }
  if ("oneOf" in choice) return { type: choice.mode === "required" ? "any" : "auto" }
  return { type: "tool", name: names.toWire(choice.tool) }
}

/** @param thinks whether the model thinks, and cannot be made to call a tool */
const toolsOf = (
  options: LanguageModel.ProviderOptions,
  names: WireNames,
  answer: JsonObject | undefined,
  thinks: boolean
): JsonObject => {
  const { prompt, toolChoice, tools } = options
  const offered = toolChoice === "none" && answer !== undefined ? [] : tools
  if (offered.length === 0 && answer === undefined) return goneTools(prompt, names)
  const all = offered.map((tool) => toolOf(tool, names))
  if (answer === undefined) return { tools: all, tool_choice: choiceOf(toolChoice, names) }
  const forced = all.length === 0 ? { type: "tool", name: answer["name"] ?? "" } : { type: "any" }
  return { tools: [...all, answer], tool_choice: thinks ? { type: "auto" } : forced }
}

/** JSON is asked for by a tool that takes it, which every model of this service knows. */
interface Asked {
  readonly tool: JsonObject
  readonly answer: AnswerTool
}

const askedFor = (
  { responseFormat, tools }: LanguageModel.ProviderOptions,
  names: WireNames
): Result.Result<Asked | undefined, AiError.AiErrorReason> => {
  if (responseFormat.type === "text") return Result.succeed(undefined)
  const taken = new Set(tools.map((tool) => names.toWire(tool.name)))
  let name = schemaName(responseFormat.objectName)
  for (let count = 2; taken.has(name); count++) name = `${schemaName(responseFormat.objectName)}_${count}`
  return Result.try({
    try: () => {
      const { $defs, ...schema } = asJson(toCodecAnthropic(responseFormat.schema).jsonSchema)
      const wrapped = schema["type"] !== "object"
      const root: JsonObject = wrapped
        ? { type: "object", properties: { value: schema }, required: ["value"] }
        : { properties: {}, ...schema }
      const input = $defs === undefined ? root : { ...root, $defs }
      return {
        tool: { name, description: "Gives the answer, in the form that is asked for.", input_schema: input },
        answer: { name, wrapped }
      }
    },
    catch: unsupported
  })
}

export const anthropicBody: Adapter["body"] = (settings, options, names, stream) => {
  const { maxTokens, model, temperature } = settings
  const thinking = textAt(settings.body?.["thinking"], "type")
  const thinks = thinking !== undefined && thinking !== "disabled"
  const turns = sayable(options, (problems) => turnsOf(options.prompt, names, problems))
  return Result.map(Result.all([turns, askedFor(options, names)]), ([messages, asked]) => ({
    body: {
      ...settings.body,
      model,
      max_tokens: maxTokens ?? defaultMaxTokens,
      ...systemOf(options.prompt),
      messages: messages.map(({ content, role }) => ({ role, content })),
      ...toolsOf(options, names, asked?.tool, thinks),
      ...(temperature === undefined ? {} : { temperature }),
      stream
    },
    ...(asked === undefined ? {} : { answer: asked.answer })
  }))
}
