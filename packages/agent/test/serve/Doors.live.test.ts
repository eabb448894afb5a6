/**
 * A served agent behind the doors that there are: who may call is theirs to say, and they say it before the agent is
 * asked anything.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { assert, describe, it } from "@effect/vitest"
import { AgentMcp } from "@treadle/agent"
import { AgentTest } from "@treadle/agent/test"
import { McpClient } from "@treadle/client"
import { rawToolCall } from "@treadle/testing"
import { StaticBearer } from "@treadle/server"
import { McpNode } from "@treadle/server/node"
import { headersOf } from "../../../server/test/fixtures/rawPeers.ts"
import { until } from "../until.ts"
import { reviewer } from "./peer.ts"

const served = () => AgentMcp.make(reviewer()).provide(AgentTest.script())

const message = rawToolCall(1, "status", {})

const posted = (url: string, headers: Record<string, string> = {}) =>
  fetch(url, { method: "POST", headers: { ...headersOf(message), ...headers }, body: JSON.stringify(message) })

describe("the door of a served agent", () => {
  it("does not open to the network without authentication, and does on loopback (A84)", async () => {
    const refused: unknown = await McpNode.listen(served(), { host: "0.0.0.0", hosts: "any" }).then(
      (door) => door.close(),
      (error: unknown) => error
    )
    assert.instanceOf(refused, Error)
    await using door = await McpNode.listen(served())
    assert.strictEqual((await posted(door.url)).status, 200)
  })

  it("answers 401 to whoever has not the secret, and the agent is not asked (A85)", async () => {
    const secret = "0123456789abcdef0123456789abcdef"
    await using door = await McpNode.listen(served(), { auth: StaticBearer.make({ tokens: { parent: secret } }) })
    for (const headers of [{}, { authorization: "Bearer wrong-wrong-wrong-wrong-wrong-wro" }]) {
      const response = await posted(door.url, headers)
      assert.strictEqual(response.status, 401)
      assert.notInclude(await response.text(), "run_id")
    }
    assert.strictEqual((await posted(door.url, { authorization: `Bearer ${secret}` })).status, 200)
  })

  it("answers 403 to pages of other origins (A86)", async () => {
    await using door = await McpNode.listen(served())
    for (const origin of ["https://evil.example", "null"]) {
      assert.strictEqual((await posted(door.url, { origin })).status, 403)
    }
  })

  it.live("ends a sync run when its native client goes, and only then (A80)", () =>
    Effect.scoped(
      Effect.gen(function* () {
        for (const revision of ["2026-07-28", "2025-11-25"] as const) {
          const events: Array<string> = []
          const mcp = AgentMcp.make(reviewer(), { onEvent: ({ _tag }) => events.push(_tag) }).provide(
            AgentTest.script(AgentTest.hang)
          )
          const door = yield* Effect.acquireRelease(
            Effect.promise(() => McpNode.listen(mcp, { limits: { grace: 50 } })),
            ({ close }) => Effect.promise(() => close())
          )
          const session = yield* McpClient.http(door.url, { revision })
          const call = yield* Effect.forkChild(session.call(AgentMcp.spawn)({ instruction: "x" }))
          yield* until(() => events.includes("StepStarted"))
          yield* Fiber.interrupt(call)
          const native = revision === "2026-07-28"
          if (native) yield* until(() => events.includes("SubagentEnded"))
          const { inflight_spawns } = yield* session.call(AgentMcp.status)({})
          assert.strictEqual(inflight_spawns, native ? 0 : 1)
          if (!native)
            assert.deepInclude(yield* session.call(AgentMcp.cancel)({ handle: "served.0" }), { cancelled: true })
        }
      })
    )
  )
})
