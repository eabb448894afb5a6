/** The stream of chat completions, event by event. */
import type * as Response from "effect/ai/Response"
import type { SseEvent } from "@treadle/protocol/framing"
import { own, parseJson } from "@treadle/protocol/json"
import type { AnswerFacts } from "./Adapter.ts"
import { invalid, saidFailure, unreachable } from "./HttpFailure.ts"
import type { StreamReading, StreamStep } from "./ModelHttp.ts"
import { contentOf, finishReasonOf, metadataOf, thoughtIn, thoughtMetadata, usageOf } from "./OpenAiResponse.ts"
import { parsedArguments } from "./PromptValues.ts"
import { countAt, listAt, printJson, textAt } from "./Members.ts"

type Part = Response.StreamPartEncoded

/** A call whose arguments are coming. */
interface OpenCall {
  readonly key: number | undefined
  readonly id: string
  readonly name: string
  text: string
}

const blockIds = { text: "text", reasoning: "reasoning" } as const

/** Reads one stream. Text and thoughts are one block each; a call begins once its name is known. */
export class OpenAiStream implements StreamReading {
  readonly #facts: AnswerFacts
  readonly #calls: Array<OpenCall> = []
  #began = false
  #open: keyof typeof blockIds | undefined
  #blocks = 0
  #reason: string | undefined
  #refused = false
  #usage: unknown

  constructor(facts: AnswerFacts) {
    this.#facts = facts
  }

  event({ data }: SseEvent): StreamStep {
    if (data.trim() === "[DONE]") return { parts: this.#finish(), over: "done" }
    const chunk = parseJson(data)
    if (chunk === undefined) return { parts: [], over: invalid(this.#facts.exchange, "an event is not JSON") }
    if (own(chunk, "error") != null) return { parts: [], over: saidFailure(this.#facts.exchange, chunk) }
    return { parts: this.#chunk(chunk) }
  }

  /** A service may leave out `[DONE]`; a stream without a reason to finish was cut. */
  end(): StreamStep {
    if (this.#reason !== undefined) return { parts: this.#finish(), over: "done" }
    return { parts: [], over: unreachable(this.#facts.exchange, "the stream ended before the answer was complete") }
  }

  #chunk(chunk: unknown): Array<Part> {
    const parts: Array<Part> = []
    if (!this.#began) {
      this.#began = true
      parts.push(metadataOf(chunk))
    }
    this.#usage = own(chunk, "usage") ?? this.#usage
    const [choice] = listAt(chunk, "choices")
    const delta = own(choice, "delta")
    const thought = thoughtIn(delta)
    if (thought !== undefined) this.#say("reasoning", thought.text, parts, thoughtMetadata(thought.field))
    this.#say("text", contentOf(delta), parts)
    const refusal = textAt(delta, "refusal") ?? ""
    this.#refused ||= refusal !== ""
    this.#say("text", refusal, parts)
    for (const call of listAt(delta, "tool_calls")) this.#call(call, parts)
    this.#reason = textAt(choice, "finish_reason") ?? this.#reason
    return parts
  }

  #say(kind: keyof typeof blockIds, delta: string, parts: Array<Part>, metadata = {}): void {
    if (delta === "") return
    if (this.#open !== kind) {
      this.#close(parts)
      this.#open = kind
      this.#blocks++
      parts.push({ type: `${kind}-start`, id: this.#blockId(kind), metadata })
    }
    parts.push({ type: `${kind}-delta`, id: this.#blockId(kind), delta })
  }

  #blockId(kind: keyof typeof blockIds): string {
    return `${blockIds[kind]}-${this.#blocks}`
  }

  #close(parts: Array<Part>): void {
    if (this.#open !== undefined) parts.push({ type: `${this.#open}-end`, id: this.#blockId(this.#open) })
    this.#open = undefined
  }

  /** The call that a piece belongs to: by its index or, where a service gives none or always the same, by its id. */
  #callOf(piece: unknown): OpenCall | undefined {
    const key = countAt(piece, "index")
    const id = textAt(piece, "id") || undefined
    const found = this.#calls.findLast((call) =>
      key === undefined ? id === undefined || call.id === id : call.key === key
    )
    const isOther = found !== undefined && id !== undefined && found.id !== id
    return isOther && textAt(own(piece, "function"), "name") !== undefined ? undefined : found
  }

  #call(piece: unknown, parts: Array<Part>): void {
    const given = own(own(piece, "function"), "arguments")
    const delta = typeof given === "string" ? given : given === undefined || given === null ? "" : printJson(given)
    const known = this.#callOf(piece)
    const name = textAt(own(piece, "function"), "name")
    if (known === undefined && name === undefined) return
    const call = known ?? this.#begin(piece, name ?? "", parts)
    call.text += delta
    if (delta !== "") parts.push({ type: "tool-params-delta", id: call.id, delta })
  }

  #begin(piece: unknown, name: string, parts: Array<Part>): OpenCall {
    this.#close(parts)
    const call: OpenCall = {
      key: countAt(piece, "index"),
      id: textAt(piece, "id") || this.#facts.callId(this.#calls.length),
      name: this.#facts.names.fromWire(name),
      text: ""
    }
    this.#calls.push(call)
    parts.push({ type: "tool-params-start", id: call.id, name: call.name })
    return call
  }

  /** What is left to say once nothing comes any more: calls are complete only then. */
  #finish(): Array<Part> {
    const parts: Array<Part> = []
    if (!this.#began) parts.push(metadataOf(undefined))
    this.#close(parts)
    for (const { id, name, text } of this.#calls) {
      parts.push({ type: "tool-params-end", id })
      parts.push({ type: "tool-call", id, name, params: parsedArguments(text) })
    }
    const reason = this.#refused ? "content-filter" : finishReasonOf(this.#reason, this.#calls.length > 0)
    parts.push({ type: "finish", reason, usage: usageOf(this.#usage) })
    return parts
  }
}
