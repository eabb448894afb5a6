/**
 * A call in progress: its result, what it says on the way, and the means to cancel it.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Cause from "effect/Cause"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { Notification } from "@treadle/protocol/rpc"
import type { Task } from "@treadle/protocol/schema"
import type { CallReply } from "./call/ToolOutcome.ts"
import { Feed } from "./Feed.ts"
import type { McpError } from "./McpError.ts"

/** How far a call is. */
export interface Progress {
  /** It only grows. */
  readonly done: number
  /** What `done` will be at the end, where the tool knows. */
  readonly total?: number
  readonly message?: string
}

/** A call that was opened; it ends with its answer, with `cancel`, or with the scope it was opened in. */
export interface PendingCall<out A, out E> {
  /** The typed value; may be awaited any number of times. */
  readonly result: Effect.Effect<A, E | McpError>
  /** The value with the content blocks that came with it. */
  readonly reply: Effect.Effect<CallReply<A>, E | McpError>
  /** From the start of the call, the newest 1024 of up to 16 Mi characters together. Ends with the call. */
  readonly progress: Stream.Stream<Progress>
  /** All notifications of the call in order, progress included; kept as `progress` is. Ends with the call. */
  readonly notifications: Stream.Stream<Notification>
  /**
   * The task that the call became, with its id: how it stood at first, and whenever its status or the message of it was
   * another; kept as `progress` is. Ends with the call; empty where there was no task.
   */
  readonly task: Stream.Stream<Task>
  /**
   * Whoever waits fails at once with reason `Cancelled`; the server is told in the transport's way, or that the task is
   * wanted no longer, unless the option `keepTask` leaves it.
   */
  readonly cancel: Effect.Effect<void>
}

/** What a running call reports to its handle. */
export interface CallListeners {
  readonly onProgress: (progress: Progress) => void
  readonly onNotification: (notification: Notification) => void
  readonly onTask: (task: Task) => void
}

/**
 * Starts a call and gives its handle.
 *
 * @param run the call, given where it reports to
 * @param cancelled makes the error of those who wait for a call that was cancelled
 */
export const openCall = Effect.fnUntraced(function* <A, E>(
  run: (listeners: CallListeners) => Effect.Effect<CallReply<A>, E | McpError>,
  cancelled: () => McpError
): Effect.fn.Return<PendingCall<A, E>, never, Scope.Scope> {
  const scope = yield* Effect.scope
  const progress = new Feed<Progress>()
  const notifications = new Feed<Notification>()
  const task = new Feed<Task>()
  const settled = Deferred.makeUnsafe<CallReply<A>, E | McpError>()

  const settle = (exit: Exit.Exit<CallReply<A>, E | McpError>) => {
    const interrupted = Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
    Deferred.doneUnsafe(settled, interrupted ? Effect.fail(cancelled()) : exit)
    progress.end()
    notifications.end()
    task.end()
  }
  const running = run({
    onProgress: (item) => progress.push(item),
    onNotification: (item) => notifications.push(item),
    onTask: (item) => task.push(item)
  })
  const watched = Effect.onExit(running, (exit) => Effect.sync(() => settle(exit)))
  const fiber = yield* Effect.forkIn(Effect.exit(watched), scope, { startImmediately: true })

  const reply = Deferred.await(settled)
  return {
    result: Effect.map(reply, ({ value }) => value),
    reply,
    progress: progress.stream,
    notifications: notifications.stream,
    task: task.stream,
    cancel: Effect.asVoid(Fiber.interrupt(fiber))
  }
})
