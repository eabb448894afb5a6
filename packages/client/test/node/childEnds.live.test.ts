import { rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { isAlive, Recorder, scriptedChild, type ChildPeer } from "@treadle/testing"
import { McpNodeClient, type StdioSettings } from "../../src/node/index.ts"
import { discoverResult, initializeResult, reasonOf } from "../fixtures.ts"
import { atLeast, everything, reading } from "../played.ts"

interface Script {
  readonly discover?: object
  readonly initialize: object
  /** A file that keeps the child from starting while it is there. */
  readonly obstacle?: string
}

/** A child that leaves over the probe where it has no answer to it, and in calls does what their tool is named. */
const script = (peer: ChildPeer, { discover, initialize, obstacle }: Script) => {
  const fs = process.getBuiltinModule("node:fs")
  if (obstacle !== undefined && fs.existsSync(obstacle)) process.exit(3)
  peer.log(`start ${process.pid}\n`)
  peer.onLine(({ id, method, params }) => {
    if (method === "server/discover" && discover === undefined) process.exit(1)
    if (method === "server/discover") return peer.answer(id, discover)
    if (method === "initialize") return peer.answer(id, initialize)
    if (method === "subscriptions/listen") {
      const said = {
        notifications: params.notifications,
        _meta: { "io.modelcontextprotocol/subscriptionId": id }
      }
      const acknowledged = { jsonrpc: "2.0", method: "notifications/subscriptions/acknowledged", params: said }
      return peer.write(`${JSON.stringify(acknowledged)}\n`)
    }
    if (params?.name === "leave") process.exit(2)
    if (params?.name === "mute") {
      process.on("SIGTERM", () => {})
      setInterval(() => {}, 1000)
      return fs.closeSync(1)
    }
    if (params?.name === "deafen") {
      setInterval(() => {}, 1000)
      process.stdin.destroy()
      fs.closeSync(0)
    }
    if (id !== undefined) peer.answer(id, { content: [] })
  })
}

/** A session, and how often its child was started. */
const opened = (data: Script, settings: Partial<StdioSettings> = {}) =>
  Effect.gen(function* () {
    const stderr = new Recorder<string>()
    const onStderr = (text: string) => stderr.record(text)
    const session = yield* McpNodeClient.stdio({ ...scriptedChild(script, data), ...settings, onStderr })
    const pids = () => [...stderr.events.join("").matchAll(/start (\d+)/g)].map(([, pid]) => Number(pid))
    return { session, pids }
  })

describe("a child that ends", () => {
  it.live("ERA-17: over the probe is started once more, is greeted, and is the one that is used", () =>
    Effect.gen(function* () {
      const { pids, session } = yield* opened({ initialize: initializeResult })
      yield* session.callTool("a")
      assert.strictEqual(pids().length, 2)
      assert.deepInclude(session.counters(), { links: 1 })
    })
  )

  it.live(
    "B059 D21: as it closes its input: the call that cannot reach it is Closed, and the next one starts it anew",
    () =>
      Effect.gen(function* () {
        const stop = { afterInput: 50 }
        const { pids, session } = yield* opened({ discover: discoverResult, initialize: initializeResult }, { stop })
        yield* session.callTool("deafen")
        const reason = yield* reasonOf(session.callTool("a", {}, { timeout: 5000 }))
        assert.strictEqual(reason._tag, "Closed")
        assert.match(reason.message, /the process closed its input/)
        yield* session.callTool("a")
        assert.strictEqual(pids().length, 2)
      })
  )

  it.live("A52 D21: while it is watched is started until that succeeds, if it fails at first", () =>
    Effect.gen(function* () {
      const obstacle = join(tmpdir(), `treadle-obstacle-${process.pid}`)
      yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(obstacle, { force: true })))
      const discover = { ...discoverResult, capabilities: everything }
      const { session } = yield* opened({ discover, initialize: initializeResult, obstacle })
      const seen = yield* reading(yield* session.watch({ tools: true }))
      writeFileSync(obstacle, "")
      yield* reasonOf(session.callTool("leave"))
      const failed = yield* reasonOf(session.callTool("a"))
      assert.match(failed.message, /exited with code 3/)
      rmSync(obstacle)
      assert.deepStrictEqual(yield* atLeast(seen, 1), [{ _tag: "ToolsChanged", missed: true }])
    })
  )

  it.live("leaves no orphan where its session is closed while a lost link is still ending", () =>
    Effect.gen(function* () {
      const pids = yield* Effect.scoped(
        Effect.gen(function* () {
          const stop = { afterInput: 200, afterTerminate: 200 }
          const { pids, session } = yield* opened({ discover: discoverResult, initialize: initializeResult }, { stop })
          assert.strictEqual((yield* reasonOf(session.callTool("mute")))._tag, "Closed")
          return pids()
        })
      )
      assert.deepStrictEqual(pids.map(isAlive), [false])
    })
  )
})
