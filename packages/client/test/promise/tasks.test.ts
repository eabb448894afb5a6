import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { scriptedHttp, type ScriptedHttp } from "@treadle/testing"
import { connect, McpError, type PromiseClient } from "../../src/promise/index.ts"
import { discoverResult, getShow, result } from "../fixtures.ts"

const times = { createdAt: "2026-12-01T10:00:00Z", lastUpdatedAt: "2026-12-01T10:00:00Z", ttlMs: null }
const working = { ...times, taskId: "t-1", status: "working", pollIntervalMs: 1 }
const show = { id: 1, title: "Hamlet" }
const completed = { ...working, status: "completed", result: { content: [], structuredContent: show } }

const capabilities = { tools: {}, extensions: { "io.modelcontextprotocol/tasks": {} } }

/** A server whose calls become a task, which stands so. */
const against = (stands: object, test: (client: PromiseClient, server: ScriptedHttp) => Promise<void>) =>
  Effect.flatMap(
    scriptedHttp(({ json: { id, method } }, reply) => {
      if (method === "server/discover") return reply.json(result(id, { ...discoverResult, capabilities }))
      if (method === "tools/call") return reply.json(result(id, { resultType: "task", ...working }))
      reply.json(result(id, { resultType: "complete", ...(method === "tasks/get" ? stands : {}) }))
    }),
    (server) =>
      Effect.promise(async () => {
        await using client = await connect(server.url)
        await test(client, server)
      })
  )

const asked = (server: ScriptedHttp, method: string) => server.seen.events.filter(({ json }) => json.method === method)

const mcpError = async (promise: Promise<unknown>): Promise<McpError> => {
  const error = await promise.then(
    () => assert.fail("it did not reject"),
    (error: unknown) => error
  )
  assert.instanceOf(error, McpError)
  return error
}

describe("a promise of a call that became a task", () => {
  it.effect("TASK-04: resolves with its result, and tells how it stands", () =>
    against(completed, async (client) => {
      const told: Array<string> = []
      const onTask = ({ status, taskId }: { status: string; taskId: string }) => told.push(`${taskId} ${status}`)
      assert.deepStrictEqual<unknown>(await client.call(getShow)({ id: 1 }, { onTask }), show)
      assert.deepStrictEqual(told, ["t-1 working", "t-1 completed"])
      const call = client.call(getShow).open({ id: 1 })
      const statuses: Array<string> = []
      for await (const { status } of call.task) statuses.push(status)
      assert.deepStrictEqual(statuses, ["working", "completed"])
      assert.deepStrictEqual<unknown>(await call.result, show)
    })
  )

  it.effect("TASK-12: rejects with Cancelled when its signal aborts, and the task is cancelled", () =>
    against(working, async (client, server) => {
      const call = client.call(getShow).open({ id: 1 })
      for await (const _ of call.task) break
      call.cancel("enough")
      assert.deepInclude((await mcpError(call.result)).reason, { _tag: "Cancelled", why: "enough" })
      await server.seen.first(({ json }) => json.method === "tasks/cancel")
    })
  )

  it.effect("leaves the task where it is told to, for whoever comes back with its id", () =>
    against(completed, async (client, server) => {
      const call = client.call(getShow).open({ id: 1 }, { keepTask: true })
      for await (const { taskId } of call.task) {
        call.cancel()
        assert.deepStrictEqual<unknown>(await client.task(getShow)(taskId), show)
      }
      assert.strictEqual((await mcpError(call.result)).reason._tag, "Cancelled")
      assert.deepStrictEqual(asked(server, "tasks/cancel"), [])
    })
  )

  it.effect("may wait for a task under a signal of its own, which leaves the task", () =>
    against(working, async (client, server) => {
      const controller = new AbortController()
      const waiting = mcpError(client.task(getShow)("t-1", { signal: controller.signal }))
      await server.seen.first(({ json }) => json.method === "tasks/get")
      controller.abort()
      assert.strictEqual((await waiting).message.includes('tools/call "get_show"'), true)
      assert.deepStrictEqual(asked(server, "tasks/cancel"), [])
    })
  )

  it.effect("is come back to by the name of its tool, without an endpoint", () =>
    against(completed, async (client) => {
      const ids: Array<string> = []
      const controller = new AbortController()
      const onTask = ({ taskId }: { taskId: string }) => {
        ids.push(taskId)
        controller.abort()
      }
      const options = { onTask, keepTask: true, signal: controller.signal }
      assert.strictEqual((await mcpError(client.callTool("get_show", { id: 1 }, options))).reason._tag, "Cancelled")
      assert.deepStrictEqual<unknown>((await client.toolTask("get_show", ids[0] ?? "")).structuredContent, show)
      const aborted = await mcpError(client.toolTask("get_show", "t-1", { signal: AbortSignal.abort() }))
      assert.include(aborted.message, 'tools/call "get_show"')
    })
  )
})
