/**
 * Our own server behind each of its doors, in every revision, used by a session for everything that it offers.
 */
import { createServer } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { Endpoint } from "@treadle/protocol"
import { latestNative, protocolVersions, type ProtocolVersion } from "@treadle/protocol/era"
import { linePair } from "@treadle/protocol/framing"
import { Mcp, McpMemory, type Counters } from "@treadle/server"
import { McpHttp } from "@treadle/server/http"
import { McpNode } from "@treadle/server/node"
import { bundled } from "../../../server/test/fixtures/bundled.ts"
import { McpClient, type ClientSettings } from "../../src/index.ts"
import { connect } from "../../src/promise/index.ts"
import { fact, getShow, hold, list, ping, reasonOf, ShowNotFound } from "../fixtures.ts"
import { Cannot, type Cells } from "./serverCells.ts"
import type { Column } from "./serverColumns.ts"
import { leavesNothing, started, Witness } from "./serverProcess.ts"
import { boxOffice } from "./serverRows.ts"
import { shows, type Started } from "./serverTable.ts"
import { box } from "./servers/box.ts"

/** What can be served and closed. */
interface Closable {
  readonly counters: () => Counters
  readonly close: () => Promise<void>
}

const closing = <A extends Closable>(open: () => A | PromiseLike<A>): Effect.Effect<A, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => open()),
    (served) => Effect.promise(() => served.close())
  )

/** Waits until a server has nothing under way. The time limit of the test bounds the wait. */
const quietness = ({ counters }: Pick<Closable, "counters">): Effect.Effect<unknown> =>
  Effect.repeat(
    Effect.promise(() => new Promise((resolve) => setImmediate(resolve))),
    { until: () => Object.entries(counters()).every(([name, count]) => name === "dropped" || count === 0) }
  )

type Door = (witness: Witness, settings: ClientSettings) => Effect.Effect<Started, never, Scope.Scope>

const boxOf = (witness: Witness) => box((text) => witness.read(`${text}\n`))

const overSocket: Door = (witness, settings) =>
  Effect.map(
    closing(() => McpNode.listen(boxOf(witness))),
    (served) => ({ open: McpClient.http(served.url, settings), quiet: quietness(served) })
  )

const throughFetch: Door = (witness, settings) =>
  Effect.map(
    closing(() => McpHttp.fetch(boxOf(witness))),
    (served) => ({
      open: McpClient.http("http://localhost/mcp", { fetch: served, ...settings }),
      quiet: quietness(served)
    })
  )

const overTwoEndpoints: Door = (witness, settings) =>
  Effect.gen(function* () {
    const door = yield* closing(() => McpNode.sse(boxOf(witness)))
    const server = createServer(door)
    const url = yield* Effect.callback<string>((resume) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        assert(address !== null && typeof address === "object")
        resume(Effect.succeed(`http://127.0.0.1:${address.port}/sse`))
      })
    })
    const close = Effect.promise(() => {
      const closed = new Promise<unknown>((resolve) => server.close(resolve))
      // Node's fetch keeps a connection ready that no request was sent on; a server counts it as busy.
      server.closeAllConnections()
      return closed
    })
    yield* Effect.addFinalizer(() => close)
    return { open: McpClient.http(url, settings), quiet: quietness(door) }
  })

const overMemory: Door = (witness, settings) =>
  Effect.gen(function* () {
    const [ours, theirs] = linePair()
    const served = yield* Effect.orDie(McpMemory.serve(boxOf(witness), theirs, {}))
    return { open: McpClient.pipe(ours, settings), quiet: quietness(served) }
  })

const overStdio: Door = (witness, settings) =>
  Effect.map(
    started({ program: bundled("servers/treadle", import.meta.url), args: [] }, witness, settings),
    (open) => ({ open, quiet: leavesNothing("process", witness) })
  )

const compat = protocolVersions.filter((version) => version !== latestNative)

/** The doors, the revisions that are spoken there, and the one that a session finds by itself. */
const doors: ReadonlyArray<readonly [name: string, ReadonlyArray<ProtocolVersion>, ProtocolVersion, Door]> = [
  ["over HTTP", protocolVersions, latestNative, overSocket],
  ["through its fetch door", protocolVersions, latestNative, throughFetch],
  ["over stdio", protocolVersions, latestNative, overStdio],
  ["over a pipe in memory", protocolVersions, latestNative, overMemory],
  ["over two endpoints", compat, "2025-11-25", overTwoEndpoints]
]

const boxCells = (version: ProtocolVersion): Cells => ({
  ...boxOffice,
  server: { name: "box", version: "1.2.3" },
  tools: ["get_show", "hold", "list", "ping", "steps", "wait", "ask", "grow", "touch"],
  failed: { ...boxOffice.failed, text: /ShowNotFound/ },
  ...(version < "2025-06-18" ? { asked: new Cannot("this revision has no elicitation") } : {})
})

const typedCalls: Column<undefined> = (_, session) =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* session.call(getShow)({ id: 1 }), { id: 1, title: "Hämlet 😀" })
    assert.deepStrictEqual(yield* session.call(hold)({ show: 4 }), [4, 5])
    assert.strictEqual(yield* session.call(list)(), "20 any")
    assert.strictEqual(yield* session.call(ping)(), "pong")
  })

const declaredErrors: Column<undefined> = (_, session) =>
  Effect.gen(function* () {
    const error = yield* Effect.flip(session.call(getShow)({ id: 9 }))
    assert.instanceOf(error, ShowNotFound)
    assert.deepStrictEqual(yield* Effect.flip(session.call(hold)({ show: 9 })), { _tag: "SoldOut", left: 2 })
    assert.strictEqual(fact(yield* reasonOf(session.callTool("nothing")), "code"), -32602)
  })

const typed = {
  "is called with the types of its endpoints": typedCalls,
  "D5: fails with its declared errors": declaredErrors
}

for (const [name, versions, newest, door] of doors) {
  describe.each(versions)(`our own server ${name} in %s`, (version) => {
    const witness = new Witness()
    const row = { version, pinned: version !== newest, cells: boxCells(version) }
    shows(row, witness, (settings) => door(witness, settings), typed)
  })
}

const dies = Endpoint.make("dies", { description: "Has a bug" })
const bug = new RangeError("a bug")

describe("our own server in process", () => {
  const witness = new Witness()
  const row = { version: latestNative, pinned: false, cells: boxCells(latestNative) } as const
  // The server is there as long as the session is.
  const stops = Layer.effectDiscard(Effect.addFinalizer(() => Effect.sync(() => witness.read("stopped\n"))))
  const open = (settings: ClientSettings) =>
    Effect.catchTag(McpClient.direct(boxOf(witness).provide(stops), {}, settings), "McpBuildErrors", Effect.die)
  const quiet = witness.until(({ text }) => text.includes("stopped"))
  const start = (settings: ClientSettings) => Effect.succeed({ open: open(settings), quiet })
  shows(row, witness, start, typed)

  it.live("D5: gives what a handler died of as the cause", () =>
    Effect.promise(async () => {
      const failing = Mcp.make({ name: "failing", version: "1.0.0" }).tool(dies, async () => {
        throw bug
      })
      await using client = await connect(failing)
      const failed = await client.call(dies).settled()
      assert.isTrue(!failed.ok && failed.error.reason._tag === "ToolFailed" && failed.error.cause === bug)
    })
  )

  it.live("gives its context to the handlers", () =>
    Effect.promise(async () => {
      const who = Mcp.make<{ user: string }>({ name: "who", version: "1.0.0" }).tool(
        ping,
        async (_, { context }) => context.user
      )
      await using client = await connect(who, { user: "ann" })
      assert.strictEqual(await client.call(ping)(), "ann")
    })
  )
})
