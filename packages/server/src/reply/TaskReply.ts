/**
 * Tasks as the payload of answers.
 */
import type { DetailedTask, Task } from "@treadle/protocol/schema"
import type { NeutralResult } from "./NeutralResult.ts"

const membersOf = (task: Task | DetailedTask): string => JSON.stringify(task).slice(1, -1)

/** The answer to a request that goes on as a task (TASK-05). */
export const begunReply = (task: Task): NeutralResult => ({ resultType: "task", members: membersOf(task) })

/** The answer to a question about a task (TASK-08). */
export const taskReply = (task: DetailedTask): NeutralResult => ({ members: membersOf(task) })
