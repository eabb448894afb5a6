/**
 * Waits for a task to its end: asks how it stands as often as the server wants to be asked, answers its questions, each
 * once, and reads its result as that of the request that became the task (TASK-08, TASK-10, TASK-18).
 *
 * It asks rather than listens: a question costs a server nothing between two of them, and goes on over another link
 * when one is lost.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { JsonObject } from "@treadle/protocol/json"
import { ErrorCode } from "@treadle/protocol/rpc"
import {
  ClientRequest,
  ServerResult,
  type GetTaskResult,
  type InputRequests,
  type Task
} from "@treadle/protocol/schema"
import { McpReason, type McpError } from "../../McpError.ts"
import { growingWait, type Completed } from "../asking/InputRounds.ts"
import type { AskingMethod, RoundAnswers } from "../asking/RoundAnswers.ts"
import { isPassing } from "../Links.ts"

type TaskMethod = "tasks/get" | "tasks/update"

/** What waiting for a task stands on. */
export interface TaskTerms<R extends ClientRequest<AskingMethod>> {
  /** The request that became the task. */
  readonly request: R
  readonly taskId: string
  /** Answers what the task asks. */
  readonly answers: RoundAnswers
  /** Sends a request about the task, within the time of one request. */
  readonly ask: <T extends ClientRequest<TaskMethod>>(request: T) => Effect.Effect<ServerResult<T["method"]>, McpError>
  /** Told how the task stands, at first and whenever that is another. */
  readonly onTask?: ((task: Task) => void) | undefined
}

/** Between these a server may say how long to wait before it is asked again, in milliseconds. */
const shortestWait = 100
const longestWait = 300_000

/** How often in a row the server may be out of reach: with the waits between, for about a minute. */
const maxMisses = 6
const firstMiss = 1000
const longestMiss = 30_000

/** The outcome of a request, whether it became a task or not. */
type Outcome<R extends ClientRequest<AskingMethod>> = Effect.Effect<Completed<R["method"]>, McpError>

/** Waits for a task. @param begun how it stood when it was created; without it the server is asked at once */
export const waitForTask = <R extends ClientRequest<AskingMethod>>(
  terms: TaskTerms<R>,
  begun: Task | undefined
): Outcome<R> =>
  Effect.suspend(() => {
    const { answers } = terms
    const closed = Effect.catch(answers.terms.closed, ({ reason }) => answers.fail(reason))
    return Effect.raceFirst(new TaskWait(terms).begin(begun), closed)
  })

class TaskWait<R extends ClientRequest<AskingMethod>> {
  readonly #terms: TaskTerms<R>
  /** The keys of the questions that were answered, or are being answered. */
  readonly #asked = new Set<string>()
  #told = ""
  #polls = 0
  #misses = 0

  constructor(terms: TaskTerms<R>) {
    this.#terms = terms
  }

  begin(begun: Task | undefined): Outcome<R> {
    if (begun === undefined) return this.#poll
    this.#tell(begun)
    return begun.status === "working" ? this.#later(this.#waitAfter(begun)) : this.#poll
  }

  readonly #poll: Outcome<R> = Effect.suspend(() =>
    this.#send(ClientRequest.getTask(this.#terms.taskId), (task) => this.#heard(task))
  )

  #heard(task: GetTaskResult): Outcome<R> {
    this.#tell(task)
    switch (task.status) {
      case "working":
        return this.#later(this.#waitAfter(task))
      case "input_required":
        return this.#answered(task, task.inputRequests)
      case "completed":
        return this.#completed(task.result)
      case "failed":
        return this.#fail(new McpReason.Rpc(task.error))
      case "cancelled":
        return this.#lost("cancelled", task.statusMessage)
    }
  }

  #completed(value: JsonObject): Outcome<R> {
    const decoded = ServerResult.decode<R["method"]>(this.#terms.request.method, value)
    return Result.isSuccess(decoded)
      ? Effect.succeed({ _tag: "Complete", result: decoded.success, cause: undefined, asked: true })
      : this.#fail(new McpReason.Undecodable({ what: "the result", problems: decoded.failure.problems }))
  }

  /** Answers the questions that were not answered before; those that a server still shows are on their way to it. */
  #answered(task: Task, questions: InputRequests): Outcome<R> {
    const fresh = Object.entries(questions).filter(([key]) => !this.#asked.has(key))
    if (fresh.length === 0) return this.#later(this.#waitAfter(task))
    for (const [key] of fresh) this.#asked.add(key)
    const { answers, taskId } = this.#terms
    return Effect.flatMap(
      answers.round(() => answers.answers(Object.fromEntries(fresh))),
      (responses) => this.#send(ClientRequest.updateTask(taskId, responses), () => this.#later(shortestWait))
    )
  }

  #later(millis: number): Outcome<R> {
    return Effect.andThen(Effect.sleep(millis), this.#poll)
  }

  /** Sends a request about the task; while the server is out of reach, again and again. */
  #send<T extends ClientRequest<TaskMethod>>(
    request: T,
    next: (result: ServerResult<T["method"]>) => Outcome<R>
  ): Outcome<R> {
    return Effect.matchEffect(this.#terms.ask(request), {
      onSuccess: (result) => {
        this.#misses = 0
        return next(result)
      },
      onFailure: (error) => {
        const { reason } = error
        if (reason._tag === "Rpc" && reason.code === ErrorCode.InvalidParams)
          return this.#refused(request, reason.message)
        const passes = isPassing(error) || reason._tag === "TimedOut"
        if (!passes || this.#misses >= maxMisses) return this.#fail(reason)
        const asksFor = reason._tag === "Transport" ? (reason.retryAfter ?? 0) : 0
        const wait = Math.max(Math.min(firstMiss * 2 ** this.#misses++, longestMiss), Math.min(asksFor, longestWait))
        return Effect.andThen(
          Effect.sleep(wait),
          Effect.suspend(() => this.#send(request, next))
        )
      }
    })
  }

  #waitAfter({ pollIntervalMs }: Task): number {
    return pollIntervalMs === undefined
      ? growingWait(this.#polls++)
      : Math.min(Math.max(pollIntervalMs, shortestWait), longestWait)
  }

  #tell(task: Task): void {
    const now = JSON.stringify([task.status, task.statusMessage])
    if (now !== this.#told) this.#terms.onTask?.(task)
    this.#told = now
  }

  /** The server knows no such task; or it does not take the answers, which are not given again (TASK-10, TASK-14). */
  #refused({ method }: ClientRequest<TaskMethod>, said: string): Effect.Effect<never, McpError> {
    return method === "tasks/get"
      ? this.#lost("unknown", said)
      : this.#fail(new McpReason.InputRefused({ asked: `the server does not take the answer: ${said}` }))
  }

  #lost(why: "cancelled" | "unknown", said: string | undefined): Effect.Effect<never, McpError> {
    const { taskId } = this.#terms
    return this.#fail(new McpReason.TaskLost({ taskId, why, ...(said === undefined ? {} : { said }) }))
  }

  #fail(reason: McpReason): Effect.Effect<never, McpError> {
    return this.#terms.answers.fail(reason)
  }
}
