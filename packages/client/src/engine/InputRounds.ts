/**
 * Rounds of input of the native era: a result that asks is answered, and the request is sent again with the answers and
 * the state exactly as it came (MRTR-11 to MRTR-14). Rounds and their time are bounded.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import {
  ServerResult,
  type ClientRequest,
  type InputRequiredResult,
  type InputResponses,
  type InputRound,
  type ServerResult as AnyResult
} from "@treadle/protocol/schema"
import { McpReason, type McpError } from "../McpError.ts"
import type { Answering } from "./Answering.ts"
import type { Arrived } from "./ClientEngine.ts"
import type { Deadline } from "./Deadline.ts"
import { requestError } from "./RequestError.ts"

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
  readonly maxRounds: number
  /** How long all answers of one request may take, in milliseconds. */
  readonly answerTimeout: number
  /** Fails once the session is closed, and nobody is asked any more. */
  readonly closed: Effect.Effect<never, McpError>
}

/** The wait before a request is sent again that asked nothing, in milliseconds; it doubles each time. */
const firstWait = 100
const longestWait = 5000

const isRecordKey = (key: string): boolean => key !== "__proto__"

/** Runs a request through its rounds. @param send sends it, with what a retry carries */
export const inRounds = <R extends ClientRequest<AskingMethod>>(
  { answerTimeout, answering, closed, maxRounds }: RoundTerms,
  server: string,
  request: R,
  deadline: Deadline,
  send: (request: ClientRequest) => Effect.Effect<Arrived, McpError>
): Effect.Effect<Completed<R["method"]>, McpError> => {
  const fail = (reason: McpReason) => Effect.fail(requestError(server, request, reason))
  const subject = "name" in request.params ? request.params.name : request.params.uri
  let answeringFor = 0

  const answers = (questions: InputRequiredResult): Effect.Effect<InputResponses, McpError> => {
    const asked = Object.entries(questions.inputRequests ?? {}).filter(([key]) => isRecordKey(key))
    const asking = { server, method: request.method, name: subject }
    const all = Effect.forEach(
      asked,
      ([key, question]) =>
        Effect.catch(
          Effect.map(answering(question, asking), (answer) => [key, answer] as const),
          ({ message }) => fail(new McpReason.InputRefused({ asked: `${question.method} (${message})` }))
        ),
      { concurrency: "unbounded" }
    )
    return Effect.clockWith((clock) => {
      const began = clock.currentTimeMillisUnsafe()
      const resume = deadline.pause()
      return all.pipe(
        Effect.timeoutOrElse({
          duration: Math.max(0, answerTimeout - answeringFor),
          orElse: () => fail(new McpReason.InputRefused({ asked: `no answer within ${answerTimeout} ms` }))
        }),
        Effect.map((entries) => Object.fromEntries(entries)),
        Effect.ensuring(
          Effect.sync(() => {
            answeringFor += clock.currentTimeMillisUnsafe() - began
            resume()
          })
        )
      )
    })
  }

  const retry = (questions: InputRequiredResult, round: number): Effect.Effect<InputRound, McpError> => {
    const { inputRequests, requestState } = questions
    const state = requestState === undefined ? {} : { requestState }
    if (Object.keys(inputRequests ?? {}).length > 0) {
      return Effect.map(answers(questions), (inputResponses) => ({ inputResponses, ...state }))
    }
    const nothing = inputRequests === undefined ? state : { inputResponses: {}, ...state }
    return Effect.as(Effect.sleep(Math.min(firstWait * 2 ** round, longestWait)), nothing)
  }

  const go = (sent: ClientRequest, round: number): Effect.Effect<Completed<R["method"]>, McpError> =>
    Effect.flatMap(send(sent), ({ cause, result }) => {
      const decoded = ServerResult.decodeRound<R["method"]>(request.method, result)
      if (Result.isFailure(decoded)) {
        return fail(new McpReason.Undecodable({ what: "the result", problems: decoded.failure.problems }))
      }
      if (decoded.success._tag === "Complete") {
        return Effect.succeed({ result: decoded.success.result, cause, asked: round > 0 })
      }
      if (round >= maxRounds) return fail(new McpReason.TooManyRounds({ rounds: maxRounds }))
      const next = (carried: InputRound) => ({ ...request, params: { ...request.params, ...carried } }) as ClientRequest
      const ended = Effect.catch(closed, ({ reason }) => fail(reason))
      const carried = Effect.raceFirst(retry(decoded.success.result, round), ended)
      return Effect.flatMap(carried, (more) => go(next(more), round + 1))
    })

  return go(request, 0)
}
