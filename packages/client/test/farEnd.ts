/**
 * The server's end of a pipe in memory, which says exactly what a test tells it to.
 */
import * as Effect from "effect/Effect"
import { linePair, type LinePort } from "@treadle/protocol/framing"
import { Recorder } from "@treadle/testing"
import { McpClient, type PipeSettings } from "../src/index.ts"
import { initializeResult, result, rpcError, textResult } from "./fixtures.ts"

/** Lines as they came, and raw writing. */
export interface FarEnd {
  readonly lines: Recorder<any>
  readonly send: (value: object) => void
  readonly close: () => void
  /** The methods of the lines so far. */
  readonly methods: () => ReadonlyArray<string>
  /** The first line of a method. */
  readonly heard: (method: string) => Effect.Effect<any>
}

/** What to do with a line. */
export type LineScript = (line: any, far: FarEnd) => void

/** Reads lines of JSON from a port. */
export const readLines = (port: LinePort, onLine: (line: any) => void, onEnd: () => void = () => {}): void => {
  let rest = ""
  port.open({
    chunk: (bytes) => {
      const read = (rest + new TextDecoder().decode(bytes)).split("\n")
      rest = read.pop() ?? ""
      for (const text of read) onLine(JSON.parse(text))
    },
    end: onEnd,
    drain: () => {}
  })
}

/** A pipe whose far end follows a script. */
export const farEnd = (script: LineScript) => {
  const [near, port] = linePair()
  const lines = new Recorder<any>()
  const far: FarEnd = {
    lines,
    send: (value) => void port.write(`${JSON.stringify(value)}\n`),
    close: port.close,
    methods: () => lines.events.map((line) => line.method),
    heard: (method) => Effect.promise(() => lines.first((line) => line.method === method))
  }
  readLines(port, (line) => {
    lines.record(line)
    script(line, far)
  })
  return { near, far }
}

/** A script that refuses the probe, greets, and leaves every other request to `rest`. */
export const compatLines =
  (
    rest: LineScript = (line, far) => far.send(result(line.id, textResult("ok"))),
    initialized: object = initializeResult
  ): LineScript =>
  (line, far) => {
    if (line.method === "server/discover") return far.send(rpcError(line.id, -32601, "Method not found"))
    if (line.method === "initialize") return far.send(result(line.id, initialized))
    if (line.id !== undefined && line.method !== undefined) rest(line, far)
  }

/** A session over a pipe whose far end follows a script. */
export const piped = (script: LineScript, settings?: PipeSettings) =>
  Effect.suspend(() => {
    const { far, near } = farEnd(script)
    return Effect.map(McpClient.pipe(near, settings), (session) => ({ far, session }))
  })
