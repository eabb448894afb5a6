import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { assert, describe, it } from "@effect/vitest"
import { AiError, NetworkError } from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import type { PartEncoded, StreamPartEncoded } from "effect/ai/Response"
import { Agent, type AgentDefinition, type AgentEvent } from "@treadle/agent"
import { AgentTest, type Seen, type Turn } from "@treadle/agent/test"
import { argumentsOf, isArguments } from "../../src/loop/CallArguments.ts"
import { finishTool } from "../../src/toolbox/FinishTool.ts"
import { kb, search } from "../kb.ts"

const agent = (more: Partial<Omit<AgentDefinition, "model">> = {}) =>
  Agent.make({ name: "r", instruction: "Go.", servers: { kb }, ...more })

/** An answer of these parts as they are. */
const parts = (...given: ReadonlyArray<object>): Turn => ({
  options: {},
  parts: () => Effect.succeed(given as ReadonlyArray<PartEncoded>)
})

const toolCall = (more: object = {}) => ({
  type: "tool-call",
  id: "c1",
  name: "mcp__kb__search",
  params: { query: "x" },
  ...more
})

/** Whether one of the calls is one of `finish` whose arguments are some. */
const endsAtOnce = (params: ReadonlyArray<Schema.Json>): boolean =>
  params.some((one, index) => index % 2 === 1 && isArguments(argumentsOf(one, finishTool(undefined).inputSchema)))

/** Calls and results of a transcript go together. */
const whole = (seen: Seen): void => {
  for (const [index, { content, role }] of seen.messages.entries()) {
    if (role !== "assistant" || typeof content === "string") continue
    const calls = content.flatMap((part) => (part.type === "tool-call" && !part.providerExecuted ? [part.id] : []))
    const next = seen.messages[index + 1]
    const results =
      next?.role === "tool" ? next.content.flatMap((part) => (part.type === "tool-result" ? [part.id] : [])) : []
    assert.deepStrictEqual(results, calls)
  }
}

describe("a hostile model", () => {
  it.effect.each([
    ["stop", { status: "completed", partial: false }],
    ["unknown", { status: "completed", partial: false }],
    ["other", { status: "completed", partial: false }],
    ["tool-calls", { status: "completed", partial: false }],
    ["length", { status: "completed", partial: true }],
    ["error", { status: "completed", partial: true }],
    ["content-filter", { status: "refused", partial: false }]
  ] as const)("that calls nothing ends the run, though it says %s (B091, A147)", ([finish, ended]) =>
    Effect.gen(function* () {
      const outcome = yield* Effect.provide(
        Agent.run(agent(), "Hi"),
        AgentTest.script(AgentTest.say("Hello", { finish }))
      )
      assert.deepInclude(outcome, { ...ended, text: "Hello" })
      assert.strictEqual(outcome.usage.steps, 1)
    })
  )

  it.effect("that says nothing has given no answer, and what it said before is kept (B091)", () =>
    Effect.gen(function* () {
      const empty = yield* Effect.provide(Agent.run(agent(), "Hi"), AgentTest.script(parts()))
      assert.deepInclude(empty, { status: "completed", partial: true, text: "", answer: undefined })
      const before = AgentTest.script(
        AgentTest.together(AgentTest.say("It is rule 7."), AgentTest.call(search, { query: "x" })),
        parts()
      )
      const kept = yield* Effect.provide(Agent.run(agent(), "Hi"), before)
      assert.deepInclude(kept, { status: "completed", partial: true, text: "It is rule 7.", answer: "It is rule 7." })
    })
  )

  it.effect("that pauses is asked to go on, within the limit of steps", () =>
    Effect.gen(function* () {
      const pause = AgentTest.say("hm", { finish: "pause" })
      const going = yield* Effect.provide(Agent.run(agent(), "Hi"), AgentTest.script(pause, AgentTest.say("done")))
      assert.strictEqual(going.text, "done")
      const never = yield* Effect.provide(
        Agent.run(agent({ limits: { steps: 3 } }), "Hi"),
        AgentTest.script(pause, pause, pause)
      )
      assert.strictEqual(never.status, "exhausted_steps")
    })
  )

  it.effect("that never stops calling ends with its steps; with one step it gets one answer (B091)", () =>
    Effect.gen(function* () {
      const one = yield* Effect.provide(
        Agent.run(agent({ limits: { steps: 1 } }), "Hi"),
        AgentTest.script(AgentTest.call(search, { query: "x" }))
      )
      assert.deepInclude(one, { status: "exhausted_steps", partial: true })
      assert.strictEqual(one.calls(search).length, 1)
    })
  )

  it.effect("that has no tools but answers ends at once (B091)", () =>
    Effect.gen(function* () {
      const outcome = yield* Effect.provide(
        Agent.run(agent({ servers: {} }), "Hi"),
        AgentTest.script(AgentTest.say("Hello"))
      )
      assert.deepInclude(outcome, { status: "completed", text: "Hello" })
    })
  )

  it.effect("that invents results, or repeats ids, leaves a transcript that providers take", () =>
    Effect.gen(function* () {
      const invented = { type: "tool-result", id: "c1", name: "mcp__kb__search", isFailure: false, result: "made up" }
      const model = AgentTest.script(
        parts(
          { type: "reasoning", text: "hm" },
          invented,
          toolCall(),
          { type: "text", text: "and" },
          toolCall({ params: { query: "y" } }),
          { ...invented, id: "elsewhere" }
        ),
        (seen) => {
          whole(seen)
          assert.notInclude(seen.prompt, "made up")
          assert.include(seen.prompt, "hm")
          return AgentTest.answer(seen.results.length)
        }
      )
      assert.strictEqual((yield* Effect.provide(Agent.run(agent(), "Hi"), model)).text, "2")
    })
  )

  it.effect("whose provider runs tools itself keeps those results, and is not asked to make them", () =>
    Effect.gen(function* () {
      const model = AgentTest.script(
        parts(
          toolCall({ id: "p1", providerExecuted: true }),
          {
            type: "tool-result",
            id: "p1",
            name: "mcp__kb__search",
            isFailure: false,
            result: ["hit"],
            providerExecuted: true
          },
          toolCall({ id: "p1" })
        ),
        (seen) => {
          whole(seen)
          assert.include(seen.prompt, '← mcp__kb__search ["hit"]')
          return AgentTest.say("ok")
        }
      )
      const outcome = yield* Effect.provide(Agent.run(agent(), "Hi"), model)
      assert.deepStrictEqual(
        outcome.calls().map(({ tool }) => tool),
        ["search"]
      )
    })
  )

  it.effect.prop(
    "that sends arguments of every kind never breaks a run (A41)",
    [Arbitrary.array(Arbitrary.schema(Schema.Json), { maxLength: 6 })],
    ([params]) =>
      Effect.gen(function* () {
        const turn = parts(
          ...params.map((one, index) =>
            toolCall({ id: `c${index}`, params: one, name: index % 2 === 0 ? "mcp__kb__search" : "finish" })
          )
        )
        const talk = Effect.gen(function* () {
          const conversation = yield* Agent.session(agent())
          yield* conversation.say("one")
          return yield* conversation.say("two")
        })
        const model = AgentTest.cast((seen) => (seen.task === "one" ? "one" : "two"), {
          one: params.length === 0 ? [turn] : [turn, AgentTest.say("ok")].slice(0, endsAtOnce(params) ? 1 : 2),
          two: [
            (seen) => {
              whole(seen)
              return AgentTest.say("ok")
            }
          ]
        })
        assert.strictEqual((yield* Effect.provide(Effect.scoped(talk), model)).text, "ok")
      })
  )

  /** A model whose stream gives these parts and then breaks. */
  const breaking = (...given: ReadonlyArray<StreamPartEncoded>) =>
    Layer.effect(
      LanguageModel.LanguageModel,
      LanguageModel.make({
        generateText: () => Effect.die("it is asked in a stream"),
        streamText: () =>
          Stream.concat(
            Stream.fromIterable(given),
            Stream.fail(
              new AiError({
                module: "test",
                method: "stream",
                reason: new NetworkError({ reason: "TransportError", method: "POST", url: "https://model.test/" })
              })
            )
          )
      })
    )

  it.effect(
    "whose stream breaks in the middle leaves no half answer: the run has no model, a conversation goes on",
    () =>
      Effect.gen(function* () {
        const events: Array<AgentEvent> = []
        const half: ReadonlyArray<StreamPartEncoded> = [
          { type: "text-start", id: "t" },
          { type: "text-delta", id: "t", delta: "The answer is" }
        ]
        const items = Stream.runDrain(Agent.stream(agent(), "Hi", { onEvent: (event) => events.push(event) }))
        const failed = yield* Effect.flip(Effect.provide(items, breaking(...half)))
        assert.strictEqual(failed.reason._tag, "IntelligenceUnavailable")
        assert.deepInclude(events.at(-2), { _tag: "TextDelta", text: "The answer is" })
        assert.deepInclude(events.at(-1), { _tag: "RunEnded", status: "failed" })
      })
  )

  it.effect("whose stream ends without a finish is heard all the same", () =>
    Effect.gen(function* () {
      const unended = Layer.effect(
        LanguageModel.LanguageModel,
        LanguageModel.make({
          generateText: () => Effect.die("it is asked in a stream"),
          streamText: () =>
            Stream.fromIterable<StreamPartEncoded>([
              { type: "text-start", id: "t" },
              { type: "text-delta", id: "t", delta: "Fine" }
            ])
        })
      )
      const outcome = yield* Effect.provide(Agent.run(agent(), "Hi", { stream: true }), unended)
      assert.deepInclude(outcome, { status: "completed", text: "Fine" })
      assert.deepStrictEqual(outcome.usage, { input: 0, output: 0, steps: 1 })
    })
  )
})
