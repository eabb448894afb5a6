/**
 * Calls that a server of ours makes tasks of, used by a session over each door.
 */
import { assert, describe, it } from "@effect/vitest"
import { connect, createServer, type AddressInfo, type Socket } from "node:net"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { McpNode } from "@treadle/server/node"
import { bundled } from "../../../server/test/fixtures/bundled.ts"
import { McpClient, McpError, type ClientSettings, type McpSession } from "../../src/index.ts"
import { McpNodeClient } from "../../src/node/index.ts"
import { getShow, ping, reasonOf, ShowNotFound } from "../fixtures.ts"
import { preload, Witness } from "./serverProcess.ts"
import { press } from "./servers/press.ts"

/** Opens a session; where it is opened twice, with the same server if that outlives a session. */
type Open = (settings?: ClientSettings) => Effect.Effect<McpSession, unknown, Scope.Scope>
type Door = (witness: Witness) => Effect.Effect<Open, never, Scope.Scope>

const pressOf = (witness: Witness) => press((text) => witness.read(`${text}\n`))

const overHttp: Door = (witness) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(() => McpNode.listen(pressOf(witness))),
      (served) => Effect.promise(() => served.close())
    ),
    ({ url }) =>
      (settings) =>
        McpClient.http(url, settings)
  )

const overStdio: Door = (witness) =>
  Effect.succeed((settings) =>
    McpNodeClient.stdio({
      command: process.execPath,
      args: ["--import", preload, bundled("servers/pressStdio", import.meta.url)],
      onStderr: witness.read,
      ...settings
    })
  )

const inProcess: Door = (witness) => Effect.succeed((settings = {}) => McpClient.direct(pressOf(witness), {}, settings))

const doors = [
  ["over HTTP", overHttp],
  ["over stdio", overStdio],
  ["in process", inProcess]
] as const

const ada: ClientSettings = { answers: { form: () => ({ action: "accept", content: { name: "Ada" } }) } }

const served = (door: Door, settings?: ClientSettings) =>
  Effect.gen(function* () {
    const witness = new Witness()
    const open = yield* door(witness)
    return { open, session: yield* open(settings), witness }
  })

describe.each(doors)("a call that becomes a task %s", (_, door) => {
  it.live("TASK-04: gives its value, or its declared error", () =>
    Effect.gen(function* () {
      const { session } = yield* served(door)
      const told: Array<string> = []
      const onTask = ({ status }: { readonly status: string }) => told.push(status)
      const show = yield* session.call(getShow)({ id: 1 }, { onTask })
      assert.deepStrictEqual<unknown>(show, { id: 1, title: "Hämlet 😀" })
      assert.deepStrictEqual(told, ["working", "completed"])
      const missing = yield* Effect.flip(session.call(getShow)({ id: 9 }))
      assert.strictEqual(missing instanceof ShowNotFound ? missing.id : missing.message, 9)
    })
  )

  it.live("TASK-10: has its question answered, and says how far it is", () =>
    Effect.gen(function* () {
      const { session } = yield* served(door, ada)
      const pending = yield* session.open(ping)()
      const told = yield* Effect.forkChild(Stream.runCollect(pending.task))
      assert.strictEqual(yield* pending.result, "printed for Ada")
      const states = [...(yield* Fiber.join(told))].map(({ status, statusMessage }) => [status, statusMessage])
      assert.deepInclude(states, ["working", "inking"])
      assert.include(
        states.map(([status]) => status),
        "input_required"
      )
    })
  )

  it.live("TASK-12: is cancelled with its call, and the handler is interrupted", () =>
    Effect.gen(function* () {
      const { session, witness } = yield* served(door)
      const fiber = yield* Effect.forkChild(session.callTool("wait"), { startImmediately: true })
      yield* Effect.sleep(300)
      yield* Fiber.interrupt(fiber)
      yield* witness.until(({ text }) => text.includes("aborted"))
    })
  )

  it.live("is an ordinary call for a session that knows no tasks", () =>
    Effect.gen(function* () {
      const { session } = yield* served(door, { tasks: false, ...ada })
      const pending = yield* session.open(ping)()
      assert.strictEqual(yield* pending.result, "printed for Ada")
      assert.deepStrictEqual([...(yield* Stream.runCollect(pending.task))], [])
    })
  )

  it.live("TASK-14: fails in a sentence where the server does not know it", () =>
    Effect.gen(function* () {
      const { session } = yield* served(door)
      const reason = yield* reasonOf(session.task(getShow)("never"))
      assert.deepInclude(reason, { _tag: "TaskLost", why: "unknown", taskId: "never" })
    })
  )
})

/** A line to an address that can be cut, and is dead for as long as it is down. */
const cuttable = (url: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const sockets = new Set<Socket>()
        const state = { down: false }
        const server = createServer((near) => {
          if (state.down) return void near.destroy()
          const far = connect(Number(new URL(url).port), "127.0.0.1")
          for (const [one, other] of [
            [near, far],
            [far, near]
          ] as const) {
            sockets.add(one)
            one.pipe(other)
            one.on("error", () => other.destroy()).on("close", () => other.destroy())
          }
        })
        await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
        const cut = (down: boolean) => {
          state.down = down
          for (const socket of sockets) socket.destroy()
          sockets.clear()
        }
        return { server, cut, up: () => void (state.down = false) }
      }),
      ({ cut, server }) =>
        Effect.promise(() => {
          cut(true)
          return new Promise((resolve) => server.close(resolve))
        })
    ),
    ({ cut, server, up }) => {
      const { port } = server.address() as AddressInfo
      return { cut, up, url: `http://127.0.0.1:${port}${new URL(url).pathname}` }
    }
  )

/** A call that has become a task of the press, and waits for an answer of its client. */
const printing = (session: McpSession) => Effect.tap(session.open(ping)(), ({ task }) => Stream.runHead(task))

describe("a task whose connection is cut", () => {
  it.live.each([
    ["at once", 0],
    ["for a while", 1_500]
  ] as const)("D21 TASK-18: over HTTP %s goes on, and gives its result to the same call", ([, away]) =>
    Effect.gen(function* () {
      const witness = new Witness()
      const { url } = yield* Effect.acquireRelease(
        Effect.promise(() => McpNode.listen(pressOf(witness))),
        (served) => Effect.promise(() => served.close())
      )
      const line = yield* cuttable(url)
      const session = yield* McpClient.http(line.url, ada)
      const { result } = yield* printing(session)
      line.cut(away > 0)
      yield* Effect.sleep(away)
      line.up()
      assert.strictEqual(yield* result, "printed for Ada")
    })
  )

  it.live("D21 TASK-14: over stdio is lost with its process, and the next call has another", () =>
    Effect.gen(function* () {
      const { session, witness } = yield* served(overStdio, ada)
      const { result } = yield* printing(session)
      process.kill(witness.said.pid, "SIGKILL")
      const error = yield* Effect.flip(result)
      assert.instanceOf(error, McpError)
      assert.deepInclude(error.reason, { _tag: "TaskLost", why: "unknown" })
      assert.match(
        error.message,
        /: task "[-\w]+" is lost: There is no task "[-\w]+" here, or its time is over; call again/
      )
      assert.strictEqual(yield* session.call(ping)(), "printed for Ada")
    })
  )
})

describe("a task over HTTP", () => {
  it.live("TASK-18: is come back to by its id, in another session, after the first has ended", () =>
    Effect.gen(function* () {
      const { open } = yield* served(overHttp)
      const id = yield* Effect.scoped(
        Effect.gen(function* () {
          const session = yield* open(ada)
          const pending = yield* session.open(ping)({}, { keepTask: true })
          const [task] = [...(yield* Stream.runCollect(Stream.take(pending.task, 1)))]
          return task?.taskId ?? assert.fail("there is no task")
        })
      )
      const later = yield* open(ada)
      assert.strictEqual(yield* later.task(ping)(id), "printed for Ada")
    })
  )
})
