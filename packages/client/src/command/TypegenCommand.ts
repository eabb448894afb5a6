/**
 * `treadle-typegen`: lists the tools of a server and writes its contract, or compares it with the file that is there.
 */
import { readFile, writeFile } from "node:fs/promises"
import * as Effect from "effect/Effect"
import { LogToStderr } from "effect/References"
import type * as Scope from "effect/Scope"
import { decline, type Answers } from "../Answers.ts"
import { defaults } from "../ClientSettings.ts"
import { McpClient } from "../McpClient.ts"
import type { McpError } from "../McpError.ts"
import type { McpSession } from "../McpSession.ts"
import { McpNodeClient } from "../node/index.ts"
import { cleaned } from "../typegen/Code.ts"
import { contractOf, type Contract, type ContractNote } from "../typegen/index.ts"
import { parseArguments, usage, type Asked, type Source } from "./Arguments.ts"

/** Where the command writes. */
export interface Terminal {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
}

/** How the command ended. */
export const ExitCode = { done: 0, failed: 1, wrongArguments: 2 } as const
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode]

const program = "treadle-typegen"

/** Some servers show some tools only to those whom they can ask; nothing is answered, since nothing is called. */
const answers: Answers = {
  form: decline,
  url: decline,
  sampling: () => Effect.fail("there is no model here"),
  samplingParts: ["tools", "context"],
  roots: []
}

const opened = (source: Source, { err }: Terminal): Effect.Effect<McpSession, McpError, Scope.Scope> =>
  source._tag === "Url"
    ? McpClient.http(source.url, { headers: source.headers, answers })
    : McpNodeClient.stdio({ command: source.command, args: source.args, onStderr: err, answers })

const listed = (source: Source, terminal: Terminal): Effect.Effect<Contract, McpError> =>
  Effect.scoped(
    Effect.flatMap(opened(source, terminal), (session) =>
      Effect.map(session.listTools(), (tools) => contractOf(tools, { server: session.server?.name }))
    )
  )

const mostNotes = 50

const noteText = ({ message, path, tool }: ContractNote): string =>
  `${program}: ${cleaned([JSON.stringify(tool), path, message].filter((part) => part !== "").join(": "))}\n`

const sayNotes = (notes: ReadonlyArray<ContractNote>, { err }: Terminal): void => {
  for (const note of notes.slice(0, mostNotes)) err(noteText(note))
  const more = notes.length - mostNotes
  if (more > 0) err(`${program}: and ${more} notes more; all of them stand in the contract as comments\n`)
}

/** What a file holds; nothing where there is none. */
const contentOf = (file: string): Effect.Effect<string | undefined> =>
  Effect.promise(() => readFile(file, "utf8").catch(() => undefined))

const compared = (file: string, text: string, { err }: Terminal): Effect.Effect<ExitCode> =>
  Effect.map(contentOf(file), (there) => {
    if (there === text) return ExitCode.done
    const what = there === undefined ? "cannot be read" : "differs from what the server lists"
    err(`${program}: ${file} ${what}; run the same without --check to write it\n`)
    return ExitCode.failed
  })

const written = (file: string, text: string, { err }: Terminal): Effect.Effect<ExitCode> =>
  Effect.promise(() =>
    writeFile(file, text).then(
      (): ExitCode => ExitCode.done,
      (error: Error) => {
        err(`${program}: ${file} cannot be written: ${error.message}\n`)
        return ExitCode.failed
      }
    )
  )

const write = (
  { check, out, source }: Asked & { readonly _tag: "Write" },
  terminal: Terminal
): Effect.Effect<ExitCode> =>
  Effect.matchEffect(listed(source, terminal), {
    onFailure: (error) =>
      Effect.sync(() => {
        terminal.err(`${program}: ${cleaned(error.message)}\n`)
        return ExitCode.failed
      }),
    onSuccess: ({ notes, text }) => {
      sayNotes(notes, terminal)
      if (out !== undefined) return check ? compared(out, text, terminal) : written(out, text, terminal)
      return Effect.sync(() => {
        terminal.out(text)
        return ExitCode.done
      })
    }
  })

/**
 * Runs the command.
 *
 * @param argv the arguments after the program's own name
 * @returns the exit code; interrupting it stops a server that it started
 */
export const typegenCommand = (argv: ReadonlyArray<string>, terminal: Terminal): Effect.Effect<ExitCode> =>
  Effect.suspend((): Effect.Effect<ExitCode> => {
    const asked = parseArguments(argv)
    switch (asked._tag) {
      case "Help":
        terminal.out(usage)
        return Effect.succeed(ExitCode.done)
      case "Version":
        terminal.out(`${defaults.client.version}\n`)
        return Effect.succeed(ExitCode.done)
      case "Wrong":
        terminal.err(`${program}: ${asked.problem}\n\n${usage}`)
        return Effect.succeed(ExitCode.wrongArguments)
      case "Write":
        // Text on standard output is the contract's own.
        return Effect.provideService(write(asked, terminal), LogToStderr, true)
    }
  })
