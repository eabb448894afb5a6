import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { Content, Endpoint, Reply } from "@treadle/protocol"
import { Mcp } from "@treadle/server"
import { McpHttp } from "@treadle/server/http"
import { McpNode } from "@treadle/server/node"
import { McpClient, type McpSession } from "../../src/index.ts"
import { connect } from "../../src/promise/index.ts"
import { fact, getShow, hold, list, ping, reasonOf, ShowNotFound } from "../fixtures.ts"

const dies = Endpoint.make("dies", { description: "Has a bug" })
const bug = new RangeError("a bug")

/** Our own server, told what to do by the names and arguments of its tools. */
const make = (gate: { readonly entered: Deferred.Deferred<void>; readonly left: Deferred.Deferred<void> }) =>
  Mcp.make({ name: "box", version: "1.2.3" })
    .tool(getShow, ({ id }) =>
      id === 9 ? Effect.fail(new ShowNotFound({ id })) : Effect.succeed({ id, title: "Lear" })
    )
    .tool(hold, async ({ show }, { fail }) => (show === 9 ? fail({ _tag: "SoldOut", left: 2 }) : [show, show + 1]))
    .tool(list, async ({ limit, status }, { progress }) => {
      for (let done = 1; done <= 3; done++) progress(done, 3, `step ${done}`)
      return `${limit} ${status ?? "any"}`
    })
    .tool(ping, async () => Reply.text(Content.text("pong"), Content.text("pong again")))
    .tool(dies, async () => {
      throw bug
    })
    .tool("wait", { description: "Never ends" }, () =>
      Effect.andThen(Deferred.succeed(gate.entered, undefined), Effect.never).pipe(
        Effect.onInterrupt(() => Deferred.succeed(gate.left, undefined))
      )
    )

type Box = ReturnType<typeof make>

const doors: { readonly [name: string]: (box: Box) => Effect.Effect<McpSession, unknown, Scope.Scope> } = {
  "in process": (box) => McpClient.direct(box),
  "through its fetch door": (box) => McpClient.http("http://localhost/mcp", { fetch: McpHttp.fetch(box) }),
  "over a socket": (box) =>
    Effect.flatMap(
      Effect.acquireRelease(
        Effect.promise(() => McpNode.listen(box)),
        (listening) => Effect.promise(() => listening.close())
      ),
      ({ url }) => McpClient.http(url)
    )
}

const gated = () => ({ entered: Deferred.makeUnsafe<void>(), left: Deferred.makeUnsafe<void>() })

describe.each(Object.entries(doors))("our own server %s", (_, open) => {
  it.live("is called with the types of its endpoints", () =>
    Effect.gen(function* () {
      const session = yield* open(make(gated()))
      assert.deepStrictEqual(session.server, { name: "box", version: "1.2.3" })
      assert.strictEqual((yield* session.listTools()).length, 6)
      assert.deepStrictEqual(yield* session.call(getShow)({ id: 1 }), { id: 1, title: "Lear" })
      assert.deepStrictEqual(yield* session.call(hold)({ show: 4 }), [4, 5])
      assert.strictEqual(yield* session.call(list)(), "20 any")
      assert.strictEqual(yield* session.call(ping)(), "pong\npong again")
    })
  )

  it.live("D5: fails with its declared errors", () =>
    Effect.gen(function* () {
      const session = yield* open(make(gated()))
      const error = yield* Effect.flip(session.call(getShow)({ id: 9 }))
      assert.instanceOf(error, ShowNotFound)
      assert.deepStrictEqual(yield* Effect.flip(session.call(hold)({ show: 9 })), { _tag: "SoldOut", left: 2 })
      assert.strictEqual(fact(yield* reasonOf(session.callTool("nothing")), "code"), -32602)
    })
  )

  it.live("tells its progress", () =>
    Effect.gen(function* () {
      const session = yield* open(make(gated()))
      const call = yield* session.open(list)({ limit: 3 })
      assert.strictEqual(yield* call.result, "3 any")
      assert.deepStrictEqual(
        (yield* Stream.runCollect(call.progress)).map((progress) => progress.message),
        ["step 1", "step 2", "step 3"]
      )
    })
  )

  it.live("CANCEL-01 HTTP-17: stops a call that is given up", () =>
    Effect.gen(function* () {
      const gate = gated()
      const session = yield* open(make(gate))
      const fiber = yield* Effect.forkChild(session.callTool("wait"), { startImmediately: true })
      yield* Deferred.await(gate.entered)
      yield* Fiber.interrupt(fiber)
      yield* Deferred.await(gate.left)
    })
  )
})

describe("our own server in process", () => {
  it.live("D5: gives what a handler died of as the cause", () =>
    Effect.promise(async () => {
      await using client = await connect(make(gated()))
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
