/** The body of a request to chat completions, as OpenAI and those compatible with it take it. */
import * as Result from "effect/Result"
import type * as LanguageModel from "effect/ai/LanguageModel"
import { toCodecOpenAI } from "effect/ai/OpenAiStructuredOutput"
import type * as Prompt from "effect/ai/Prompt"
import * as Tool from "effect/ai/Tool"
import type * as AiError from "effect/ai/AiError"
import type { JsonObject } from "@treadle/protocol/json"
import type { Adapter } from "./Adapter.ts"
import {
  asJson,
  optionOf,
  parametersOf,
  resultText,
  sayable,
  schemaName,
  sourceOf,
  unsupported,
  type Problems
} from "./PromptValues.ts"
import type { WireNames } from "./WireNames.ts"

/** The name of this adapter in options and metadata of parts. */
export const openAiAdapter = "openAiCompat"

const nameOfModel = (model: string): string => model.slice(model.lastIndexOf("/") + 1)

/** The newer families take their limit under another name, and refuse the old one. */
const limitField = (model: string): string =>
  /^(?:gpt-(?:[5-9]|[1-9]\d)|o\d)/i.test(nameOfModel(model)) ? "max_completion_tokens" : "max_tokens"

const audioFormats: { readonly [mediaType: string]: string } = {
  "audio/wav": "wav",
  "audio/x-wav": "wav",
  "audio/mpeg": "mp3",
  "audio/mp3": "mp3"
}

const filePart = ({ data, fileName, mediaType }: Prompt.FilePart, problems: Problems): JsonObject => {
  const source = sourceOf(data)
  const inline = "base64" in source ? `data:${mediaType};base64,${source.base64}` : source.url
  if (mediaType.startsWith("image/")) return { type: "image_url", image_url: { url: inline } }
  const format = audioFormats[mediaType]
  if (format !== undefined && "base64" in source) {
    return { type: "input_audio", input_audio: { data: source.base64, format } }
  }
  if (mediaType === "application/pdf" && "base64" in source) {
    return { type: "file", file: { filename: fileName ?? "document.pdf", file_data: inline } }
  }
  const how = "base64" in source ? "" : " by its URL"
  problems.push(`a file of the type ${mediaType} cannot be sent${how}; images, wav, mp3 and PDF can`)
  return { type: "text", text: "" }
}

const userMessage = ({ content }: Prompt.UserMessage, problems: Problems): JsonObject => {
  const [only, ...others] = content
  if (only?.type === "text" && others.length === 0) return { role: "user", content: only.text }
  const parts = content.map((part) =>
    part.type === "text" ? { type: "text", text: part.text } : filePart(part, problems)
  )
  return { role: "user", content: parts }
}

const textOf = (content: ReadonlyArray<Prompt.AssistantMessagePart>): string =>
  content.map((part) => (part.type === "text" ? part.text : "")).join("")

/** Some models want what they thought before a call beside it, in the field where they said it. */
const thoughts = (content: ReadonlyArray<Prompt.AssistantMessagePart>): JsonObject => {
  const fields: { [name: string]: string } = {}
  for (const part of content) {
    if (part.type !== "reasoning") continue
    const field = optionOf(part, openAiAdapter, "field")
    if (typeof field === "string") fields[field] = (fields[field] ?? "") + part.text
  }
  return fields
}

const assistantMessage = ({ content }: Prompt.AssistantMessage, names: WireNames, problems: Problems): JsonObject => {
  if (content.some(({ type }) => type === "file")) problems.push("a file of an assistant's message cannot be sent back")
  const calls = content.flatMap((part) =>
    part.type === "tool-call" && !part.providerExecuted
      ? [
          {
            id: part.id,
            type: "function",
            function: { name: names.toWire(part.name), arguments: JSON.stringify(part.params ?? {}) }
          }
        ]
      : []
  )
  const text = textOf(content)
  if (calls.length === 0) return { role: "assistant", content: text }
  return { role: "assistant", content: text === "" ? null : text, tool_calls: calls, ...thoughts(content) }
}

/** There is no field for a failure, so its text says it. */
const toolMessages = ({ content }: Prompt.ToolMessage): ReadonlyArray<JsonObject> =>
  content.flatMap((part) =>
    part.type === "tool-result" && !part.providerExecuted
      ? [{ role: "tool", tool_call_id: part.id, content: `${part.isFailure ? "ERROR: " : ""}${resultText(part)}` }]
      : []
  )

const messagesOf = (prompt: Prompt.Prompt, names: WireNames, problems: Problems): ReadonlyArray<JsonObject> =>
  prompt.content.flatMap((message) => {
    if (message.role === "system") return [{ role: "system", content: message.content }]
    if (message.role === "user") return [userMessage(message, problems)]
    return message.role === "assistant" ? [assistantMessage(message, names, problems)] : toolMessages(message)
  })

const toolOf = (tool: Tool.Any, names: WireNames): JsonObject => {
  const description = Tool.getDescription(tool)
  const strict = Tool.getStrictMode(tool)
  return {
    type: "function",
    function: {
      name: names.toWire(tool.name),
      ...(description === undefined ? {} : { description }),
      parameters: parametersOf(tool),
      ...(strict === undefined ? {} : { strict })
    }
  }
}

const toolChoice = (choice: LanguageModel.ProviderOptions["toolChoice"], names: WireNames): JsonObject | string => {
  if (typeof choice === "string") return choice
  if ("oneOf" in choice) return choice.mode ?? "auto"
  return { type: "function", function: { name: names.toWire(choice.tool) } }
}

const toolsOf = ({ toolChoice: choice, tools }: LanguageModel.ProviderOptions, names: WireNames): JsonObject =>
  tools.length === 0 ? {} : { tools: tools.map((tool) => toolOf(tool, names)), tool_choice: toolChoice(choice, names) }

const formatOf = (
  format: LanguageModel.ProviderOptions["responseFormat"]
): Result.Result<JsonObject, AiError.AiErrorReason> =>
  format.type === "text"
    ? Result.succeed({})
    : Result.try({
        try: () => ({
          response_format: {
            type: "json_schema",
            json_schema: {
              name: schemaName(format.objectName),
              strict: true,
              schema: asJson(toCodecOpenAI(format.schema).jsonSchema)
            }
          }
        }),
        catch: unsupported
      })

export const openAiBody: Adapter["body"] = (settings, options, names, stream) => {
  const { maxTokens, model, temperature } = settings
  const said = sayable(options, (problems) => messagesOf(options.prompt, names, problems))
  return Result.map(Result.all([said, formatOf(options.responseFormat)]), ([messages, format]) => ({
    body: {
      ...settings.body,
      model,
      messages,
      ...toolsOf(options, names),
      ...format,
      ...(maxTokens === undefined ? {} : { [limitField(model)]: maxTokens }),
      ...(temperature === undefined ? {} : { temperature }),
      ...(stream ? { stream: true, stream_options: { include_usage: true } } : { stream: false })
    }
  }))
}
