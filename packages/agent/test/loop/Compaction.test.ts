import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import { assert, describe, it } from "@effect/vitest"
import * as Prompt from "effect/ai/Prompt"
import { Agent, type AgentEvent } from "@treadle/agent"
import { AgentTest, type Seen } from "@treadle/agent/test"
import { Endpoint, Mcp } from "@treadle/server"
import { planCompaction, summaryMessage } from "../../src/loop/Compaction.ts"

const message = (role: "user" | "assistant" | "tool", text: string): Prompt.Message => {
  switch (role) {
    case "user":
      return Prompt.userMessage({ content: [Prompt.textPart({ text })] })
    case "assistant":
      return Prompt.assistantMessage({
        content: [Prompt.toolCallPart({ id: text, name: "x", params: {}, providerExecuted: false })]
      })
    case "tool":
      return Prompt.toolMessage({
        content: [
          Prompt.toolResultPart({ id: text, name: "x", isFailure: false, result: text, providerExecuted: false })
        ]
      })
  }
}

/** A task and rounds of one call each. */
const rounds = (count: number) => [
  message("user", "the task"),
  ...Array.from({ length: count }, (_, n) => [message("assistant", `${n}`), message("tool", `${n}`)]).flat()
]

const plan = (count: number, size: number, window: number) => {
  const messages = rounds(count)
  return planCompaction(
    messages,
    messages.map(() => size),
    window
  )
}

describe("a transcript that grows", () => {
  it("is left as it is up to 70 % of the window", () => {
    assert.isUndefined(plan(20, 10, 586))
    assert.exists(plan(20, 10, 585))
  })

  it("keeps its last twelve messages, or one more so that no result is the first (A152)", () => {
    assert.strictEqual(plan(20, 10, 500)?.until, 41 - 12)
    const odd = [...rounds(20), message("user", "a further one")]
    const sizes = odd.map(() => 10)
    assert.strictEqual(planCompaction(odd, sizes, 500)?.until, 42 - 13)
  })

  it("keeps fewer where they are too many for the window, but for the last round", () => {
    assert.strictEqual(plan(20, 100, 1_000)?.until, 41 - 2)
    assert.strictEqual(plan(20, 100, 2_000)?.until, 41 - 6)
    assert.strictEqual(plan(20, 1_000, 100)?.until, 41 - 2)
    assert.isUndefined(plan(1, 1_000, 100))
  })

  it("keeps its task, and no summary of an earlier time", () => {
    const one = plan(20, 10, 500)
    assert.strictEqual(one?.task, "the task")
    if (one === undefined) return
    const first = summaryMessage(one, "what was found")
    const again = [message("user", first), ...rounds(20).slice(1)]
    const two = planCompaction(
      again,
      again.map(() => 10),
      500
    )
    assert.strictEqual(two?.task, "the task")
    assert.isTrue(two?.text.startsWith("what was found\n\nassistant: calls x with {}"))
    if (two === undefined) return
    assert.isBelow(summaryMessage(two, "s".repeat(1_000_000)).length, 9_000)
  })
})

const page = Endpoint.make("page", { description: "A page", input: { number: Schema.Int } })

const book = Mcp.make({ name: "book", version: "1.0.0" }).tool(page, ({ number }) =>
  Effect.succeed(`page ${number}: ${"word ".repeat(60)}`)
)

/** Some five rounds fit between two summaries. */
const expectedSummaries = 7

/** Rounds before the first summary. */
const roundsThatFit = 6

const isSummary = (seen: Seen): boolean => seen.prompt.startsWith("Sum up this transcript")

/** Roles from the first message after those of the system on, and whether calls and results go together. */
const shape = (seen: Seen): void => {
  const messages = seen.messages.filter(({ role }) => role !== "system")
  assert.strictEqual(messages[0]?.role, "user")
  for (const [index, one] of messages.entries()) {
    if (one.role === "tool") assert.strictEqual(messages[index - 1]?.role, "assistant")
  }
}

describe("a run with a small window", () => {
  it.effect("is summed up by its model as it goes on, and knows its task to the end (A152)", () =>
    Effect.gen(function* () {
      const reader = Agent.make({ name: "reader", instruction: "Read.", servers: { book }, limits: { window: 1_500 } })
      const turns = Array.from({ length: 30 }, (_, n) => (seen: Seen) => {
        shape(seen)
        assert.include(seen.prompt, "Read the whole book")
        return AgentTest.call(page, { number: n })
      })
      let summaries = 0
      const model = AgentTest.cast((seen) => (isSummary(seen) ? "summary" : "reader"), {
        summary: Array.from({ length: expectedSummaries }, () => (seen: Seen) => {
          summaries++
          assert.include(seen.prompt, "calls mcp__book__page")
          return AgentTest.say(`summary ${summaries}`, { usage: { input: 100, output: 1 } })
        }),
        reader: [
          ...turns,
          (seen) => {
            assert.include(seen.prompt, `summary ${summaries}`)
            assert.notInclude(seen.prompt, `summary ${summaries - 1}\n`)
            return AgentTest.say("read")
          }
        ]
      })
      const events: Array<AgentEvent> = []
      const outcome = yield* Effect.provide(
        Agent.run(reader, "Read the whole book", { onEvent: (event) => events.push(event) }),
        model
      )
      assert.strictEqual(outcome.text, "read")
      assert.strictEqual(outcome.calls(page).length, 30)
      const compacted = events.filter(({ _tag }) => _tag === "Compacted")
      assert.strictEqual(compacted.length, expectedSummaries)
      assert.strictEqual(outcome.usage.input, 31 * 10 + expectedSummaries * 100)
      assert.strictEqual(outcome.usage.steps, 31)
    })
  )

  it.effect("goes on with a list of what was called where its model cannot sum up", () =>
    Effect.gen(function* () {
      const reader = Agent.make({ name: "reader", instruction: "Read.", servers: { book }, limits: { window: 1_500 } })
      const model = AgentTest.cast((seen) => (isSummary(seen) ? "summary" : "reader"), {
        summary: [AgentTest.fail(), AgentTest.say(" ")],
        reader: [
          ...Array.from({ length: 12 }, (_, n) => AgentTest.call(page, { number: n })),
          (seen) => {
            assert.include(seen.prompt, "calls mcp__book__page")
            return AgentTest.say("read")
          }
        ]
      })
      const outcome = yield* Effect.provide(Agent.run(reader, "Read the whole book"), model)
      assert.strictEqual(outcome.text, "read")
    })
  )

  const cramped = (tokens: number) =>
    Agent.make({ name: "reader", instruction: "Read.", servers: { book }, limits: { window: 1_500, tokens } })

  it.effect("counts the summing up, and asks nothing more once that has used up its tokens (A145)", () =>
    Effect.gen(function* () {
      const model = AgentTest.cast((seen) => (isSummary(seen) ? "summary" : "reader"), {
        summary: [AgentTest.say("summary", { usage: { input: 900, output: 100 } })],
        reader: Array.from({ length: roundsThatFit }, (_, n) => AgentTest.call(page, { number: n }))
      })
      const outcome = yield* Effect.provide(Agent.run(cramped(1_000), "Read the whole book"), model)
      assert.deepInclude(outcome, { status: "exhausted_tokens", partial: true })
      assert.strictEqual(outcome.usage.steps, roundsThatFit)
    })
  )

  it.effect("keeps its transcript as it was where it is cancelled while it is summed up (A148)", () =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<void>()
      const model = AgentTest.cast((seen) => (isSummary(seen) ? "summary" : "reader"), {
        summary: [
          () => {
            Deferred.doneUnsafe(asked, Exit.void)
            return AgentTest.hang
          },
          AgentTest.say("summary")
        ],
        reader: [
          ...Array.from({ length: roundsThatFit }, (_, n) => AgentTest.call(page, { number: n })),
          (seen) => {
            shape(seen)
            assert.include(seen.prompt, "summary")
            return AgentTest.say("read")
          }
        ]
      })
      const events: Array<AgentEvent> = []
      const talk = Effect.gen(function* () {
        const session = yield* Agent.session(cramped(100_000), { onEvent: (event) => events.push(event) })
        const first = yield* Effect.forkChild(session.say("Read the whole book"), { startImmediately: true })
        yield* Deferred.await(asked)
        yield* session.cancel
        assert.strictEqual((yield* Fiber.join(first)).status, "cancelled")
        assert.isFalse(events.some(({ _tag }) => _tag === "Compacted"))
        assert.strictEqual((yield* session.say("Go on")).text, "read")
      })
      yield* Effect.provide(Effect.scoped(talk), model)
    })
  )
})
