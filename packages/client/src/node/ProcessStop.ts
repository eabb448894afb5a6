/**
 * How a child is stopped: its input is closed, then it is asked, then it is killed, with time between the steps
 * (STDIO-05).
 */
import type { ChildProcess } from "node:child_process"
import * as Effect from "effect/Effect"

/** The patience of each step, in milliseconds. */
export interface StopTimes {
  /** After its input was closed, before SIGTERM: 2 s by default. */
  readonly afterInput?: number
  /** After SIGTERM, before SIGKILL: 2 s by default. */
  readonly afterTerminate?: number
}

const patience = 2000

const isOver = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null

/** Waits for the end of the process itself; its pipes may be open still, in the hands of its own children. */
export const awaitExit = (child: ChildProcess): Effect.Effect<void> =>
  Effect.callback((resume) => {
    if (isOver(child)) return resume(Effect.void)
    const done = () => resume(Effect.void)
    child.once("exit", done)
    return Effect.sync(() => child.off("exit", done))
  })

/** Stops a child for good. */
export const stopProcess = (child: ChildProcess, times: StopTimes): Effect.Effect<void> =>
  Effect.gen(function* () {
    const endsWithin = (millis: number) =>
      Effect.timeoutOption(awaitExit(child), millis).pipe(Effect.map(() => isOver(child)))

    child.stdin?.end()
    if (yield* endsWithin(times.afterInput ?? patience)) return
    child.kill("SIGTERM")
    if (yield* endsWithin(times.afterTerminate ?? patience)) return
    child.kill("SIGKILL")
    yield* awaitExit(child)
  })
