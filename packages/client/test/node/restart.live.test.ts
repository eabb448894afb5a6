import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { isAlive, Recorder, scriptedChild, type ChildPeer } from "@treadle/testing"
import { McpNodeClient } from "../../src/node/index.ts"
import { discoverResult, initializeResult, reasonOf } from "../fixtures.ts"
import { atLeast, everything, reading } from "../played.ts"

interface Script {
  readonly era: "native" | "compat"
  readonly discover: object
  readonly initialize: object
}

/** A child that says its process id, tells of changes when it is asked to, and never answers `stuck`. */
const script = (peer: ChildPeer, { discover, era, initialize }: Script) => {
  let listen: unknown
  const send = (message: object) => peer.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
  const _meta = () => (listen === undefined ? {} : { _meta: { "io.modelcontextprotocol/subscriptionId": listen } })
  peer.onLine(({ id, method, params }) => {
    if (method === "server/discover" && era === "native") return peer.answer(id, discover)
    if (method === "server/discover") return send({ id, error: { code: -32601, message: "what?" } })
    if (method === "initialize") return peer.answer(id, initialize)
    if (method === "subscriptions/listen") {
      listen = id
      const { notifications } = params
      return send({ method: "notifications/subscriptions/acknowledged", params: { notifications, ..._meta() } })
    }
    if (id === undefined || params?.name === "stuck") return
    if (params?.name === "change") send({ method: "notifications/tools/list_changed", params: _meta() })
    const text = String(process.pid)
    peer.log(`[${params?.name ?? method}] `)
    peer.answer(id, { content: [{ type: "text", text }] })
  })
}

const child = (era: "native" | "compat", stderr: Recorder<string>) => {
  const discover = { ...discoverResult, capabilities: everything }
  const initialize = { ...initializeResult, capabilities: everything }
  const onStderr = (text: string) => stderr.record(text)
  return McpNodeClient.stdio({ ...scriptedChild(script, { era, discover, initialize }), onStderr })
}

describe.each(["native", "compat"] as const)("a %s child that is killed", (era) => {
  const opened = Effect.gen(function* () {
    const stderr = new Recorder<string>()
    const session = yield* child(era, stderr)
    const pid = Effect.map(session.callTool("pid"), ({ content: [block] }) =>
      block?.type === "text" ? Number(block.text) : assert.fail()
    )
    return { session, pid, stderr }
  })

  it.live("B059 D21: fails the calls that wait with Closed and how it ended, and is started by the next call", () =>
    Effect.gen(function* () {
      const { pid, session } = yield* opened
      const first = yield* pid
      const stuck = Effect.forEach([1, 2, 3], () => reasonOf(session.callTool("stuck")), { concurrency: "unbounded" })
      const waiting = yield* Effect.forkChild(stuck, { startImmediately: true })
      yield* pid
      process.kill(first, "SIGKILL")
      for (const reason of yield* Fiber.join(waiting)) {
        assert.strictEqual(reason._tag, "Closed")
        assert.match(reason.message, /was ended by SIGKILL; its last words on stderr: .*\[pid\]/)
      }
      assert.strictEqual(session.counters().links, 1)
      const second = yield* pid
      assert.notStrictEqual(second, first)
      assert.deepInclude(session.counters(), { links: 2, waiting: 0 })
    })
  )

  it.live("D21 A52 SUB-11: is started at once while it is watched, which is subscribed again, and leaves nothing", () =>
    Effect.gen(function* () {
      const pids = yield* Effect.scoped(
        Effect.gen(function* () {
          const { pid, session } = yield* opened
          const seen = yield* reading(yield* session.watch({ tools: true }))
          yield* session.callTool("change")
          yield* atLeast(seen, 1)
          const first = yield* pid
          process.kill(first, "SIGKILL")
          assert.deepStrictEqual((yield* atLeast(seen, 2))[1], { _tag: "ToolsChanged", missed: true })
          assert.strictEqual(session.counters().links, 2)
          yield* session.callTool("change")
          assert.deepStrictEqual((yield* atLeast(seen, 3))[2], { _tag: "ToolsChanged", missed: false })
          return [first, yield* pid]
        })
      )
      assert.deepStrictEqual(pids.map(isAlive), [false, false])
    })
  )
})
