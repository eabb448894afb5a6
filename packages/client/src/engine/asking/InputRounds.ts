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
  type InputRequest,
  type InputRequests,
  type InputRequiredResult,
  type InputResponse,
  type InputResponses,
  type InputRound,
  type ServerResult as AnyResult
} from "@treadle/protocol/schema"
import { McpReason, type McpError } from "../../McpError.ts"
import type { Answering } from "./Answering.ts"
import type { Arrived } from "../ClientEngine.ts"
import type { Deadline } from "../Deadline.ts"
import { requestError } from "../RequestError.ts"

/** A method that may ask before it goes on. */
export type AskingMethod = "tools/call" | "prompts/get" | "resources/read"

/** A request that was answered, asked or not. */
export interface Completed<M extends AskingMethod> {
  readonly result: AnyResult<M>
  /** What a handler in the same process died of. */
  readonly cause: unknown
  /** Whether the server asked: such a result belongs to this request alone (MRTR-18). */
  readonly asked: boolean
}

/** How rounds are bounded, and who answers. */
export interface RoundTerms {
  readonly answering: Answering
  /** Whether pages can be shown at all; otherwise a refusal that names some stays the error it is. */
  readonly showsPages: boolean
  /** Waits until the server says that a page was visited. */
  readonly completed: (elicitationId: string) => Effect.Effect<void>
  readonly maxRounds: number
  /** How long all answers of one request may take, in milliseconds. */
  readonly answerTimeout: number
  /** Fails once the session is closed, and nobody is asked any more. */
  readonly closed: Effect.Effect<never, McpError>
}

/** The wait before a request is sent again that asked nothing, in milliseconds; it doubles each time. */
const firstWait = 100
const longestWait = 5000

/** Sends one attempt of a request. */
type Send = (request: ClientRequest) => Effect.Effect<Arrived, McpError>

/** Runs a request through its rounds. @param send sends it, with what a retry carries */
export const inRounds = <R extends ClientRequest<AskingMethod>>(
  terms: RoundTerms,
  server: string,
  request: R,
  deadline: Deadline,
  send: Send
): Effect.Effect<Completed<R["method"]>, McpError> =>
  Effect.suspend(() => new Rounds(terms, server, request, deadline, send).go(request, 0))

/** The rounds of one request. */
class Rounds<R extends ClientRequest<AskingMethod>> {
  readonly #terms: RoundTerms
  readonly #server: string
  readonly #request: R
  readonly #deadline: Deadline
  readonly #send: Send
  /** How long was answered so far, in milliseconds. */
  #spent = 0

  constructor(terms: RoundTerms, server: string, request: R, deadline: Deadline, send: Send) {
    this.#terms = terms
    this.#server = server
    this.#request = request
    this.#deadline = deadline
    this.#send = send
  }

  go(sent: ClientRequest, round: number): Effect.Effect<Completed<R["method"]>, McpError> {
    return Effect.matchEffect(this.#send(sent), {
      onSuccess: (arrived) => this.#arrived(arrived, round),
      onFailure: (error) => {
        const pages = this.#terms.showsPages ? pagesIn(error) : undefined
        if (pages === undefined) return Effect.fail(error)
        const visited = this.#within(round, () => this.#limited(this.#visit(pages)))
        return Effect.flatMap(visited, () => this.go(sent, round + 1))
      }
    })
  }

  #arrived({ cause, result }: Arrived, round: number): Effect.Effect<Completed<R["method"]>, McpError> {
    const decoded = ServerResult.decodeRound<R["method"]>(this.#request.method, result)
    if (Result.isFailure(decoded)) {
      return this.#fail(new McpReason.Undecodable({ what: "the result", problems: decoded.failure.problems }))
    }
    if (decoded.success._tag === "Complete") {
      return Effect.succeed({ result: decoded.success.result, cause, asked: round > 0 })
    }
    if (decoded.success._tag === "Task") {
      const problems = ["it is a task, which this client did not say that it knows"]
      return this.#fail(new McpReason.Undecodable({ what: "the result", problems }))
    }
    const questions = decoded.success.result
    const { params } = this.#request
    return Effect.flatMap(
      this.#within(round, () => this.#retry(questions, round)),
      (carried) => this.go({ ...this.#request, params: { ...params, ...carried } } as ClientRequest, round + 1)
    )
  }

  #within<A>(round: number, next: () => Effect.Effect<A, McpError>): Effect.Effect<A, McpError> {
    const { closed, maxRounds } = this.#terms
    if (round >= maxRounds) return this.#fail(new McpReason.TooManyRounds({ rounds: maxRounds }))
    return Effect.raceFirst(
      next(),
      Effect.catch(closed, ({ reason }) => this.#fail(reason))
    )
  }

  /** What the next attempt carries. One that is asked nothing is sent again after a wait that grows (MRTR-12). */
  #retry({ inputRequests, requestState }: InputRequiredResult, round: number): Effect.Effect<InputRound, McpError> {
    const state = requestState === undefined ? {} : { requestState }
    if (inputRequests !== undefined && Object.keys(inputRequests).length > 0) {
      const answered = this.#limited(this.#answers(inputRequests))
      return Effect.map(answered, (inputResponses) => ({ inputResponses, ...state }))
    }
    const nothing = inputRequests === undefined ? state : { inputResponses: {}, ...state }
    return Effect.as(this.#deadline.within(Effect.sleep(Math.min(firstWait * 2 ** round, longestWait))), nothing)
  }

  #answers(questions: InputRequests): Effect.Effect<InputResponses, McpError> {
    const answered = Effect.forEach(
      Object.entries(questions),
      ([key, question]) => Effect.map(this.#answer(question), (answer) => [key, answer] as const),
      { concurrency: "unbounded" }
    )
    return Effect.map(answered, (entries) => Object.fromEntries(entries))
  }

  #answer(question: InputRequest): Effect.Effect<InputResponse, McpError> {
    const { method, params } = this.#request
    const asking = { server: this.#server, method, name: "name" in params ? params.name : params.uri }
    return Effect.catch(this.#terms.answering(question, asking), ({ message }) =>
      this.#fail(new McpReason.InputRefused({ asked: `${question.method} (${message})` }))
    )
  }

  /** Has each page visited, and waits until the server says that it is done with them (ELIC-20). */
  #visit(pages: ReadonlyArray<UrlRequest>): Effect.Effect<void, McpError> {
    return Effect.forEach(
      pages,
      (params) =>
        Effect.flatMap(this.#answer({ method: "elicitation/create", params }), (answer) => {
          const accepted = "action" in answer && answer.action === "accept"
          if (!accepted) return this.#fail(new McpReason.InputRefused({ asked: `a visit to ${params.url}` }))
          return params.elicitationId === undefined ? Effect.void : this.#terms.completed(params.elicitationId)
        }),
      { concurrency: "unbounded", discard: true }
    )
  }

  /** The time in which a person answers is none of the request's, and has a limit of its own. */
  #limited<A>(answers: Effect.Effect<A, McpError>): Effect.Effect<A, McpError> {
    const { answerTimeout } = this.#terms
    return Effect.clockWith((clock) => {
      const began = clock.currentTimeMillisUnsafe()
      const resume = this.#deadline.pause()
      return answers.pipe(
        Effect.timeoutOrElse({
          duration: Math.max(0, answerTimeout - this.#spent),
          orElse: () => this.#fail(new McpReason.InputRefused({ asked: `no answer within ${answerTimeout} ms` }))
        }),
        Effect.ensuring(
          Effect.sync(() => {
            this.#spent += clock.currentTimeMillisUnsafe() - began
            resume()
          })
        )
      )
    })
  }

  #fail(reason: McpReason): Effect.Effect<never, McpError> {
    return Effect.fail(requestError(this.#server, this.#request, reason))
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
