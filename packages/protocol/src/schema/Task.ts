/**
 * Tasks: a request that is answered with the promise of its result, which the client then asks for (TASK-01 to TASK-20).
 * An extension of the native era; today only `tools/call` may become a task.
 *
 * @see https://github.com/modelcontextprotocol/ext-tasks
 */
import * as Schema from "effect/Schema"
import type { ClientCapabilities, ServerCapabilities } from "./Capabilities.ts"
import { InputRequests, InputResponses } from "./InputRequired.ts"
import { Meta } from "./Meta.ts"

/** The id of the extension, under which both sides declare it with `{}` (TASK-01). */
export const tasksExtension = "io.modelcontextprotocol/tasks"

/** Whether a side declares that it knows tasks. */
export const declaresTasks = ({ extensions }: ClientCapabilities | ServerCapabilities): boolean =>
  extensions !== undefined && Object.hasOwn(extensions, tasksExtension)

/** How a task stands; the last three are final (TASK-09). */
export const TaskStatus = Schema.Literals(["working", "input_required", "completed", "failed", "cancelled"])
export type TaskStatus = typeof TaskStatus.Type

/** Whether a task with this status stays as it is. */
export const isFinalStatus = (status: TaskStatus): boolean => status !== "working" && status !== "input_required"

const facts = {
  taskId: Schema.String,
  /** What a person or a model may be told of the status. */
  statusMessage: Schema.optionalKey(Schema.String),
  /** ISO 8601, as the time of the last change. */
  createdAt: Schema.String,
  lastUpdatedAt: Schema.String,
  /** How long the task is kept at least, in milliseconds since it was created; `null` for without end. It may change. */
  ttlMs: Schema.NullOr(Schema.Int),
  /** How long to wait before asking again, in milliseconds. It may change. */
  pollIntervalMs: Schema.optionalKey(Schema.Int),
  _meta: Schema.optionalKey(Meta)
}

/** What is said of any task. */
export const Task = Schema.Struct({ ...facts, status: TaskStatus })
export interface Task extends Schema.Schema.Type<typeof Task> {}

/** The answer to a request that became a task: the task, flat (TASK-05). */
export const CreateTaskResult = Schema.Struct({ resultType: Schema.Literal("task"), ...facts, status: TaskStatus })
export interface CreateTaskResult extends Schema.Schema.Type<typeof CreateTaskResult> {}

/** The JSON-RPC error that a task failed with. */
const TaskError = Schema.Struct({
  code: Schema.Int,
  message: Schema.String,
  data: Schema.optionalKey(Schema.Json)
})

/** The task with what belongs to its status: its questions, its result or its error (TASK-08). */
const detailed = <More extends Schema.Struct.Fields>(more: More) =>
  Schema.Union([
    Schema.Struct({ ...more, ...facts, status: Schema.Literal("working") }),
    Schema.Struct({ ...more, ...facts, status: Schema.Literal("input_required"), inputRequests: InputRequests }),
    Schema.Struct({ ...more, ...facts, status: Schema.Literal("completed"), result: Schema.JsonObject }),
    Schema.Struct({ ...more, ...facts, status: Schema.Literal("failed"), error: TaskError }),
    Schema.Struct({ ...more, ...facts, status: Schema.Literal("cancelled") })
  ])

/**
 * A task as it stands, also the parameters of `notifications/tasks` (TASK-15). `result` has the form of the result of
 * the request that became the task.
 */
export const DetailedTask = detailed({})
export type DetailedTask = typeof DetailedTask.Type

/** What `tasks/get` answers (TASK-08). */
export const GetTaskResult = detailed({ resultType: Schema.optionalKey(Schema.Literal("complete")) })
export type GetTaskResult = typeof GetTaskResult.Type

/** Parameters of `tasks/get` and `tasks/cancel`. */
export const TaskRequest = Schema.Struct({ taskId: Schema.String, _meta: Schema.optionalKey(Meta) })
export interface TaskRequest extends Schema.Schema.Type<typeof TaskRequest> {}

/** Parameters of `tasks/update`: answers under the keys of their questions, some or all of them (TASK-10). */
export const TaskUpdate = Schema.Struct({
  taskId: Schema.String,
  inputResponses: InputResponses,
  _meta: Schema.optionalKey(Meta)
})
export interface TaskUpdate extends Schema.Schema.Type<typeof TaskUpdate> {}
