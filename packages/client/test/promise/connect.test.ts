import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { scriptedHttp, type HttpScript, type ScriptedHttp } from "@treadle/testing"
import { connect, McpError, type PromiseClient, type Progress } from "../../src/promise/index.ts"
import { getShow, hold, list, ping, result, serving, ShowNotFound, textResult } from "../fixtures.ts"

/** Runs a test of promises against a scripted server. */
const against = (
  script: HttpScript,
  test: (client: PromiseClient, server: ScriptedHttp) => Promise<void>
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.flatMap(scriptedHttp(script), (server) =>
    Effect.promise(async () => {
      await using client = await connect(server.url)
      await test(client, server)
    })
  )

const rejection = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => assert.fail("it did not reject"),
    (error: unknown) => error
  )

const mcpError = async (promise: Promise<unknown>): Promise<McpError> => {
  const error = await rejection(promise)
  assert.instanceOf(error, McpError)
  return error
}

const hamlet = textResult("Hamlet", { structuredContent: { id: 1, title: "Hamlet" } })
const missing = textResult("no", { isError: true, structuredContent: { _tag: "ShowNotFound", id: 9 } })

const shows: HttpScript = serving((seen, reply) => {
  const { arguments: args, name } = seen.json.params
  const bodies: { [tool: string]: object } = { get_show: args?.id === 9 ? missing : hamlet }
  reply.json(result(seen.json.id, bodies[name] ?? textResult("ok")))
})

describe("connect", () => {
  it.each([undefined, null, {}, 7, ""])("rejects with a sentence where it is given no server: %j", async (target) => {
    const error = await rejection(connect(target as never))
    if (target === "") return assert.instanceOf(error, McpError)
    assert.instanceOf(error, TypeError)
    assert.match(String(error), /^TypeError: connect takes a URL, such as .* it was given neither\. Is the setting/)
  })

  it.effect("gives calls as promises", () =>
    against(shows, async (client) => {
      assert.deepStrictEqual(await client.call(getShow)({ id: 1 }), { id: 1, title: "Hamlet" })
      const box = client.bind({ getShow, list, ping })
      assert.strictEqual(await box.ping(), "ok")
      assert.strictEqual(await box.list({ limit: 3 }), "ok")
      assert.deepStrictEqual(client.server, { name: "box", version: "1.2.3" })
      assert.strictEqual(client.version, "2026-07-28")
      assert.deepStrictEqual((await client.callTool("get_show", { id: 9 })).isError, true)
    })
  )

  it.effect("rejects with the declared error, or the McpError, itself", () =>
    against(shows, async (client) => {
      const error = await rejection(client.call(getShow)({ id: 9 }))
      assert.instanceOf(error, ShowNotFound)
      assert.strictEqual(error.id, 9)
      assert.strictEqual((await mcpError(client.call(hold)({ show: 1 }))).reason._tag, "Undecodable")
    })
  )

  it.effect("rejects where the server cannot be reached, or is none", () =>
    Effect.gen(function* () {
      const url = yield* Effect.scoped(Effect.map(scriptedHttp(serving()), (server) => server.url))
      const error = yield* Effect.promise(() => mcpError(connect(`${url}?key=secret`)))
      assert.strictEqual(error.reason._tag, "Transport")
      assert.notInclude(error.message, "secret")
      const none = yield* Effect.promise(() => mcpError(connect("box.example")))
      assert.include(none.message, "https://host/mcp")
    })
  )

  it.effect("gives failures as values with settled", () =>
    against(shows, async (client) => {
      const box = client.bind({ getShow, hold })
      const got = await box.getShow.settled({ id: 1 })
      assert.deepStrictEqual(got, {
        ok: true,
        value: { id: 1, title: "Hamlet" },
        content: [{ type: "text", text: "Hamlet" }]
      })
      const lost = await box.getShow.settled({ id: 9 })
      assert.isTrue(!lost.ok && lost.error._tag === "ShowNotFound" && lost.error.id === 9)
      const wrong = await box.hold.settled({ show: 1 })
      assert.isTrue(!wrong.ok && wrong.error._tag === "McpError" && wrong.error.reason._tag === "Undecodable")
    })
  )

  it.effect("lists tools", () =>
    against(
      serving((seen, reply) =>
        reply.json(result(seen.json.id, { tools: [{ name: "a", inputSchema: { type: "object" } }] }))
      ),
      async (client) => {
        assert.deepStrictEqual(
          (await client.listTools()).map((tool) => tool.name),
          ["a"]
        )
      }
    )
  )
})

const hanging: HttpScript = serving(() => {})

const called = (server: ScriptedHttp) => server.seen.first((seen) => seen.json.method === "tools/call")

describe("a promise that is no longer wanted", () => {
  it.effect("CANCEL-01: rejects with Cancelled and its reason when the signal aborts, and cancels on the wire", () =>
    against(hanging, async (client, server) => {
      const controller = new AbortController()
      const waiting = mcpError(client.call(ping)({}, { signal: controller.signal }))
      const settled = client.call(ping).settled({}, { signal: controller.signal })
      const call = await called(server)
      controller.abort(new Error("the user left"))
      const error = await waiting
      assert.deepInclude(error.reason, { _tag: "Cancelled", why: "the user left" })
      assert.include(error.message, `tools/call "ping" at ${server.url}: the caller cancelled it: the user left`)
      await call.gone
      const outcome = await settled
      assert.isTrue(!outcome.ok && outcome.error._tag === "McpError" && outcome.error.reason._tag === "Cancelled")
    })
  )

  it.effect("is not even sent where the signal is aborted before", () =>
    against(hanging, async (client, server) => {
      const signal = AbortSignal.abort()
      assert.strictEqual((await mcpError(client.call(ping)({}, { signal }))).reason._tag, "Cancelled")
      assert.strictEqual((await mcpError(client.listTools({ signal }))).reason._tag, "Cancelled")
      assert.strictEqual(server.seen.events.length, 1)
    })
  )

  it.effect("rejects with Closed when the client is closed; closing twice is nothing", () =>
    against(hanging, async (client, server) => {
      const waiting = mcpError(client.call(ping)())
      await called(server)
      await client.close()
      await client.close()
      assert.strictEqual((await waiting).reason._tag, "Closed")
      assert.strictEqual((await mcpError(client.call(ping)())).reason._tag, "Closed")
    })
  )

  it.effect("gives up connecting when the signal aborts", () =>
    Effect.flatMap(
      scriptedHttp(() => {}),
      (server) =>
        Effect.promise(async () => {
          const controller = new AbortController()
          const connecting = mcpError(connect(server.url, { signal: controller.signal }))
          const request = await server.seen.first(() => true)
          controller.abort()
          assert.strictEqual((await connecting).reason._tag, "Cancelled")
          await request.gone
        })
    )
  )
})

const stepping: HttpScript = serving(async (seen, reply) => {
  const stream = reply.stream()
  const { progressToken } = seen.json.params._meta
  for (const progress of [1, 2, 3]) {
    const params = { progressToken, progress, message: `step ${progress}` }
    await stream.event({ jsonrpc: "2.0", method: "notifications/progress", params })
  }
  if (seen.json.params.name === "list") return
  await stream.event(result(seen.json.id, textResult("done")))
  stream.end()
})

describe("open", () => {
  it.effect("D19: gives the result and its progress, from the start and to anyone", () =>
    against(stepping, async (client) => {
      const heard: Array<Progress> = []
      const call = client.call(ping).open({}, { onProgress: (progress) => heard.push(progress) })
      assert.strictEqual(await call.result, "done")
      for (let listener = 0; listener < 2; listener++) {
        const seen: Array<Progress> = []
        for await (const progress of call.progress) seen.push(progress)
        assert.deepStrictEqual(
          seen,
          [1, 2, 3].map((done) => ({ done, message: `step ${done}` }))
        )
      }
      assert.strictEqual(heard.length, 3)
    })
  )

  it.effect("D19: may be left and cancelled in the middle of its progress", () =>
    against(stepping, async (client, server) => {
      const call = client.call(list).open({ limit: 3 })
      for await (const progress of call.progress) {
        if (progress.done < 2) continue
        call.cancel("enough")
        break
      }
      assert.deepInclude((await mcpError(call.result)).reason, { _tag: "Cancelled", why: "enough" })
      await (
        await called(server)
      ).gone
    })
  )

  it.effect("ends its progress where the call fails", () =>
    against(shows, async (client) => {
      const call = client.call(getShow).open({ id: 9 })
      for await (const _ of call.progress) assert.fail("there is none")
      assert.instanceOf(await rejection(call.result), ShowNotFound)
    })
  )

  it.effect("disturbs nobody where the result is never awaited", () =>
    against(shows, async (client, server) => {
      const unhandled: Array<unknown> = []
      const listen = (error: unknown) => unhandled.push(error)
      process.on("unhandledRejection", listen)
      try {
        client.call(getShow).open({ id: 9 })
        const cancelled = client.call(getShow).open({ id: 9 })
        cancelled.cancel()
        await called(server)
        await client.call(ping)()
        for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
        assert.deepStrictEqual(unhandled, [])
      } finally {
        process.off("unhandledRejection", listen)
      }
    })
  )
})
