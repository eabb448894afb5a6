/**
 * A child process as a pipe of lines. Its errors output is always read, so that it never blocks the child (B028), and
 * its last words are kept for the message of a crash.
 */
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process"
import { readFileSync, statSync } from "node:fs"
import type { Writable } from "node:stream"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { LinePort, LineReader } from "@treadle/protocol/framing"
import { censorOf } from "@treadle/protocol/json"
import type { OnNoise } from "../ClientSettings.ts"
import { McpError, McpReason } from "../McpError.ts"
import { childEnvironment, secretsIn, type Environment, type Variables } from "./ChildEnvironment.ts"
import { awaitExit, hasGroups, stopProcess, type StopTimes } from "./ProcessStop.ts"
import { windowsCommand, type Startable } from "./WindowsCommand.ts"

/** The program to start. */
export interface ChildCommand {
  /** A program on the PATH, or the path of one. No shell is involved. */
  readonly command: string
  /** Passed as they are. */
  readonly args?: ReadonlyArray<string>
  /** Added to a few harmless variables of this process; `undefined` removes one. What is secret may be `Redacted`. */
  readonly env?: Environment
  /** The directory to start it in; that of this process by default. */
  readonly cwd?: string
  /** Gets what the child writes to its errors output, as it comes. */
  readonly onStderr?: (text: string) => void
  /** How long it is waited for when the session ends. */
  readonly stop?: StopTimes
}

/** A child and the port to it. */
export interface ChildPipe {
  readonly port: LinePort
  /** Why the child is gone, for those who still wait for it. */
  readonly whyEnded: () => string
}

/** How many characters of the errors output are kept. */
const tailLength = 4096

/** How long the rest of a dead child's output is waited for, where another process keeps the pipe open. */
const outputGrace = 500

const failedStart = (command: string, message: string, cause?: unknown): McpError =>
  new McpError({
    reason: new McpReason.Transport({ message, notRun: true, ...(cause === undefined ? {} : { cause }) }),
    method: "server/discover",
    server: command,
    ...(cause === undefined ? {} : { cause })
  })

const cannotStart = ({ command, cwd }: ChildCommand, cause: NodeJS.ErrnoException): McpError => {
  const at = cwd === undefined ? "" : ` in ${JSON.stringify(cwd)}`
  const cure =
    cause.code === "ENOENT" ? "; check that it is installed and on the PATH, and that the directory exists" : ""
  return failedStart(command, `cannot start ${JSON.stringify(command)}${at}: ${cause.message}${cure}`, cause)
}

const readScript = (path: string): string | undefined => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return undefined
  }
}

/** What to spawn for a command, or why it cannot be. */
const startable = ({ args = [], command, cwd }: ChildCommand, env: Variables): Startable | string => {
  const broken = Object.keys(env).find((name) => env[name]?.includes("\0"))
  if (broken !== undefined) return `the variable ${broken} of its environment has a NUL character`
  if (process.platform !== "win32") return { command, args, verbatim: false }
  const isFile = (path: string) => statSync(path, { throwIfNoEntry: false })?.isFile() === true
  return windowsCommand(command, args, { env, cwd: cwd ?? process.cwd(), isFile, read: readScript })
}

const start = (settings: ChildCommand): Effect.Effect<ChildProcessWithoutNullStreams, McpError> =>
  Effect.callback((resume) => {
    const failed = (error: unknown) =>
      resume(Effect.fail(cannotStart(settings, error instanceof Error ? error : new Error(String(error)))))
    const env = childEnvironment(process.env, settings.env ?? {}, process.platform)
    const found = startable(settings, env)
    if (typeof found === "string") return resume(Effect.fail(failedStart(settings.command, found)))
    try {
      const child = spawn(found.command, found.args, {
        cwd: settings.cwd,
        env,
        shell: false,
        // With a group of its own, what it starts itself can be ended with it.
        detached: hasGroups,
        windowsHide: true,
        windowsVerbatimArguments: found.verbatim,
        stdio: ["pipe", "pipe", "pipe"]
      })
      child.once("error", failed)
      child.once("spawn", () => {
        child.off("error", failed)
        // A child that is gone breaks its pipes; its end is reported once, by `end` of the port.
        child.on("error", () => {})
        child.stdin.on("error", () => {})
        resume(Effect.succeed(child))
      })
    } catch (error) {
      failed(error)
    }
  })

/** Reads the errors output. Gives its last words, without what is secret. */
const drainErrors = (
  child: ChildProcessWithoutNullStreams,
  onStderr: (text: string) => void,
  onNoise: OnNoise,
  secrets: ReadonlyArray<string>
): (() => string) => {
  const censor = censorOf(secrets)
  let tail = ""
  child.stderr.setEncoding("utf8")
  child.stderr.on("data", (text: string) => {
    tail = censor(tail + text).slice(-tailLength)
    try {
      onStderr(text)
    } catch (error) {
      onNoise(String(error), "onStderr threw")
    }
  })
  return () => tail.trim()
}

/** Writes to a child. The lines of one turn leave as one text, because each write is a call of the system. */
class ChildWriter {
  readonly #stdin: Writable
  readonly #roomy: () => void
  #held = ""
  /** Whether the writer was told to wait. */
  #full = false

  /** @param roomy called once there is room again, where `write` said that there is none */
  constructor(stdin: Writable, roomy: () => void) {
    this.#stdin = stdin
    this.#roomy = roomy
    stdin.on("drain", () => this.#drained())
  }

  write(text: string): boolean {
    const stdin = this.#stdin
    if (!stdin.writable) return true
    if (this.#held === "") setImmediate(this.flush)
    this.#held += text
    this.#full = stdin.writableLength + this.#held.length >= stdin.writableHighWaterMark
    return !this.#full
  }

  readonly flush = (): void => {
    const text = this.#held
    this.#held = ""
    if (text === "" || !this.#stdin.writable) return
    // What was on its way may have left meanwhile, and then no drain is told of.
    if (this.#stdin.write(text)) this.#drained()
  }

  #drained(): void {
    if (!this.#full) return
    this.#full = false
    this.#roomy()
  }
}

const portOf = (child: ChildProcessWithoutNullStreams, onOpen: (reader: LineReader) => void): LinePort => {
  const { stdin, stdout } = child
  let reader: LineReader | undefined
  const writer = new ChildWriter(stdin, () => reader?.drain())
  return {
    open: (opened) => {
      reader = opened
      stdout.on("data", opened.chunk)
      onOpen(opened)
    },
    write: (text) => writer.write(text),
    pause: () => void stdout.pause(),
    resume: () => void stdout.resume(),
    close: () => {
      writer.flush()
      stdin.end()
    }
  }
}

/**
 * Waits until there is no talking with a child any more: its output has ended, or it is dead or has closed its input, and
 * the rest is overdue.
 */
const awaitEnd = (child: ChildProcessWithoutNullStreams): Effect.Effect<void> => {
  const closed = Effect.callback<void>((resume) => {
    const done = () => resume(Effect.void)
    child.once("close", done)
    return Effect.sync(() => child.off("close", done))
  })
  const outputEnded = Effect.callback<void>((resume) => {
    const done = () => resume(Effect.void)
    child.stdout.once("end", done)
    return Effect.sync(() => child.stdout.off("end", done))
  })
  const inputBroke = Effect.callback<void>((resume) => {
    const done = () => resume(Effect.void)
    child.stdin.once("error", done)
    return Effect.sync(() => child.stdin.off("error", done))
  })
  const signOfEnd = Effect.raceAllFirst([awaitExit(child), outputEnded, inputBroke])
  return Effect.raceFirst(closed, Effect.andThen(signOfEnd, Effect.sleep(outputGrace)))
}

/** Starts a child; it is stopped with the scope. */
export const openChild = Effect.fnUntraced(function* (
  settings: ChildCommand,
  onNoise: OnNoise
): Effect.fn.Return<ChildPipe, McpError, Scope.Scope> {
  const child = yield* Effect.acquireRelease(start(settings), (child) => stopProcess(child, settings.stop ?? {}))
  const lastWords = drainErrors(child, settings.onStderr ?? (() => {}), onNoise, secretsIn(settings.env ?? {}))
  const readers: Array<LineReader> = []
  yield* Effect.forkScoped(
    Effect.andThen(
      awaitEnd(child),
      Effect.sync(() => readers.forEach((reader) => reader.end()))
    ),
    { startImmediately: true }
  )
  return {
    port: portOf(child, (reader) => readers.push(reader)),
    whyEnded: () => {
      const how =
        child.signalCode !== null
          ? `was ended by ${child.signalCode}`
          : child.exitCode === null
            ? `closed its ${child.stdout.readableEnded ? "output" : "input"}`
            : `exited with code ${child.exitCode}`
      const words = lastWords()
      return `the process ${how}${words === "" ? "" : `; its last words on stderr: ${words}`}`
    }
  }
})
