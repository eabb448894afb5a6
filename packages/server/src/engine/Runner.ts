/**
 * Runs what a row gives, from its fiber to its answer. A call that ends in its first tick is never registered anywhere.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { RpcError } from "@treadle/protocol/rpc"
import { CurrentCall } from "../CurrentCall.ts"
import type { Admitted } from "../envelope/Admitted.ts"
import type { Dress } from "../envelope/Dress.ts"
import type { Principal } from "../Principal.ts"
import type { NeutralResult } from "../reply/NeutralResult.ts"
import { makeAnswers } from "./Answers.ts"
import type { Asking } from "./asking/Asking.ts"
import { isRetry } from "./asking/RequestState.ts"
import type { Rounds } from "./asking/Rounds.ts"
import type { Report } from "./Defects.ts"
import type { InFlight } from "./InFlight.ts"
import type { Running } from "./methods/Row.ts"
import { isTraced, openSpan } from "./RequestSpans.ts"
import { RunningCall } from "./RunningCall.ts"
import type { Sink } from "./Sink.ts"
import type { Tally } from "./Tally.ts"

export interface RunnerParts {
  readonly asking: Asking
  readonly dress: Dress
  readonly inFlight: InFlight
  readonly report: Report
  readonly rounds: Rounds
  readonly sweep: { readonly now: () => number; readonly wake: () => void }
  readonly tally: Tally
}

/**
 * Runs something for a request; whatever it sends goes to the sink.
 *
 * @returns the call, where it is still running when this returns
 */
export type Run = (request: Admitted, sink: Sink, running: Running) => RunningCall | undefined

/** How much longer than it says a token is taken, in milliseconds, because clocks differ. */
const tolerance = 60_000

/** When a stream ends that a token opened: once no request with that token would be served. */
const overAt = (principal: Principal | undefined): number =>
  principal?.via === "token" && principal.expiresAt !== undefined ? principal.expiresAt + tolerance : Infinity

const servicesFor = (call: RunningCall, running: Running): Context.Context<CurrentCall> => {
  const own = call.admitted.inbound.services
  const services = own === undefined ? running.services : Context.merge(running.services, own)
  return Context.add(services, CurrentCall, call)
}

export const makeRun = ({ asking, dress, inFlight, report, rounds, sweep, tally }: RunnerParts): Run => {
  const { answerOf } = makeAnswers(dress, report)

  /** A retry brings answers; then its handler runs with what earlier rounds left. */
  const effectOf = (call: RunningCall, running: Running): ReturnType<Running["effect"]> =>
    call.kind === "call" && call.admitted.revision.era === "native" && isRetry(call.admitted.request.params)
      ? rounds.resume(call, running)
      : running.effect(call)

  const register = (call: RunningCall, running: Running): void => {
    call.since = sweep.now()
    if (running.timeout !== undefined) call.deadline = call.since + running.timeout
    if (call.kind === "listen" || call.kind === "stream") call.deadline = overAt(call.principal)
    inFlight.add(call)
    sweep.wake()
  }

  /** The answer, and the end of everything that was kept for the call. */
  const settle = (call: RunningCall, running: Running, exit: Exit.Exit<NeutralResult, RpcError>): void => {
    call.finish()
    const answer = answerOf(call, running, exit)
    call.traced?.(answer)
    if (answer === undefined) call.sink.abandon()
    else call.sink.answer(answer)
    running.lease?.release()
  }

  const unregister = (call: RunningCall, running: Running, exit: Exit.Exit<NeutralResult, RpcError>): void => {
    inFlight.remove(call)
    const { session } = call.admitted
    if (session !== undefined) session.used = sweep.now()
    settle(call, running, exit)
  }

  /** The fiber of a registered call has ended. One that ended to ask is answered with its questions, once they are sealed. */
  const ended = (call: RunningCall, running: Running, exit: Exit.Exit<NeutralResult, RpcError>): void => {
    if (call.ending === "asking" && Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)) {
      const sealing = Effect.runForkWith(running.services)(rounds.questions(call))
      sealing.addObserver((sealed) => unregister(call, running, sealed))
    } else unregister(call, running, exit)
  }

  return (request, sink, running) => {
    running.lease?.retain()
    const call = new RunningCall(request, sink, tally, asking, running.kind)
    let services = servicesFor(call, running)
    if (running.kind !== "stream" && isTraced(services)) services = openSpan(call, running, services)
    const fiber = Effect.runForkWith(services)(effectOf(call, running))
    call.attach(fiber)
    const first = fiber.pollUnsafe()
    if (first !== undefined) {
      settle(call, running, first)
      return undefined
    }
    register(call, running)
    fiber.addObserver((exit) => ended(call, running, exit))
    return call
  }
}
