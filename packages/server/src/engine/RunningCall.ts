/**
 * One call while its handler runs. It is the handler's second argument and the value of `CurrentCall`, and it keeps
 * notifications ahead of the answer: after it, nothing is sent.
 *
 * A class with prototype getters, made once per call: an object literal with getters would cost more than the call.
 */
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import { printNotification } from "@treadle/protocol/rpc"
import { passesLevel, type LogLevel, type Meta } from "@treadle/protocol/schema"
import type { Json, JsonObject } from "@treadle/protocol/json"
import type { Call, CurrentCallService, HeaderTable } from "../CurrentCall.ts"
import type { Admitted } from "../envelope/Admitted.ts"
import type { Ask } from "../Ask.ts"
import type { AskFailed } from "../AskFailed.ts"
import type { Principal } from "../Principal.ts"
import { ToolFailed } from "../ToolError.ts"
import type { Asking } from "./asking/Asking.ts"
import { CallAsks, type Restored } from "./asking/CallAsks.ts"
import type { Answer, Sink } from "./Sink.ts"
import type { Tally } from "./Tally.ts"

/**
 * What runs: a call, a listen request, a stream that a client holds open beside them, or a call that is answered already
 * and goes on as a task.
 */
export type Kind = "call" | "listen" | "stream" | "task"

/**
 * Why a call was ended from outside; `asking` is the end of a round, `expired` that of the time of a task, `token-over`
 * that of the token that opened a stream. Neither `cancelled`, which a client tells, nor `gone`, where nobody is left to
 * read it, has an answer.
 */
export type Ending =
  | "asking"
  | "cancelled"
  | "expired"
  | "gone"
  | "token-over"
  | "stopping"
  | "timed-out"
  | "too-slow"
  | "session-ended"

const plain = (data: unknown): Json => {
  try {
    return JSON.parse(JSON.stringify(data) ?? "null")
  } catch {
    return String(data)
  }
}

export class RunningCall implements Call<unknown, never>, CurrentCallService {
  readonly admitted: Admitted
  /** Where what it sends goes, and its answer. */
  sink: Sink
  kind: Kind
  /** When it came, in milliseconds; set once it outlives its first tick. */
  since = 0
  /** When it is given up, in milliseconds: a call by its author's limit, a stream when its token is over. */
  deadline = Number.POSITIVE_INFINITY
  ending: Ending | undefined
  /** Ends its span, where a tracer hears of it. */
  traced: ((answer: Answer | undefined) => void) | undefined
  /** Begins its task, where its handler says when. */
  begins: ((call: RunningCall) => void) | undefined
  readonly #tally: Tally
  #fiber: Fiber.Fiber<unknown, unknown> | undefined
  #abort: AbortController | undefined
  #answered = false
  readonly #asking: Asking
  #asks: CallAsks | undefined
  #restored: Restored | undefined
  #ticked = 0
  #progress = Number.NEGATIVE_INFINITY

  constructor(admitted: Admitted, sink: Sink, tally: Tally, asking: Asking, kind: Kind = "call") {
    this.admitted = admitted
    this.sink = sink
    this.kind = kind
    this.#asking = asking
    this.#tally = tally
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

  sentHeaders(): HeaderTable {
    return this.admitted.inbound.headers?.() ?? {}
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

  get pause(): Call<unknown, never>["pause"] {
    return (retry) => {
      if (!this.#answered && this.ending === undefined) this.sink.pause?.(retry)
    }
  }

  get startTask(): Call<unknown, never>["startTask"] {
    return () => this.begins?.(this)
  }

  get fail(): Call<unknown, never>["fail"] {
    return (error: unknown) => {
      throw typeof error === "string" ? new ToolFailed(error) : error
    }
  }

  get ask(): Call<unknown, never>["ask"] {
    return (key, ask) =>
      new Promise((resolve, reject) => {
        this.#ensureAsks().ask(key, ask, Result.match({ onSuccess: resolve, onFailure: reject }))
      })
  }

  get complete(): Call<unknown, never>["complete"] {
    return (key) => this.#aside(this.#asks?.completed(key))
  }

  get step(): Call<unknown, never>["step"] {
    return async <A>(key: string, run: () => A | PromiseLike<A>) => {
      const asks = this.#ensureAsks()
      const known = asks.stepped<Awaited<A>>(key)
      if (known !== undefined) return known.value
      const end = asks.begin(key)
      try {
        return asks.keep(key, await run())
      } finally {
        end()
      }
    }
  }

  askFor<A>(key: string, ask: Ask<A>): Effect.Effect<A, AskFailed> {
    return Effect.callback<A, AskFailed>((resume) => {
      const stop = this.#ensureAsks().ask(key, ask, (outcome) => resume(Effect.fromResult(outcome)))
      return Effect.sync(stop)
    })
  }

  stepOf<A, E, R>(key: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.suspend(() => {
      const asks = this.#ensureAsks()
      const known = asks.stepped<A>(key)
      if (known !== undefined) return Effect.succeed(known.value)
      const end = asks.begin(key)
      return Effect.ensuring(
        Effect.map(effect, (value) => asks.keep(key, value)),
        Effect.sync(end)
      )
    })
  }

  sendProgress(done: number, total?: number, message?: string): Effect.Effect<void> {
    return this.#inTurn(() => this.#printProgress(done, total, message))
  }

  sendLog(level: LogLevel, data: unknown, logger?: string): Effect.Effect<void> {
    return this.#inTurn(() => this.#printLog(level, data, logger))
  }

  sendComplete(key: string): Effect.Effect<void> {
    return this.#inTurn(() => this.#asks?.completed(key))
  }

  send(method: string, params: unknown): Effect.Effect<void> {
    return this.#inTurn(() => printNotification(method, plain(params)))
  }

  /** Sends what a listener must not miss; one that reads too slowly for it is ended, so that it can ask again. */
  tell(text: string): void {
    if (this.#answered || this.ending !== undefined) return
    if (!this.sink.full()) return void this.sink.post(text)
    this.#tally.dropped++
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
    this.#asks?.close(false)
    this.#abort?.abort(ending)
    if (this.#fiber !== undefined) this.#fiber.interruptUnsafe()
  }

  /** Its sender takes the request back. One that became a task is answered, and cancelled by the task's id (TASK-13). */
  cancel(why: "cancelled" | "gone" = "cancelled"): void {
    if (this.kind !== "task") this.end(why)
  }

  /** The connection that waits for the answer has gone: natively that cancels the call, in compat it does not (CANCEL-02). */
  disconnect(): void {
    if (this.admitted.revision.era === "native") this.cancel("gone")
  }

  /** Whether it can become a task: its request waits for an answer still. */
  get isOpen(): boolean {
    return this.kind === "call" && this.ending === undefined && !this.#answered
  }

  /** Its request is answered, and it goes on as a task: what it sends from here on, asks and comes to is for that. */
  moveTo(task: Sink): void {
    this.kind = "task"
    this.sink = task
    this.#asks?.moveTo(task)
  }

  /** What it asks and nobody has answered yet. */
  get questions(): ReturnType<CallAsks["open"]> {
    return (this.ending === undefined ? this.#asks?.open() : undefined) ?? []
  }

  /** Takes answers to its questions, all of them or none. @returns why they do not fit */
  answer(answers: JsonObject): ReadonlyArray<string> {
    return (this.ending === undefined ? this.#asks?.answer(answers) : undefined) ?? []
  }

  /** Gives what earlier rounds of this call left, before its handler runs. */
  restore(state: Restored): void {
    this.#restored = state
  }

  /** What the round that has ended asks, and what the next one needs. */
  round(): ReturnType<CallAsks["round"]> {
    return this.#ensureAsks().round()
  }

  /** Every page that nothing could send the client to, where that is what a question failed with. */
  unsent(error: AskFailed): ReturnType<CallAsks["unsent"]> {
    return this.#asks?.unsent(error) ?? []
  }

  /** Nothing is sent from here on. */
  finish(): void {
    this.#asks?.close(true)
    this.#answered = true
  }

  /** Time passes. @param now milliseconds */
  tick(now: number): void {
    if (this.#asks !== undefined) this.#wait(this.#asks, now)
    if (now >= this.deadline) this.end(this.kind === "listen" || this.kind === "stream" ? "token-over" : "timed-out")
    else this.sink.tick(now, this.since)
  }

  /** The time that a client takes to answer is not the handler's. */
  #wait(asks: CallAsks, now: number): void {
    if (asks.isWaiting) this.deadline += now - Math.max(this.#ticked, this.since)
    this.#ticked = now
    asks.tick(now)
  }

  #ensureAsks(): CallAsks {
    this.#asks ??= new CallAsks(this.#asking, this.admitted, this.sink, () => this.end("asking"), this.#restored)
    return this.#asks
  }

  #printProgress(done: number, total?: number, message?: string): string | undefined {
    if (message !== undefined) this.sink.told?.(message)
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
    this.#asking.deprecated("logging", this.admitted)
    const asked = this.#asking.logs ? this.admitted.logLevel : undefined
    if (asked === undefined || !passesLevel(level, asked)) return undefined
    return printNotification("notifications/message", {
      level,
      ...(logger === undefined ? {} : { logger }),
      data: plain(data)
    })
  }

  #aside(text: string | undefined): void {
    if (text === undefined || this.#answered || this.ending !== undefined) return
    if (this.sink.full()) this.#tally.dropped++
    else this.sink.post(text)
  }

  #inTurn(print: () => string | undefined): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (this.#answered || this.ending !== undefined) return Effect.void
      const text = print()
      return text === undefined || this.sink.post(text) ? Effect.void : this.#held()
    })
  }

  /** Waits until the client has read what was sent. */
  #held(): Effect.Effect<void> {
    const count = (by: number) =>
      Effect.sync(() => {
        this.#tally.held += by
      })
    return Effect.acquireUseRelease(
      count(1),
      () => this.sink.room,
      () => count(-1)
    )
  }
}
