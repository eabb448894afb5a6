/**
 * What one call has asked and which of its steps have run; made when a handler first asks or steps.
 *
 * Natively a question without an answer waits until nothing of the call goes on without one: then the call ends with its
 * questions, and runs again when they are answered. In compat each question is a request on the stream of the call. A
 * call that became a task waits, and its answers are handed in.
 */
import * as Result from "effect/Result"
import { own, type Json, type JsonObject, type Misfit } from "@treadle/protocol/json"
import { Message, printNotification, type ErrorMessage, type ResultMessage } from "@treadle/protocol/rpc"
import { ServerRequest, type UrlRequest } from "@treadle/protocol/schema"
import type { Ask, AskMethod } from "../../Ask.ts"
import { AskFailed } from "../../AskFailed.ts"
import type { Admitted } from "../../envelope/Admitted.ts"
import { inRevision, visit } from "./AskWords.ts"
import { lacking, missingPart } from "./ClientAbility.ts"
import type { Asking } from "./Asking.ts"
import type { RoundState } from "./RequestState.ts"
import type { Sink } from "../Sink.ts"

/** What earlier rounds of a call left. */
export type Restored = Pick<RoundState, "answers" | "steps">

type Outcome<A> = Result.Result<A, AskFailed>

interface Question {
  readonly ask: Ask<unknown>
  /** Hears what it became, where anybody still wants to. */
  hear: ((outcome: Outcome<unknown>) => void) | undefined
  /** When it is given up, in milliseconds. */
  readonly deadline: number
  /** The id of its request; natively it has none. */
  readonly id: string | undefined
  outcome: Outcome<unknown> | undefined
}

/** The methods whose handlers may ask (MRTR-02). */
const mayAsk = new Set(["tools/call", "prompts/get", "resources/read"])

/** What a step gave, read back: the type is that of the step, as far as JSON says it. */
const restored = <A>(text: string | undefined): A => (text === undefined ? undefined : JSON.parse(text)) as A

const fail = (...args: ConstructorParameters<typeof AskFailed>): Outcome<never> => Result.fail(new AskFailed(...args))

/** A key that a handler used twice: which of the two is meant in a further round could not be told. */
const usedTwice = (what: "question" | "step", key: string): Error =>
  new Error(
    `The key ${JSON.stringify(key)} names two ${what}s of one call. Give each ${what} its own key, such as ` +
      `${JSON.stringify(`${key}-2`)}, the same in every run.`
  )

const malformed = (key: string, problems: ReadonlyArray<string>): Outcome<never> =>
  fail("malformed", `The answer to ${JSON.stringify(key)} does not fit: ${problems.join("; ")}`)

export class CallAsks {
  readonly #asking: Asking
  readonly #admitted: Admitted
  #sink: Sink
  readonly #suspend: () => void
  readonly #questions = new Map<string, Question>()
  readonly #answers: Map<string, Json>
  readonly #steps: Map<string, string | undefined>
  readonly #running = new Set<string>()
  /** The keys of steps that gave their value to this run. */
  readonly #stepped = new Set<string>()
  /** The ids of the pages that the client was sent to, by the keys of their questions. */
  readonly #visits = new Map<string, string>()
  /** The pages that nothing could send the client to, by what their questions failed with. */
  readonly #unsent = new Map<AskFailed, UrlRequest>()
  readonly #native: boolean
  #open = 0
  #turn = 0
  #closed = false

  /** @param suspend ends the run of a native call, which then has `questions` */
  constructor(asking: Asking, admitted: Admitted, sink: Sink, suspend: () => void, restored?: Restored) {
    this.#asking = asking
    this.#admitted = admitted
    this.#sink = sink
    this.#native = admitted.revision.era === "native"
    this.#suspend = suspend
    this.#answers = new Map(restored?.answers)
    this.#steps = new Map(restored?.steps)
  }

  /** Whether a client is waited for, and nothing else. */
  get isWaiting(): boolean {
    return this.#open > 0 && this.#running.size === 0
  }

  /**
   * Asks, and hears once, at once or later.
   *
   * @returns stops hearing: the client need not answer any more
   * @throws where a question of this run has the key
   */
  ask<A>(key: string, ask: Ask<A>, resume: (outcome: Outcome<A>) => void): () => void {
    if (this.#questions.has(key)) throw usedTwice("question", key)
    const question = this.#put(key, ask)
    // What a question became is of its own type.
    const hear = resume as (outcome: Outcome<unknown>) => void
    if (question.outcome !== undefined) hear(question.outcome)
    else question.hear = hear
    return () => this.#leave(key, question)
  }

  /**
   * What a step gave in an earlier round; absent where it has to run.
   *
   * @throws where a step of this run has the key, unless it failed
   */
  stepped<A>(key: string): { readonly value: A } | undefined {
    if (this.#running.has(key) || this.#stepped.has(key)) throw usedTwice("step", key)
    if (!this.#steps.has(key)) return undefined
    this.#stepped.add(key)
    return { value: restored(this.#steps.get(key)) }
  }

  /** A step begins. @returns ends it */
  begin(key: string): () => void {
    this.#running.add(key)
    return () => {
      this.#running.delete(key)
      this.#look()
    }
  }

  /** Keeps what a step gave. @returns it, as it will be restored */
  keep<A>(key: string, value: A): A {
    const text = JSON.stringify(value)
    this.#steps.set(key, text)
    this.#stepped.add(key)
    return restored(text)
  }

  /** What tells the client that a page is done with (ELIC-19); nothing where it was sent to none, as natively. */
  completed(key: string): string | undefined {
    const elicitationId = this.#visits.get(key)
    this.#visits.delete(key)
    return elicitationId === undefined
      ? undefined
      : printNotification("notifications/elicitation/complete", { elicitationId })
  }

  /** Every page that nothing could send the client to, where that is what went wrong. */
  unsent(error: AskFailed): ReadonlyArray<UrlRequest> {
    return this.#unsent.has(error) ? [...this.#unsent.values()] : []
  }

  /** Gives up what has waited too long. */
  tick(now: number): void {
    if (this.#closed) return
    for (const [key, question] of this.#questions) {
      if (question.outcome !== undefined || now < question.deadline) continue
      this.#withdraw(question, "The question was not answered in time")
      this.#settle(
        question,
        fail("timed-out", `Nobody answered ${JSON.stringify(key)} within ${this.#asking.timeout} ms`)
      )
    }
  }

  /** The call has ended: nothing is waited for. @param tell whether the client still hears of it */
  close(tell: boolean): void {
    if (this.#closed) return
    this.#closed = true
    for (const question of this.#questions.values()) {
      if (question.outcome !== undefined) continue
      question.hear = undefined
      if (tell) this.#withdraw(question, "The call went on without an answer")
      else if (question.id !== undefined) this.#asking.open.close(this.#admitted.owner, question.id)
    }
  }

  /** The questions that are open, by their keys. */
  open(): ReadonlyArray<readonly [string, Ask<unknown>["request"]]> {
    return [...this.#questions].flatMap(([key, { ask, outcome }]) =>
      outcome === undefined ? [[key, ask.request] as const] : []
    )
  }

  /** The questions that are open, and what is to be remembered until they are answered. */
  round(): { readonly requests: ReturnType<CallAsks["open"]> } & Pick<RoundState, "answers" | "steps" | "asked"> {
    const requests = this.open()
    return {
      requests,
      answers: this.#answers,
      steps: this.#steps,
      asked: new Map(requests.map(([key, { method }]) => [key, method]))
    }
  }

  /** Its questions are put by another sink from here on. */
  moveTo(sink: Sink): void {
    this.#sink = sink
    this.#look()
  }

  /**
   * Takes answers to open questions, all of them or none; the rest is ignored (TASK-10).
   *
   * @returns why they do not fit
   */
  answer(answers: JsonObject): ReadonlyArray<string> {
    const read = [...this.#questions].flatMap(([key, question]) => {
      const answer = question.outcome === undefined ? own(answers, key) : undefined
      return answer === undefined ? [] : [{ key, question, outcome: this.#decode(question.ask, answer) }]
    })
    const problems = read.flatMap(({ key, outcome }) =>
      Result.isFailure(outcome) ? outcome.failure.problems.map((problem) => `${JSON.stringify(key)}: ${problem}`) : []
    )
    if (problems.length > 0) return problems
    for (const { outcome, question } of read) {
      if (Result.isSuccess(outcome)) this.#settle(question, Result.succeed(outcome.success))
    }
    return []
  }

  #put(key: string, ask: Ask<unknown>): Question {
    const said = this.#said(key, ask)
    const waits = Result.isSuccess(said)
    const question: Question = {
      ask,
      hear: undefined,
      deadline: this.#asking.now() + this.#asking.timeout,
      id: waits && !this.#native ? this.#send(key, said.success) : undefined,
      outcome: waits ? undefined : said.failure
    }
    this.#questions.set(key, question)
    if (!waits) return question
    this.#open++
    this.#look()
    return question
  }

  /** The question as it is sent, or what is known of it without asking. */
  #said(key: string, ask: Ask<unknown>): Result.Result<ServerRequest<AskMethod>, Outcome<unknown>> {
    const { revision, subject } = this.#admitted
    const known = this.#known(key, ask)
    if (known !== undefined) return Result.fail(known)
    return Result.mapError(inRevision(revision, ask.request), (fields) =>
      fail(
        "no-capability",
        `${subject} asks for several choices in one field (${fields.join(", ")}), which clients of ${revision.version} ` +
          "do not have; ask for one choice there"
      )
    )
  }

  /** What is known of a question without asking it. */
  #known(key: string, ask: Ask<unknown>): Outcome<unknown> | undefined {
    const { clientCapabilities, request, subject } = this.#admitted
    if (!mayAsk.has(request.method)) {
      return fail("no-stream", `The client cannot be asked while it waits for ${request.method}`)
    }
    this.#warn(ask.request)
    const missing = this.#standsAlone ? undefined : missingPart(ask.requires, clientCapabilities)
    if (missing !== undefined) {
      return fail("no-capability", `${subject} asks for ${lacking(missing)}`, missing)
    }
    const answer = this.#answers.get(key)
    if (answer !== undefined) return this.#read(key, ask, answer)
    return !this.#native && (this.#sink.mute === true || this.#standsAlone) ? this.#unasked(ask) : undefined
  }

  #warn(request: ServerRequest<AskMethod>): void {
    const { deprecated } = this.#asking
    if (request.method === "roots/list") deprecated("roots", this.#admitted)
    if (request.method !== "sampling/createMessage") return
    deprecated("sampling", this.#admitted)
    const { includeContext } = request.params
    if (includeContext !== undefined && includeContext !== "none") deprecated("includeContext", this.#admitted)
  }

  /** Whether a request belongs to no session: then no answer finds its way here, and nobody said what the client can do. */
  get #standsAlone(): boolean {
    return this.#admitted.session?.standsAlone === true
  }

  get #whyUnasked(): string {
    if (this.#standsAlone) return "belongs to no session"
    return this.#admitted.inbound.overHttp
      ? "takes no event stream as the reply"
      : `came in process with revision ${this.#admitted.revision.version}, where only 2026-07-28 has questions`
  }

  #unasked({ request }: Ask<unknown>): Outcome<never> {
    const failed = new AskFailed("no-stream", `The client cannot be asked: its request ${this.#whyUnasked}`)
    const page = visit(request)
    if (page !== undefined) this.#unsent.set(failed, page)
    return Result.fail(failed)
  }

  #read(key: string, ask: Ask<unknown>, answer: unknown): Outcome<unknown> {
    const read = ask.read(answer)
    return Result.isSuccess(read) ? Result.succeed(read.success) : malformed(key, read.failure.problems)
  }

  /** An answer as it came, by the form of its method and by what was asked for. */
  #decode(ask: Ask<unknown>, answer: unknown): Result.Result<unknown, Misfit> {
    const decoded = ServerRequest.decodeAnswer(ask.request.method, answer)
    return Result.isFailure(decoded) ? Result.fail(decoded.failure) : ask.read(answer)
  }

  #send(key: string, request: ServerRequest<AskMethod>): string {
    const id = this.#asking.open.open(this.#admitted.owner, (answer) => this.#answered(key, answer))
    const page = visit(request)
    if (page?.elicitationId !== undefined) this.#visits.set(key, page.elicitationId)
    this.#sink.post(
      Message.print(ServerRequest.toMessage(id, page === undefined ? request : ServerRequest.elicit(page))),
      true
    )
    return id
  }

  #answered(key: string, answer: ResultMessage | ErrorMessage): void {
    const question = this.#questions.get(key)
    if (question === undefined || question.outcome !== undefined) return
    this.#settle(
      question,
      answer._tag === "Result"
        ? this.#read(key, question.ask, answer.result)
        : fail("refused", `The client did not answer ${JSON.stringify(key)}: ${answer.error.message}`)
    )
  }

  #settle(question: Question, outcome: Outcome<unknown>): void {
    question.outcome = outcome
    this.#open--
    const { hear } = question
    question.hear = undefined
    hear?.(outcome)
    this.#look()
  }

  /** The handler goes on without an answer; one whose call has ended does not go on. */
  #leave(key: string, question: Question): void {
    question.hear = undefined
    if (this.#closed || question.outcome !== undefined) return
    this.#withdraw(question, "The call went on without an answer")
    this.#settle(question, fail("timed-out", `Nobody waited for the answer to ${JSON.stringify(key)} any more`))
  }

  /** Tells the client that an answer is no longer wanted (TIME-02). */
  #withdraw({ id }: Question, reason: string): void {
    if (id === undefined) return
    this.#asking.open.close(this.#admitted.owner, id)
    this.#sink.post(printNotification("notifications/cancelled", { requestId: id, reason }))
  }

  /** Ends a native run once nothing but questions is left to wait for; a task waits for their answers. */
  #look(): void {
    const turn = ++this.#turn
    if (this.#sink.asked !== undefined) return this.#sink.asked()
    if (!this.#native || !this.isWaiting) return
    this.#asking.later(() => {
      if (turn === this.#turn && this.isWaiting && !this.#closed) this.#suspend()
    })
  }
}
