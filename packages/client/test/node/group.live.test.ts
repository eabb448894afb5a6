/**
 * What a program starts itself ends with it, where the system has groups of processes.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { isAlive, Recorder, scriptedChild, type ChildPeer } from "@treadle/testing"
import { McpNodeClient, type StdioSettings } from "../../src/node/index.ts"
import { discoverResult, reasonOf } from "../fixtures.ts"

interface Script {
  readonly discover: object
  /** What the program's own child does beside living on. */
  readonly habit: string
}

/** A child that starts one of its own, which says its process id; in calls it does what their tool is named. */
const script = (peer: ChildPeer, { discover, habit }: Script) => {
  const { spawn } = process.getBuiltinModule("node:child_process")
  const life = `${habit};process.stderr.write("grandchild " + process.pid + "\\n");setInterval(() => {}, 1000)`
  spawn(process.execPath, ["-e", life], { stdio: ["ignore", "ignore", "inherit"] })
  peer.onEnd(() => process.exit(0))
  peer.onLine(({ id, method, params }) => {
    if (method === "server/discover") return peer.answer(id, discover)
    if (params?.name === "leave") {
      process.stderr.write(`bye ${process.env["KEY"]}\n`, () => process.exit(2))
      return
    }
    if (id !== undefined) peer.answer(id, { content: [] })
  })
}

/** A session, and the process ids of what its program started so far, once there are so many. */
const opened = (settings: Partial<StdioSettings> = {}, habit = "") =>
  Effect.gen(function* () {
    const stderr = new Recorder<string>()
    let all = ""
    const onStderr = (text: string) => stderr.record((all += text))
    const child = scriptedChild(script, { discover: discoverResult, habit })
    const session = yield* McpNodeClient.stdio({ ...child, ...settings, onStderr })
    const pids = (count: number) =>
      Effect.promise(async () => {
        const found = (text: string) => [...text.matchAll(/grandchild (\d+)\n/g)].map(([, pid]) => Number(pid))
        return found(await stderr.first((text) => found(text).length >= count))
      })
    return { session, pids }
  })

/** Waits until one is gone; whoever inherits it may take a while to notice its end. */
const gone = (pid: number): Effect.Effect<void> =>
  Effect.suspend(() => (isAlive(pid) ? Effect.andThen(Effect.sleep(20), gone(pid)) : Effect.void))

const deaf = `process.on("SIGTERM", () => {})`

describe.skipIf(process.platform === "win32")("what a program started", () => {
  it.live("STDIO-05: is asked to end once the program has gone, and is gone when the session is closed", () =>
    Effect.gen(function* () {
      const pids = yield* Effect.scoped(Effect.flatMap(opened(), (program) => program.pids(1)))
      yield* Effect.forEach(pids, gone)
    })
  )

  it.live("STDIO-05: is killed where it does not react to being asked", () =>
    Effect.gen(function* () {
      const stop = { afterTerminate: 100 }
      const pids = yield* Effect.scoped(Effect.flatMap(opened({ stop }, deaf), (program) => program.pids(1)))
      yield* Effect.forEach(pids, gone)
    })
  )

  it.live("ends where the program dies by itself", () =>
    Effect.gen(function* () {
      const { pids, session } = yield* opened()
      const [first = 0] = yield* pids(1)
      assert.isTrue(isAlive(first))
      yield* reasonOf(session.callTool("leave"))
      yield* session.callTool("a")
      yield* pids(2)
      yield* gone(first)
    })
  )
})

describe("a secret of a program", () => {
  it.live("is in its environment, and in no error where the program repeats it in its last words", () =>
    Effect.gen(function* () {
      const { pids, session } = yield* opened({ env: { KEY: Redacted.make("hunter2") } })
      yield* pids(1)
      const { message } = yield* reasonOf(session.callTool("leave"))
      assert.match(message, /exited with code 2; its last words on stderr: [^]*bye \*\*\*$/)
    })
  )

  it.live("that no environment can hold is told of by its name alone", () =>
    Effect.gen(function* () {
      const failed = yield* Effect.flip(opened({ env: { KEY: Redacted.make("hunter\0two") } }))
      assert.include(failed.message, "the variable KEY of its environment has a NUL character")
      assert.notInclude(JSON.stringify(failed), "hunter")
    })
  )
})
