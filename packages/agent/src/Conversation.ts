/**
 * A conversation with an agent: messages are answered one after another, over one transcript. Between them nothing runs.
 */
import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Semaphore from "effect/Semaphore"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { AgentError } from "./AgentError.ts"
import { waitingMessages } from "./Limits.ts"
import { heeding, makeStopSignal, requestStop, type StopSignal } from "./loop/StopSignal.ts"
import { runTurn, type TurnParts } from "./loop/Turn.ts"
import { Outcome } from "./Outcome.ts"
import type { Delivered } from "./Supervisor.ts"
import { Transcript } from "./Transcript.ts"

/** How a conversation stands. */
export interface ConversationStatus {
  /** Turns that ended. */
  readonly turns: number
  /** Messages that wait or are being answered. */
  readonly awaiting: number
  readonly busy: boolean
}

/** A message that was not queued, because too many wait already. */
export class ConversationFull extends Data.TaggedError("ConversationFull")<{ readonly awaiting: number }> {
  override get message(): string {
    return `the message is not queued: ${this.awaiting} wait already. Let some be answered first`
  }
}

/** A message that was not queued, because the conversation is over. */
export class ConversationClosed extends Data.TaggedError("ConversationClosed") {
  override get message(): string {
    return "the message is not queued: the conversation is closed. Open another one"
  }
}

/** A conversation; it ends with the scope that it was opened in. */
export interface Conversation<out A> {
  readonly runId: string
  /**
   * Says something and waits for the outcome of its turn. Messages are answered in their order; once the conversation is
   * closed, the outcome is `cancelled`.
   */
  readonly say: (message: string) => Effect.Effect<Outcome<A>, AgentError>
  /**
   * Queues a message and goes on; its outcome comes in `turns`. Fails with `ConversationFull` where 64 messages wait
   * or are being answered, those of `say` included, and with `ConversationClosed` after its end.
   */
  readonly deliver: (message: string) => Effect.Effect<Delivered, ConversationFull | ConversationClosed>
  /**
   * Outcomes of turns as they end, from when it is listened to; the newest 64 for who reads slowly. A turn that `say`
   * fails of has the outcome `failed` here. The stream ends with the conversation.
   */
  readonly turns: Stream.Stream<Outcome<A>>
  /** Ends the turn under way, with outcome `cancelled`; the next message is answered as if nothing had been. */
  readonly cancel: Effect.Effect<void>
  readonly status: Effect.Effect<ConversationStatus>
  /** What was said until the last turn ended, to be kept, and given to another conversation as `transcript`. */
  readonly transcript: Effect.Effect<Transcript>
}

type Heard<A> = Queue.Queue<Outcome<A>, Cause.Done>

class LiveConversation<A> implements Conversation<A> {
  readonly #parts: TurnParts
  readonly #scope: Scope.Scope
  readonly #signal: AbortSignal | undefined
  readonly #lock = Semaphore.makeUnsafe(1)
  #listeners: ReadonlyArray<Heard<A>> = []
  /** What was said until the last turn ended: whole, also while one goes on. */
  #said: Transcript
  #stop: StopSignal | undefined
  #turns = 0
  #awaiting = 0
  #closed = false

  constructor(parts: TurnParts, scope: Scope.Scope, signal: AbortSignal | undefined) {
    this.#parts = parts
    this.#scope = scope
    this.#signal = signal
    this.#said = new Transcript(parts.history.messages.slice())
  }

  get runId(): string {
    return this.#parts.facts.runId
  }

  readonly say = (message: string): Effect.Effect<Outcome<A>, AgentError> =>
    Effect.suspend(() => {
      this.#awaiting++
      return Effect.ensuring(
        this.#lock.withPermits(1)(this.#turn(message)),
        Effect.sync(() => {
          this.#awaiting--
        })
      )
    })

  readonly deliver = (message: string): Effect.Effect<Delivered, ConversationFull | ConversationClosed> =>
    Effect.suspend((): Effect.Effect<Delivered, ConversationFull | ConversationClosed> => {
      if (this.#closed) return Effect.fail(new ConversationClosed())
      if (this.#awaiting >= waitingMessages) return Effect.fail(new ConversationFull({ awaiting: this.#awaiting }))
      const delivered = { turns: this.#turns, awaiting: this.#turns + this.#awaiting + 1 }
      // Nobody waits for it, so a defect would be heard by nobody.
      const said = Effect.tapCause(this.say(message), (cause) =>
        Cause.hasDies(cause) ? Effect.logError("A turn of a conversation broke down", cause) : Effect.void
      )
      const forked = Effect.forkIn(Effect.exit(said), this.#scope, { startImmediately: true })
      return Effect.as(forked, delivered)
    })

  get turns(): Stream.Stream<Outcome<A>> {
    return Stream.callback<Outcome<A>>((queue) => this.#heard(queue), { bufferSize: 64, strategy: "sliding" })
  }

  get cancel(): Effect.Effect<void> {
    return Effect.suspend(() => (this.#stop === undefined ? Effect.void : requestStop(this.#stop, "cancelled")))
  }

  get status(): Effect.Effect<ConversationStatus> {
    return Effect.sync(() => ({ turns: this.#turns, awaiting: this.#awaiting, busy: this.#stop !== undefined }))
  }

  get transcript(): Effect.Effect<Transcript> {
    return Effect.sync(() => this.#said)
  }

  /** Ends the turn under way and those that wait, with outcome `cancelled`, and then the stream of turns. */
  get close(): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.#closed = true
      const over = Effect.andThen(this.cancel, this.#lock.withPermits(1)(Effect.void))
      return Effect.andThen(
        over,
        Effect.sync(() => {
          for (const queue of this.#listeners) Queue.endUnsafe(queue)
        })
      )
    })
  }

  #heard(queue: Heard<A>): Effect.Effect<unknown, never, Scope.Scope> {
    return Effect.suspend(() => {
      if (this.#closed) return Queue.end(queue)
      const heard = Effect.acquireRelease(
        Effect.sync(() => {
          this.#listeners = [...this.#listeners, queue]
        }),
        () =>
          Effect.sync(() => {
            this.#listeners = this.#listeners.filter((other) => other !== queue)
          })
      )
      return Effect.andThen(heard, Effect.never)
    })
  }

  #turn(message: string): Effect.Effect<Outcome<A>, AgentError> {
    return Effect.suspend(() => {
      const stop = makeStopSignal()
      this.#stop = stop
      const turn = heeding(this.#signal, stop, runTurn<A>(this.#parts, message, stop))
      const begun = this.#closed ? Effect.andThen(requestStop(stop, "cancelled"), turn) : turn
      return Effect.onExit(begun, (exit) => Effect.sync(() => this.#settle(exit)))
    })
  }

  #settle(exit: Exit.Exit<Outcome<A>, AgentError>): void {
    this.#stop = undefined
    this.#turns++
    this.#said = new Transcript(this.#parts.history.messages.slice())
    for (const queue of this.#listeners) {
      if (Exit.isSuccess(exit)) Queue.offerUnsafe(queue, exit.value)
      else if (Cause.hasDies(exit.cause))
        Queue.failCauseUnsafe(queue, Cause.fromReasons(exit.cause.reasons.filter(Cause.isDieReason)))
      else Queue.offerUnsafe(queue, this.#unsaid(exit.cause))
    }
  }

  /** The outcome of a turn that has none: it failed, or whoever said it no longer waits for it. */
  #unsaid(cause: Cause.Cause<AgentError>): Outcome<A> {
    const error = Option.getOrUndefined(Cause.findErrorOption(cause))
    const fields = {
      runId: this.runId,
      status: error === undefined ? ("cancelled" as const) : ("failed" as const),
      partial: true,
      answer: undefined,
      text: "",
      usage: { input: 0, output: 0, steps: 0 },
      ...(error === undefined ? {} : { error: error.message })
    }
    return new Outcome<A>(fields, [])
  }
}

/**
 * Makes a conversation of the parts of its turns; it ends with the scope.
 *
 * @param signal aborting it ends the turn under way and those that follow
 */
export const conversation = <A>(
  parts: TurnParts,
  signal?: AbortSignal
): Effect.Effect<Conversation<A>, never, Scope.Scope> =>
  Effect.flatMap(Effect.scope, (scope) =>
    Effect.acquireRelease(
      Effect.sync(() => new LiveConversation<A>(parts, scope, signal)),
      (live) => live.close
    )
  )
