/**
 * What was said in a conversation, as a value that is kept as JSON and gone on from: later, or in another process.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Prompt from "effect/ai/Prompt"

const Messages = Schema.toCodecJson(Schema.Array(Prompt.Message))

/** The calls that have to be answered by the message after this one. */
const callsIn = (message: Prompt.Message | undefined): ReadonlyArray<string> =>
  message?.role === "assistant"
    ? message.content.flatMap((part) => (part.type === "tool-call" && !part.providerExecuted ? [part.id] : []))
    : []

const resultsIn = (message: Prompt.Message | undefined): ReadonlyArray<string> =>
  message?.role === "tool" ? message.content.flatMap((part) => (part.type === "tool-result" ? [part.id] : [])) : []

/** Why providers would refuse these messages, or why they are no transcript. */
const faultOf = (messages: ReadonlyArray<Prompt.Message>): string | undefined => {
  for (let at = 0; at <= messages.length; at++) {
    const message = messages[at]
    if (message?.role === "system") return `message ${at + 1} is one of the system, which a transcript has none of`
    const calls = callsIn(messages[at - 1])
    const results = new Set(resultsIn(message))
    if (calls.length !== results.size || !calls.every((id) => results.has(id))) {
      return `message ${at + 1} does not hold one result for each call of the message before it`
    }
  }
  return undefined
}

/**
 * A transcript, as `transcript` of a conversation gives it, and as the option `transcript` takes it. It holds what was
 * said, what was called and what came of it; instruction, servers and budgets are those of who goes on.
 *
 * @example
 * ```ts
 * import { Transcript } from "@treadle/agent"
 * import * as Result from "effect/Result"
 *
 * const kept = JSON.stringify([{ role: "user", content: "Review PR 7" }])
 * Result.map(Transcript.from(JSON.parse(kept)), ({ messages }) => messages.length) // => Result.succeed(1)
 * ```
 */
export class Transcript {
  readonly messages: ReadonlyArray<Prompt.Message>

  constructor(messages: ReadonlyArray<Prompt.Message>) {
    this.messages = messages
  }

  /** What `JSON.stringify` writes, and `Transcript.from` reads. */
  toJSON(): unknown {
    return Schema.encodeSync(Messages)(this.messages)
  }

  /**
   * Reads one that was kept.
   *
   * @param json as `toJSON` gave it
   * @returns the transcript, or a sentence that says what is wrong with it
   */
  static from(json: unknown): Result.Result<Transcript, string> {
    const read = Result.mapError(Schema.decodeUnknownResult(Messages)(json), ({ message }) => message)
    return Result.flatMap(read, (messages) => {
      const fault = faultOf(messages)
      return fault === undefined ? Result.succeed(new Transcript(messages)) : Result.fail(fault)
    }).pipe(Result.mapError((why) => `it is no transcript: ${why}`))
  }
}
