import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { ContentPolicyError } from "effect/ai/AiError"
import { assert, describe, it } from "@effect/vitest"
import { Agent, type AgentDefinition, type AgentEvent } from "@treadle/agent"
import { AgentTest } from "@treadle/agent/test"
import { kb, note, rule, search } from "../kb.ts"
import { until } from "../until.ts"

const agent = (more: Partial<Omit<AgentDefinition, "model">> = {}) =>
  Agent.make({ name: "reviewer", instruction: "You review pull requests.", servers: { kb }, ...more })

describe("a run", () => {
  it.effect("calls what its model calls, and its answer is the text of the last turn", () =>
    Effect.gen(function* () {
      const model = AgentTest.script(AgentTest.call(search, { query: "force push" }), (seen) =>
        AgentTest.say(seen.last(search)?.[0]?.includes("Rule 7") === true ? "Request changes" : "LGTM")
      )
      const outcome = yield* Effect.provide(Agent.run(agent(), "Review PR 7"), model)
      assert.strictEqual(outcome.status, "completed")
      assert.strictEqual(outcome.answer, "Request changes")
      assert.isFalse(outcome.partial)
      assert.deepStrictEqual(outcome.usage, { input: 20, output: 10, steps: 2 })
      assert.deepStrictEqual(
        outcome.calls(search).map(({ input, output }) => ({ input, output })),
        [{ input: { query: "force push" }, output: ["Rule 7: no force pushes (force push)"] }]
      )
    })
  )

  it.effect("gives an endpoint's declared error as its own class (A29)", () =>
    Effect.gen(function* () {
      const model = AgentTest.script(AgentTest.call(rule, { number: 8 }), (seen) =>
        AgentTest.say(seen.results[0]?.isError === true ? "none" : "some")
      )
      const outcome = yield* Effect.provide(Agent.run(agent(), "Read rule 8"), model)
      const [call] = outcome.calls(rule)
      assert.strictEqual(outcome.text, "none")
      assert.deepInclude(call?.error, { _tag: "RuleNotFound", number: 8 })
      assert.strictEqual(outcome.usage.steps, 2)
    })
  )

  it.effect(
    "gives every call of a turn one result, in the order of the calls, before the model is asked again (A42)",
    () =>
      Effect.gen(function* () {
        const model = AgentTest.script(
          AgentTest.together(
            AgentTest.call(note, { text: "one" }),
            AgentTest.callNamed("made_up", { x: 1 }),
            AgentTest.call(search, { query: "two" }),
            AgentTest.call(note, { text: "three" })
          ),
          (seen) => AgentTest.answer(seen.results.map(({ isError, value }) => [isError, value]))
        )
        const outcome = yield* Effect.provide(Agent.run(agent(), "Go"), model)
        assert.deepStrictEqual(JSON.parse(outcome.text), [
          [false, "noted: one"],
          [true, 'error: no such tool "made_up"'],
          [false, { value: ["Rule 7: no force pushes (two)"] }],
          [false, "noted: three"]
        ])
      })
  )

  it.effect("ends with the step limit, with exactly as many calls of the model, and what was said is kept (A144)", () =>
    Effect.gen(function* () {
      const turns = [1, 2, 3].map((n) =>
        AgentTest.together(AgentTest.say(`so far ${n}`), AgentTest.call(note, { text: String(n) }))
      )
      const outcome = yield* Effect.provide(
        Agent.run(agent({ limits: { steps: 3 } }), "Go"),
        AgentTest.script(...turns)
      )
      assert.deepInclude(outcome, { status: "exhausted_steps", partial: true, text: "so far 3" })
      assert.strictEqual(outcome.usage.steps, 3)
    })
  )

  it.effect("has the documented limits, looked at before each call in the order deadline, steps, tokens (A143)", () =>
    Effect.gen(function* () {
      const turns = Array.from({ length: 50 }, (_, n) => AgentTest.call(note, { text: String(n) }))
      const outcome = yield* Effect.provide(Agent.run(agent(), "Go"), AgentTest.script(...turns))
      assert.strictEqual(outcome.status, "exhausted_steps")
      assert.strictEqual(outcome.usage.steps, 50)
      const both = agent({ limits: { steps: 0, tokens: 0, deadline: 0 } })
      const none = yield* Effect.provide(Agent.run(both, "Go"), AgentTest.script())
      assert.strictEqual(none.status, "deadline")
      const two = agent({ limits: { steps: 0, tokens: 0 } })
      const steps = yield* Effect.provide(Agent.run(two, "Go"), AgentTest.script())
      assert.strictEqual(steps.status, "exhausted_steps")
    })
  )

  it.effect("overshoots tokens by one call at most, and counts usage that is not told as 0 (A145)", () =>
    Effect.gen(function* () {
      const usage = { input: 60, output: 0 }
      const model = AgentTest.script(
        AgentTest.call(note, { text: "1" }, { usage }),
        AgentTest.call(note, { text: "2" }, { usage })
      )
      const outcome = yield* Effect.provide(Agent.run(agent({ limits: { tokens: 100 } }), "Go"), model)
      assert.strictEqual(outcome.status, "exhausted_tokens")
      assert.strictEqual(outcome.usage.input, 120)
    })
  )

  it.effect("ends at its deadline during a call, which the server is told to cancel (A146, A70)", () =>
    Effect.gen(function* () {
      const slow = AgentTest.recording(kb, ({ method }) => (method === "tools/call" ? AgentTest.hanging : undefined))
      const slowAgent = agent({ servers: { kb: slow }, limits: { deadline: 5_000 } })
      const running = yield* Effect.forkChild(
        Effect.provide(Agent.run(slowAgent, "Go"), AgentTest.script(AgentTest.call(note, { text: "x" })))
      )
      yield* until(() => slow.calls(note).length === 1)
      yield* TestClock.adjust(4_999)
      assert.isUndefined(running.pollUnsafe())
      yield* TestClock.adjust(1)
      const outcome = yield* Fiber.join(running)
      assert.strictEqual(outcome.status, "deadline")
      assert.deepStrictEqual(
        slow.cancelled.filter((method) => method === "tools/call"),
        ["tools/call"]
      )
    })
  )

  it.effect("is partial where the final answer was cut off, and refused where a filter ended it (A147)", () =>
    Effect.gen(function* () {
      const cut = yield* Effect.provide(Agent.run(agent(), "Go"), AgentTest.script(AgentTest.cutOff("The answer is")))
      assert.deepInclude(cut, { status: "completed", partial: true, text: "The answer is" })
      const filtered = AgentTest.script(AgentTest.say("", { finish: "content-filter" }))
      const refused = yield* Effect.provide(Agent.run(agent(), "Go"), filtered)
      assert.deepInclude(refused, { status: "refused", answer: undefined })
      const policy = AgentTest.script(AgentTest.fail(new ContentPolicyError({ description: "no" })))
      assert.strictEqual((yield* Effect.provide(Agent.run(agent(), "Go"), policy)).status, "refused")
    })
  )

  it.effect(
    "ends where the same call is made a fourth time in a turn, whatever the order of its arguments (A149)",
    () =>
      Effect.gen(function* () {
        const again = AgentTest.call(search, { query: "x" })
        const model = AgentTest.script(
          again,
          AgentTest.together(AgentTest.call(note, { text: "between" }), again),
          again,
          again
        )
        const outcome = yield* Effect.provide(Agent.run(agent(), "Go"), model)
        assert.deepInclude(outcome, { status: "loop_detected", partial: true })
        assert.strictEqual(outcome.calls(search).length, 3)
      })
  )

  it.effect("ends where three rounds, one after another, bring the same", () =>
    Effect.gen(function* () {
      const turns = [1, 2, 3].map((n) => AgentTest.callNamed("made_up", { n }))
      const outcome = yield* Effect.provide(Agent.run(agent(), "Go"), AgentTest.script(...turns))
      assert.strictEqual(outcome.status, "stalled")
    })
  )

  it.effect("goes on after arguments that are no JSON object, which the model is told (A41)", () =>
    Effect.gen(function* () {
      const model = AgentTest.script(
        AgentTest.together(
          AgentTest.callNamed("search", { _raw: '{"query": "unfinished' }),
          AgentTest.callNamed("search", ["x"]),
          AgentTest.callNamed("search", { nothing: 1 })
        ),
        (seen) => AgentTest.answer(seen.results.map(({ isError, value }) => [isError, value]))
      )
      const outcome = yield* Effect.provide(Agent.run(agent(), "Go"), model)
      const results = JSON.parse(outcome.text) as ReadonlyArray<readonly [boolean, string]>
      assert.deepStrictEqual(
        results.map(([isError]) => isError),
        [true, true, true]
      )
      assert.strictEqual(
        results[0]?.[1],
        "The arguments of this call are no valid JSON. Call it again with a JSON object."
      )
      assert.strictEqual(results[1]?.[1], "The arguments of this call are no JSON object. Call it again with one.")
      assert.include(results[2]?.[1], "query")
    })
  )

  it.effect("gives calls with one id, or none, each its own result", () =>
    Effect.gen(function* () {
      const twice = AgentTest.call(note, { text: "same" })
      const same = {
        options: {},
        parts: (...given: Parameters<typeof twice.parts>) =>
          Effect.map(twice.parts(...given), (parts) => [
            ...parts.map((part) => ({ ...part, id: "1" }) as (typeof parts)[number]),
            ...parts.map((part) => ({ ...part, id: "1" }) as (typeof parts)[number]),
            ...parts.map((part) => ({ ...part, id: "" }) as (typeof parts)[number])
          ])
      }
      const model = AgentTest.script(same, (seen) => {
        const ids = seen.messages.flatMap(({ content, role }) =>
          role === "tool" ? content.map((part) => (part.type === "tool-result" ? part.id : "")) : []
        )
        return AgentTest.answer([ids.length, new Set(ids).size, seen.results.length])
      })
      const outcome = yield* Effect.provide(Agent.run(agent(), "Go"), model)
      assert.deepStrictEqual(JSON.parse(outcome.text), [3, 3, 3])
    })
  )

  it.effect("ends by finish, once every call of the round has its result (A142)", () =>
    Effect.gen(function* () {
      const model = AgentTest.script(
        AgentTest.together(AgentTest.callNamed("finish", { answer: "Done it" }), AgentTest.call(note, { text: "last" }))
      )
      const outcome = yield* Effect.provide(Agent.run(agent(), "Go"), model)
      assert.deepInclude(outcome, { status: "completed", answer: "Done it" })
      assert.deepStrictEqual(
        outcome.calls(note).map(({ output }) => output),
        ["noted: last"]
      )
      const declining = AgentTest.script(AgentTest.callNamed("finish", { refused: true, reason: "Not mine to do" }))
      const refused = yield* Effect.provide(Agent.run(agent(), "Go"), declining)
      assert.deepInclude(refused, { status: "refused", text: "Not mine to do", answer: undefined })
    })
  )

  it.effect("asks twice more for an answer that is not of its form, and is partial after that (A153)", () =>
    Effect.gen(function* () {
      const Verdict = Schema.Struct({ verdict: Schema.Literals(["ok", "changes"]), rules: Schema.Array(Schema.Int) })
      const typed = Agent.make({ name: "r", instruction: "Review.", servers: { kb }, answer: Verdict })
      const model = AgentTest.script(
        AgentTest.say("It is fine."),
        AgentTest.answer({ verdict: "maybe", rules: [] }),
        (seen) => {
          assert.include(seen.task, "The answer is not of the agreed form")
          assert.include(seen.task, "verdict")
          return AgentTest.say('```json\n{ "verdict": "changes", "rules": [7] }\n```')
        }
      )
      const outcome = yield* Effect.provide(Agent.run(typed, "Go"), model)
      assert.deepStrictEqual(outcome.answer, { verdict: "changes", rules: [7] })
      assert.isFalse(outcome.partial)
      const never = AgentTest.script(AgentTest.say("a"), AgentTest.say("b"), AgentTest.say("c"))
      const partial = yield* Effect.provide(Agent.run(typed, "Go"), never)
      assert.deepInclude(partial, { status: "completed", partial: true, answer: undefined, text: "c" })
    })
  )

  it.effect(
    "is cancelled by a signal: what was reached is in the outcome, and the call in flight is cancelled on the wire",
    () =>
      Effect.gen(function* () {
        const controller = new AbortController()
        const slow = AgentTest.recording(kb, ({ tool }) => (tool === "note" ? AgentTest.hanging : undefined))
        const running = yield* Effect.forkChild(
          Effect.provide(
            Agent.run(agent({ servers: { kb: slow } }), "Go", { signal: controller.signal }),
            AgentTest.script(AgentTest.call(search, { query: "x" }), AgentTest.call(note, { text: "y" }))
          )
        )
        yield* until(() => slow.calls(note).length === 1)
        controller.abort()
        const outcome = yield* Fiber.join(running)
        assert.deepInclude(outcome, { status: "cancelled", partial: true })
        assert.deepStrictEqual(
          slow.cancelled.filter((method) => method === "tools/call"),
          ["tools/call"]
        )
      })
  )

  it.effect("interrupts the model that is being asked when it is interrupted (A158)", () =>
    Effect.gen(function* () {
      let state = "not asked"
      const asked = {
        options: {},
        parts: () =>
          Effect.suspend(() => {
            state = "asked"
            return Effect.onInterrupt(Effect.never, () =>
              Effect.sync(() => {
                state = "interrupted"
              })
            )
          })
      }
      const running = yield* Effect.forkChild(Effect.provide(Agent.run(agent(), "Go"), AgentTest.script(asked)))
      yield* until(() => state === "asked")
      yield* Fiber.interrupt(running)
      assert.strictEqual(state, "interrupted")
    })
  )

  it.effect("tells of everything as a stream, text in parts and the outcome last", () =>
    Effect.gen(function* () {
      const model = AgentTest.script(AgentTest.call(search, { query: "x" }), AgentTest.say("Request changes"))
      const items = yield* Stream.runCollect(Stream.provide(Agent.stream(agent(), "Go"), model))
      const tags = items.map(({ _tag }) => _tag)
      assert.deepStrictEqual(tags, [
        "ServerConnected",
        "ToolsListed",
        "RunStarted",
        "StepStarted",
        "ModelAnswered",
        "ToolCalled",
        "ToolReturned",
        "StepStarted",
        "TextDelta",
        "TextDelta",
        "ModelAnswered",
        "RunEnded",
        "Outcome"
      ])
      const ids = new Set(items.flatMap((item) => (item._tag === "Outcome" ? item.outcome.runId : item.runId)))
      assert.strictEqual(ids.size, 1)
    })
  )

  it.effect("goes on where whoever listens to events throws", () =>
    Effect.gen(function* () {
      const heard: Array<AgentEvent> = []
      const onEvent = (event: AgentEvent) => {
        heard.push(event)
        throw new Error("not my day")
      }
      const outcome = yield* Effect.provide(
        Agent.run(agent(), "Go", { onEvent }),
        AgentTest.script(AgentTest.say("ok"))
      )
      assert.strictEqual(outcome.status, "completed")
      assert.isAbove(heard.length, 3)
    })
  )
})
