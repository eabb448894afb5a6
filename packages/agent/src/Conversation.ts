/**
 * A conversation with an agent: messages are answered one after another, over one transcript. Between them nothing runs.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Queue from "effect/Queue"
import * as Semaphore from "effect/Semaphore"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { AgentError } from "./AgentError.ts"
import { makeStopSignal, requestStop, type StopSignal } from "./loop/StopSignal.ts"
import { runTurn, type TurnParts } from "./loop/Turn.ts"
import type { Outcome } from "./Outcome.ts"
import type { Delivered } from "./Supervisor.ts"

/** How a conversation stands. */
export interface ConversationStatus {
  /** Turns that ended. */
  readonly turns: number
  /** Messages that wait or are being answered. */
  readonly awaiting: number
  readonly busy: boolean
}

/** A conversation; it ends with the scope that it was opened in. */
export interface Conversation<out A> {
  readonly runId: string
  /** Says something and waits for the outcome of its turn. Messages are answered in their order. */
  readonly say: (message: string) => Effect.Effect<Outcome<A>, AgentError>
  /** Queues a message and goes on; its outcome comes in `turns`. */
  readonly deliver: (message: string) => Effect.Effect<Delivered>
  /** Outcomes of turns as they end, from when it is listened to; the newest 64 for who reads slowly. */
  readonly turns: Stream.Stream<Outcome<A>, AgentError>
  /** Ends the turn under way, with outcome `cancelled`; the next message is answered as if nothing had been. */
  readonly cancel: Effect.Effect<void>
  readonly status: Effect.Effect<ConversationStatus>
}

type Heard<A> = Queue.Queue<Outcome<A>, AgentError | Cause.Done>

class LiveConversation<A> implements Conversation<A> {
  readonly #parts: TurnParts
  readonly #scope: Scope.Scope
  readonly #lock = Semaphore.makeUnsafe(1)
  readonly #listeners = new Set<Heard<A>>()
  #stop: StopSignal | undefined
  #turns = 0
  #awaiting = 0

  constructor(parts: TurnParts, scope: Scope.Scope) {
    this.#parts = parts
    this.#scope = scope
  }

  get runId(): string {
    return this.#parts.facts.runId
  }

  readonly say = (message: string): Effect.Effect<Outcome<A>, AgentError> =>
    Effect.suspend(() => {
      this.#awaiting++
      const turn = Effect.suspend(() => {
        this.#stop = makeStopSignal()
        return runTurn<A>(this.#parts, message, this.#stop)
      })
      const told = Effect.onExit(this.#lock.withPermits(1)(turn), (exit) => Effect.sync(() => this.#settle(exit)))
      return told
    })

  readonly deliver = (message: string): Effect.Effect<Delivered> =>
    Effect.suspend(() => {
      const delivered = { turns: this.#turns, awaiting: this.#turns + this.#awaiting + 1 }
      const forked = Effect.forkIn(Effect.exit(this.say(message)), this.#scope, { startImmediately: true })
      return Effect.as(forked, delivered)
    })

  readonly turns: Stream.Stream<Outcome<A>, AgentError> = Stream.callback<Outcome<A>, AgentError>(
    (queue) =>
      Effect.andThen(
        Effect.acquireRelease(
          Effect.sync(() => this.#listeners.add(queue)),
          () => Effect.sync(() => this.#listeners.delete(queue))
        ),
        Effect.never
      ),
    { bufferSize: 64, strategy: "sliding" }
  )

  readonly cancel: Effect.Effect<void> = Effect.suspend(() =>
    this.#stop === undefined ? Effect.void : requestStop(this.#stop, "cancelled")
  )

  readonly status: Effect.Effect<ConversationStatus> = Effect.sync(() => ({
    turns: this.#turns,
    awaiting: this.#awaiting,
    busy: this.#stop !== undefined
  }))

  #settle(exit: Exit.Exit<Outcome<A>, AgentError>): void {
    this.#stop = undefined
    this.#turns++
    this.#awaiting--
    for (const queue of this.#listeners) {
      if (Exit.isSuccess(exit)) Queue.offerUnsafe(queue, exit.value)
      else Queue.failCauseUnsafe(queue, exit.cause)
    }
  }
}

/** Makes a conversation of the parts of its turns. */
export const conversation = <A>(parts: TurnParts): Effect.Effect<Conversation<A>, never, Scope.Scope> =>
  Effect.map(Effect.scope, (scope) => new LiveConversation<A>(parts, scope))
