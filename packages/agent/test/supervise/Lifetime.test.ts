import * as Effect from "effect/Effect"
import { assert, describe, it } from "@effect/vitest"
import { Agent, type AgentEvent } from "@treadle/agent"
import { AgentTest } from "@treadle/agent/test"
import { kb, note } from "../kb.ts"

const limited = Agent.make({
  name: "helper",
  instruction: "You help.",
  servers: { kb },
  limits: { lifetimeTokens: 100 }
})

const usage = { input: 40, output: 5 }

describe("the tokens of an agent's whole life", () => {
  it.effect("are told of once at nine tenths, and then no run asks a model any more (A151)", () =>
    Effect.gen(function* () {
      const events: Array<AgentEvent> = []
      const onEvent = (event: AgentEvent) => events.push(event)
      const model = AgentTest.script(
        AgentTest.say("one", { usage }),
        AgentTest.call(note, { text: "two" }, { usage }),
        AgentTest.call(note, { text: "three" }, { usage })
      )
      const outcomes = yield* Effect.provide(
        Effect.gen(function* () {
          const agent = yield* Agent.connect(limited)
          const first = yield* agent.run("1", { onEvent })
          const second = yield* agent.run("2", { onEvent })
          return [first, second, yield* agent.run("3", { onEvent })]
        }),
        model
      )
      assert.deepStrictEqual(
        outcomes.map(({ status, usage: { steps } }) => [status, steps]),
        [
          ["completed", 1],
          ["exhausted_tokens", 2],
          ["exhausted_tokens", 0]
        ]
      )
      assert.deepStrictEqual(
        events.flatMap((event) => (event._tag === "LifetimeThreshold" ? [[event.used, event.limit]] : [])),
        [[90, 100]]
      )
    })
  )

  it.effect("are not bounded where nothing is said, and are those of one run where it connects for itself", () =>
    Effect.gen(function* () {
      const model = AgentTest.script(AgentTest.say("one", { usage: { input: 99, output: 0 } }), AgentTest.say("two"))
      const [one, two] = yield* Effect.provide(Effect.all([Agent.run(limited, "1"), Agent.run(limited, "2")]), model)
      assert.deepStrictEqual([one.status, two.status], ["completed", "completed"])
    })
  )
})
