/**
 * The requests of a session: refused before the wire where the server does not offer them, sent over the current link,
 * limited in time, and taken through their rounds.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { ErrorMessage, Notification, ResultMessage } from "@treadle/protocol/rpc"
import {
  ClientRequest,
  ServerResult,
  type Meta,
  type Progress as WireProgress,
  type Task
} from "@treadle/protocol/schema"
import { McpReason, type McpError } from "../McpError.ts"
import { notOffered } from "./opening/Agreed.ts"
import type { Arrived } from "./ClientEngine.ts"
import type { Deadline, Deadlines, Patience } from "./Deadline.ts"
import { inRounds, type Completed } from "./asking/InputRounds.ts"
import { mayAsk, RoundAnswers, type AskingMethod, type RoundTerms } from "./asking/RoundAnswers.ts"
import type { Link, Links } from "./Links.ts"
import { requestError } from "./RequestError.ts"
import type { Farewells } from "./tasks/Farewells.ts"
import { waitForTask } from "./tasks/TaskWait.ts"

/** How one request is made and whom it tells. */
export interface Plan extends Patience {
  readonly onProgress?: ((progress: WireProgress) => void) | undefined
  readonly onNotification?: ((notification: Notification) => void) | undefined
  /** Whether progress extends the time. */
  readonly extend?: boolean
  /** Whether `timeout` holds for a task too, and not only the time in all. */
  readonly firm?: boolean
  /** Told how the task stands that the request became. */
  readonly onTask?: ((task: Task) => void) | undefined
  /** Whether the task goes on when nobody waits for it any more. */
  readonly keepTask?: boolean | undefined
  readonly meta?: Meta | undefined
  /** Whether the server has shown that it offers this, whatever it declares: it answered with the task that is asked about. */
  readonly shown?: boolean
  /** Whether it may be sent twice without harm. */
  readonly safe: boolean
  /** Headers that repeat arguments. */
  readonly mirrored?: (() => ReadonlyArray<readonly [string, string]>) | undefined
  /** What to do before a failure is final, such as learning what the server missed; then it is sent once more. */
  readonly cure?: ((error: McpError) => Effect.Effect<void> | undefined) | undefined
}

/** How long the server may take to say how a task stands, and to hear that one is wanted no longer, in milliseconds. */
const pollTimeout = 60_000
const farewellTimeout = 1000

/** Sends the requests of one session. */
export class Requests {
  readonly server: string
  readonly #links: Links
  readonly #deadlines: Deadlines
  readonly #rounds: RoundTerms
  readonly #farewells: Farewells

  constructor(server: string, links: Links, deadlines: Deadlines, rounds: RoundTerms, farewells: Farewells) {
    this.server = server
    this.#links = links
    this.#deadlines = deadlines
    this.#rounds = rounds
    this.#farewells = farewells
  }

  /** Sends a request and reads its result; a result that asks is no answer here. */
  readonly request = <R extends ClientRequest>(
    request: R,
    plan: Plan
  ): Effect.Effect<ServerResult<R["method"]>, McpError> =>
    Effect.flatMap(this.send(request, plan), ({ result }) => {
      const decoded = ServerResult.decode<R["method"]>(request.method, result)
      if (Result.isSuccess(decoded)) return Effect.succeed(decoded.success)
      const { problems } = decoded.failure
      return Effect.fail(this.error(request, new McpReason.Undecodable({ what: "the result", problems })))
    })

  /** Sends a request and gives its result as it came. */
  readonly send = (request: ClientRequest, plan: Plan): Effect.Effect<Arrived, McpError> =>
    this.#limited(request, plan, (deadline) => this.#sent(request, plan, deadline))

  /** Sends a request that may ask before it goes on, or become a task: answers what it asks, and waits for the task. */
  readonly ask = <R extends ClientRequest<AskingMethod>>(
    request: R,
    plan: Plan
  ): Effect.Effect<Completed<R["method"]>, McpError> =>
    this.#limited(request, plan, (deadline) => {
      const answers = new RoundAnswers(this.#rounds, this.server, request, deadline)
      const ended = inRounds(request, answers, deadline, (round) => this.#sent(round, plan, deadline))
      return Effect.flatMap(ended, (end) =>
        end._tag === "Complete"
          ? Effect.succeed(end)
          : this.#followed(request, plan, { answers, deadline }, end.task.taskId, end.task)
      )
    })

  /** Sends a request and gives its result, whether it may ask before it goes on or not. */
  readonly complete = <R extends ClientRequest>(
    request: R,
    plan: Plan
  ): Effect.Effect<ServerResult<R["method"]>, McpError> =>
    mayAsk(request) ? Effect.map(this.ask(request, plan), ({ result }) => result) : this.request(request, plan)

  /** Waits for the task that such a request became, in this session or in another one. */
  readonly resume = <R extends ClientRequest<AskingMethod>>(
    request: R,
    plan: Plan,
    taskId: string
  ): Effect.Effect<Completed<R["method"]>, McpError> =>
    this.#limited(request, plan, (deadline) => {
      const answers = new RoundAnswers(this.#rounds, this.server, request, deadline)
      if (this.#rounds.knowsTasks()) return this.#followed(request, plan, { answers, deadline }, taskId)
      const what = "tasks need a server of 2026-07-28 or later, and a session whose setting `tasks` is not false"
      return answers.fail(new McpReason.NotOffered({ what }))
    })

  /** Something else that is waited for on behalf of a request, for as long as that may take. */
  readonly within = <A>(request: ClientRequest, plan: Plan, effect: Effect.Effect<A>): Effect.Effect<A, McpError> =>
    this.#limited(request, plan, (deadline) => deadline.within(effect))

  readonly error = (request: ClientRequest, reason: McpReason, cause?: unknown): McpError =>
    requestError(this.server, request, reason, cause)

  /** A link that could not be opened failed this request, whatever was sent to open it. */
  #about(request: ClientRequest, error: McpError): McpError {
    return error.method === request.method ? error : this.error(request, error.reason, error)
  }

  #limited<A>(
    request: ClientRequest,
    plan: Plan,
    run: (deadline: Deadline) => Effect.Effect<A, McpError>
  ): Effect.Effect<A, McpError> {
    const { maxTotalTimeout, timeout } = plan
    const { method } = request
    const wrong = [timeout, maxTotalTimeout].find((limit) => !(limit > 0))
    if (wrong !== undefined) {
      const problems = [`it must be a number of milliseconds above 0, or Infinity, and is ${String(wrong)}`]
      return Effect.fail(
        this.error(request, new McpReason.Undecodable({ what: "the time limit", problems, notRun: true }))
      )
    }
    const expired = (inAll: boolean) => {
      const limit = inAll && maxTotalTimeout !== timeout ? ({ limit: "maxTotalTimeout" } as const) : {}
      return this.error(request, new McpReason.TimedOut({ after: inAll ? maxTotalTimeout : timeout, method, ...limit }))
    }
    return this.#deadlines.limit(plan, expired, run)
  }

  /**
   * The outcome of a task. It is cancelled where its request is given up here, or the session ends before, which is said
   * with no other word (TASK-13).
   */
  #followed<R extends ClientRequest<AskingMethod>>(
    request: R,
    plan: Plan,
    { answers, deadline }: { readonly answers: RoundAnswers; readonly deadline: Deadline },
    taskId: string,
    begun?: Task
  ): Effect.Effect<Completed<R["method"]>, McpError> {
    if (plan.firm !== true) deadline.lift()
    const { meta, onTask } = plan
    const limit = Math.min(plan.timeout, pollTimeout)
    const polls: Plan = { timeout: limit, maxTotalTimeout: limit, meta, safe: true, shown: begun !== undefined }
    const waited = waitForTask({ request, taskId, answers, onTask, ask: (about) => this.request(about, polls) }, begun)
    if (plan.keepTask === true) return deadline.within(waited)
    const over = this.#farewells.owe(this.#cancelled(taskId))
    return Effect.onExit(deadline.within(waited), (exit) => Effect.sync(() => over(isGivenUp(exit))))
  }

  /** The answer to a request that was given up here: a task that it became is wanted no longer. */
  readonly late = (message: ResultMessage | ErrorMessage): void => {
    if (message._tag !== "Result" || !this.#rounds.knowsTasks()) return
    const decoded = ServerResult.decodeRound("tools/call", message.result)
    if (Result.isFailure(decoded) || decoded.success._tag !== "Task") return
    this.#farewells.owe(this.#cancelled(decoded.success.result.taskId))(true)
  }

  #cancelled(taskId: string): Effect.Effect<unknown, McpError> {
    const patience = { timeout: farewellTimeout, maxTotalTimeout: farewellTimeout }
    return this.request(ClientRequest.cancelTask(taskId), { ...patience, safe: true, shown: true })
  }

  #sent(request: ClientRequest, plan: Plan, deadline: Deadline): Effect.Effect<Arrived, McpError> {
    const { extend = false, meta, onNotification, onProgress } = plan
    const exchange = ({ agreed, engine }: Link): Effect.Effect<Arrived, McpError> => {
      const what = notOffered(agreed, request.method, plan.shown)
      if (what !== undefined) return Effect.fail(engine.error(request, new McpReason.NotOffered({ what })))
      const mirrored = engine.transport.kind === "http" && agreed.era === "native" ? plan.mirrored?.() : undefined
      return engine.exchange(request, {
        onProgress,
        onNotification,
        extend,
        meta,
        deadline,
        ...(mirrored === undefined ? {} : { mirrored })
      })
    }
    const used = Effect.suspend(() => this.#links.use(exchange, plan.safe, deadline.within))
    const sent = Effect.mapError(used, (error) => this.#about(request, error))
    if (plan.cure === undefined) return sent
    return Effect.catch(sent, (error) => {
      const cured = plan.cure?.(error)
      return cured === undefined ? Effect.fail(error) : Effect.andThen(deadline.within(cured), sent)
    })
  }
}

/** Whether it was this side that no longer waits, rather than the server that has nothing more to give. */
const isGivenUp = (exit: Exit.Exit<unknown, McpError>): boolean => {
  if (Exit.isSuccess(exit)) return false
  if (Cause.hasInterruptsOnly(exit.cause)) return true
  const failure = Cause.findErrorOption(exit.cause)
  if (Option.isNone(failure)) return true
  const { method, reason } = failure.value
  switch (reason._tag) {
    case "InputRefused":
    case "TooManyRounds":
      return true
    case "TimedOut":
      return reason.method === method
    default:
      return false
  }
}
