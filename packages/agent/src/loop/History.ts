/**
 * The transcript of a run or a conversation. Its invariant: every call of the model has exactly one result before the
 * model is asked again, also after a round that was cancelled, so that no provider refuses it.
 */
import * as Prompt from "effect/ai/Prompt"
import type * as Response from "effect/ai/Response"
import type { Json } from "@treadle/protocol/json"
import type { Observation } from "../toolbox/Observation.ts"

/** A call that the model wants to be made. */
export interface ModelCall {
  /** Unique in its round, whatever the provider sent. */
  readonly id: string
  /** The name as the model wrote it. */
  readonly name: string
  readonly params: unknown
}

/** Rough size in tokens: a quarter of the characters, and four for what holds them. */
const sizeOf = (message: Prompt.Message): number => Math.ceil(JSON.stringify(message.content).length / 4) + 4

const textMessage = (text: string): Prompt.Message => Prompt.userMessage({ content: [Prompt.textPart({ text })] })

const isOwnCall = (part: Response.AnyPart): part is Response.ToolCallPart<string, unknown> =>
  part.type === "tool-call" && part.providerExecuted !== true

export class History {
  #messages: Array<Prompt.Message> = []
  #sizes: Array<number> = []
  #open: ReadonlyArray<ModelCall> = []
  readonly #results = new Map<string, Observation>()

  get messages(): ReadonlyArray<Prompt.Message> {
    return this.#messages
  }

  /** Tokens of all messages, roughly. */
  get size(): number {
    return this.#sizes.reduce((sum, size) => sum + size, 0)
  }

  /** Adds what a person, a parent or the loop says. */
  say(text: string): void {
    this.#push(textMessage(text))
  }

  /**
   * Adds what the model answered.
   *
   * @returns the calls that it wants, each to be given a result before `seal`
   */
  answered(parts: ReadonlyArray<Response.AnyPart>): ReadonlyArray<ModelCall> {
    const ids = new Set<string>()
    const calls: Array<ModelCall> = []
    const distinct = parts.map((part) => {
      if (!isOwnCall(part)) return part
      let id = part.id === "" ? `call_${calls.length + 1}` : part.id
      while (ids.has(id)) id = `${id}_${calls.length + 1}`
      ids.add(id)
      calls.push({ id, name: part.name, params: part.params })
      return { ...part, id }
    })
    for (const message of Prompt.fromResponseParts(distinct).content) this.#push(message)
    this.#open = calls
    this.#results.clear()
    return calls
  }

  /** Adds the result of a call of this round; the first one counts. */
  result(id: string, observation: Observation): void {
    if (!this.#results.has(id)) this.#results.set(id, observation)
  }

  /**
   * Ends the round: results in the order of the calls.
   *
   * @param missing what is said of a call that has none
   * @returns the values of the results; nothing where no round is open
   */
  seal(missing: Observation): ReadonlyArray<Json> {
    if (this.#open.length === 0) return []
    const content = this.#open.map(({ id, name }) => {
      const { isError, value } = this.#results.get(id) ?? missing
      return Prompt.toolResultPart({ id, name, isFailure: isError, result: value, providerExecuted: false })
    })
    this.#push(Prompt.toolMessage({ content }))
    this.#open = []
    this.#results.clear()
    return content.map(({ result }) => result as Json)
  }

  /**
   * Puts one message in place of the first ones.
   *
   * @param until the first message that stays; it is no result of a call
   */
  shorten(until: number, summary: string): void {
    const message = textMessage(summary)
    this.#messages = [message, ...this.#messages.slice(until)]
    this.#sizes = [sizeOf(message), ...this.#sizes.slice(until)]
  }

  #push(message: Prompt.Message): void {
    this.#messages.push(message)
    this.#sizes.push(sizeOf(message))
  }
}
