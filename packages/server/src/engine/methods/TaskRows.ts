/**
 * Calls that become tasks, and the methods that ask about a task, answer its questions and cancel it (TASK-03, TASK-08 to
 * TASK-14).
 */
import * as Effect from "effect/Effect"
import { isJsonObject, isRecord, own, type JsonObject } from "@treadle/protocol/json"
import { RpcError } from "@treadle/protocol/rpc"
import { tasksExtension } from "@treadle/protocol/schema"
import type { Admitted } from "../../envelope/Admitted.ts"
import type { Dress } from "../../envelope/Dress.ts"
import { scopesMissing } from "../../envelope/Ladder.ts"
import type { Refusal } from "../../envelope/Refusal.ts"
import type { TaskSettings } from "../../handler/TaskSettings.ts"
import { internalError } from "../../reply/ErrorReply.ts"
import { taskReply } from "../../reply/TaskReply.ts"
import type { RunningCall } from "../RunningCall.ts"
import type { Task } from "../tasks/Task.ts"
import type { Tasks } from "../tasks/Tasks.ts"
import type { Answered, Row, Running } from "./Row.ts"

const required: JsonObject = { extensions: { [tasksExtension]: {} } }

/** Whether the sender of a request declares with it that it knows tasks. */
const knowsTasks = ({ clientCapabilities }: Admitted): boolean =>
  isRecord(own(own(clientCapabilities, "extensions"), tasksExtension))

/** What is told to a client that has to know tasks. @param what needs that */
export const tasksMissing = (request: Admitted, what: string): RpcError | undefined =>
  knowsTasks(request)
    ? undefined
    : RpcError.missingCapability(`${what} needs a client that declares the extension ${tasksExtension}`, required)

const noRoom = ({ request }: Admitted): Refusal => ({
  rung: "calls",
  error: RpcError.internal("Too many tasks are kept; wait until the time of one is over"),
  id: request.id
})

/** What a native call of a tool runs whose calls become tasks. @param scopes those of the tool */
export const asTask = (
  running: Running,
  settings: TaskSettings,
  scopes: ReadonlyArray<string> | undefined,
  request: Admitted,
  tasks: Tasks
): Answered => {
  const { later, required } = settings
  const missing = tasksMissing(request, running.name)
  if (missing !== undefined) return required ? missing : running
  if (required && !tasks.hasRoom(request.owner)) return noRoom(request)
  const begin = (call: RunningCall) => tasks.begin(call, settings, scopes ?? [])
  return {
    ...running,
    effect: (call) =>
      Effect.suspend(() => {
        if (later) call.begins = begin
        else begin(call)
        return running.effect(call)
      }),
    // A result says what the tool says; a task that broke has failed (TASK-09).
    died: (reference, call) => (call.kind === "task" ? internalError(reference) : running.died(reference, call))
  }
}

/** Why a caller over HTTP may not ask about a task that is its own: it lacks scopes of the tool (AUTH-22). */
export const taskScopesMissing = ({ scopes }: Task, request: Admitted): RpcError | undefined =>
  request.inbound.overHttp ? scopesMissing(request, scopes) : undefined

/** A row about one task, which is the caller's own (TASK-14, TASK-19). */
const about =
  (tasks: Tasks, answer: (task: Task, request: Admitted) => Answered): Row =>
  (request) => {
    const { request: message } = request
    const missing = tasksMissing(request, message.method)
    if (missing !== undefined) return missing
    const id = own(message.params, "taskId")
    if (typeof id !== "string") return RpcError.invalidParams("params.taskId must be the id of a task")
    const task = tasks.find(id, request)
    if (task === undefined) {
      return RpcError.invalidParams(`There is no task ${JSON.stringify(id)} here, or its time is over`)
    }
    const error = taskScopesMissing(task, request)
    return error === undefined
      ? answer(task, request)
      : { rung: "scopes", error, id: message.id, challenge: request.challenge }
  }

/** The rows of the methods about tasks. */
export const taskRows = (tasks: Tasks, dress: Dress): ReadonlyArray<readonly [string, Row]> => {
  const empty = ({ revision }: Admitted): string => dress.result({ members: "" }, revision)
  return [
    ["tasks/get", about(tasks, ({ detail }, { revision }) => dress.result(taskReply(detail), revision))],
    [
      "tasks/update",
      about(tasks, (task, request) => {
        const answers = own(request.request.params, "inputResponses")
        if (!isJsonObject(answers)) return RpcError.invalidParams("params.inputResponses must be an object")
        const problems = task.update(answers)
        return problems.length === 0
          ? empty(request)
          : RpcError.invalidParams(`params.inputResponses: ${problems.join("; ")}`, { problems })
      })
    ],
    [
      "tasks/cancel",
      about(tasks, (task, request) => {
        task.end("cancelled")
        return empty(request)
      })
    ]
  ]
}
