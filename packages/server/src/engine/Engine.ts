/**
 * Admitted request in, answer out: find the row, answer at once or run its effect in the same tick, settle its exit.
 * A call that ends in its first tick is never registered anywhere.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { Message, printResult, RpcError } from "@treadle/protocol/rpc"
import { CurrentCall } from "../CurrentCall.ts"
import type { Admitted } from "../envelope/Admitted.ts"
import type { Dress } from "../envelope/Dress.ts"
import type { Refusal } from "../envelope/Refusal.ts"
import type { Limits } from "../Limits.ts"
import type { NeutralResult } from "../reply/NeutralResult.ts"
import { failureReply } from "../reply/ToolReply.ts"
import type { Report } from "./Defects.ts"
import type { Answered, Row, Running } from "./Dispatch.ts"
import type { InFlight } from "./InFlight.ts"
import { RunningCall } from "./RunningCall.ts"
import type { Answer, Sink } from "./Sink.ts"

export interface EngineParts {
  readonly dispatch: ReadonlyMap<string, Row>
  readonly dress: Dress
  readonly inFlight: InFlight
  readonly limits: Limits
  readonly report: Report
  readonly sweep: { readonly now: () => number; readonly wake: () => void }
  readonly onDropped: () => void
}

/** The answer to a message that was not admitted. */
export const refused = ({ rung, error, id }: Refusal): Answer => ({
  text: Message.print(Message.error(id, error)),
  refused: rung,
  error
})

const failed = (request: Admitted, error: RpcError, cause?: unknown): Answer => ({
  text: Message.print(Message.error(request.request.id, error)),
  error,
  cause
})

const isNeutral = (value: NeutralResult | RpcError): value is NeutralResult => "members" in value

export const makeEngine = ({ dispatch, dress, inFlight, limits, report, sweep, onDropped }: EngineParts) => {
  const succeeded = (request: Admitted, result: NeutralResult, cause?: unknown): Answer => ({
    text: printResult(request.request.id, dress.result(result)),
    cause
  })

  const died = (call: RunningCall, running: Running, cause: Cause.Cause<unknown>): Answer => {
    const { reference, error } = report(running.name, cause)
    const told = running.died(reference)
    return isNeutral(told) ? succeeded(call.admitted, told, error) : failed(call.admitted, told, error)
  }

  const ended = (call: RunningCall, running: Running, cause: Cause.Cause<unknown>): Answer | undefined => {
    if (!Cause.hasInterruptsOnly(cause)) return died(call, running, cause)
    switch (call.ending) {
      case "cancelled":
        return undefined
      case "stopping":
        return failed(call.admitted, RpcError.internal("The server is stopping"))
      case "timed-out":
        return succeeded(call.admitted, failureReply(`${running.name} gave up after ${running.timeout} ms`))
      case undefined:
        return died(call, running, cause)
    }
  }

  /** The answer of a call that has ended; a cancelled one gets none, however it ends (CANCEL-05). */
  const answerOf = (call: RunningCall, running: Running, exit: Exit.Exit<NeutralResult>): Answer | undefined => {
    const answer = Exit.isSuccess(exit) ? succeeded(call.admitted, exit.value) : ended(call, running, exit.cause)
    return call.ending === "cancelled" ? undefined : answer
  }

  const settle = (call: RunningCall, running: Running, exit: Exit.Exit<NeutralResult>): void => {
    call.finish()
    const answer = answerOf(call, running, exit)
    if (answer === undefined) call.sink.abandon()
    else call.sink.answer(answer)
  }

  const servicesFor = (call: RunningCall, running: Running): Context.Context<CurrentCall> => {
    const own = call.admitted.inbound.services
    const services = own === undefined ? running.services : Context.merge(running.services, own)
    return Context.add(services, CurrentCall, call)
  }

  const register = (call: RunningCall, running: Running): void => {
    call.since = sweep.now()
    if (running.timeout !== undefined) call.deadline = call.since + running.timeout
    inFlight.add(call)
    sweep.wake()
  }

  const run = (request: Admitted, sink: Sink, running: Running): RunningCall | undefined => {
    const call = new RunningCall(request, sink, onDropped)
    const fiber = Effect.runForkWith(servicesFor(call, running))(running.effect(call))
    call.attach(fiber)
    const exit = fiber.pollUnsafe()
    if (exit !== undefined) {
      settle(call, running, exit)
      return undefined
    }
    register(call, running)
    fiber.addObserver((exit) => {
      inFlight.remove(call)
      settle(call, running, exit)
    })
    return call
  }

  /** A row runs code of the author where visibility depends on the context. */
  const look = (row: Row, request: Admitted): Answered => {
    try {
      return row(request)
    } catch (error) {
      const { reference } = report(request.request.method, Cause.die(error))
      return RpcError.internal(`Internal error (reference ${reference})`)
    }
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
      return void sink.answer(failed(request, error))
    }
    const answered = look(row, request)
    if (typeof answered === "string") return void sink.answer({ text: printResult(request.request.id, answered) })
    if ("_tag" in answered) return void sink.answer(failed(request, answered))
    if (inFlight.count(request.inbound.owner) >= limits.runningCalls) {
      const error = RpcError.internal(`Too many calls are running (${limits.runningCalls}); wait for one to end`)
      return void sink.answer(refused({ rung: "calls", error, id: request.request.id }))
    }
    return run(request, sink, answered)
  }

  return { start }
}

export type Engine = ReturnType<typeof makeEngine>
