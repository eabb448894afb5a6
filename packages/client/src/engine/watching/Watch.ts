/**
 * Watching, for as long as anybody does: one subscription with everything that is wanted, made again after every loss,
 * and then one change for each thing, because nobody can say what was missed (A52, A53).
 */
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { ClientRequest } from "@treadle/protocol/schema"
import type { Change, Watched } from "../../Change.ts"
import { McpReason, type McpError } from "../../McpError.ts"
import { backOff, isLostBy, type Link, type Links } from "../Links.ts"
import { requestError } from "../RequestError.ts"
import { Listener, thingsOf, type Thing } from "./Listeners.ts"
import { compatSubscriber, nativeSubscriber, type Subscriber } from "./Subscriber.ts"

/** How long a subscription must last before the waits after its loss begin anew, in milliseconds. */
const settledAfter = 60_000

/** How subscriptions are kept. */
export interface WatchTerms {
  /** What messages of errors call the server. */
  readonly server: string
  /** How long one may take, in milliseconds. */
  readonly timeout: number
  /** How long one may be silent, in milliseconds. */
  readonly silence: number
  /** Whether a link that is lost can be opened again. */
  readonly reopens: boolean
}

const request = ClientRequest.listen({})

/** The watchers of one session. */
export class Watch {
  readonly #links: Links
  readonly #terms: WatchTerms
  readonly #changed: (thing: Thing) => void
  readonly #listeners = new Set<Listener>()
  /** Those who wait until the present listeners are armed. */
  #waiting: Array<Deferred.Deferred<void, McpError>> = []
  /** Wakes the keeper when the listeners change. */
  #wake: (() => void) | undefined
  /** Rises with each change of the listeners. */
  #version = 0

  /** @param changed called once for each change, whoever watches */
  constructor(links: Links, terms: WatchTerms, changed: (thing: Thing) => void) {
    this.#links = links
    this.#terms = terms
    this.#changed = changed
  }

  /** How many watch. */
  get listeners(): number {
    return this.#listeners.size
  }

  /** Something changed. @param missed whether that is not known, only possible */
  tell(thing: Thing, missed = false): void {
    this.#changed(thing)
    for (const listener of this.#listeners) listener.tell(thing, missed)
  }

  /** Whatever is watched may have changed. */
  tellAll(): void {
    for (const thing of this.#things()) this.tell(thing, true)
  }

  /** Watches; it is there once the server was asked, so that what is fetched after that misses nothing. */
  readonly watch = (watched: Watched): Effect.Effect<Stream.Stream<Change, McpError>, McpError, Scope.Scope> =>
    Effect.gen({ self: this }, function* () {
      const listener = new Listener(thingsOf(watched))
      yield* Effect.addFinalizer(() => Effect.sync(() => this.#remove(listener)))
      const armed = Deferred.makeUnsafe<void, McpError>()
      this.#listeners.add(listener)
      this.#waiting.push(armed)
      this.#turn()
      yield* Effect.onError(this.#inTime(Deferred.await(armed)), () => Effect.sync(() => this.#remove(listener)))
      return listener.stream
    })

  /** Keeps the subscription; runs as long as the session. */
  readonly keep: Effect.Effect<never> = Effect.gen({ self: this }, function* () {
    let losses = 0
    let missed = false
    for (;;) {
      if (this.#listeners.size === 0) {
        missed = false
        yield* this.#turned(this.#version)
        continue
      }
      if (losses > 1) yield* backOff(losses + 1)
      const link = yield* Effect.result(this.#links.get)
      const since = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
      const end = Result.isFailure(link) ? link.failure : yield* this.#over(link.success, missed)
      if (end === "idle") {
        missed = false
        continue
      }
      const until = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
      losses = until - since > settledAfter ? 1 : losses + 1
      missed = true
      if (typeof end === "object") this.#refuse(end)
    }
  })

  /** The session ends: every stream ends after what it has not given yet. */
  close(): void {
    for (const listener of this.#listeners) listener.end(Cause.done())
    this.#listeners.clear()
  }

  /**
   * Serves the listeners over one link.
   *
   * @returns `idle` when nobody watches any more, `lost` when the link does not tell any more, or why it never did
   */
  #over(link: Link, missed: boolean): Effect.Effect<"idle" | "lost" | McpError> {
    return Effect.scoped(
      Effect.gen({ self: this }, function* () {
        const subscriber = yield* this.#subscriber(link)
        let first = missed
        for (;;) {
          const version = this.#version
          const waiting = this.#waiting
          this.#waiting = []
          const set = yield* Effect.result(this.#within(link, subscriber.set(this.#things())))
          const failure = Result.isFailure(set) ? set.failure : undefined
          const lostIt = failure !== undefined && this.#goesOn(link, failure)
          // What the server refuses is refused to those who came with it; the others go on.
          const refused = !lostIt && failure?.reason._tag === "Rpc" && waiting.length > 0
          if (failure !== undefined && !refused) {
            this.#waiting = [...waiting, ...this.#waiting]
            return lostIt ? "lost" : failure
          }
          if (first && !refused) {
            this.tellAll()
            first = false
          }
          const outcome = failure === undefined ? Effect.void : Effect.fail(failure)
          for (const armed of waiting) Deferred.doneUnsafe(armed, outcome)
          if (this.#listeners.size === 0) return "idle"
          const lost = Effect.raceFirst(subscriber.ended, link.lost)
          const next = yield* Effect.raceFirst(Effect.as(lost, "lost"), Effect.as(this.#turned(version), "turned"))
          if (next === "lost") return "lost"
        }
      })
    )
  }

  /** A subscription that is asked for: it has its time, and no longer than its link. */
  #within(link: Link, set: Effect.Effect<void, McpError>): Effect.Effect<void, McpError> {
    const lost = new McpReason.Closed({ detail: "the connection was lost" })
    return Effect.raceFirst(this.#inTime(set), Effect.andThen(link.lost, this.#fail(lost)))
  }

  #inTime(effect: Effect.Effect<void, McpError>): Effect.Effect<void, McpError> {
    const { timeout: after } = this.#terms
    const orElse = () => this.#fail(new McpReason.TimedOut({ after, method: request.method }))
    return Effect.timeoutOrElse(effect, { duration: after, orElse })
  }

  #fail(reason: McpReason): Effect.Effect<never, McpError> {
    return Effect.fail(requestError(this.#terms.server, request, reason))
  }

  /** Whether a subscription failed with its link, so that the next one may have it. */
  #goesOn(link: Link, error: McpError): boolean {
    if (isLostBy(link, error)) this.#links.lose(link)
    return this.#terms.reopens && this.#links.current() !== link
  }

  #subscriber(link: Link): Effect.Effect<Subscriber, never, Scope.Scope> {
    return link.agreed.era === "native"
      ? nativeSubscriber(link, this.#terms.silence, (thing) => this.tell(thing))
      : compatSubscriber(link)
  }

  #things(): ReadonlyArray<Thing> {
    return [...new Set([...this.#listeners].flatMap(({ things }) => [...things]))]
  }

  /** Whoever still waits is told why; whoever watches already goes on, unless no link can come. */
  #refuse(error: McpError): void {
    for (const armed of this.#waiting.splice(0)) Deferred.doneUnsafe(armed, Effect.fail(error))
    if (this.#terms.reopens || error.reason._tag !== "Closed" || this.#links.current() !== undefined) return
    for (const listener of this.#listeners) listener.end(Effect.fail(error))
    this.#listeners.clear()
  }

  #remove(listener: Listener): void {
    listener.end(Cause.done())
    if (this.#listeners.delete(listener)) this.#turn()
  }

  #turn(): void {
    this.#version++
    this.#wake?.()
  }

  /** Waits until the listeners are others than those of a version. */
  #turned(version: number): Effect.Effect<void> {
    return Effect.callback((resume) => {
      if (this.#version !== version) return resume(Effect.void)
      this.#wake = () => resume(Effect.void)
      return Effect.sync(() => void (this.#wake = undefined))
    })
  }
}
