/**
 * The time that connecting takes is time of the run: what ends first, ends it.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { assert, describe, it } from "@effect/vitest"
import { Agent, AgentMcp, AgentReason } from "@treadle/agent"
import { AgentTest, type Fault } from "@treadle/agent/test"
import { McpClient } from "@treadle/client"
import { kb } from "./kb.ts"
import { until } from "./until.ts"

/** An agent of five seconds with a server whose connecting goes wrong, and a model that does not answer. */
const hasty = (fault: Fault) => {
  const box = AgentTest.recording(kb, ({ index, method }) =>
    method === "server/discover" && index === 0 ? fault : undefined
  )
  let asked = false
  const model = AgentTest.script(() => {
    asked = true
    return AgentTest.hang
  })
  const agent = Agent.make({ name: "hasty", instruction: "Go.", servers: { box }, limits: { deadline: 5_000 } })
  return { agent, box, model, asked: () => asked }
}

/** What comes of something at five seconds, and not before. */
const atFiveSeconds = <A, E, R>(effect: Effect.Effect<A, E, R>, begun: () => boolean) =>
  Effect.gen(function* () {
    const running = yield* Effect.forkChild(effect)
    yield* until(begun)
    yield* TestClock.adjust(4_999)
    assert.isUndefined(running.pollUnsafe())
    yield* TestClock.adjust(1)
    return yield* Fiber.join(running)
  })

describe("a server that does not answer when it is connected", () => {
  it.effect("is waited for until the deadline of the run, which is its outcome (A143)", () =>
    Effect.gen(function* () {
      const { agent, box } = hasty(AgentTest.hanging)
      const run = Effect.provide(Agent.run(agent, "Go"), AgentTest.script())
      const outcome = yield* atFiveSeconds(run, () => box.methods.length > 0)
      assert.deepInclude(outcome, { status: "deadline", partial: true, text: "" })
      assert.deepStrictEqual(box.cancelled, ["server/discover"])
    })
  )

  it.effect("leaves a run what is left of its time where it answers late (A143)", () =>
    Effect.gen(function* () {
      const { agent, asked, box, model } = hasty(AgentTest.delay(4_000))
      const running = yield* Effect.forkChild(Effect.provide(Agent.run(agent, "Go"), model))
      yield* until(() => box.methods.length > 0)
      yield* TestClock.adjust(4_000)
      yield* until(asked)
      yield* TestClock.adjust(999)
      assert.isUndefined(running.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.strictEqual((yield* Fiber.join(running)).status, "deadline")
    })
  )

  it.effect("is waited for by a served run until its deadline, too (A143)", () =>
    Effect.gen(function* () {
      const { agent, box } = hasty(AgentTest.hanging)
      const session = yield* McpClient.direct(AgentMcp.make(agent).provide(AgentTest.script()))
      const spawned = session.call(AgentMcp.spawn)({ instruction: "Go" })
      const state = yield* atFiveSeconds(spawned, () => box.methods.length > 0)
      assert.deepInclude(state, { status: "deadline", done: true, partial: true })
    })
  )
})

describe("a deadline that is none", () => {
  it.effect("is a problem of the definition, and not one of the run", () =>
    Effect.gen(function* () {
      for (const deadline of ["soon", Number.NaN, -1, null]) {
        const agent = Agent.make({ name: "a", instruction: "Go.", limits: { deadline: deadline as number } })
        const failed = yield* Effect.flip(Effect.provide(Agent.run(agent, "Go"), AgentTest.script()))
        assert.instanceOf(failed.reason, AgentReason.InvalidDefinition)
      }
    })
  )
})
