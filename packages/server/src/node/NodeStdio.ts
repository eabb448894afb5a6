/**
 * Standard input and output of this process as a port of lines. Nothing but messages is written to standard output.
 */
import { isUtf8 } from "node:buffer"
import * as Effect from "effect/Effect"
import type { LinePort } from "@treadle/protocol/framing"
import type { Served } from "../Served.ts"
import { startLineLoop } from "../transport/LineLoop.ts"

const stdioPort: LinePort = {
  open: ({ chunk, end, drain }) => {
    process.stdin.on("data", chunk)
    process.stdin.once("end", end)
    process.stdin.once("error", end)
    process.stdout.on("drain", drain)
    process.stdout.once("error", end)
  },
  write: (text) => process.stdout.write(text),
  pause: () => {
    process.stdin.pause()
  },
  resume: () => {
    process.stdin.resume()
  },
  close: () => {}
}

const decode = (bytes: Uint8Array): string | undefined =>
  isUtf8(bytes) ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString() : undefined

const flushed = Effect.callback<void>((resume) => {
  if (!process.stdout.writable || process.stdout.writableLength === 0) return resume(Effect.void)
  process.stdout.write("", () => resume(Effect.void))
})

/** Serves until the input ends and what it asked for is answered, or `limits.drain` is over. */
export const serveStdio = async (served: Served, context: unknown): Promise<void> => {
  const { principal, refusal } = served.identify(context)
  if (refusal !== undefined) throw new Error(refusal.error.message)
  const loop = startLineLoop(served, stdioPort, { context, principal, decode, schedule: setImmediate })
  await Effect.runPromise(
    Effect.gen(function* () {
      yield* loop.ended
      yield* Effect.timeoutOption(served.idle, served.limits.drain)
      served.hangUp(loop.owner)
      yield* served.idle
      yield* Effect.sync(loop.flush)
      yield* flushed
    })
  )
}
