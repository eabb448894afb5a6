/**
 * One child and its state. Every change of it is one step that nothing comes between, and the first terminal state is the
 * last: what a run produced counts, else the wish that ended it, else what it failed of.
 */
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import type { Json } from "@treadle/protocol/json"
import type { AgentError } from "../AgentError.ts"
import { waitingMessages } from "../Limits.ts"
import { makeStopSignal } from "../loop/StopSignal.ts"
import type { RunStatus } from "../Outcome.ts"
import type { Delivered, SpawnMode, SubagentState } from "../Supervisor.ts"
import type { ChildOutcome, RunPlace } from "./ChildRunner.ts"
import { distilled } from "./Distillate.ts"

/** How it ended. */
type End = Pick<SubagentState, "result" | "partial" | "error" | "abandoned"> & { readonly status: RunStatus }

/** A message to a warm child. */
export interface Mail {
  readonly text: string
  readonly answered: Deferred.Deferred<void>
}

/** Those below a child, as its ladder sees them. */
export interface Below {
  /** Refuses what is started from now on, here and below. */
  readonly drain: () => void
  /** Children that still run, here and below, the deepest first. */
  readonly live: () => ReadonlyArray<Child>
  /** Ends all of them. */
  readonly close: Effect.Effect<void>
}

/** How a run that broke off ended. A failure that a teardown provoked is not told of: the teardown is. */
const broken = (cause: Cause.Cause<AgentError>): End => {
  if (Cause.hasInterruptsOnly(cause)) return { status: "cancelled" }
  const found = Cause.findError(cause)
  const error = found._tag === "Success" ? found.success.brief : "it broke down with an internal error"
  return { status: "failed", partial: true, error }
}

const endOf = (exit: Exit.Exit<ChildOutcome, AgentError>, asked: boolean): End => {
  if (Exit.isFailure(exit)) return asked ? { status: "cancelled" } : broken(exit.cause)
  const { abandoned, error, partial, status } = exit.value
  if (status === "failed" && asked) return { status: "cancelled" }
  return {
    status,
    partial,
    result: distilled(exit.value),
    ...(error === undefined ? {} : { error }),
    ...(abandoned === undefined ? {} : { abandoned })
  }
}

/** What is settled of a child when it is started. */
export interface ChildFacts extends RunPlace {
  readonly handle: string
  readonly mode: SpawnMode
  /** When it was started, in milliseconds. */
  readonly since: number
  /** Who started it, where several may. */
  readonly owner: string | undefined
}

export class Child implements ChildFacts {
  readonly handle: string
  readonly path: string
  readonly depth: number
  readonly scope: RunPlace["scope"]
  readonly mode: SpawnMode
  readonly since: number
  readonly owner: string | undefined
  /** The wish that it ends. */
  readonly stop = makeStopSignal()
  readonly ended = Deferred.makeUnsafe<void>()
  below: Below | undefined
  fiber: Fiber.Fiber<unknown, unknown> | undefined
  readonly #told: (status: RunStatus) => void
  #asked = false
  #ran: Exit.Exit<ChildOutcome, AgentError> | undefined
  #end: End | undefined
  #turns = 0
  #awaiting = 0
  readonly #mail: Array<Mail> = []
  #mailed: Deferred.Deferred<void> | undefined
  #last: Deferred.Deferred<void> | undefined
  #lastResult: Json | undefined
  #lastIsError = false

  /** @param told hears of the terminal state once it is written, before anybody who waits for it */
  constructor({ depth, handle, mode, owner, path, scope, since }: ChildFacts, told: (status: RunStatus) => void) {
    this.#told = told
    this.handle = handle
    this.path = path
    this.depth = depth
    this.scope = scope
    this.mode = mode
    this.since = since
    this.owner = owner
  }

  get done(): boolean {
    return this.#end !== undefined
  }

  /** Whether its end was asked for. */
  get asked(): boolean {
    return this.#asked
  }

  /** Completes when the last message so far is answered; nothing where none is under way. */
  get lastAnswered(): Deferred.Deferred<void> | undefined {
    return this.#awaiting > 0 ? this.#last : undefined
  }

  /** Asks it to end. */
  ask(): void {
    if (this.#asked) return
    this.#asked = true
    Deferred.doneUnsafe(this.stop, Exit.succeed("cancelled"))
    this.#wake()
  }

  /** Keeps what its run came to, while what is below it still ends. */
  ran(exit: Exit.Exit<ChildOutcome, AgentError>): void {
    this.#ran = exit
  }

  /** Writes the terminal state. */
  settle(exit: Exit.Exit<ChildOutcome, AgentError>): void {
    this.#ending(endOf(this.#ran ?? exit, this.#asked))
  }

  /** Gives it up while it still runs. */
  abandon(): void {
    const left: End = { status: "cancelled", abandoned: true }
    this.#ending(this.#ran === undefined ? left : endOf(this.#ran, this.#asked))
  }

  /** Queues a message. @returns nothing where too many wait */
  deliver(text: string): Delivered | undefined {
    if (this.#awaiting >= waitingMessages) return undefined
    this.#awaiting++
    const mail: Mail = { text, answered: Deferred.makeUnsafe<void>() }
    this.#last = mail.answered
    const delivered: Delivered = { turns: this.#turns, awaiting: this.#turns + this.#awaiting }
    this.#mail.push(mail)
    this.#wake()
    return delivered
  }

  /** The next message of a warm child, or nothing once its end is asked for. */
  readonly next: Effect.Effect<Mail | undefined> = Effect.suspend(() => {
    if (this.#asked) return Effect.succeed(undefined)
    const mail = this.#mail.shift()
    if (mail !== undefined) return Effect.succeed(mail)
    this.#mailed = Deferred.makeUnsafe<void>()
    return Effect.andThen(Deferred.await(this.#mailed), this.next)
  })

  /** A turn of a warm child ended. */
  turned({ answered }: Mail, exit: Exit.Exit<ChildOutcome, AgentError>): void {
    const { error, result, status } = endOf(exit, this.#asked)
    this.#turns++
    this.#awaiting--
    this.#lastResult = (result as Json | undefined) ?? error ?? null
    this.#lastIsError = status !== "completed"
    Deferred.doneUnsafe(answered, Exit.void)
  }

  /** @param now milliseconds */
  state(now: number): SubagentState {
    const { handle, mode } = this
    const warm =
      mode === "warm" && this.#lastResult !== undefined
        ? { result: this.#lastResult, lastIsError: this.#lastIsError }
        : {}
    return {
      handle,
      mode,
      status: "running",
      done: this.done,
      age: now - this.since,
      turns: this.#turns,
      awaiting: this.#awaiting,
      ...this.#end,
      ...warm
    }
  }

  #wake(): void {
    const mailed = this.#mailed
    // Whoever waits may go on at once, and wait again.
    this.#mailed = undefined
    if (mailed !== undefined) Deferred.doneUnsafe(mailed, Exit.void)
  }

  #ending(end: End): void {
    if (this.#end !== undefined) return
    this.#end = end
    this.#told(end.status)
    Deferred.doneUnsafe(this.ended, Exit.void)
  }
}
