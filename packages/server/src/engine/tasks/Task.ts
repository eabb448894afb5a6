/**
 * One task: a call whose request is answered already. It is the sink of the call, so that what the call comes to is kept
 * here until it is asked for; nothing is sent for a task (TASK-16).
 */
import * as Effect from "effect/Effect"
import { isJsonObject, own, parseJson, type JsonObject } from "@treadle/protocol/json"
import { printNotification, RpcError } from "@treadle/protocol/rpc"
import type { DetailedTask, Meta, Task as TaskFacts } from "@treadle/protocol/schema"
import type { TaskSettings } from "../../handler/TaskSettings.ts"
import type { TaskChange } from "../offer/Hub.ts"
import type { RunningCall } from "../RunningCall.ts"
import type { Answer, Sink } from "../Sink.ts"

/** What a task came to: the members that say so. */
type Ended =
  | { readonly status: "completed"; readonly result: JsonObject }
  | { readonly status: "failed"; readonly error: Omit<RpcError, "_tag">; readonly statusMessage: string }
  | { readonly status: "cancelled" }

/** What a task is made with. */
export interface TaskParts extends Pick<TaskSettings, "pollInterval"> {
  readonly call: RunningCall
  /** Milliseconds from its creation; `null` for as long as it is served. */
  readonly ttl: number | null
  /** The scopes that callers need over HTTP, as for the call itself. */
  readonly scopes: ReadonlyArray<string>
  readonly now: () => number
  /** Hears of every change. */
  readonly changed: (task: Task) => void
}

const isoOf = (millis: number): string => new Date(millis).toISOString()

/** What an answer says, without its envelope. */
const endedBy = ({ error, text }: Answer): Ended => {
  const result = own(parseJson(text), "result")
  if (error === undefined && isJsonObject(result)) return { status: "completed", result }
  const { _tag, ...said } = error ?? RpcError.internal("The task has no answer")
  return { status: "failed", error: said, statusMessage: said.message }
}

export class Task implements Sink, TaskChange {
  readonly _tag = "task"
  /** Nobody guesses it (TASK-19). */
  readonly id: string = globalThis.crypto.randomUUID()
  /** Whose tasks are counted together. */
  readonly owner: string
  readonly scopes: ReadonlyArray<string>
  readonly #principal: string | undefined
  readonly #created: number
  readonly #parts: Omit<TaskParts, "call">
  #call: RunningCall | undefined
  #ended: Ended | undefined
  #unheard = false
  #message: string | undefined
  #updated: number

  constructor({ call, ...parts }: TaskParts) {
    this.owner = call.admitted.owner
    this.scopes = parts.scopes
    this.#principal = call.admitted.inbound.principal?.id
    this.#call = call
    this.#parts = parts
    this.#created = parts.now()
    this.#updated = this.#created
  }

  /** Whether it is the task of a caller; without principals whoever knows its id is (TASK-19). */
  isOf(principal: string | undefined): boolean {
    return principal === this.#principal
  }

  /** When it is kept no longer, in milliseconds; one that nobody has heard of is let go as soon as it has ended. */
  get expires(): number {
    const { ttl } = this.#parts
    if (this.#unheard) return this.#created
    return ttl === null ? Number.POSITIVE_INFINITY : this.#created + ttl
  }

  get hasEnded(): boolean {
    return this.#ended !== undefined
  }

  /** How it begins (TASK-05). */
  get seed(): TaskFacts {
    return { ...this.#facts, status: "working" }
  }

  /** As it stands (TASK-08). */
  get detail(): DetailedTask {
    return { ...this.#facts, ...this.#status() }
  }

  /** The printed notification that says how it stands (TASK-15). */
  readonly print = (meta: Meta): string => printNotification("notifications/tasks", { ...this.detail, _meta: meta })

  /** Takes answers to its questions, all of them or none. @returns why they do not fit */
  update(answers: JsonObject): ReadonlyArray<string> {
    return this.#call?.answer(answers) ?? []
  }

  /** Ends the call behind it, where it still runs (TASK-12). */
  end(ending: "cancelled" | "expired"): void {
    this.#call?.end(ending)
  }

  // What the call does as long as it runs.

  readonly post = (): boolean => true
  readonly full = (): boolean => false
  readonly room = Effect.void
  readonly tick = (): void => {}
  // A handler that heeds no signal may go on after its end, which is final (TASK-09).
  readonly asked = (): void => {
    if (!this.hasEnded) this.#change()
  }
  readonly told = (message: string): void => {
    if (this.hasEnded) return
    this.#message = message
    this.#change()
  }
  readonly answer = (answer: Answer): void => this.#end(endedBy(answer))
  readonly abandon = (): void => {
    this.#unheard = this.#call?.ending === "gone"
    this.#end({ status: "cancelled" })
  }

  get #facts() {
    const { pollInterval, ttl } = this.#parts
    return {
      taskId: this.id,
      ...(this.#message === undefined ? {} : { statusMessage: this.#message }),
      createdAt: isoOf(this.#created),
      lastUpdatedAt: isoOf(this.#updated),
      ttlMs: ttl,
      pollIntervalMs: pollInterval
    }
  }

  #status() {
    if (this.#ended !== undefined) return this.#ended
    const questions = this.#call?.questions ?? []
    return questions.length === 0
      ? { status: "working" as const }
      : { status: "input_required" as const, inputRequests: Object.fromEntries(questions) }
  }

  /** The call is let go: what it came to is all that is kept. */
  #end(ended: Ended): void {
    this.#ended = ended
    this.#call = undefined
    this.#message = undefined
    this.#change()
  }

  #change(): void {
    this.#updated = this.#parts.now()
    this.#parts.changed(this)
  }
}
