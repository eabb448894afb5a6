/**
 * Admitted request in, answer out: find the row, answer at once or let it run, where there is room for one more.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { printResult, RpcError } from "@treadle/protocol/rpc"
import type { Admitted } from "../envelope/Admitted.ts"
import { isOnPipe } from "../envelope/Presented.ts"
import type { Outlet, SessionFacts } from "../envelope/SessionFacts.ts"
import type { Limits } from "../Limits.ts"
import { internalError } from "../reply/ErrorReply.ts"
import { failed, refused } from "./Answers.ts"
import type { Report } from "./Defects.ts"
import type { InFlight } from "./InFlight.ts"
import type { Answered, Opened, Row, Running } from "./methods/Row.ts"
import { answeredSpan, isTraced } from "./RequestSpans.ts"
import type { Run } from "./Runner.ts"
import type { RunningCall } from "./RunningCall.ts"
import type { EventLog } from "./sessions/EventLog.ts"
import { callEvents } from "./sessions/KeptEvents.ts"
import type { Answer, Sink } from "./Sink.ts"

export interface EngineParts {
  readonly dispatch: ReadonlyMap<string, Row>
  readonly inFlight: InFlight
  readonly limits: Limits
  readonly report: Report
  readonly run: Run
  /** What handlers run with, but for what layers and doors add. */
  readonly services: Context.Context<never>
  /** What a session was sent on its streams. */
  readonly logOf: (session: SessionFacts) => EventLog | undefined
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

export const makeEngine = ({ dispatch, inFlight, limits, logOf, report, run, services }: EngineParts) => {
  /** Answers without running anything. */
  const answer = (request: Admitted, sink: Sink, told: Answer): undefined => {
    const own = request.inbound.services
    const all = own === undefined ? services : Context.merge(services, own)
    if (isTraced(all)) answeredSpan(request, all, told)
    sink.answer(told)
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

  /** What the client of a session misses of a reply can be asked for again. */
  const keep = (session: SessionFacts, sink: Sink): void => {
    const log = logOf(session)
    if (log !== undefined) sink.keep?.((events) => callEvents(log.open(), events, session.revision.polls))
  }

  /** A session that begins on a pipe is told of changes there. */
  const opened = (request: Admitted, sink: Sink, { session, text }: Opened): undefined => {
    if (isOnPipe(request.inbound)) session.attach(outletOf(sink))
    const id = session.id === "" ? undefined : session.id
    return answer(request, sink, { text: printResult(request.request.id, text), session: id })
  }

  /** Runs what a row gives, where its owner has not too much of that running already. */
  const admit = (request: Admitted, sink: Sink, running: Running): RunningCall | undefined => {
    const { kind = "call" } = running
    const most = kind === "call" ? limits.runningCalls : limits.listeners
    // Nobody has more running than all have together, and naming an owner costs more than looking at a number.
    if (inFlight.size >= most && inFlight.count(request.owner, kind) >= most) {
      const error = RpcError.internal(`Too many requests of this kind are running (${most}); wait for one to end`)
      return answer(request, sink, refused({ rung: "calls", error, id: request.request.id }))
    }
    if (request.session !== undefined) keep(request.session, sink)
    return run(request, sink, running)
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
    return "session" in answered ? opened(request, sink, answered) : admit(request, sink, answered)
  }

  /**
   * Serves one admitted request by the row of its method.
   *
   * @returns the call, where it is still running when this returns
   */
  const start = (request: Admitted, sink: Sink): RunningCall | undefined => {
    const { method } = request.request
    const row = dispatch.get(method)
    if (row !== undefined) return serve(row, request, sink)
    const error = RpcError.methodNotFound(`This server does not serve ${JSON.stringify(method)}`)
    return answer(request, sink, failed(request, error))
  }

  return { start, serve }
}

export type Engine = ReturnType<typeof makeEngine>
