/**
 * One agent that drives another, with nothing between them but the protocol: over every transport, in both eras, by our
 * own client and by the official ones.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { assert, describe, it } from "@effect/vitest"
import { AgentMcp } from "@treadle/agent"
import { McpClient, type ClientSettings, type McpError, type McpSession } from "@treadle/client"
import { McpNodeClient } from "@treadle/client/node"
import { linePair } from "@treadle/protocol/framing"
import { McpMemory } from "@treadle/server"
import { McpHttp } from "@treadle/server/http"
import { McpNode } from "@treadle/server/node"
import { bundled } from "../../../server/test/fixtures/bundled.ts"
import { doors as officialDoors, peers } from "../../../server/test/peers/officialPeers.ts"
import { distillate, worker } from "./worker.ts"

const five = ["status", "subagent.spawn", "subagent.send", "subagent.status", "subagent.cancel"]

const program = () => bundled("workerChild", import.meta.url)

type Open = (settings: ClientSettings) => Effect.Effect<McpSession, McpError, Scope.Scope>

const closing = <A extends { readonly close: () => Promise<void> }>(open: () => A | PromiseLike<A>) =>
  Effect.acquireRelease(
    Effect.promise(async () => open()),
    ({ close }) => Effect.promise(close)
  )

const doors: ReadonlyArray<{ readonly door: string; readonly open: Open }> = [
  {
    door: "a pipe in memory",
    open: (settings) =>
      Effect.gen(function* () {
        const [near, far] = linePair()
        yield* Effect.orDie(McpMemory.serve(worker, far, {}))
        return yield* McpClient.pipe(near, settings)
      })
  },
  {
    door: "HTTP",
    open: (settings) =>
      Effect.flatMap(
        closing(() => McpNode.listen(worker)),
        ({ url }) => McpClient.http(url, settings)
      )
  },
  {
    door: "the fetch door",
    open: (settings) =>
      Effect.flatMap(
        closing(() => McpHttp.fetch(worker)),
        (fetch) => McpClient.http("http://localhost/mcp", { ...settings, fetch })
      )
  },
  {
    door: "a child process",
    open: (settings) => McpNodeClient.stdio({ ...settings, command: process.execPath, args: [program()] })
  }
]

const revisions = ["2026-07-28", "2025-11-25"] as const

const rows = [
  ...doors.flatMap((row) => revisions.map((revision) => ({ ...row, revision }))),
  {
    door: "the same process",
    revision: "2026-07-28" as const,
    open: ((settings) => Effect.orDie(McpClient.direct(worker, {}, settings))) satisfies Open as Open
  }
]

const resultOf = ({ contents }: { readonly contents: ReadonlyArray<object> }) => {
  const [item] = contents
  return item !== undefined && "text" in item ? JSON.parse(String(item.text)) : undefined
}

describe.each(rows)("a parent over $door, $revision", ({ open, revision }) => {
  it.live("drives a worker, and is woken by the end of what it started (A180, A181, A182, A185)", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const session = yield* open({ revision })
        assert.strictEqual(session.version, revision)
        const tools = yield* session.listTools()
        assert.deepStrictEqual(
          tools.map(({ name }) => name),
          five
        )
        const spawn = session.call(AgentMcp.spawn)
        const review = yield* spawn({ instruction: "Review PR 7" })
        assert.deepStrictEqual(review, {
          handle: "served.0",
          status: "completed",
          done: true,
          partial: false,
          result: distillate
        })
        const { handle } = yield* spawn({ instruction: "Wait", async: true })
        const uri = `agent://subagent/${handle}`
        const changes = yield* session.watch({ uris: [uri] })
        assert.strictEqual(resultOf(yield* session.readResource(uri)).status, "running")
        yield* spawn({ instruction: "Say it" })
        const change = yield* Stream.runHead(Stream.filter(changes, ({ _tag }) => _tag === "ResourceUpdated"))
        assert.deepInclude(Option.getOrThrow(change), { uri })
        const done = { handle: "served.1", status: "completed", done: true, partial: false, result: "heard" }
        // Whoever is told twice reads the same twice.
        for (let read = 0; read < 2; read++) assert.deepStrictEqual(resultOf(yield* session.readResource(uri)), done)
        const status = yield* session.call(AgentMcp.status)({})
        assert.deepInclude(status, { version: "2.0.0", inflight_spawns: 0, total_spawns: 3 })
      })
    )
  )
})

const officialRows = peers.flatMap((row) => officialDoors.map((door) => ({ ...row, door })))

describe.each(officialRows)("$client over $door, as the parent", ({ connect, door }) => {
  it("drives a worker, and is woken by the end of what it started (A180, A181, A186)", async () => {
    await using listening = await McpNode.listen(worker)
    const peer = await connect(door, { url: listening.url, program: program() })
    const { capabilities, server } = peer.about() as { capabilities: object; server: object }
    assert.deepStrictEqual(capabilities, { tools: {}, resources: { subscribe: true } })
    assert.deepInclude(server, { name: "worker", version: "2.0.0" })
    const tools = await peer.tools()
    assert.deepStrictEqual(
      tools.map(({ name }) => name),
      five
    )
    const spawn = async (args: object) => (await peer.call("subagent.spawn", args))["structuredContent"]
    const review = await peer.call("subagent.spawn", { instruction: "Review PR 7" })
    assert.deepInclude(review["structuredContent"], { status: "completed", result: distillate })
    assert.deepStrictEqual(review["content"], [{ type: "text", text: distillate }])
    const { handle } = await spawn({ instruction: "Wait", async: true })
    const uri = `agent://subagent/${handle}`
    const stop = await peer.subscribe(uri)
    const updated = peer.heard.first(({ what }) => what === "updated")
    await spawn({ instruction: "Say it" })
    assert.deepInclude(((await updated) as { params: object }).params, { uri })
    const { contents } = await peer.read(uri)
    const done = { handle, status: "completed", done: true, partial: false, result: "heard" }
    assert.deepStrictEqual(JSON.parse(contents[0].text), done)
    assert.deepStrictEqual((await peer.call("subagent.status", { handle }))["structuredContent"], done)
    const refused = await peer.call("subagent.spawn", { instruction: "x", tool_scope: ["none"] })
    assert.isTrue(refused["isError"])
    await stop().catch(() => {})
    await peer.close()
    assert.deepStrictEqual(peer.errors, [])
    // The worker of the other door was made for tasks that nobody gave it.
    if (door === "stdio") await listening.close()
  })
})
