/**
 * The tasks of a served thing: begun by calls, found by their ids, kept until their time is over. Each belongs to the
 * principal that made the call, and to nobody else (TASK-19).
 */
import { printResult } from "@treadle/protocol/rpc"
import type { Admitted } from "../../envelope/Admitted.ts"
import type { Dress } from "../../envelope/Dress.ts"
import type { TaskSettings } from "../../handler/TaskSettings.ts"
import type { Limits } from "../../Limits.ts"
import { begunReply } from "../../reply/TaskReply.ts"
import type { InFlight } from "../InFlight.ts"
import type { Hub } from "../offer/Hub.ts"
import type { RunningCall } from "../RunningCall.ts"
import type { Ticking } from "../Sweep.ts"
import { Task } from "./Task.ts"

export interface TasksParts {
  readonly limits: Pick<Limits, "tasks" | "callerTasks" | "taskTtl">
  readonly dress: Dress
  readonly hub: Hub
  readonly inFlight: InFlight
  readonly now: () => number
  /** Lets time pass for the tasks that are kept. */
  readonly wake: () => void
}

export class Tasks implements Ticking {
  readonly #parts: TasksParts
  readonly #tasks = new Map<string, Task>()
  /** How many of them an owner has. */
  readonly #counts = new Map<string, number>()

  constructor(parts: TasksParts) {
    this.#parts = parts
  }

  /** How many are kept. */
  get size(): number {
    return this.#tasks.size
  }

  /** Whether one more is kept for an owner. */
  hasRoom(owner: string): boolean {
    const { callerTasks, tasks } = this.#parts.limits
    return this.size < tasks && (this.#counts.get(owner) ?? 0) < callerTasks
  }

  /**
   * A running call goes on as a task, and its request is answered with that; the task can be found before (TASK-06).
   * Nothing happens where the call is a task already or ends, or where there is no room.
   */
  begin(call: RunningCall, { pollInterval, ttl }: TaskSettings, scopes: ReadonlyArray<string>): void {
    const { dress, hub, inFlight, limits, now, wake } = this.#parts
    const { owner, request, revision } = call.admitted
    if (!call.isOpen || !this.hasRoom(owner)) return
    const task = new Task({
      call,
      ttl: ttl === null ? null : Math.min(ttl ?? limits.taskTtl, limits.taskTtl),
      pollInterval,
      scopes,
      now,
      changed: (task) => hub.publish(task)
    })
    this.#tasks.set(task.id, task)
    this.#counts.set(owner, (this.#counts.get(owner) ?? 0) + 1)
    const { sink } = call
    inFlight.becomesTask(call, task)
    sink.answer({ text: printResult(request.id, dress.result(begunReply(task.seed), revision)) })
    wake()
  }

  /** The task of this id, where it is the caller's own and its time is not over. */
  find(id: string, { inbound }: Admitted): Task | undefined {
    const task = this.#tasks.get(id)
    return task?.isOf(inbound.principal?.id) === true && this.#parts.now() < task.expires ? task : undefined
  }

  /** Ends what has outlived its time, and lets go of what has ended by then. */
  tick(now: number): boolean {
    for (const task of this.#tasks.values()) {
      if (now < task.expires) continue
      task.end("expired")
      if (task.hasEnded) this.#remove(task)
    }
    return [...this.#tasks.values()].some(({ expires }) => Number.isFinite(expires))
  }

  /** Lets go of the tasks of an owner that nobody can ask about any more. */
  forget(owner: string): void {
    for (const task of this.#tasks.values()) if (task.owner === owner) this.#remove(task)
  }

  clear(): void {
    this.#tasks.clear()
    this.#counts.clear()
  }

  #remove({ id, owner }: Task): void {
    if (!this.#tasks.delete(id)) return
    const left = (this.#counts.get(owner) ?? 0) - 1
    if (left > 0) this.#counts.set(owner, left)
    else this.#counts.delete(owner)
  }
}
