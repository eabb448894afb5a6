/**
 * The answers of one request: whoever asks on its behalf, in rounds or as its task, is answered here, so often and for
 * so long as the terms say.
 */
import * as Effect from "effect/Effect"
import type {
  ClientRequest,
  InputRequest,
  InputRequests,
  InputResponse,
  InputResponses,
  UrlRequest
} from "@treadle/protocol/schema"
import { McpReason, type McpError } from "../../McpError.ts"
import type { Deadline } from "../Deadline.ts"
import { requestError } from "../RequestError.ts"
import { maxAtOnce, type Answering } from "./Answering.ts"

/** A method that may ask before it goes on. */
export type AskingMethod = "tools/call" | "prompts/get" | "resources/read"

const asking: ReadonlySet<string> = new Set<AskingMethod>(["tools/call", "prompts/get", "resources/read"])

export const mayAsk = <R extends ClientRequest>(request: R): request is R & ClientRequest<AskingMethod> =>
  asking.has(request.method)

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
  /** Whether a request may become a task: the client knows them, and has said so. */
  readonly knowsTasks: () => boolean
  /** Fails once the session is closed, and nobody is asked any more. */
  readonly closed: Effect.Effect<never, McpError>
}

/** What was asked and answered on behalf of one request. */
export class RoundAnswers {
  readonly terms: RoundTerms
  readonly #server: string
  readonly #request: ClientRequest<AskingMethod>
  readonly #deadline: Deadline
  /** How long was answered so far, in milliseconds. */
  #spent = 0
  #rounds = 0

  constructor(terms: RoundTerms, server: string, request: ClientRequest<AskingMethod>, deadline: Deadline) {
    this.terms = terms
    this.#server = server
    this.#request = request
    this.#deadline = deadline
  }

  /** How often was asked. */
  get rounds(): number {
    return this.#rounds
  }

  /** One round more, unless there were as many as there may be. It ends with the session. */
  round<A>(next: () => Effect.Effect<A, McpError>): Effect.Effect<A, McpError> {
    const { closed, maxRounds } = this.terms
    if (this.#rounds >= maxRounds) return this.fail(new McpReason.TooManyRounds({ rounds: maxRounds }))
    this.#rounds++
    return Effect.raceFirst(
      next(),
      Effect.catch(closed, ({ reason }) => this.fail(reason))
    )
  }

  /** All answers to questions, or the failure that one of them was refused. */
  answers(questions: InputRequests): Effect.Effect<InputResponses, McpError> {
    const asked = Object.entries(questions)
    if (asked.length > maxAtOnce) return this.#tooMany(asked.length)
    const answered = Effect.forEach(
      asked,
      ([key, question]) => Effect.map(this.#answer(question), (answer) => [key, answer] as const),
      { concurrency: "unbounded" }
    )
    return this.#limited(Effect.map(answered, (entries) => Object.fromEntries(entries)))
  }

  /** Has each page visited, and waits until the server says that it is done with them (ELIC-20). */
  visit(pages: ReadonlyArray<UrlRequest>): Effect.Effect<void, McpError> {
    if (pages.length > maxAtOnce) return this.#tooMany(pages.length)
    const visited = Effect.forEach(
      pages,
      (params) =>
        Effect.flatMap(this.#answer({ method: "elicitation/create", params }), (answer) => {
          const accepted = "action" in answer && answer.action === "accept"
          if (!accepted) return this.fail(new McpReason.InputRefused({ asked: `a visit to ${params.url}` }))
          return params.elicitationId === undefined ? Effect.void : this.terms.completed(params.elicitationId)
        }),
      { concurrency: "unbounded", discard: true }
    )
    return this.#limited(visited)
  }

  fail(reason: McpReason): Effect.Effect<never, McpError> {
    return Effect.fail(requestError(this.#server, this.#request, reason))
  }

  #tooMany(asked: number): Effect.Effect<never, McpError> {
    return this.fail(
      new McpReason.InputRefused({ asked: `${asked} answers at once, and at most ${maxAtOnce} are given` })
    )
  }

  #answer(question: InputRequest): Effect.Effect<InputResponse, McpError> {
    const { method, params } = this.#request
    const asking = { server: this.#server, method, name: "name" in params ? params.name : params.uri }
    return Effect.catch(this.terms.answering(question, asking), ({ message }) =>
      this.fail(new McpReason.InputRefused({ asked: `${question.method} (${message})` }))
    )
  }

  /** The time in which a person answers is none of the request's, and has a limit of its own. */
  #limited<A>(answers: Effect.Effect<A, McpError>): Effect.Effect<A, McpError> {
    const { answerTimeout } = this.terms
    return Effect.clockWith((clock) => {
      const began = clock.currentTimeMillisUnsafe()
      const resume = this.#deadline.pause()
      return answers.pipe(
        Effect.timeoutOrElse({
          duration: Math.max(0, answerTimeout - this.#spent),
          orElse: () => this.fail(new McpReason.InputRefused({ asked: `no answer within ${answerTimeout} ms` }))
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
}
