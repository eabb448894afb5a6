/**
 * A definition that is being served: its services captured once, its live state, and the function that every door calls.
 * It lives as long as the Scope in which it was made; closing that Scope drains it.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as References from "effect/References"
import * as Scope from "effect/Scope"
import * as Tracer from "effect/Tracer"
import { nativeVersions } from "@treadle/protocol/era"
import type { AuthSettings } from "./Authentication.ts"
import type { Counters } from "./Counters.ts"
import { makeDefects, type OnDefect, type Report } from "./engine/Defects.ts"
import { makeDispatch, servedIn } from "./engine/Dispatch.ts"
import { makeEngine } from "./engine/Engine.ts"
import type { InFlight } from "./engine/InFlight.ts"
import { makeOperate, type Operate } from "./engine/Operating.ts"
import { makeRun } from "./engine/Runner.ts"
import type { Sink } from "./engine/Sink.ts"
import { makeState, type State } from "./engine/State.ts"
import { makeStateSeal } from "./engine/asking/RequestState.ts"
import { makeRounds } from "./engine/asking/Rounds.ts"
import { neededScopes } from "./engine/offer/NeededScopes.ts"
import { toolHeaders } from "./engine/offer/ToolHeaders.ts"
import type { SessionMode } from "./engine/sessions/CompatSessions.ts"
import { makeHold, type Hold } from "./engine/sessions/HeldStream.ts"
import { makeSessionStreams, type OpenedStream } from "./engine/sessions/SessionStream.ts"
import type { Offered } from "./envelope/Admitted.ts"
import type { Caller } from "./envelope/Caller.ts"
import type { Inbound } from "./envelope/Inbound.ts"
import type { Refusal } from "./envelope/Refusal.ts"
import type { Entries } from "./handler/Entry.ts"
import { scopedEntries } from "./handler/ScopedEntries.ts"
import { Limits } from "./Limits.ts"
import type { LiveService } from "./Live.ts"
import type { McpBuildError } from "./McpBuildError.ts"
import { contextPrincipal, type Vouched } from "./Principal.ts"
import { internalError } from "./reply/ErrorReply.ts"
import type { ServerInfo } from "./ServerInfo.ts"
import type { StateKey } from "./StateKey.ts"
import { openDoor, openGate, type AuthGate } from "./transport/AuthGate.ts"
import type { DoorKind } from "./transport/DoorSettings.ts"
import { sessionVerbs } from "./transport/HttpSession.ts"
import type { Serve } from "./transport/Outcome.ts"
import { ScopeDoubts } from "./transport/ScopeDoubts.ts"
import { makeServe } from "./transport/Serve.ts"

/** What every door can be told. */
export interface ServedSettings {
  readonly limits?: Partial<Limits>
  /** Hears of every bug in a handler, with what the caller was told. */
  readonly onDefect?: OnDefect
  /**
   * Whether the compat era has sessions over HTTP: `on` by default; `off` answers every request by itself, for platforms
   * that keep nothing between requests.
   */
  readonly sessions?: SessionMode
  /**
   * What seals the state that native clients carry between the rounds of a call that asks, and the cursors of long lists.
   * The first key seals, all of them open, so keys are changed by putting a new one in front. Without any, a key of this
   * process is made, and what it sealed means nothing to another process.
   */
  readonly stateKeys?: ReadonlyArray<StateKey>
}

/**
 * What is being served. `R` are the services that its handlers were given at the start, `Ctx` is the context that its
 * doors are given for each request.
 */
export interface Served<in R = never, out Ctx = unknown> {
  readonly serve: Serve
  /** Runs one operation for a caller that sends no message of MCP. */
  readonly operate: Operate
  /** Changes what is served. */
  readonly live: LiveService<R, Ctx>
  /** What is served now, as it was defined; the same value until that changes. */
  readonly entries: () => Entries
  readonly limits: Limits
  /** What is under way now. */
  readonly counters: () => Counters
  /** What callers over HTTP must show, where they must. */
  readonly gate: AuthGate | undefined
  /** Who a context says is calling; a function of the author's that throws refuses the request. */
  readonly identify: (context: unknown) => Caller
  /** Logs a warning of the server itself. */
  readonly warn: (text: string) => void
  /**
   * Warns of scopes that no caller of a door over HTTP has, now and after each change.
   *
   * @param vouched whether the door itself says who calls
   */
  readonly doubtScopes: (vouched: boolean) => void
  /** Counts a message that was dropped. */
  readonly onDropped: () => void
  /** Whether new calls are refused. */
  readonly isStopping: () => boolean
  /** Ends the listen requests of one owner with their results, because its pipe asks for nothing more (SUB-09). */
  readonly endListeners: (owner: string) => void
  /** Ends the running calls of one owner as its pipe goes away. */
  readonly hangUp: (owner: string) => void
  /**
   * Opens a stream of a compat session, for changes or for the rest of one that was lost (CHTTP-07, CHTTP-12).
   *
   * @returns what to do once the connection has gone
   */
  readonly openStream: (inbound: Inbound, sink: Sink) => OpenedStream
  /** Ends the compat session that a request names, and its calls (CHTTP-19). @returns why there is none */
  readonly endSession: (inbound: Inbound) => Refusal | undefined
  /** Holds a stream open that tells its client things. */
  readonly hold: Hold
  /** Completes when nothing runs. */
  readonly idle: Effect.Effect<void>
  /** Refuses new calls, waits for the running ones, ends those that outlast the grace, and waits as long for their finalizers. */
  readonly stop: Effect.Effect<void>
}

/** What a served thing is made with: what every door can be told, and what those of HTTP know. */
export interface ServedParts extends ServedSettings, AuthSettings {
  /** What else keeps entries from being served, where they have no build errors; asked at each change. */
  readonly check?: (entries: Entries) => ReadonlyArray<McpBuildError>
  /** Which settings the door reads: those of a door without HTTP, where this is left out. */
  readonly door?: DoorKind
  /** The address of the door itself, where it has one; it is asked once there is a first request. */
  readonly ownUrl?: () => string
}

/** A checked definition, as the builder hands it over. */
export interface ServedDefinition {
  readonly info: ServerInfo
  readonly entries: Entries
  readonly principal: ((context: never) => Vouched | undefined) | undefined
}

/** What handlers run with: the caller's services, without the span and the scope of start-up, and no log on stdout. */
const captured = (services: Context.Context<never>): Context.Context<never> =>
  Context.add(
    Context.omit(Tracer.ParentSpan, Scope.Scope)(services as Context.Context<Scope.Scope | Tracer.ParentSpan>),
    References.LogToStderr,
    true
  )

const nobody: Caller = {}

const identifier =
  (principal: ServedDefinition["principal"], report: Report) =>
  (context: unknown): Caller => {
    if (principal === undefined) return nobody
    try {
      return { principal: contextPrincipal(principal(context as never)) }
    } catch (error) {
      const { reference } = report("principal", Cause.die(error))
      return { refusal: { rung: "principal", error: internalError(reference) } }
    }
  }

/** Ends listeners, lets calls end within the grace, and then ends them and whatever stream they were answered on. */
const draining = (inFlight: InFlight, grace: number): Effect.Effect<void> =>
  Effect.suspend(() => {
    inFlight.endAll("stopping", "listen")
    return Effect.andThen(
      Effect.timeoutOption(inFlight.calm, grace),
      Effect.suspend(() => {
        inFlight.endAll("stopping")
        return Effect.asVoid(Effect.timeoutOption(inFlight.empty, grace))
      })
    )
  })

/** What serves requests over the state. */
const machinery = (
  state: State,
  { info }: ServedDefinition,
  {
    gate,
    limits,
    report,
    stateKeys
  }: {
    readonly gate: AuthGate | undefined
    readonly limits: Limits
    readonly report: Report
    readonly stateKeys: ReadonlyArray<StateKey>
  }
) => {
  const { offer, sessions, sweep, warn } = state
  const dispatch = makeDispatch({
    ...state,
    limits,
    stateKeys,
    versions: nativeVersions,
    instructions: info.instructions,
    cache: info.cache,
    server: info.implementation,
    openSession: (opening) => sessions.open(opening),
    settled: info.live.resources === false
  })
  const rounds = makeRounds({ seal: makeStateSeal(stateKeys, warn), now: sweep.now, timeout: limits.askTimeout })
  const run = makeRun({ ...state, report, rounds })
  const engine = makeEngine({ ...state, dispatch, limits, report, run, logOf: sessions.logOf })
  const offered: Offered = {
    versions: nativeVersions,
    scopes: neededScopes(offer, limits),
    challenge: (gate ?? openDoor).insufficient,
    hasMethod: servedIn(dispatch),
    session: sessions.find,
    paramHeaders: toolHeaders(offer.tools)
  }
  return { engine, offered, run }
}

/**
 * Starts serving a definition that has no build errors.
 *
 * The services it needs are those of the effect's own context; what a `provide` gave is built here, in the Scope.
 */
export const makeServed = Effect.fnUntraced(function* (definition: ServedDefinition, settings: ServedParts) {
  const { entries, info, principal } = definition
  const { auth, check = () => [], onDefect, ownUrl, sessions: mode = "on", stateKeys = [] } = settings
  const limits = Limits.of(settings.limits)
  let stopping = false
  const isStopping = () => stopping
  const services = captured(yield* Effect.context<never>())
  const scope = yield* Scope.fork(yield* Effect.scope)
  const doubts = new ScopeDoubts((text) => state.warn(text))
  const changed = (before: Entries, after: Entries) => doubts.changed(scopedEntries(before), scopedEntries(after))
  const hooks = { isStopping, check, changed }
  const state = makeState({ info, entries, limits, sessions: mode, services, scope, ...hooks })
  const { asking, changes, inFlight, offer, sessions, tally, warn } = state
  yield* changes.start(entries)
  const report = makeDefects(state.services, onDefect)
  const broken = (cause: Cause.Cause<unknown>) => internalError(report("the token verifier", cause).reference)
  const gate = auth === undefined ? undefined : yield* openGate(auth, { services: state.services, broken, ownUrl })
  const { engine, offered, run } = machinery(state, definition, { gate, limits, report, stateKeys })
  const hold = makeHold({ run, inFlight, isStopping, limits, offered })
  const stop = Effect.suspend(() => {
    stopping = true
    return Effect.andThen(draining(inFlight, limits.grace), Effect.sync(state.clear))
  })
  yield* Effect.addFinalizer(() => stop)
  return {
    serve: makeServe({ asks: asking.open, engine, inFlight, offered, limits, isStopping }),
    operate: makeOperate({ engine, offer, offered, isStopping }),
    limits,
    counters: state.counters,
    live: state.live,
    entries: () => changes.entries,
    gate,
    warn,
    doubtScopes: (vouched) => {
      const callers = { auth, vouched: vouched || principal !== undefined }
      doubts.start(callers, scopedEntries(changes.entries))
    },
    identify: identifier(principal, report),
    onDropped: () => {
      tally.dropped++
    },
    isStopping,
    endListeners: (owner) => {
      for (const call of inFlight.of(owner)) if (call.kind === "listen") call.end("stopping")
    },
    hangUp: state.hangUp,
    ...sessionVerbs(sessions, makeSessionStreams({ hold, logOf: sessions.logOf })),
    hold,
    idle: inFlight.empty,
    stop
  } satisfies Served<unknown, never>
})
