/** Parts of prompts as both wires need them: files, results of tools, arguments, names. */
import * as Result from "effect/Result"
import * as Prompt from "effect/ai/Prompt"
import * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Tool from "effect/ai/Tool"
import { isRecord, lean, own, parseJson, toBase64, type Json, type JsonObject } from "@treadle/protocol/json"

/** Where the bytes of a file are. */
export type FileSource = { readonly url: string } | { readonly base64: string }

/** A string is base64, unless it is a URL. */
export const sourceOf = (data: Prompt.FilePart["data"]): FileSource => {
  if (data instanceof Uint8Array) return { base64: toBase64(data) }
  const text = String(data)
  const inline = /^data:[^,]*;base64,/.exec(text)
  if (inline !== null) return { base64: text.slice(inline[0].length) }
  return /^https?:\/\//i.test(text) ? { url: text } : { base64: text }
}

/** What a tool gave, as a text for the model. */
export const resultText = ({ modelOutput, result }: Prompt.ToolResultPart): string => {
  if (modelOutput !== undefined) return Prompt.toolModelOutputToText(modelOutput)
  return typeof result === "string" ? result : (JSON.stringify(result) ?? "")
}

/** Arguments that are no JSON, as whoever runs the call finds them: it is refused, and the model sees why (A41). */
const rawArguments = (text: string): JsonObject => ({ _raw: text })

/** The arguments of a call from the text of the model; some models write none where a tool takes none. */
export const parsedArguments = (text: string): Json =>
  text.trim() === "" ? {} : (parseJson(text) ?? rawArguments(text))

/** All names of tools that a request mentions, those of its tools first. */
export const toolNamesOf = (tools: ReadonlyArray<Tool.Any>, prompt: Prompt.Prompt): ReadonlyArray<string> => [
  ...tools.map(({ name }) => name),
  ...calledTools(prompt)
]

/** Names of the tools that were called in a conversation. */
export const calledTools = (prompt: Prompt.Prompt): ReadonlyArray<string> =>
  prompt.content.flatMap((message) =>
    message.role === "assistant"
      ? message.content.flatMap((part) => (part.type === "tool-call" && !part.providerExecuted ? [part.name] : []))
      : []
  )

/** A schema as JSON; one that is no object takes no arguments. */
export const asJson = (schema: unknown): JsonObject => {
  const json = parseJson(JSON.stringify(schema) ?? "")
  return isRecord(json) ? json : {}
}

const printParameters = (tool: Tool.Any): JsonObject => {
  const schema = asJson(Tool.getJsonSchema(tool, { transformer: LanguageModel.defaultCodecTransformer }))
  const { properties = {}, ...rest } = lean(schema)
  return { ...rest, type: "object", properties }
}

/** Tools are immutable, and printing a schema costs more than all else of a request. */
const printed = new WeakMap<Tool.Any, JsonObject>()

/** The schema of a tool's arguments, which services want to be of an object with properties. */
export const parametersOf = (tool: Tool.Any): JsonObject => {
  const known = printed.get(tool)
  if (known !== undefined) return known
  const parameters = printParameters(tool)
  printed.set(tool, parameters)
  return parameters
}

/** What an adapter left in the options of a part, under its name. */
export const optionOf = (part: { readonly options: Prompt.ProviderOptions }, adapter: string, key: string): unknown =>
  own(part.options[adapter], key)

/** What is wrong with tools that only the services of their makers have. */
const foreignTools = (tools: ReadonlyArray<Tool.Any>): ReadonlyArray<string> =>
  tools
    .filter((tool) => Tool.isProviderDefined(tool))
    .map(({ name }) => `the tool ${name} is defined by a provider, and this adapter has no such tools`)

/** Collects what cannot be said on a wire. */
export type Problems = Array<string>

/**
 * What a wire makes of a request, or everything at once that it cannot say.
 *
 * @param say collects what it leaves out
 */
export const sayable = <A>(
  { tools }: LanguageModel.ProviderOptions,
  say: (problems: Problems) => A
): Result.Result<A, AiError.AiErrorReason> => {
  const problems: Problems = [...foreignTools(tools)]
  const said = say(problems)
  return problems.length === 0
    ? Result.succeed(said)
    : Result.fail(new AiError.InvalidUserInputError({ description: problems.join("; ") }))
}

/** The name of a schema in a request, in the letters that services take. */
export const schemaName = (name: string): string => name.replaceAll(/[^A-Za-z0-9_-]/gu, "_").slice(0, 60) || "answer"

/** Why a schema cannot be asked for. */
export const unsupported = (error: unknown): AiError.AiErrorReason =>
  new AiError.UnsupportedSchemaError({ description: error instanceof Error ? error.message : String(error) })
