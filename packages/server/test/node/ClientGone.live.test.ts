/**
 * A process whose client is gone: it ends by itself, whoever killed whom, whatever handlers left behind, and without a
 * word that nobody could read.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { rawToolCall } from "@treadle/testing"
import { assertSaidQuiet } from "../fixtures/quiet.ts"
import { bundled } from "../fixtures/bundled.ts"
import { childProcess, type Child } from "../fixtures/rawPeers.ts"

const line = (id: unknown, tool: string, args?: object): string => `${JSON.stringify(rawToolCall(id, tool, args))}\n`

const printed = (child: Child, text: string) =>
  Effect.promise(() => child.stdout.first(() => child.stdout.events.join("").includes(text)))

const toldErrors = (child: Child, text: string) =>
  Effect.promise(
    () =>
      new Promise<void>((resolve) => {
        const look = () => (child.stderr().includes(text) ? resolve() : void child.stream.stderr.once("data", look))
        look()
      })
  )

/** How a process ended by itself: with nothing under way. */
const ended = (child: Child) =>
  Effect.promise(async () => {
    const how = await child.exit
    assertSaidQuiet(child.stderr())
    return how
  })

/** A drain that outlasts the test: only what does not wait for it ends in time. */
const longDrain = [JSON.stringify({ drain: 600_000 })]

/**
 * A host that starts the server, sends a line where it has a pipe for it, and says when it was answered. Its errors
 * output is the server's too, so that it stays open for as long as either lives.
 */
const host = `
const [script, input, text] = process.argv.slice(1)
const child = require("node:child_process").spawn(process.execPath, [script], { stdio: [input, "pipe", "inherit"] })
if (input === "pipe") child.stdin.write(text)
child.stdout.once("data", () => process.stdout.write("answered"))
child.once("close", (code, signal) => process.stdout.write("ended " + JSON.stringify({ code, signal })))
setInterval(() => {}, 1000)
`

describe("a process whose input has ended", () => {
  it.live("B013 STDIO-06: ends with 0 although a handler has left a timer behind", () =>
    Effect.gen(function* () {
      const child = yield* childProcess(bundled("stdioChild"))
      child.write(line(1, "haunt"))
      yield* printed(child, "haunted")
      child.endInput()
      assert.deepStrictEqual(yield* ended(child), { code: 0, signal: null })
    })
  )

  it.live("B013: ends with 0 where it never had any", () =>
    Effect.gen(function* () {
      const parent = yield* childProcess("-e", [host, bundled("stdioChild"), "ignore", ""])
      yield* printed(parent, 'ended {"code":0,"signal":null}')
      yield* toldErrors(parent, "at the end: ")
      assertSaidQuiet(parent.stderr())
    })
  )

  it.live("B013: ends after its host was killed", () =>
    Effect.gen(function* () {
      const parent = yield* childProcess("-e", [host, bundled("stdioChild"), "pipe", line(1, "haunt")])
      yield* printed(parent, "answered")
      parent.stream.kill("SIGKILL")
      assert.deepStrictEqual(yield* ended(parent), { code: null, signal: "SIGKILL" })
      assert.include(parent.stderr(), "stdio returned")
    })
  )
})

describe("a process whose output nobody reads any more", () => {
  it.live("B063: interrupts what runs, without waiting for the end of its input or for the drain", () =>
    Effect.gen(function* () {
      const child = yield* childProcess(bundled("stdioChild"), longDrain)
      child.write(line(1, "wait"))
      yield* toldErrors(child, "began")
      child.stream.stdout.destroy()
      child.write(line(2, "echo", { text: "x" }))
      assert.deepStrictEqual(yield* ended(child), { code: 0, signal: null })
      assert.include(child.stderr(), "interrupted")
      assert.notInclude(child.stderr(), "EPIPE")
    })
  )

  it.live("B063: does not die of a log that nobody reads either", () =>
    Effect.gen(function* () {
      const child = yield* childProcess(bundled("stdioChild"), longDrain)
      child.stream.stderr.destroy()
      for (const id of [1, 2, 3]) {
        child.write(line(id, "boom"))
        yield* printed(child, `"id":${id}`)
      }
      child.stream.stdout.destroy()
      child.write(line(4, "chatty") + line(5, "boom"))
      assert.deepStrictEqual(yield* Effect.promise(() => child.exit), { code: 0, signal: null })
    })
  )
})
