/**
 * Answers what a server asks, in both eras: natively a question of a round, in the compat era a request of the server's
 * own. What was not declared is refused with the specification's code.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Cause from "effect/Cause"
import * as Result from "effect/Result"
import { RpcError } from "@treadle/protocol/rpc"
import {
  fillForm,
  ServerRequest,
  type ClientAnswer,
  type CreateMessageRequest,
  type ElicitRequest,
  type ElicitResult,
  type InputRequest,
  type InputResponse,
  type ServerMethod
} from "@treadle/protocol/schema"
import type { Answers, Asker } from "../../Answers.ts"
import { eventually, type Eventual } from "../../Eventual.ts"

/** Who asks, but for the signal, which is made here. */
export type Asking = Omit<Asker, "signal">

/** Answers one question, or refuses it. */
export type Answering = (question: InputRequest, asking: Asking) => Effect.Effect<InputResponse, RpcError>

/**
 * How many questions of a server are answered at the same time: natively those of one round, in the compat era the
 * requests of a link. Each may stand before a person.
 */
export const maxAtOnce = 64

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** A handler's answer; where it fails, dies or gives no such answer, the request is refused and says so. */
const handled = <M extends ServerMethod>(
  method: M,
  give: (signal: AbortSignal) => Eventual<ClientAnswer<M>>
): Effect.Effect<ClientAnswer<M>, RpcError> => {
  const failed = (said: string) =>
    Effect.andThen(
      Effect.logWarning(`The answer to ${method} failed: ${said}`),
      Effect.fail(RpcError.internal(`The client could not answer ${method}`))
    )
  return Effect.flatMap(Effect.exit(eventually(give)), (exit) => {
    if (Exit.isSuccess(exit)) {
      const fits = ServerRequest.decodeAnswer(method, exit.value)
      return Result.isSuccess(fits) ? Effect.succeed(exit.value) : failed(fits.failure.problems.join("; "))
    }
    return failed(textOf(Cause.squash(exit.cause)))
  })
}

const unknown = (method: string) => RpcError.methodNotFound(`This client does not answer ${method}`)

/** An accepted form with its defaults, unless something in it does not fit. */
const filled = (request: ElicitRequest, result: ElicitResult): Effect.Effect<ElicitResult, RpcError> => {
  if (request.mode === "url" || result.action !== "accept") {
    const { content: _, ...rest } = result
    return Effect.succeed(rest)
  }
  const content = fillForm(request.requestedSchema, result.content ?? {})
  if (Result.isSuccess(content)) return Effect.succeed({ ...result, content: content.success })
  const said = content.failure.problems.join("; ")
  return Effect.andThen(
    Effect.logWarning(`The content of the form does not fit and was not sent: ${said}`),
    Effect.fail(RpcError.internal(`The client's answer does not fit the form: ${said}`))
  )
}

const elicited = ({ form, url }: Answers, request: ElicitRequest, asking: Asking) => {
  if (form === undefined && url === undefined) return Effect.fail(unknown("elicitation/create"))
  const answer =
    request.mode === "url"
      ? url && ((signal: AbortSignal) => url(request, { ...asking, signal }))
      : form && ((signal: AbortSignal) => form(request, { ...asking, signal }))
  if (answer === undefined) {
    return Effect.fail(RpcError.invalidParams(`This client did not declare the mode "${request.mode ?? "form"}"`))
  }
  return Effect.flatMap(handled("elicitation/create", answer), (result) => filled(request, result))
}

const sampled = ({ sampling, samplingParts = [] }: Answers, request: CreateMessageRequest, asking: Asking) => {
  if (sampling === undefined) return Effect.fail(unknown("sampling/createMessage"))
  const tools = request.tools !== undefined || request.toolChoice !== undefined
  if (tools && !samplingParts.includes("tools")) {
    return Effect.fail(RpcError.invalidParams("This client did not declare sampling.tools"))
  }
  return handled("sampling/createMessage", (signal) => sampling(request, { ...asking, signal }))
}

const rooted = ({ roots }: Answers, asking: Asking) => {
  if (roots === undefined) return Effect.fail(unknown("roots/list"))
  const listed = eventually((signal) => (typeof roots === "function" ? roots({ ...asking, signal }) : roots))
  return handled("roots/list", () => Effect.map(listed, (all) => ({ roots: all })))
}

/** The same answers, none of which takes longer than so many milliseconds. */
export const answeringWithin =
  (answering: Answering, longest: number): Answering =>
  (question, asking) =>
    Effect.timeoutOrElse(answering(question, asking), {
      duration: longest,
      orElse: () => Effect.fail(RpcError.internal(`The client had no answer to ${question.method} in time`))
    })

/** Answers by the handlers of a client. */
export const makeAnswering =
  (answers: Answers): Answering =>
  (question, asking) => {
    switch (question.method) {
      case "elicitation/create":
        return elicited(answers, question.params, asking)
      case "sampling/createMessage":
        return sampled(answers, question.params, asking)
      case "roots/list":
        return rooted(answers, asking)
    }
  }
