/** The stream of Anthropic's messages, event by event. */
import type * as Response from "effect/ai/Response"
import type { SseEvent } from "@treadle/protocol/framing"
import { isRecord, own, parseJson } from "@treadle/protocol/json"
import type { AnswerFacts } from "./Adapter.ts"
import { finishReasonOf, hidden, metadataOf, signed, usageOf } from "./AnthropicResponse.ts"
import { invalid, saidFailure, unreachable } from "./HttpFailure.ts"
import type { StreamReading, StreamStep } from "./ModelHttp.ts"
import { parsedArguments } from "./PromptValues.ts"
import { countAt, textAt } from "./Members.ts"

type Part = Response.StreamPartEncoded

/** A block that is coming. */
type Block =
  | { readonly kind: "text" | "reasoning"; readonly id: string; signature: string }
  | { readonly kind: "call"; readonly id: string; readonly name: string; input: unknown; text: string }

/** Reads one stream: blocks by their index, one after another. */
export class AnthropicStream implements StreamReading {
  readonly #facts: AnswerFacts
  readonly #blocks = new Map<number, Block>()
  #usage: { readonly [key: string]: unknown } = {}
  #reason: string | undefined

  constructor(facts: AnswerFacts) {
    this.#facts = facts
  }

  event({ data }: SseEvent): StreamStep {
    const event = parseJson(data)
    if (event === undefined) return { parts: [], over: invalid(this.#facts.exchange, "an event is not JSON") }
    const type = textAt(event, "type")
    if (type === "error") return { parts: [], over: saidFailure(this.#facts.exchange, event) }
    if (type === "message_start") {
      const message = own(event, "message")
      this.#count(own(message, "usage"))
      return { parts: [metadataOf(message)] }
    }
    if (type === "message_delta") {
      this.#count(own(event, "usage"))
      this.#reason = textAt(own(event, "delta"), "stop_reason") ?? this.#reason
      return { parts: [] }
    }
    if (type === "message_stop") return { parts: this.#finish(), over: "done" }
    return { parts: this.#blockEvent(type, countAt(event, "index") ?? 0, event) }
  }

  /** The last event says that the answer is complete; without it the stream was cut. */
  end(): StreamStep {
    return { parts: [], over: unreachable(this.#facts.exchange, "the stream ended before the answer was complete") }
  }

  #blockEvent(type: string | undefined, index: number, event: unknown): Array<Part> {
    if (type === "content_block_start") return this.#begin(index, own(event, "content_block"))
    const block = this.#blocks.get(index)
    if (block === undefined) return []
    if (type === "content_block_delta") return this.#delta(block, own(event, "delta"))
    return type === "content_block_stop" ? this.#end(index, block) : []
  }

  /** Later counts replace earlier ones: they are totals. Those that were told before may be null then. */
  #count(usage: unknown): void {
    if (!isRecord(usage)) return
    const told = Object.entries(usage).filter(([, count]) => count !== null)
    this.#usage = { ...this.#usage, ...Object.fromEntries(told) }
  }

  #begin(index: number, block: unknown): Array<Part> {
    const type = textAt(block, "type")
    if (type === "text" || type === "thinking") {
      const kind = type === "text" ? "text" : "reasoning"
      const open: Block = { kind, id: `${kind}-${index}`, signature: "" }
      this.#blocks.set(index, open)
      const first = textAt(block, type) ?? ""
      return [{ type: `${kind}-start`, id: open.id }, ...this.#say(open.kind, open.id, first)]
    }
    if (type === "redacted_thinking") {
      const id = `reasoning-${index}`
      const metadata = hidden(textAt(block, "data") ?? "")
      return [
        { type: "reasoning-start", id, metadata },
        { type: "reasoning-end", id }
      ]
    }
    const name = textAt(block, "name")
    if (type !== "tool_use" || name === undefined) return []
    const id = textAt(block, "id") || this.#facts.callId(index)
    const wireName = this.#facts.names.fromWire(name)
    this.#blocks.set(index, { kind: "call", id, name: wireName, input: own(block, "input"), text: "" })
    return [{ type: "tool-params-start", id, name: wireName }]
  }

  #say(kind: "text" | "reasoning", id: string, delta: string): Array<Part> {
    return delta === "" ? [] : [{ type: `${kind}-delta`, id, delta }]
  }

  #delta(block: Block, delta: unknown): Array<Part> {
    if (block.kind === "call") {
      const text = textAt(delta, "partial_json") ?? ""
      block.text += text
      return text === "" ? [] : [{ type: "tool-params-delta", id: block.id, delta: text }]
    }
    block.signature += textAt(delta, "signature") ?? ""
    return this.#say(block.kind, block.id, textAt(delta, block.kind === "text" ? "text" : "thinking") ?? "")
  }

  #end(index: number, block: Block): Array<Part> {
    this.#blocks.delete(index)
    if (block.kind === "call") {
      const params = block.text === "" ? (block.input ?? {}) : parsedArguments(block.text)
      return [
        { type: "tool-params-end", id: block.id },
        { type: "tool-call", id: block.id, name: block.name, params }
      ]
    }
    const metadata = block.kind === "reasoning" ? { metadata: signed(block.signature) } : {}
    return [{ type: `${block.kind}-end`, id: block.id, ...metadata }]
  }

  /** Blocks that were left open end first. */
  #finish(): Array<Part> {
    const parts = [...this.#blocks].flatMap(([index, block]) => this.#end(index, block))
    return [...parts, { type: "finish", reason: finishReasonOf(this.#reason, false), usage: usageOf(this.#usage) }]
  }
}
