/**
 * Standard input and output of this process as a port of lines. Nothing but messages is written to standard output.
 */
import { isUtf8 } from "node:buffer"
import * as Effect from "effect/Effect"
import type { LinePort } from "@treadle/protocol/framing"
import type { Served } from "../Served.ts"
import { startLineLoop } from "../transport/LineLoop.ts"

type Write = typeof process.stdout.write

/** How long what a handler left behind may keep the process after everything is closed, in milliseconds. */
const lastMillis = 1_000

/** The signals that ask a process to end. */
const signals = ["SIGINT", "SIGTERM"] as const

/** The port of this process, and what ends with it. */
interface ProcessPort extends LinePort {
  /** Completes when everything written has left the process. */
  readonly flushed: Effect.Effect<void>
}

/** Why a process may end before its input does. */
interface EarlyEnd {
  readonly onSignal: (signal: NodeJS.Signals) => void
  /** Nobody reads standard output any more. */
  readonly onUnread: () => void
}

/**
 * The port of this process. While it is open, whatever else is written to standard output, `console.log` included, goes
 * to standard error: one foreign word would break the protocol (STDIO-02).
 */
const stdioPort = ({ onSignal, onUnread }: EarlyEnd): ProcessPort => {
  const { stdin, stdout, stderr } = process
  const own: Write = stdout.write
  const write = own.bind(stdout) as (text: string, written?: () => void) => boolean
  let unlisten = () => {}
  return {
    open: ({ chunk, end, drain }) => {
      stdout.write = stderr.write.bind(stderr) as Write
      stdin.on("data", chunk)
      stdin.once("end", end)
      stdin.once("error", end)
      stdout.on("drain", drain)
      stdout.on("error", () => {
        onUnread()
        end()
      })
      // A client that is gone reads no logs either, and that must not end the process with a crash.
      stderr.on("error", () => {})
      const stop = (signal: NodeJS.Signals) => {
        onSignal(signal)
        end()
      }
      for (const signal of signals) process.once(signal, stop)
      unlisten = () => signals.forEach((signal) => process.off(signal, stop))
    },
    write: (text) => !stdout.writable || write(text),
    pause: () => {
      stdin.pause()
    },
    resume: () => {
      stdin.resume()
    },
    flushed: Effect.callback<void>((resume) => {
      if (!stdout.writable || stdout.writableLength === 0) return resume(Effect.void)
      write("", () => resume(Effect.void))
    }),
    close: () => {
      // A handler that heeds no signal may hold a timer for ever; the end of the input ends the process all the same.
      setTimeout(() => process.exit(), lastMillis).unref()
      stdin.destroy()
      stdout.write = own
      unlisten()
    }
  }
}

const decode = (bytes: Uint8Array): string | undefined =>
  isUtf8(bytes) ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString() : undefined

/**
 * Serves until the input ends and what it asked for is answered, or `limits.drain` is over; what listens ends with the
 * input. A signal ends it at once, and so does an output that nobody reads; finalizers still run.
 */
export const serveStdio = async (served: Served, context: unknown): Promise<void> => {
  let wait = served.limits.drain
  const port = stdioPort({
    onSignal: (signal) => {
      wait = 0
      process.exitCode = signal === "SIGINT" ? 130 : 143
    },
    onUnread: () => {
      wait = 0
    }
  })
  const loop = startLineLoop(served, port, {
    context,
    caller: served.identify(context),
    decode,
    schedule: setImmediate
  })
  await Effect.runPromise(
    Effect.gen(function* () {
      yield* loop.ended
      served.endListeners(loop.owner)
      yield* Effect.timeoutOption(served.idle, wait)
      served.hangUp(loop.owner)
      yield* Effect.timeoutOption(served.idle, served.limits.grace)
      yield* Effect.sync(loop.flush)
      yield* Effect.timeoutOption(port.flushed, served.limits.drain)
      yield* Effect.sync(port.close)
    })
  )
}
