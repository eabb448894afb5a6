/** Resources and prompts of the guides read as their pages say. */
import { assert, describe, it } from "@effect/vitest"
import { McpClient } from "@treadle/client"
import { ClientRequest } from "@treadle/protocol/schema"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { board } from "./board.ts"
import { evening } from "./evening.ts"
import { Ledger, LedgerLocked, vault } from "./vault.ts"

describe("the guide to resources", () => {
  it.effect("reads text, bytes and what its template has the form of", () =>
    Effect.gen(function* () {
      const session = yield* McpClient.direct(board)
      const read = (uri: string) => session.request(ClientRequest.readResource(uri))
      const contents = (uri: string) => Effect.map(read(uri), (result) => result.contents[0])
      assert.deepStrictEqual(yield* contents("box-office://board"), {
        uri: "box-office://board",
        mimeType: "text/markdown",
        text: "- 1: Evening bill\n- 12: Late bill"
      })
      assert.deepStrictEqual(yield* contents("box-office://poster"), {
        uri: "box-office://poster",
        mimeType: "image/png",
        blob: "iVBORw=="
      })
      const german = "box-office://shows/12?lang=de"
      assert.deepStrictEqual(yield* contents(german), { uri: german, text: "Spätprogramm" })
      for (const uri of ["box-office://shows/2", "box-office://shows/two", "box-office://shows/1?lang=fr"]) {
        const { reason } = yield* Effect.flip(read(uri))
        assert.deepStrictEqual(reason._tag === "Rpc" && [reason.code, reason.data], [-32602, { uri }])
      }
    })
  )

  it.effect("proposes the ids that begin with what is typed", () =>
    Effect.gen(function* () {
      const session = yield* McpClient.direct(board)
      const ref = { type: "ref/resource", uri: "box-office://shows/{id}{?lang}" } as const
      const { completion } = yield* session.request(ClientRequest.complete(ref, { name: "id", value: "1" }))
      assert.deepStrictEqual(completion.values, ["1", "12"])
    })
  )

  it.effect("shows the ledger to the treasurer, and says why it cannot be read", () =>
    Effect.gen(function* () {
      const open = vault.provide(Layer.succeed(Ledger, { today: Effect.succeed("seat,price") }))
      const locked = vault.provide(Layer.succeed(Ledger, { today: Effect.fail(new LedgerLocked({ by: "Ada" })) }))
      const uri = "box-office://ledger/today"
      const treasurer = { user: "ada", isTreasurer: true }
      const session = yield* McpClient.direct(open, treasurer)
      const result = yield* session.request(ClientRequest.readResource(uri))
      assert.deepStrictEqual([result.ttlMs, result.cacheScope], [60_000, "private"])
      const waiting = yield* McpClient.direct(locked, treasurer)
      const { reason } = yield* Effect.flip(waiting.request(ClientRequest.readResource(uri)))
      assert.deepStrictEqual(reason._tag === "Rpc" && reason.data, { uri, reason: "Ada is counting the money" })
      const other = yield* McpClient.direct(open, { user: "eve", isTreasurer: false })
      const list = yield* other.request(ClientRequest.listResources())
      assert.deepStrictEqual(list.resources, [])
    })
  )
})

describe("the guide to prompts", () => {
  it.effect("makes messages of decoded arguments", () =>
    Effect.gen(function* () {
      const session = yield* McpClient.direct(evening)
      const greet = yield* session.request(ClientRequest.getPrompt("greet"))
      assert.deepStrictEqual(greet.messages, [
        { role: "user", content: { type: "text", text: "Ask me where I am, and what I like." } }
      ])
      const plan = yield* session.request(ClientRequest.getPrompt("plan_evening", { city: "Oslo", show: "Late bill" }))
      assert.deepStrictEqual(
        plan.messages.map(({ content, role }) => [role, content.type]),
        [
          ["user", "text"],
          ["user", "resource_link"],
          ["assistant", "text"]
        ]
      )
      assert.deepStrictEqual(plan.messages[0]?.content, {
        type: "text",
        text: 'Plan an evening in Oslo around "Late bill", for 2.'
      })
    })
  )

  it.effect("names every problem of arguments that do not fit", () =>
    Effect.gen(function* () {
      const session = yield* McpClient.direct(evening)
      const { reason } = yield* Effect.flip(
        session.request(ClientRequest.getPrompt("plan_evening", { city: "Oslo", seats: "two" }))
      )
      assert.deepStrictEqual(reason._tag === "Rpc" && reason.code, -32602)
      assert.match(reason.message, /show: is missing; seats: /)
    })
  )

  it.effect("proposes the shows of the city that was chosen", () =>
    Effect.gen(function* () {
      const session = yield* McpClient.direct(evening)
      const ref = { type: "ref/prompt", name: "plan_evening" } as const
      const argument = { name: "show", value: "La" }
      const { completion } = yield* session.request(ClientRequest.complete(ref, argument, { city: "Oslo" }))
      assert.deepStrictEqual(completion, { values: ["Late bill"], total: 1, hasMore: false })
    })
  )
})
