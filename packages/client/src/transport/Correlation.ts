/**
 * One stream of messages that carries everything: a table that leads each answer to the request with its id, and each
 * notification to the request it names.
 */
import * as Result from "effect/Result"
import { own } from "@treadle/protocol/json"
import { isRequestId, requestKey, type Message, type Notification, type RequestId } from "@treadle/protocol/rpc"
import { MetaKey } from "@treadle/protocol/schema"
import { keepNewest } from "../Bounded.ts"
import type { OnNoise } from "../ClientSettings.ts"
import type { McpReason } from "../McpError.ts"
import { TransitMap } from "../TransitMap.ts"
import { incoming, undecodable } from "./Incoming.ts"
import type { ExchangeSink, Receiver } from "./Transport.ts"

const nobody: Receiver = { notify: () => {}, request: () => {}, late: () => {}, ended: () => {} }

/** How many requests that were given up are remembered, so that their late answers are known for what they are. */
const maxGivenUp = 1024

/** The requests that wait on one stream. */
export class Correlation {
  #waiting = new TransitMap<string, ExchangeSink>()
  readonly #givenUp = new Set<string>()
  readonly #onNoise: OnNoise
  readonly #nesting: number
  #receiver = nobody
  #ended: McpReason | undefined

  /** @param nestingLimit the most levels that a message may have */
  constructor({ nestingLimit, onNoise }: { readonly nestingLimit: number; readonly onNoise: OnNoise }) {
    this.#onNoise = onNoise
    this.#nesting = nestingLimit
  }

  /** Why nothing more will come, once that is so. */
  get ended(): McpReason | undefined {
    return this.#ended
  }

  attach(receiver: Receiver): void {
    this.#receiver = receiver
  }

  wait(id: RequestId, sink: ExchangeSink): void {
    this.#waiting.set(requestKey(id), sink)
  }

  /** Whether the request still waited. */
  giveUp(id: RequestId): boolean {
    const key = requestKey(id)
    if (!this.#waiting.delete(key)) return false
    this.#givenUp.add(key)
    keepNewest(this.#givenUp, maxGivenUp)
    return true
  }

  /** Settles one request with a failure, where it still waits. */
  fail(id: RequestId, reason: McpReason): void {
    const sink = this.#waiting.get(requestKey(id))
    this.#waiting.delete(requestKey(id))
    sink?.fail(reason)
  }

  /** Reads one message; what is none is reported and skipped (B001, B045). */
  receive(text: string): void {
    const read = incoming(text, this.#nesting)
    if (Result.isSuccess(read)) return this.#message(read.success, text)
    const { answers, why } = read.failure
    this.#onNoise(text, why)
    if (answers !== undefined) this.fail(answers, undecodable(read.failure))
  }

  /** Nothing more will come: whoever waits fails. */
  end(reason: McpReason): void {
    if (this.#ended !== undefined) return
    this.#ended = reason
    const sinks = [...this.#waiting.values()]
    this.#waiting = new TransitMap()
    this.#receiver.ended(reason)
    for (const sink of sinks) sink.fail(reason)
  }

  #message(message: Message, text: string): void {
    switch (message._tag) {
      case "Notification":
        return (this.#ownerOf(message) ?? this.#receiver).notify(message)
      case "Request":
        return this.#receiver.request(message)
      default: {
        const key = message.id === undefined ? undefined : requestKey(message.id)
        const sink = key === undefined ? undefined : this.#waiting.get(key)
        if (key !== undefined && this.#givenUp.delete(key)) return this.#receiver.late(message)
        if (key === undefined || sink === undefined) return this.#onNoise(text, "it answers no request that waits")
        this.#waiting.delete(key)
        sink.answer({ message })
      }
    }
  }

  /**
   * The request that a notification names by its progress token or its subscription (SUB-06). One that names none
   * belongs to the only request there is, where there is one.
   */
  #ownerOf({ params }: Notification): ExchangeSink | undefined {
    const named = own(params, "progressToken") ?? own(own(params, "_meta"), MetaKey.subscriptionId)
    if (isRequestId(named)) return this.#waiting.get(requestKey(named))
    const [only, another] = this.#waiting.values()
    return another === undefined ? only : undefined
  }
}
