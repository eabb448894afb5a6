import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { DirectPeer, DirectServer } from "@treadle/protocol/framing"
import { Message, RpcError, type Request } from "@treadle/protocol/rpc"
import { Recorder } from "@treadle/testing"
import { McpClient, type Progress } from "../../src/index.ts"
import { connect } from "../../src/promise/index.ts"
import { discoverResult, ping, reasonOf, textResult } from "../fixtures.ts"

/** A served thing that answers discover, and leaves the rest to `serve`. */
const direct = <Ctx>(serve: (request: Request, ...sink: any) => void, cancelled = new Recorder<string>()) => {
  const contexts: Array<Ctx> = []
  const peer: DirectPeer = {
    request: (request, sink) => {
      if (request.method === "server/discover") sink.answer(Message.result(request.id, discoverResult))
      else serve(request, sink)
      return () => cancelled.record(request.method)
    }
  }
  const server: DirectServer<Ctx, never, never> = {
    "~treadle/direct": (context) => Effect.sync(() => (contexts.push(context), peer))
  }
  return { server, contexts, cancelled }
}

const answering = (text: string) => (request: Request, sink: any) =>
  sink.answer(Message.result(request.id, textResult(text) as never))

describe("a server in the same process", () => {
  it.effect("is called without a transport, with the context that its handlers ask for", () =>
    Effect.gen(function* () {
      const { contexts, server } = direct<{ readonly user: string }>(answering("hi"))
      const session = yield* McpClient.direct(server, { user: "ann" })
      assert.strictEqual(yield* session.call(ping)(), "hi")
      assert.deepStrictEqual(contexts, [{ user: "ann" }])
    })
  )

  it.effect("gets an empty context where none is needed", () =>
    Effect.gen(function* () {
      const { contexts, server } = direct<{}>(answering("hi"))
      yield* McpClient.direct(server)
      assert.deepStrictEqual(contexts, [{}])
    })
  )

  it.effect("D5: gives what a handler died of as the cause, of a failed tool and of an internal error", () =>
    Effect.gen(function* () {
      const bug = new RangeError("bug")
      const tool = direct<{}>((request, sink) =>
        sink.answer(Message.result(request.id, textResult("it broke", { isError: true }) as never), bug)
      )
      const failed = yield* Effect.flip((yield* McpClient.direct(tool.server)).call(ping)())
      assert.strictEqual(failed.reason._tag, "ToolFailed")
      assert.strictEqual(failed.cause, bug)
      const internal = direct<{}>((request, sink) =>
        sink.answer(Message.error(request.id, RpcError.internal("x")), bug)
      )
      const error = yield* Effect.flip((yield* McpClient.direct(internal.server)).call(ping)())
      assert.strictEqual(error.reason._tag, "Rpc")
      assert.strictEqual(error.cause, bug)
    })
  )

  it.effect("tells progress, and nothing after the answer", () =>
    Effect.gen(function* () {
      const seen: Array<Progress> = []
      const { server } = direct<{}>((request, sink) => {
        const progressToken = (request.params as any)._meta.progressToken
        const tell = (progress: number) =>
          sink.notify(Message.notification("notifications/progress", { progressToken, progress }))
        tell(1)
        answering("hi")(request, sink)
        tell(2)
      })
      const session = yield* McpClient.direct(server)
      yield* session.call(ping)({}, { onProgress: (progress) => seen.push(progress) })
      assert.deepStrictEqual(seen, [{ done: 1 }])
    })
  )

  it.effect("CANCEL-01: is told when a call is given up, and not after an answer", () =>
    Effect.gen(function* () {
      const { cancelled, server } = direct<{}>(() => {})
      const session = yield* McpClient.direct(server)
      const fiber = yield* Effect.forkChild(session.call(ping)(), { startImmediately: true })
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(cancelled.events, ["tools/call"])
    })
  )

  it.effect("may be a client of promises", () =>
    Effect.promise(async () => {
      const { contexts, server } = direct<{ readonly user: string }>(answering("hi"))
      await using client = await connect(server, { user: "ann" })
      assert.strictEqual(await client.call(ping)(), "hi")
      assert.deepStrictEqual(contexts, [{ user: "ann" }])
    })
  )

  it.effect("fails with what it cannot be built for", () =>
    Effect.gen(function* () {
      const broken: DirectServer<{}, "two tools with one name", never> = {
        "~treadle/direct": () => Effect.fail("two tools with one name" as const)
      }
      assert.strictEqual(yield* Effect.flip(McpClient.direct(broken)), "two tools with one name")
      const rejected = yield* Effect.promise(() => connect(broken).catch((error: unknown) => error))
      assert.strictEqual(rejected, "two tools with one name")
    })
  )

  it.effect("fails with Undecodable where it answers with something else", () =>
    Effect.gen(function* () {
      const { server } = direct<{}>((_, sink) => sink.answer(Message.notification("x")))
      const session = yield* McpClient.direct(server)
      assert.strictEqual((yield* reasonOf(session.call(ping)()))._tag, "Undecodable")
    })
  )
})
