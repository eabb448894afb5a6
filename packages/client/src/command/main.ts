#!/usr/bin/env node
/**
 * The program `treadle-typegen`.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { ExitCode, typegenCommand } from "./TypegenCommand.ts"

const stopped = new AbortController()
process.once("SIGINT", () => stopped.abort())
process.once("SIGTERM", () => stopped.abort())

const run = typegenCommand(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text)
})

const exit = await Effect.runPromiseExit(run, { signal: stopped.signal })
process.exitCode = Exit.isSuccess(exit) ? exit.value : ExitCode.failed
