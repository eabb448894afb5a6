/**
 * One call while its handler runs. It is the handler's second argument and the value of `CurrentCall`, and it keeps
 * notifications ahead of the answer: after it, nothing is sent.
 *
 * A class with prototype getters, made once per call: an object literal with getters would cost more than the call.
 */
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import { printNotification } from "@treadle/protocol/rpc"
import { passesLevel, type LogLevel, type Meta } from "@treadle/protocol/schema"
import type { Json } from "@treadle/protocol/json"
import type { Call, CurrentCallService } from "../CurrentCall.ts"
import type { Admitted } from "../envelope/Admitted.ts"
import type { Principal } from "../Principal.ts"
import { ToolFailed } from "../ToolError.ts"
import type { Sink } from "./Sink.ts"

/** Why a call was ended from outside. */
export type Ending = "cancelled" | "stopping" | "timed-out" | "too-slow" | "session-ended"

const plain = (data: unknown): Json => {
  try {
    return JSON.parse(JSON.stringify(data) ?? "null")
  } catch {
    return String(data)
  }
}

export class RunningCall implements Call<unknown, never>, CurrentCallService {
  readonly admitted: Admitted
  readonly sink: Sink
  readonly kind: "call" | "listen"
  /** When it came, in milliseconds; set once it outlives its first tick. */
  since = 0
  /** When it is given up, in milliseconds. */
  deadline = Number.POSITIVE_INFINITY
  ending: Ending | undefined
  readonly #onDropped: () => void
  #fiber: Fiber.Fiber<unknown, unknown> | undefined
  #abort: AbortController | undefined
  #answered = false
  #progress = Number.NEGATIVE_INFINITY

  constructor(admitted: Admitted, sink: Sink, onDropped: () => void, kind: "call" | "listen" = "call") {
    this.admitted = admitted
    this.sink = sink
    this.kind = kind
    this.#onDropped = onDropped
  }

  get call(): Call<unknown, never> {
    return this
  }

  get context(): unknown {
    return this.admitted.inbound.context
  }

  get principal(): Principal | undefined {
    return this.admitted.inbound.principal
  }

  get meta(): Meta {
    return this.admitted.meta
  }

  get signal(): AbortSignal {
    this.#abort ??= new AbortController()
    if (this.ending !== undefined) this.#abort.abort(this.ending)
    return this.#abort.signal
  }

  get progress(): Call<unknown, never>["progress"] {
    return (done, total, message) => this.#aside(this.#printProgress(done, total, message))
  }

  get log(): Call<unknown, never>["log"] {
    return (level, data, logger) => this.#aside(this.#printLog(level, data, logger))
  }

  get fail(): Call<unknown, never>["fail"] {
    return (error: unknown) => {
      throw typeof error === "string" ? new ToolFailed(error) : error
    }
  }

  sendProgress(done: number, total?: number, message?: string): Effect.Effect<void> {
    return this.#inTurn(() => this.#printProgress(done, total, message))
  }

  sendLog(level: LogLevel, data: unknown, logger?: string): Effect.Effect<void> {
    return this.#inTurn(() => this.#printLog(level, data, logger))
  }

  send(method: string, params: unknown): Effect.Effect<void> {
    return this.#inTurn(() => printNotification(method, plain(params)))
  }

  /** Sends what a listener must not miss; one that reads too slowly for it is ended, so that it can ask again. */
  tell(text: string): void {
    if (this.#answered || this.ending !== undefined) return
    if (!this.sink.full()) return void this.sink.post(text)
    this.#onDropped()
    this.end("too-slow")
  }

  /** The fiber that runs the handler; a call that was ended while it was starting is interrupted now. */
  attach(fiber: Fiber.Fiber<unknown, unknown>): void {
    this.#fiber = fiber
    if (this.ending !== undefined) fiber.interruptUnsafe()
  }

  /** Ends the call from outside: its signal is aborted, its finalizers run. */
  end(ending: Ending): void {
    if (this.ending !== undefined || this.#answered) return
    this.ending = ending
    this.#abort?.abort(ending)
    if (this.#fiber !== undefined) this.#fiber.interruptUnsafe()
  }

  /** The connection that waits for the answer has gone: natively that cancels the call, in compat it does not (D10). */
  disconnect(): void {
    if (this.admitted.revision.era === "native") this.end("cancelled")
  }

  /** Nothing is sent from here on. */
  finish(): void {
    this.#answered = true
  }

  /** Time passes. @param now milliseconds */
  tick(now: number): void {
    if (now >= this.deadline) this.end("timed-out")
    else this.sink.tick(now, this.since)
  }

  #printProgress(done: number, total?: number, message?: string): string | undefined {
    const progressToken = this.admitted.progressToken
    if (progressToken === undefined || !(done > this.#progress) || !Number.isFinite(done)) return undefined
    this.#progress = done
    return printNotification("notifications/progress", {
      progressToken,
      progress: done,
      ...(total === undefined || !Number.isFinite(total) ? {} : { total }),
      ...(message === undefined ? {} : { message })
    })
  }

  #printLog(level: LogLevel, data: unknown, logger?: string): string | undefined {
    const asked = this.admitted.logLevel
    if (asked === undefined || !passesLevel(level, asked)) return undefined
    return printNotification("notifications/message", {
      level,
      ...(logger === undefined ? {} : { logger }),
      data: plain(data)
    })
  }

  #aside(text: string | undefined): void {
    if (text === undefined || this.#answered || this.ending !== undefined) return
    if (this.sink.full()) this.#onDropped()
    else this.sink.post(text)
  }

  #inTurn(print: () => string | undefined): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (this.#answered || this.ending !== undefined) return Effect.void
      const text = print()
      return text === undefined || this.sink.post(text) ? Effect.void : this.sink.room
    })
  }
}
