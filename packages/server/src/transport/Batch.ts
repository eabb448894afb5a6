/**
 * An array of messages, which only sessions of 2025-03-26 may send: each is served by itself, and the answers leave
 * together (BASE-24).
 */
import { isRecord, own } from "@treadle/protocol/json"
import { isRequestId, RpcError } from "@treadle/protocol/rpc"
import { MetaKey } from "@treadle/protocol/schema"
import type { Inbound } from "../envelope/Inbound.ts"
import { refused } from "../engine/Answers.ts"
import type { Answer, Sink } from "../engine/Sink.ts"
import type { Outcome, Serve } from "./Outcome.ts"

/** The most messages of one batch. */
const largest = 100

/** Gathers the answers of a batch for the sink of the whole. */
class Gathering {
  readonly #whole: Sink
  readonly #texts: Array<string> = []
  #open = 1

  constructor(whole: Sink) {
    this.#whole = whole
  }

  /** The sink of one more message. */
  sink(): Sink {
    const whole = this.#whole
    this.#open++
    let open = true
    const close = (text?: string) => {
      if (!open) return
      open = false
      if (text !== undefined) this.#texts.push(text)
      this.close()
    }
    return {
      post: (text, needed) => whole.post(text, needed),
      full: () => whole.full(),
      room: whole.room,
      mute: whole.mute ?? false,
      answer: ({ text }) => close(text),
      abandon: close,
      keep: (through) => whole.keep?.(through),
      pause: (retry) => whole.pause?.(retry),
      tick: (now, since) => whole.tick(now, since)
    }
  }

  /** One message less to wait for; the last one lets the answers go. */
  close(): void {
    if (--this.#open > 0) return
    if (this.#texts.length === 0) this.#whole.abandon()
    else this.#whole.answer({ text: `[${this.#texts.join(",")}]` })
  }
}

/** What is a message of its own, never one of several: a handshake, and whatever speaks another era. */
const isNoPart = (value: unknown): boolean =>
  isRecord(value) && (value["method"] === "initialize" || namesVersion(value["params"]))

const namesVersion = (params: unknown): boolean => own(own(params, "_meta"), MetaKey.protocolVersion) !== undefined

const aloneOnly = (value: unknown): Answer => {
  const id = own(value, "id")
  const error = RpcError.invalidRequest(
    "A batch holds messages of its session only: neither initialize nor a message that names its version"
  )
  return refused({ rung: "message", error, id: isRequestId(id) ? id : undefined })
}

/** Serves a batch. @param one serves one message of it */
export const serveBatch = (one: Serve, inbound: Inbound, values: ReadonlyArray<unknown>, sink: Sink): Outcome => {
  if (values.length === 0 || values.length > largest) {
    const error = RpcError.invalidRequest(`A batch has 1 to ${largest} messages, not ${values.length}`)
    sink.answer(refused({ rung: "message", error }))
    return undefined
  }
  const { context, headers, http, overHttp, owner, principal, services } = inbound
  const gathering = new Gathering(sink)
  let silent = true
  for (const value of values) {
    const part = gathering.sink()
    const outcome = isNoPart(value)
      ? part.answer(aloneOnly(value))
      : one({ value, context, headers, http, overHttp, owner, principal, services }, part)
    if (outcome === "accepted") part.abandon()
    else silent = false
  }
  if (silent) return "accepted"
  gathering.close()
  return undefined
}
