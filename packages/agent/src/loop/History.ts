/**
 * The transcript of a run or a conversation. Its invariant: every call of the model has exactly one result before the
 * model is asked again, also after a round that was cancelled, so that no provider refuses it.
 */
import * as Prompt from "effect/ai/Prompt"
import type * as Response from "effect/ai/Response"
import { boundedRound, type Observation } from "../toolbox/Observation.ts"

/** A call that the model wants to be made. */
export interface ModelCall {
  /** Unique in the transcript, whatever the provider sent. */
  readonly id: string
  /** The name as the model wrote it. */
  readonly name: string
  readonly params: unknown
}

/** Rough size in tokens: a quarter of the characters, and four for what holds them. */
const sizeOf = (message: Prompt.Message): number => Math.ceil(JSON.stringify(message.content).length / 4) + 4

const textMessage = (text: string): Prompt.Message => Prompt.userMessage({ content: [Prompt.textPart({ text })] })

/** Results are the loop's to give, but for those of tools that the provider runs itself. */
const isReplayed = (part: Response.AnyPart): boolean =>
  part.type !== "tool-result" || (part.providerExecuted === true && part.preliminary !== true)

const idsIn = ({ content }: Prompt.Message): ReadonlyArray<string> =>
  typeof content === "string" ? [] : content.flatMap((part) => (part.type === "tool-call" ? [part.id] : []))

const isOwnCall = (part: Response.AnyPart): part is Response.ToolCallPart<string, unknown> =>
  part.type === "tool-call" && part.providerExecuted !== true

/** An id like the wished one that none of these is. */
const newId = (ids: Set<string>, wish: string, number: number): string => {
  let id = wish
  for (let count = number; ids.has(id); count++) id = `${wish}_${count}`
  ids.add(id)
  return id
}

interface Round {
  readonly calls: ReadonlyArray<ModelCall>
  readonly results: Map<string, Observation>
}

export class History {
  #messages: Array<Prompt.Message> = []
  #sizes: Array<number> = []
  /** The calls whose results are awaited. */
  #round: Round | undefined

  /** @param before what was said before, each call of it with its result */
  constructor(before: ReadonlyArray<Prompt.Message> = []) {
    for (const message of before) this.#push(message)
  }

  get messages(): ReadonlyArray<Prompt.Message> {
    return this.#messages
  }

  /** Tokens of each message, roughly. */
  get sizes(): ReadonlyArray<number> {
    return this.#sizes
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
    const calls: Array<ModelCall> = []
    // Providers refuse an id that comes twice in a transcript.
    const ids = new Set(this.#messages.flatMap(idsIn))
    for (const part of parts) if (part.type === "tool-call" && !isOwnCall(part)) ids.add(part.id)
    const distinct = parts.filter(isReplayed).map((part) => {
      if (!isOwnCall(part)) return part
      const id = newId(ids, part.id === "" ? "call" : part.id, calls.length + 1)
      calls.push({ id, name: part.name, params: part.params })
      return { ...part, id }
    })
    for (const message of Prompt.fromResponseParts(distinct).content) this.#push(message)
    this.#round = calls.length === 0 ? undefined : { calls, results: new Map() }
    return calls
  }

  /** Adds the result of a call of this round; the first one counts. */
  result(id: string, observation: Observation): void {
    const results = this.#round?.results
    if (results?.has(id) === false) results.set(id, observation)
  }

  /**
   * Ends the round: results in the order of the calls.
   *
   * @param missing what is said of a call that has none
   * @param room characters for all results together
   * @returns the results; nothing where no round is open
   */
  seal(missing: Observation, room: number): ReadonlyArray<Observation> {
    if (this.#round === undefined) return []
    const { calls, results } = this.#round
    const round = boundedRound(
      calls.map(({ id }) => results.get(id) ?? missing),
      room
    )
    const content = calls.map(({ id, name }, index) => {
      const { isError, value } = round[index] ?? missing
      return Prompt.toolResultPart({ id, name, isFailure: isError, result: value, providerExecuted: false })
    })
    this.#push(Prompt.toolMessage({ content }))
    this.#round = undefined
    return round
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
