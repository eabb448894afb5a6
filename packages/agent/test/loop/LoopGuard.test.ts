import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { assert, describe, it } from "@effect/vitest"
import { Agent } from "@treadle/agent"
import { AgentTest } from "@treadle/agent/test"
import { Endpoint, Mcp, ToolFailed } from "@treadle/server"
import { exhausted } from "../../src/loop/Budget.ts"
import { LoopGuard } from "../../src/loop/LoopGuard.ts"
import { defaultLimits } from "../../src/Limits.ts"
import { refusal, spoken } from "../../src/toolbox/Observation.ts"

const call = (params: unknown, name = "x") => ({ id: "1", name, params })

describe("a model that goes in circles", () => {
  it("is found at the fourth call of one tool with the same arguments, in whatever order (A149)", () => {
    const guard = new LoopGuard()
    const one = call({ a: 1, b: { c: [1, 2], d: 2 } })
    const same = call({ b: { d: 2, c: [1, 2] }, a: 1 })
    assert.isUndefined(guard.counts([one, same]))
    assert.isUndefined(guard.counts([call({ a: 1, b: { c: [2, 1], d: 2 } }), call({ a: 1 }), one]))
    assert.isUndefined(guard.counts([call(one.params, "y")]))
    assert.strictEqual(guard.counts([same]), "loop_detected")
  })

  it("is found in one answer, too (A149)", () => {
    assert.strictEqual(new LoopGuard().counts(Array(4).fill(call({}))), "loop_detected")
  })

  it.prop(
    "is not found where each call is made three times at most",
    [Arbitrary.array(Arbitrary.schema(Schema.Json), { maxLength: 20 })],
    ([params]) => {
      const guard = new LoopGuard()
      const distinct = params.map((one, index) => call({ one, index }))
      for (let time = 0; time < 3; time++) assert.isUndefined(guard.counts(distinct))
    }
  )

  it("stalls where three rounds, one after another, fail of the same, whatever was tried", () => {
    const guard = new LoopGuard()
    const failed = (n: number) => guard.learns([call({ n })], [refusal("no such tool")])
    assert.deepStrictEqual([failed(1), failed(2), failed(3)], [undefined, undefined, "stalled"])
    const between = new LoopGuard()
    between.learns([call({})], [refusal("no")])
    between.learns([call({})], [refusal("no")])
    between.learns([call({})], [spoken("yes")])
    assert.isUndefined(between.learns([call({})], [refusal("no")]))
  })

  it("does not stall where different calls have the same to say, as those that write", () => {
    const guard = new LoopGuard()
    for (let n = 0; n < 10; n++) assert.isUndefined(guard.learns([call({ n })], [spoken("written")]))
  })
})

const flaky = Endpoint.make("flaky", { description: "Now and then", input: { n: Schema.Int } })

const server = Mcp.make({ name: "box", version: "1.0.0" })
  .tool(flaky, ({ n }) => (n % 2 === 0 ? Effect.succeed("good") : Effect.fail(new ToolFailed(`bad ${n}`))))
  .tool("boom", { description: "Breaks" }, () => Effect.die(new Error("boom")))

describe("a model that repeats a tool that fails", () => {
  const agent = Agent.make({ name: "r", instruction: "Go.", servers: { box: server }, limits: { steps: 12 } })

  it.effect("ends before its budget is gone, with what was reached and the true usage (B075)", () =>
    Effect.gen(function* () {
      const model = AgentTest.script(...Array.from({ length: 4 }, () => AgentTest.callNamed("boom")))
      const outcome = yield* Effect.provide(Agent.run(agent, "Go"), model)
      assert.deepInclude(outcome, { status: "loop_detected", partial: true })
      assert.deepStrictEqual(outcome.usage, { input: 40, output: 20, steps: 4 })
    })
  )

  it.effect("is not stopped early where good calls come between (B075)", () =>
    Effect.gen(function* () {
      const turns = Array.from({ length: 12 }, (_, n) => AgentTest.call(flaky, { n }))
      const outcome = yield* Effect.provide(Agent.run(agent, "Go"), AgentTest.script(...turns))
      assert.strictEqual(outcome.status, "exhausted_steps")
      assert.strictEqual(outcome.calls(flaky).length, 12)
    })
  )
})

describe("a budget", () => {
  const count = Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 20 })))

  it.prop(
    "ends a run where something is used up, in the order deadline, steps, tokens (A143)",
    [count, count, count, count, count, count, count, count],
    ([steps, tokens, deadline, treeTokens, ...used]) => {
      const [ranSteps = 0, ranTokens = 0, time = 0, tree = 0] = used
      const limits = { ...defaultLimits, steps, tokens, deadline, treeTokens }
      const end = exhausted(limits, { steps: ranSteps, tokens: ranTokens, time }, tree >= treeTokens)
      const wanted =
        time >= deadline
          ? "deadline"
          : ranSteps >= steps
            ? "exhausted_steps"
            : ranTokens >= tokens || tree >= treeTokens
              ? "exhausted_tokens"
              : undefined
      assert.strictEqual(end, wanted)
    }
  )

  it("has the documented defaults (A143)", () => {
    assert.deepStrictEqual(
      [defaultLimits.steps, defaultLimits.tokens, defaultLimits.deadline, defaultLimits.treeTokens],
      [50, 200_000, 600_000, 2_000_000]
    )
  })
})
