/**
 * A real server as a process of its own, a session with it, and what the process says of itself.
 */
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { isAlive, Recorder } from "@treadle/testing"
import { McpClient, type ClientSettings, type McpError, type McpSession } from "../../src/index.ts"
import { McpNodeClient } from "../../src/node/index.ts"
import type { Row } from "./serverCells.ts"

/** The program of a server. */
export interface ServerProgram {
  readonly program: string
  readonly args: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
  /** Where it serves HTTP; without one it serves its input and output. */
  readonly path?: string
}

/** What a server has said so far. */
export interface Said {
  pid: number
  port: number
  /** How many HTTP requests are open. */
  open: number
  /** The methods of all HTTP requests. */
  readonly methods: Array<string>
  /** Everything on its errors output. */
  text: string
}

export const preload = new URL("servers/witness.mjs", import.meta.url).href

/** One of the programs beside this file. */
export const fixture = (name: string): string => fileURLToPath(new URL(`servers/${name}.mjs`, import.meta.url))

/** Reads what `witness.mjs` and the server itself say on the errors output. */
export class Witness {
  readonly said: Said = { pid: 0, port: 0, open: 0, methods: [], text: "" }
  readonly #heard = new Recorder<Said>()
  #rest = ""

  readonly read = (text: string): void => {
    this.said.text += text
    const lines = (this.#rest + text).split("\n")
    this.#rest = lines.pop() ?? ""
    for (const line of lines) if (line.startsWith("witness ")) this.#learn(JSON.parse(line.slice(8)))
    this.#heard.record(this.said)
  }

  /** Waits until what was said fits. The time limit of the test bounds the wait. */
  until(fits: (said: Said) => boolean): Effect.Effect<Said> {
    return Effect.promise(() => this.#heard.first(fits))
  }

  #learn({ method, ...facts }: Partial<Said> & { readonly method?: string }): void {
    if (method !== undefined) this.said.methods.push(method)
    Object.assign(this.said, facts)
  }
}

const argsOf = ({ args, program }: ServerProgram): Array<string> => ["--import", preload, program, ...args]

/** Starts a server that listens, and waits until it does. It ends with the scope. */
const listening = (server: ServerProgram, witness: Witness): Effect.Effect<string, never, Scope.Scope> =>
  Effect.flatMap(
    Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, argsOf(server), { stdio: "pipe", env: { ...process.env, ...server.env } })
      ),
      (child) => Effect.promise(() => new Promise((resolve) => child.once("exit", resolve).stdin.end()))
    ),
    (child) => {
      child.stderr.setEncoding("utf8").on("data", witness.read)
      child.stdout.resume()
      return Effect.map(
        witness.until(({ port }) => port > 0),
        ({ port }) => `http://127.0.0.1:${port}${server.path}`
      )
    }
  )

/** A way to open a session with a server; the process of one that is reached over a pipe ends with that session. */
export const started = (
  server: ServerProgram,
  witness: Witness,
  settings: ClientSettings = {}
): Effect.Effect<Effect.Effect<McpSession, McpError, Scope.Scope>, never, Scope.Scope> =>
  server.path === undefined
    ? Effect.succeed(
        McpNodeClient.stdio({
          command: process.execPath,
          args: argsOf(server),
          env: server.env ?? {},
          onStderr: witness.read,
          ...settings
        })
      )
    : Effect.map(listening(server, witness), (url) => McpClient.http(url, settings))

/** After the session has closed: waits until nothing of it is left at the server. @param ends what ends with it */
export const leavesNothing = (ends: Row["ends"], witness: Witness): Effect.Effect<unknown> =>
  ends === "process"
    ? Effect.sync(() => {
        assert.isAbove(witness.said.pid, 0)
        assert.isFalse(isAlive(witness.said.pid))
      })
    : witness.until(({ methods, open }) => open === 0 && methods.includes("DELETE") === (ends === "session"))
