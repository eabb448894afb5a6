/**
 * What a model is shown when it is asked, for turns of a script that depend on it.
 */
import * as Context from "effect/Context"
import * as Option from "effect/Option"
import type { ProviderOptions } from "effect/ai/LanguageModel"
import type * as Prompt from "effect/ai/Prompt"
import type { AnyEndpoint, OutputOf } from "@treadle/protocol/endpoint"
import { settled } from "../Settled.ts"
import { ToolOrigin, type Origin } from "../ToolOrigin.ts"

/** A tool that the model may call. */
export interface SeenTool extends Origin {
  /** Its name for the model. */
  readonly name: string
  readonly description: string | undefined
}

/** A result of a call, as the model reads it. */
export interface SeenResult {
  /** The name of the tool for the model. */
  readonly name: string
  readonly value: unknown
  readonly isError: boolean
}

/** What the model sees. */
export interface Seen {
  /** Everything, one line a part. */
  readonly prompt: string
  /** The messages of the system. */
  readonly system: string
  /** What it was asked for last: by a person, a parent, or the loop. */
  readonly task: string
  readonly messages: ReadonlyArray<Prompt.Message>
  readonly tools: ReadonlyArray<SeenTool>
  /** All results, in their order. */
  readonly results: ReadonlyArray<SeenResult>
  /** What the last call of this endpoint gave; nothing where there was none, or where it failed. */
  readonly last: <X extends AnyEndpoint>(endpoint: X) => OutputOf<X> | undefined
}

const partText = (part: Prompt.Part): string => {
  switch (part.type) {
    case "text":
    case "reasoning":
      return part.text
    case "tool-call":
      return `→ ${part.name} ${JSON.stringify(part.params) ?? ""}`
    case "tool-result": {
      const text = typeof part.result === "string" ? part.result : (JSON.stringify(part.result) ?? "")
      return `← ${part.name}${part.isFailure ? " (error)" : ""} ${text}`
    }
    default:
      return `[${part.type}]`
  }
}

const textOf = ({ content }: Prompt.Message): string =>
  typeof content === "string" ? content : content.map(partText).join("\n")

/** The structured content of a result; with blocks beside it, it is a member. */
const outputIn = (endpoint: AnyEndpoint, value: unknown): unknown => {
  const { output } = endpoint.shape
  if (output === undefined) return typeof value === "string" ? value : undefined
  const direct = settled(output.decode(value))
  const inside = typeof value === "object" && value !== null && "content" in value && "value" in value
  return direct ?? (inside ? settled(output.decode(value.value)) : undefined)
}

/** What a request shows. */
export const seenIn = ({ prompt, tools }: Pick<ProviderOptions, "prompt" | "tools">): Seen => {
  const messages = prompt.content
  const listed = tools.map((tool): SeenTool => {
    const origin = Option.getOrElse(Context.getOption(tool.annotations, ToolOrigin), () => ({
      server: "",
      tool: tool.name
    }))
    return { name: tool.name, description: tool.description, server: origin.server, tool: origin.tool }
  })
  const results = messages.flatMap(({ content, role }) =>
    role !== "tool"
      ? []
      : content.flatMap((part) =>
          part.type === "tool-result" ? [{ name: part.name, value: part.result, isError: part.isFailure }] : []
        )
  )
  const task = messages.findLast(({ role }) => role === "user")
  return {
    prompt: messages.map(textOf).join("\n"),
    system: messages
      .filter(({ role }) => role === "system")
      .map(textOf)
      .join("\n\n"),
    task: task === undefined ? "" : textOf(task),
    messages,
    tools: listed,
    results,
    last: (endpoint) => {
      const names = new Set(listed.filter(({ tool }) => tool === endpoint.name).map(({ name }) => name))
      const result = results.findLast(({ isError, name }) => !isError && names.has(name))
      // What decodes by the endpoint's own schema is of its type.
      return result === undefined ? undefined : (outputIn(endpoint, result.value) as never)
    }
  }
}
