/**
 * Admitted request in, answer out: find the row, answer at once or run its effect in the same tick, settle its exit.
 * A call that ends in its first tick is never registered anywhere.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { printResult, RpcError } from "@treadle/protocol/rpc"
import { CurrentCall } from "../CurrentCall.ts"
import type { Admitted } from "../envelope/Admitted.ts"
import { isOnPipe } from "../envelope/Presented.ts"
import type { Outlet, SessionFacts } from "../envelope/SessionFacts.ts"
import type { Dress } from "../envelope/Dress.ts"
import type { Limits } from "../Limits.ts"
import type { Principal } from "../Principal.ts"
import { internalError } from "../reply/ErrorReply.ts"
import type { NeutralResult } from "../reply/NeutralResult.ts"
import { failed, makeAnswers, refused } from "./Answers.ts"
import type { Report } from "./Defects.ts"
import type { Answered, Row, Running } from "./methods/Row.ts"
import type { EventLog } from "./sessions/EventLog.ts"
import type { InFlight } from "./InFlight.ts"
import type { Asking } from "./asking/CallAsks.ts"
import { callEvents } from "./sessions/KeptEvents.ts"
import { isRetry } from "./asking/RequestState.ts"
import type { Rounds } from "./asking/Rounds.ts"
import { answeredSpan, isTraced, openSpan } from "./RequestSpans.ts"
import type { Tally } from "./Tally.ts"
import { RunningCall } from "./RunningCall.ts"
import type { Answer, Sink } from "./Sink.ts"

export interface EngineParts {
  readonly dispatch: ReadonlyMap<string, Row>
  readonly dress: Dress
  readonly inFlight: InFlight
  readonly limits: Limits
  readonly report: Report
  readonly asking: Asking
  readonly rounds: Rounds
  readonly sweep: { readonly now: () => number; readonly wake: () => void }
  readonly tally: Tally
  /** What handlers run with, but for what layers and doors add. */
  readonly services: Context.Context<never>
  /** What a session was sent on its streams. */
  readonly logOf: (session: SessionFacts) => EventLog | undefined
}

/** How much longer than it says a token is taken, in milliseconds, because clocks differ. */
const tolerance = 60_000

/** When a stream ends that a token opened: once no request with that token would be served. */
const overAt = (principal: Principal | undefined): number =>
  principal?.via === "token" && principal.expiresAt !== undefined ? principal.expiresAt + tolerance : Infinity

export const makeEngine = (parts: EngineParts) => {
  const { asking, dispatch, dress, inFlight, limits, logOf, report, rounds, sweep, tally } = parts
  const { answerOf } = makeAnswers(dress, report)

  const settle = (call: RunningCall, running: Running, exit: Exit.Exit<NeutralResult, RpcError>): void => {
    call.finish()
    const answer = answerOf(call, running, exit)
    call.traced?.(answer)
    if (answer === undefined) call.sink.abandon()
    else call.sink.answer(answer)
    running.lease?.release()
  }

  const servicesFor = (call: RunningCall, running: Running): Context.Context<CurrentCall> => {
    const own = call.admitted.inbound.services
    const services = own === undefined ? running.services : Context.merge(running.services, own)
    return Context.add(services, CurrentCall, call)
  }

  const register = (call: RunningCall, running: Running): void => {
    call.since = sweep.now()
    if (running.timeout !== undefined) call.deadline = call.since + running.timeout
    if (call.kind === "listen" || call.kind === "stream") call.deadline = overAt(call.principal)
    inFlight.add(call)
    sweep.wake()
  }

  const ended = (call: RunningCall, running: Running, exit: Exit.Exit<NeutralResult, RpcError>): void => {
    if (call.ending === "asking" && Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)) {
      const sealing = Effect.runForkWith(running.services)(rounds.questions(call))
      sealing.addObserver((sealed) => over(call, running, sealed))
    } else over(call, running, exit)
  }

  const over = (call: RunningCall, running: Running, exit: Exit.Exit<NeutralResult, RpcError>): void => {
    inFlight.remove(call)
    const { session } = call.admitted
    if (session !== undefined) session.used = sweep.now()
    settle(call, running, exit)
  }

  const effectOf = (call: RunningCall, running: Running): ReturnType<Running["effect"]> =>
    call.kind === "call" && call.admitted.revision.era === "native" && isRetry(call.admitted.request.params)
      ? rounds.resume(call, running)
      : running.effect(call)

  /** What the client of a session misses of a reply can be asked for again. */
  const keep = (session: SessionFacts, sink: Sink): void => {
    const log = logOf(session)
    if (log !== undefined) sink.keep?.((events) => callEvents(log.open(), events, session.revision.polls))
  }

  /** A pipe tells its session of changes, as fast as its client reads. */
  const outletOf = (sink: Sink): Outlet => {
    let waits = false
    return {
      tell: (text) => void sink.post(text),
      full: () => sink.full(),
      onRoom: (resume) => {
        if (waits) return
        waits = true
        Effect.runFork(sink.room).addObserver(() => {
          waits = false
          resume()
        })
      }
    }
  }

  /** Runs something for a request; whatever it sends goes to the sink. */
  const run = (request: Admitted, sink: Sink, running: Running): RunningCall | undefined => {
    running.lease?.retain()
    const call = new RunningCall(request, sink, tally, running.kind, asking)
    let services = servicesFor(call, running)
    if (running.kind !== "stream" && isTraced(services)) services = openSpan(call, running, services)
    const fiber = Effect.runForkWith(services)(effectOf(call, running))
    call.attach(fiber)
    const exit = fiber.pollUnsafe()
    if (exit !== undefined) {
      settle(call, running, exit)
      return undefined
    }
    register(call, running)
    fiber.addObserver((exit) => ended(call, running, exit))
    return call
  }

  /** A row runs code of the author where visibility depends on the context. */
  const look = (row: Row, request: Admitted): Answered => {
    try {
      return row(request)
    } catch (error) {
      const { reference } = report(request.request.method, Cause.die(error))
      return internalError(reference)
    }
  }

  /** Answers without running anything. */
  const answer = (request: Admitted, sink: Sink, answer: Answer): undefined => {
    const own = request.inbound.services
    const services = own === undefined ? parts.services : Context.merge(parts.services, own)
    if (isTraced(services)) answeredSpan(request, services, answer)
    sink.answer(answer)
  }

  /**
   * Serves one admitted request.
   *
   * @returns the call, where it is still running when this returns
   */
  const start = (request: Admitted, sink: Sink): RunningCall | undefined => {
    const row = dispatch.get(request.request.method)
    if (row === undefined) {
      const error = RpcError.methodNotFound(`This server does not serve ${JSON.stringify(request.request.method)}`)
      return answer(request, sink, failed(request, error))
    }
    return serve(row, request, sink)
  }

  /**
   * Serves one admitted request by a row.
   *
   * @returns the call, where it is still running when this returns
   */
  const serve = (row: Row, request: Admitted, sink: Sink): RunningCall | undefined => {
    const answered = look(row, request)
    if (typeof answered === "string") return answer(request, sink, { text: printResult(request.request.id, answered) })
    if ("_tag" in answered) return answer(request, sink, failed(request, answered))
    if ("rung" in answered) return answer(request, sink, refused(answered))
    if ("session" in answered) {
      const { session, text } = answered
      if (isOnPipe(request.inbound)) session.attach(outletOf(sink))
      const id = session.id === "" ? undefined : session.id
      return answer(request, sink, { text: printResult(request.request.id, text), session: id })
    }
    const kind = answered.kind ?? "call"
    const most = kind === "call" ? limits.runningCalls : limits.listeners
    // Nobody has more running than all have together, and naming an owner costs more than looking at a number.
    if (inFlight.size >= most && inFlight.count(request.owner, kind) >= most) {
      const error = RpcError.internal(`Too many requests of this kind are running (${most}); wait for one to end`)
      return answer(request, sink, refused({ rung: "calls", error, id: request.request.id }))
    }
    if (request.session !== undefined) keep(request.session, sink)
    return run(request, sink, answered)
  }

  return { start, serve, run }
}

export type Engine = ReturnType<typeof makeEngine>
