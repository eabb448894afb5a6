/**
 * What a caller in the same process gets beside what is on the wire, and what one message gets without a transport.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { Message } from "@treadle/protocol/rpc"
import { ClientRequest } from "@treadle/protocol/schema"
import { rawToolCall } from "@treadle/testing"
import { Ask, Mcp } from "../src/index.ts"
import { directPeer } from "../src/McpDirect.ts"
import { empty, said, serving } from "./fixtures/calling.ts"
import { initialize } from "./fixtures/compatDoor.ts"
import { quietAtEnd } from "./fixtures/quiet.ts"

const plain = { description: "Tested" }
const asked = (id: number, tool: string) =>
  ClientRequest.toMessage(id, ClientRequest.callTool(tool), { version: "2026-07-28" })

describe("a caller in the same process", () => {
  it.effect("D5: gets what a handler died of beside the fixed text", () =>
    Effect.gen(function* () {
      const bug = new TypeError("the bug")
      const mcp = empty()
        .tool("dies", plain, () => Effect.die(bug))
        .tool("rejects", plain, () => Promise.reject(bug))
        .tool("works", plain, async () => "fine")
      const served = yield* quietAtEnd(Mcp.served(mcp, { onDefect: () => {} }))
      const peer = directPeer(served, {})
      const causes = yield* Effect.forEach(["dies", "rejects", "works"], (tool) =>
        Effect.callback<unknown>((resume) => {
          peer.request(asked(1, tool), {
            notify: () => {},
            answer: (_, cause) => resume(Effect.succeed(cause))
          })
        })
      )
      assert.deepStrictEqual(causes, [bug, bug, undefined])
    })
  )

  it.effect("D5: is refused where the author's principal function throws, by every request", () =>
    Effect.gen(function* () {
      const mcp = Mcp.make({
        name: "suite",
        version: "1.0.0",
        principal: () => {
          throw new Error("secret")
        }
      })
      const { peer } = yield* serving(mcp, {}, { onDefect: () => {} })
      const call = yield* peer.send(rawToolCall(5, "x"))
      const answer = yield* call.answer
      assert.match(answer["error"].message, /^Internal error \(reference [0-9a-f]{8}\)$/)
    })
  )

  it.effect("is told why it cannot be asked at an older revision", () =>
    Effect.gen(function* () {
      const mcp = empty().tool("asks", plain, async (_, { ask }) => {
        await ask("sure", Ask.elicit({ message: "Sure?", requestedSchema: { type: "object", properties: {} } }))
      })
      const { peer } = yield* serving(mcp, {})
      yield* (yield* peer.send(initialize("2025-11-25", { elicitation: {} }))).answer
      const call = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "asks", arguments: {} } }
      const answer = yield* (yield* peer.send(call)).answer
      assert.strictEqual(
        said(answer["result"]),
        "The client cannot be asked: its request came in process with revision 2025-11-25, where only 2026-07-28 has questions"
      )
    })
  )
})

describe("Mcp.handle", () => {
  it.effect("answers a request, nothing to a notification, and an error to an answer", () =>
    Effect.gen(function* () {
      const mcp = empty().tool("t", plain, async () => "x")
      const answer = yield* mcp.handle(asked(3, "t"))
      assert.deepInclude(answer, { _tag: "Result", id: 3 })
      assert.isUndefined(yield* mcp.handle(Message.notification("notifications/cancelled", { requestId: 3 })))
      const refused = yield* mcp.handle(Message.result(3, {}))
      assert.strictEqual(refused?._tag, "Error")
    })
  )

  it.effect("CANCEL-05: ends the call when it is interrupted, and waits for its finalizers", () =>
    Effect.gen(function* () {
      const [began, ended] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const mcp = empty().tool("t", plain, () =>
        Effect.onInterrupt(Effect.andThen(Deferred.succeed(began, undefined), Effect.never), () =>
          Deferred.succeed(ended, undefined)
        )
      )
      const fiber = yield* Effect.forkChild(mcp.handle(asked(1, "t")), { startImmediately: true })
      yield* Deferred.await(began)
      yield* Fiber.interrupt(fiber)
      assert.isTrue(yield* Deferred.isDone(ended))
    })
  )

  it.effect("hands the context to handlers and to the principal", () =>
    Effect.gen(function* () {
      const mcp = Mcp.make<{ readonly user: string }>({
        name: "suite",
        version: "1.0.0",
        principal: ({ user }) => user
      }).tool("who", plain, async (_, { context, principal }) => `${context.user} ${principal?.id} ${principal?.via}`)
      const answer = yield* mcp.handle(asked(1, "who"), { user: "Ada" })
      assert.include(JSON.stringify(answer), "Ada Ada context")
    })
  )
})
