/**
 * What a plain door survives: layers that never come up or fail at first, handlers that cannot be interrupted.
 */
import { assert, describe, it } from "@effect/vitest"
import { rawRequest } from "@treadle/testing"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { McpHttp } from "../src/http.ts"
import { Counters, Mcp } from "../src/index.ts"
import { capturedLogs } from "./fixtures/capturedLogs.ts"
import { assertQuiet } from "./fixtures/quiet.ts"

class Db extends Context.Service<Db, { readonly name: string }>()("test/Db") {}

const plain = { description: "x" }
const reading = Mcp.make({ name: "db", version: "1" }).tool("read", plain, () =>
  Db.use(({ name }) => Effect.succeed(name))
)

const post = (body: unknown): Request =>
  new Request("http://localhost/mcp", {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": (body as { readonly params: { readonly name: string } }).params.name
    },
    body: JSON.stringify(body)
  })

const call = (name: string) => post(rawRequest(1, "tools/call", { name }))

describe("a plain door", () => {
  it("D13: tries its layers again with the next request, where they failed", async () => {
    let tries = 0
    const layer = Layer.effect(
      Db,
      Effect.suspend(() => (++tries === 1 ? Effect.die(new Error("no connection")) : Effect.succeed({ name: "up" })))
    )
    const door = McpHttp.fetch(reading.provide(layer))
    assert.strictEqual((await door(call("read"))).status, 503)
    const answered = await door(call("read"))
    assert.strictEqual(answered.status, 200)
    assert.include(await answered.text(), "up")
    await door.close()
    assertQuiet(door)
  })

  it.effect("D5: says in the log how to give a service that plain JavaScript left out", () =>
    Effect.gen(function* () {
      const logged = yield* capturedLogs
      const door = McpHttp.fetch(reading as never)
      yield* Effect.promise(async () => (await door(call("read"))).text())
      yield* Effect.promise(door.close)
      assertQuiet(door)
      assert.match(
        logged(),
        /read died; the caller was told "internal error", reference [0-9a-f]{8}\. Give the service with mcp\.provide\(layer\)\./
      )
      assert.match(logged(), /Service not found: test\/Db/)
    })
  )

  it("D17: closes although a layer never comes up", async () => {
    const door = McpHttp.fetch(reading.provide(Layer.effect(Db, Effect.never)), { limits: { grace: 20 } })
    void door(call("read"))
    await new Promise((resolve) => setImmediate(resolve))
    await door.close()
    assertQuiet(door)
  })

  it("D17: closes although a handler cannot be interrupted", async () => {
    const stuck = Mcp.make({ name: "stuck", version: "1" }).tool("stay", plain, () =>
      Effect.uninterruptible(Effect.never)
    )
    const door = McpHttp.fetch(stuck, { limits: { grace: 20 } })
    void door(call("stay"))
    await new Promise((resolve) => setImmediate(resolve))
    await door.close()
    assert.deepStrictEqual(door.counters(), { ...Counters.none, calls: 1 }, "that call is all that is left")
  })
})
