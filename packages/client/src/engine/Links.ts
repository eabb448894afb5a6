/**
 * The link of a session, and its recovery: when it is lost, the next who needs it opens another one, and whoever
 * comes meanwhile waits for the same opening.
 *
 * A request is sent again only where it provably did not run, or where running it twice does no harm.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Random from "effect/Random"
import * as Scope from "effect/Scope"
import { ErrorCode } from "@treadle/protocol/rpc"
import { hasStatus404, type McpError } from "../McpError.ts"
import type { Agreed } from "./opening/Agreed.ts"
import type { ClientEngine } from "./ClientEngine.ts"
import type { ServerStream } from "./watching/ServerStream.ts"

/** A way to the server on which both sides agreed. */
export interface Link {
  readonly engine: ClientEngine
  readonly agreed: Agreed
  /** The stream on which a compat server speaks by itself. */
  readonly stream: ServerStream | undefined
  /** Stops what keeps it alive; nothing more is said to the server. Called when it is lost. */
  readonly abandon: () => void
  /** Waits until it is lost. */
  readonly lost: Effect.Effect<void>
}

/** A link before it is in use. */
export type Opened = Omit<Link, "lost">

/** How a link is opened; it closes with the scope. @param lose to be called when it is found to be lost */
export type OpenLink = (lose: () => void) => Effect.Effect<Opened, McpError, Scope.Scope>

/** How often a request is sent at most. */
const maxAttempts = 3

const firstWait = 100
const longestWait = 5000

/** A growing wait with jitter, so that many clients do not come back at once. */
export const backOff = (attempt: number): Effect.Effect<void> =>
  Effect.flatMap(Random.next, (random) => {
    const longest = Math.min(firstWait * 2 ** attempt, longestWait)
    return Effect.sleep(longest / 2 + (random * longest) / 2)
  })

/** Limits a wait in time. */
export type Within = <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E | McpError>

/** The current link of a session. */
export interface Links {
  /** The link; one is opened where there is none. */
  readonly get: Effect.Effect<Link, McpError>
  /** The link that is in use, if any. */
  readonly current: () => Link | undefined
  /** What was agreed last; while a link is lost, that is still what the session knows. */
  readonly agreed: () => Agreed | undefined
  /** Fails once the session is closed. */
  readonly closed: Effect.Effect<never, McpError>
  /** Forgets a link; it closes once its requests have met their own end. */
  readonly lose: (link: Link) => void
  /**
   * Does something with the link, again on another one where the first was lost.
   *
   * @param safe whether doing it twice does no harm
   * @param within limits what is waited for beside `run`, which heeds the time itself
   */
  readonly use: <A>(
    run: (link: Link) => Effect.Effect<A, McpError>,
    safe: boolean,
    within: Within
  ) => Effect.Effect<A, McpError>
}

/**
 * The links of a session; the last one closes with the scope.
 *
 * @param closed the error of those who come after that
 */
export const makeLinks = (open: OpenLink, closed: () => McpError): Effect.Effect<Links, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.map(Effect.context<never>(), (services) => {
      // A link is opened with what the session was opened with, whoever needs it.
      const opens: OpenLink = (lose) =>
        Effect.flatMap(Effect.scope, (scope) => Effect.provideContext(Scope.provide(open(lose), scope), services))
      return new SessionLinks(opens, closed, Effect.runForkWith(services))
    }),
    (links) => links.close
  )

interface Held extends Link {
  readonly ended: Deferred.Deferred<void>
  readonly scope: Scope.Closeable
}

type Run = (effect: Effect.Effect<void>) => Fiber.Fiber<void>

/** A failure, and what is to be done about it. */
interface Failure {
  readonly error: McpError
  /** Whether the request may be sent again. */
  readonly again: boolean
  /** Whether another link is taken, so that there is nothing to wait for. */
  readonly anew: boolean
}

class SessionLinks implements Links {
  readonly #open: OpenLink
  readonly #closedError: () => McpError
  readonly #run: Run
  readonly #scope = Scope.makeUnsafe()
  /** The ends of lost links that are under way. */
  readonly #ending = new Set<Fiber.Fiber<void>>()
  readonly #over = Deferred.makeUnsafe<never, McpError>()
  #current: Held | undefined
  #agreed: Agreed | undefined
  #opening: Deferred.Deferred<Link, McpError> | undefined

  constructor(open: OpenLink, closed: () => McpError, run: Run) {
    this.#open = open
    this.#closedError = closed
    this.#run = run
  }

  readonly current = (): Link | undefined => this.#current

  readonly agreed = (): Agreed | undefined => this.#agreed

  readonly closed: Effect.Effect<never, McpError> = Deferred.await(this.#over)

  readonly get: Effect.Effect<Link, McpError> = Effect.suspend(() => {
    if (this.#current !== undefined) return Effect.succeed(this.#current)
    if (Deferred.isDoneUnsafe(this.#over)) return this.closed
    if (this.#opening !== undefined) return Deferred.await(this.#opening)
    const opening = Deferred.makeUnsafe<Link, McpError>()
    this.#opening = opening
    return Effect.andThen(Effect.forkIn(this.#opened(opening), this.#scope), Deferred.await(opening))
  })

  readonly lose = (link: Link): void => {
    const held = this.#current
    if (held === undefined || held !== link) return
    this.#current = undefined
    Deferred.doneUnsafe(held.ended, Effect.void)
    held.abandon()
    const ending = this.#run(Effect.andThen(held.engine.idle, Scope.close(held.scope, Exit.void)))
    this.#ending.add(ending)
    ending.addObserver(() => this.#ending.delete(ending))
  }

  readonly use: Links["use"] = <A>(run: (link: Link) => Effect.Effect<A, McpError>, safe: boolean, within: Within) => {
    const attempt = (sent: number): Effect.Effect<A, McpError> =>
      Effect.catch(this.#tried(run, safe, within), ({ again, anew, error }) => {
        if (!again || sent + 1 >= maxAttempts) return Effect.fail(error)
        return Effect.andThen(
          anew ? Effect.void : within(backOff(sent)),
          Effect.suspend(() => attempt(sent + 1))
        )
      })
    return attempt(0)
  }

  readonly close: Effect.Effect<void> = Effect.suspend(() => {
    const closed = Effect.fail(this.#closedError())
    Deferred.doneUnsafe(this.#over, closed)
    this.#current = undefined
    if (this.#opening !== undefined) Deferred.doneUnsafe(this.#opening, closed)
    return Effect.andThen(
      Scope.close(this.#scope, Exit.void),
      Effect.suspend(() => Fiber.awaitAll(this.#ending))
    )
  })

  #tried<A>(run: (link: Link) => Effect.Effect<A, McpError>, safe: boolean, within: Within): Effect.Effect<A, Failure> {
    const on = (link: Link): Effect.Effect<A, Failure> =>
      Effect.mapError(run(link), (error): Failure => {
        const lost = isLostBy(link, error)
        if (lost || error.reason._tag === "Closed") this.lose(link)
        const notRun = neverSent(error) || (lost && error.reason._tag === "Rpc")
        return { error, again: notRun || (safe && isPassing(error)), anew: this.#current !== link }
      })
    const current = this.#current
    if (current !== undefined) return on(current)
    const got = Effect.mapError(within(this.get), (error): Failure => {
      // A session that is over is not opened again.
      const again = error.reason._tag !== "Closed" && neverSent(error)
      return { error, again, anew: false }
    })
    return Effect.flatMap(got, on)
  }

  /** Opens a link in a fiber of its own, so that nobody who waits for it can end it for the others. */
  #opened(opening: Deferred.Deferred<Link, McpError>): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      const scope = yield* Scope.fork(this.#scope)
      let held: Held | undefined
      let gone = false
      const lose = () => {
        gone = true
        if (held !== undefined) this.lose(held)
      }
      const exit = yield* Effect.exit(Scope.provide(this.#open(lose), scope))
      this.#opening = undefined
      if (Exit.isFailure(exit)) {
        yield* Scope.close(scope, exit)
        return Deferred.doneUnsafe(opening, Effect.failCause(exit.cause))
      }
      const ended = Deferred.makeUnsafe<void>()
      held = { ...exit.value, ended, scope, lost: Deferred.await(ended) }
      this.#current = held
      this.#agreed = held.agreed
      if (gone) this.lose(held)
      Deferred.doneUnsafe(opening, Effect.succeed(held))
    })
  }
}

/**
 * Whether the server no longer knows what was settled with it: the session, or over HTTP, where another server may
 * answer by now, the revision.
 */
export const isLostBy = ({ agreed, engine }: Link, { reason }: McpError): boolean =>
  agreed.era === "compat"
    ? hasStatus404(reason) && agreed.session?.id !== undefined
    : reason._tag === "Rpc" && reason.code === ErrorCode.UnsupportedVersion && engine.transport.kind === "http"

/** Whether a request got nowhere, so that it is sent again without asking. */
const neverSent = ({ reason }: McpError): boolean =>
  (reason._tag === "Transport" || reason._tag === "Closed") && reason.notRun === true

const passing = new Set([429, 502, 503, 504])

/** Whether a failure may be over at the next try. */
export const isPassing = ({ reason }: McpError): boolean => {
  if (reason._tag === "Closed") return true
  if (reason._tag !== "Transport" && reason._tag !== "Rpc") return false
  return reason.status === undefined ? reason._tag === "Transport" : passing.has(reason.status)
}
