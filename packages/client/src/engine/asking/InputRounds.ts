/**
 * Rounds of input of the native era: a result that asks is answered, and the request is sent again with the answers and
 * the state exactly as it came (MRTR-11 to MRTR-14). A compat server may instead refuse until pages were visited, which
 * is answered alike. Rounds and their time are bounded.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { own, wireDecoder } from "@treadle/protocol/json"
import { ErrorCode } from "@treadle/protocol/rpc"
import {
  ServerResult,
  UrlRequest,
  type ClientRequest,
  type CreateTaskResult,
  type InputRequiredResult,
  type InputRound
} from "@treadle/protocol/schema"
import { McpReason, type McpError } from "../../McpError.ts"
import type { Arrived } from "../ClientEngine.ts"
import type { Deadline } from "../Deadline.ts"
import type { AskingMethod, RoundAnswers } from "./RoundAnswers.ts"

/** A request that was answered, asked or not. */
export interface Completed<M extends AskingMethod> {
  readonly _tag: "Complete"
  readonly result: ServerResult<M>
  /** What a handler in the same process died of. */
  readonly cause: unknown
  /** Whether the server asked: such a result belongs to this request alone (MRTR-18). */
  readonly asked: boolean
}

/** How the rounds of a request end: with its answer, or with the task that it became. */
export type Ended<M extends AskingMethod> = Completed<M> | { readonly _tag: "Task"; readonly task: CreateTaskResult }

/** The wait before a request is sent again that asked nothing, in milliseconds; it doubles each time. */
const firstWait = 100
const longestWait = 5000

/** The wait before the nth time that something is asked for again, in milliseconds. */
export const growingWait = (nth: number): number => Math.min(firstWait * 2 ** nth, longestWait)

/** Sends one attempt of a request. */
type Send = (request: ClientRequest) => Effect.Effect<Arrived, McpError>

/** Runs a request through its rounds. @param send sends it, with what a retry carries */
export const inRounds = <R extends ClientRequest<AskingMethod>>(
  request: R,
  answers: RoundAnswers,
  deadline: Deadline,
  send: Send
): Effect.Effect<Ended<R["method"]>, McpError> =>
  Effect.suspend(() => new Rounds(request, answers, deadline, send).go(request))

/** The rounds of one request. */
class Rounds<R extends ClientRequest<AskingMethod>> {
  readonly #request: R
  readonly #answers: RoundAnswers
  readonly #deadline: Deadline
  readonly #send: Send

  constructor(request: R, answers: RoundAnswers, deadline: Deadline, send: Send) {
    this.#request = request
    this.#answers = answers
    this.#deadline = deadline
    this.#send = send
  }

  go(sent: ClientRequest): Effect.Effect<Ended<R["method"]>, McpError> {
    return Effect.matchEffect(this.#send(sent), {
      onSuccess: (arrived) => this.#arrived(arrived),
      onFailure: (error) => {
        const pages = this.#answers.terms.showsPages ? pagesIn(error) : undefined
        if (pages === undefined) return Effect.fail(error)
        const visited = this.#answers.round(() => this.#answers.visit(pages))
        return Effect.flatMap(visited, () => this.go(sent))
      }
    })
  }

  #arrived({ cause, result }: Arrived): Effect.Effect<Ended<R["method"]>, McpError> {
    const decoded = ServerResult.decodeRound<R["method"]>(this.#request.method, result)
    if (Result.isFailure(decoded)) return this.#undecodable(decoded.failure.problems)
    const { rounds, terms } = this.#answers
    switch (decoded.success._tag) {
      case "Complete":
        return Effect.succeed({ _tag: "Complete", result: decoded.success.result, cause, asked: rounds > 0 })
      case "Task":
        return terms.knowsTasks()
          ? Effect.succeed({ _tag: "Task", task: decoded.success.result })
          : this.#undecodable(["it is a task, and this client did not declare that it knows tasks"])
      case "InputRequired":
        return this.#again(decoded.success.result)
    }
  }

  /** Sends the request once more, with what was asked for. */
  #again(questions: InputRequiredResult): Effect.Effect<Ended<R["method"]>, McpError> {
    const { params } = this.#request
    const nth = this.#answers.rounds
    return Effect.flatMap(
      this.#answers.round(() => this.#retry(questions, nth)),
      // The same request, with what every method that asks may carry.
      (carried) => this.go({ ...this.#request, params: { ...params, ...carried } } as ClientRequest)
    )
  }

  /** What the next attempt carries. One that is asked nothing is sent again after a wait that grows (MRTR-12). */
  #retry({ inputRequests, requestState }: InputRequiredResult, nth: number): Effect.Effect<InputRound, McpError> {
    const state = requestState === undefined ? {} : { requestState }
    if (inputRequests !== undefined && Object.keys(inputRequests).length > 0) {
      return Effect.map(this.#answers.answers(inputRequests), (inputResponses) => ({ inputResponses, ...state }))
    }
    const nothing = inputRequests === undefined ? state : { inputResponses: {}, ...state }
    return Effect.as(this.#deadline.within(Effect.sleep(growingWait(nth))), nothing)
  }

  #undecodable(problems: ReadonlyArray<string>): Effect.Effect<never, McpError> {
    return this.#answers.fail(new McpReason.Undecodable({ what: "the result", problems }))
  }
}

const decodePage = wireDecoder(UrlRequest)

/** The pages that a compat server wants visited before the request is sent again, where that is why it failed. */
const pagesIn = ({ reason }: McpError): ReadonlyArray<UrlRequest> | undefined => {
  if (reason._tag !== "Rpc" || reason.code !== ErrorCode.UrlElicitationRequired) return undefined
  const elicitations = own(reason.data, "elicitations")
  if (!Array.isArray(elicitations) || elicitations.length === 0) return undefined
  const pages = elicitations.map((page) => decodePage(page))
  const read = pages.flatMap((page) => (Result.isSuccess(page) ? [page.success] : []))
  return read.length === pages.length ? read : undefined
}
