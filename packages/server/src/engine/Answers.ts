/**
 * The answers of requests: results dressed for their revision, errors, and what a call that has ended is answered with.
 */
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import { Message, printResult, RpcError } from "@treadle/protocol/rpc"
import type { UrlRequest } from "@treadle/protocol/schema"
import { AskFailed } from "../AskFailed.ts"
import type { Admitted } from "../envelope/Admitted.ts"
import type { Dress } from "../envelope/Dress.ts"
import { serverStopping, type Refusal } from "../envelope/Refusal.ts"
import type { NeutralResult } from "../reply/NeutralResult.ts"
import { failureReply } from "../reply/ToolReply.ts"
import type { Report } from "./Defects.ts"
import type { Running } from "./methods/Row.ts"
import type { RunningCall } from "./RunningCall.ts"
import type { Answer } from "./Sink.ts"

/** The answer to a message that was not admitted. */
export const refused = ({ bare, challenge, error, id, rung }: Refusal): Answer => ({
  text: bare === true ? "" : Message.print(Message.error(id, error)),
  refused: rung,
  challenge,
  error
})

/** The answer that is an error. */
export const failed = (request: Admitted, error: RpcError, cause?: unknown): Answer => ({
  text: Message.print(Message.error(request.request.id, error)),
  error,
  cause
})

/** Pages to be visited before the request is sent again, because nothing could send the client to them. */
const pagesFirst = (request: Admitted, pages: ReadonlyArray<UrlRequest>): Answer =>
  failed(
    request,
    RpcError.urlElicitationRequired(
      "This request needs a page to be visited first; send it again after that",
      pages.map((page) => ({ ...page }))
    )
  )

/** The client lacks what a question needs (META-08). */
const unable = (request: Admitted, { message, requires }: AskFailed): Answer =>
  failed(
    request,
    request.revision.era === "native"
      ? RpcError.missingCapability(message, requires ?? {})
      : RpcError.invalidParams(message, requires === undefined ? undefined : { requiredCapabilities: requires })
  )

const isNeutral = (value: NeutralResult | RpcError): value is NeutralResult => "members" in value

/** Makes the answers of calls that have ended. */
export const makeAnswers = (dress: Dress, report: Report) => {
  const succeeded = (request: Admitted, result: NeutralResult, cause?: unknown): Answer => ({
    text: printResult(request.request.id, dress.result(result, request.revision)),
    isError: result.isError,
    cause
  })

  /** What went wrong in words: the model reads it of a tool, and the error has it of anything else. */
  const inWords = (request: Admitted, message: string): Answer =>
    request.request.method === "tools/call"
      ? succeeded(request, failureReply(message))
      : failed(request, RpcError.internal(message))

  /** A question without an answer that the handler did not catch. */
  const unanswered = (call: RunningCall, error: AskFailed): Answer => {
    const { admitted: request } = call
    const { message, reason } = error
    const pages = call.unsent(error)
    if (pages.length > 0) return pagesFirst(request, pages)
    if (reason === "no-capability") return unable(request, error)
    return reason === "malformed" ? failed(request, RpcError.invalidParams(message)) : inWords(request, message)
  }

  const died = (call: RunningCall, running: Running, cause: Cause.Cause<unknown>): Answer => {
    const squashed = Cause.squash(cause)
    if (squashed instanceof AskFailed) return unanswered(call, squashed)
    const { reference, error } = report(running.name, cause)
    const told = running.died(reference, call)
    return isNeutral(told) ? succeeded(call.admitted, told, error) : failed(call.admitted, told, error)
  }

  /** A failure is the error to tell; whatever else ended a call by itself is a defect. */
  const broken = (call: RunningCall, running: Running, cause: Cause.Cause<RpcError>): Answer => {
    const told = Cause.findError(cause)
    return told._tag === "Success" ? failed(call.admitted, told.success) : died(call, running, cause)
  }

  const ended = (call: RunningCall, running: Running, cause: Cause.Cause<RpcError>): Answer | undefined => {
    if (!Cause.hasInterruptsOnly(cause)) return broken(call, running, cause)
    switch (call.ending) {
      case "cancelled":
      case "gone":
      case "token-over":
      case "too-slow":
        return undefined
      case "stopping":
        if (running.stopped !== undefined) return succeeded(call.admitted, running.stopped)
        return failed(call.admitted, serverStopping)
      case "expired":
        return failed(call.admitted, RpcError.internal("The task outlived the time for which it is kept"))
      case "session-ended":
        return failed(call.admitted, RpcError.internal("The session has ended"))
      case "timed-out":
        return inWords(call.admitted, `${running.name} gave up after ${running.timeout} ms`)
      case "asking":
      case undefined:
        return died(call, running, cause)
    }
  }

  /** The answer of a call that has ended; a cancelled one gets none, however it ends (CANCEL-05). */
  const answerOf = (
    call: RunningCall,
    running: Running,
    exit: Exit.Exit<NeutralResult, RpcError>
  ): Answer | undefined => {
    const answer = Exit.isSuccess(exit) ? succeeded(call.admitted, exit.value) : ended(call, running, exit.cause)
    return call.ending === "cancelled" || call.ending === "gone" ? undefined : answer
  }

  return { answerOf }
}
