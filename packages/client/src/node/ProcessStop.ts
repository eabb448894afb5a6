/**
 * How a child is stopped, and what it started with it: its input is closed, then it is asked, then it is killed, with time
 * between the steps (STDIO-05).
 */
import type { ChildProcess } from "node:child_process"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

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

/**
 * Whether a child can lead a group, which is signalled as a whole: itself and what it started, unless that left the group.
 */
export const hasGroups = process.platform !== "win32"

/** Signals a child and its group; 0 signals nothing. @returns whether there is anybody left */
const signalGroup = (child: ChildProcess, signal: NodeJS.Signals | 0): boolean => {
  if (!hasGroups || child.pid === undefined) return child.kill(signal)
  try {
    return process.kill(-child.pid, signal)
  } catch {
    return false
  }
}

/** Milliseconds between two looks at a group: the system tells of the end of a child, and not of its children's. */
const look = 20

const awaitGroup = (child: ChildProcess): Effect.Effect<void> =>
  Effect.suspend(() =>
    isOver(child) && !signalGroup(child, 0) ? Effect.void : Effect.andThen(Effect.sleep(look), awaitGroup(child))
  )

/** Stops a child for good, and what it started: whatever is left of its group once it has gone is asked at once. */
export const stopProcess = (child: ChildProcess, times: StopTimes): Effect.Effect<void> =>
  Effect.gen(function* () {
    child.stdin?.end()
    yield* Effect.timeoutOption(awaitExit(child), times.afterInput ?? patience)
    if (!signalGroup(child, "SIGTERM")) return
    const over = Effect.andThen(awaitExit(child), awaitGroup(child))
    if (Option.isSome(yield* Effect.timeoutOption(over, times.afterTerminate ?? patience))) return
    signalGroup(child, "SIGKILL")
    yield* awaitExit(child)
  })
