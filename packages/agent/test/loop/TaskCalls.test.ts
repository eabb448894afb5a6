/** Calls of an agent that their server makes tasks of. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { assert, describe, it } from "@effect/vitest"
import type { HttpScript } from "@treadle/testing"
import { Agent, Server, type HttpServerSettings } from "@treadle/agent"
import { AgentTest } from "@treadle/agent/test"
import { until } from "../until.ts"
import { native, result, said, serving, tool } from "../wire.ts"

const times = { createdAt: "2026-12-01T10:00:00Z", lastUpdatedAt: "2026-12-01T10:00:00Z", ttlMs: null }
const task = { ...times, taskId: "t-1", status: "working", pollIntervalMs: 2000 }

/** A server whose only tool becomes a task, which is done when it was asked for so often. */
const tasking = (looks: number) => {
  const answered: HttpScript = ({ json }, reply) => {
    const { id, method } = json
    if (method === "tools/call") return reply.json(result(id, { resultType: "task", ...task }))
    if (method !== "tasks/get") return reply.json(result(id, { resultType: "complete" }))
    const stands = --looks > 0 ? task : { ...task, status: "completed", result: said("printed") }
    reply.json(result(id, { resultType: "complete", ...stands }))
  }
  return serving(native({ tools: [tool("x")], call: answered }))
}

/** A run that calls the tool once and says what it read. */
const started = (url: string, settings: HttpServerSettings = {}) => {
  const agent = Agent.make({ name: "clerk", instruction: "Go.", servers: { box: Server.http(url, settings) } })
  const model = AgentTest.script(AgentTest.callNamed("x"), (seen) => AgentTest.answer(seen.results[0]?.value))
  return Effect.forkChild(Effect.provide(Agent.run(agent, "Go"), model))
}

/** Lets time pass in which both ends, which are in this process, carry their requests. */
const untilDone = <A, E>(running: Fiber.Fiber<A, E>) =>
  Effect.gen(function* () {
    while (running.pollUnsafe() === undefined) {
      let rounds = 0
      yield* until(() => ++rounds > 20)
      yield* TestClock.adjust(500)
    }
    return yield* Fiber.join(running)
  })

describe("a call of an agent that becomes a task", () => {
  it.effect("is waited for beyond the time of one request, and the model reads its result (TASK-04)", () =>
    Effect.gen(function* () {
      const server = yield* tasking(40)
      const { text } = yield* untilDone(yield* started(server.url))
      assert.strictEqual(text, '"printed"')
      assert.strictEqual(server.of("tasks/get").length, 40)
      assert.deepStrictEqual(server.of("tasks/cancel"), [])
    })
  )

  it.effect("is cancelled with the run (TASK-12)", () =>
    Effect.gen(function* () {
      const server = yield* tasking(Infinity)
      const running = yield* started(server.url)
      yield* until(() => server.of("tools/call").length === 1)
      let rounds = 0
      yield* until(() => ++rounds > 20)
      yield* TestClock.adjust(2000)
      yield* until(() => server.of("tasks/get").length === 1)
      yield* Fiber.interrupt(running)
      assert.deepStrictEqual(
        server.of("tasks/cancel").map(({ params }) => params.taskId),
        ["t-1"]
      )
    })
  )
})
