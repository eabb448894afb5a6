// Agents in one process, with a model that answers at once: what an idle conversation keeps, what a run costs beside the
// same loop written by hand, and whether many runs leave something behind. Prints one line of JSON.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Prompt from "effect/ai/Prompt"
import * as Tool from "effect/ai/Tool"
import { Agent } from "@treadle/agent"
import { McpClient } from "@treadle/client"
import { Endpoint, Mcp } from "@treadle/server"

const [, , what, quick] = process.argv
const few = quick === "quick"

const add = Endpoint.make("add", {
  description: "Adds two numbers",
  input: { a: Schema.Int, b: Schema.Int },
  output: Schema.Struct({ sum: Schema.Int })
})
const sums = Mcp.make({ name: "sums", version: "1.0.0" }).tool(add, ({ a, b }) => Effect.succeed({ sum: a + b }))

const usage = { inputTokens: { total: 10 }, outputTokens: { total: 5 } }
const finish = (reason) => ({ type: "finish", reason, usage })

/** Calls `add` until it has seen as many results as it is to make, then answers. */
const modelOf = (calls) =>
  LanguageModel.make({
    generateText: ({ prompt }) => {
      const last = prompt.content.findLastIndex(({ role }) => role === "user")
      const results = prompt.content.slice(last).filter(({ role }) => role === "tool").length
      const part =
        results < calls
          ? { type: "tool-call", id: `c${results}`, name: "mcp__sums__add", params: { a: results, b: 1 } }
          : { type: "text", text: "done" }
      return Effect.succeed([part, finish(results < calls ? "tool-calls" : "stop")])
    },
    streamText: () => Stream.empty
  })
const layerOf = (calls) => Layer.effect(LanguageModel.LanguageModel, modelOf(calls))

const adder = Agent.make({ name: "adder", instruction: "You add.", servers: { sums } })

const heap = async () => {
  for (let round = 0; round < 4; round++) {
    globalThis.gc()
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  const { external, heapUsed, rss } = process.memoryUsage()
  return { heap: heapUsed + external, rss }
}

/** Idle conversations with one agent, each of them after one turn with a call. */
const idle = Effect.gen(function* () {
  const count = few ? 1_000 : 10_000
  const agent = yield* Agent.connect(adder)
  const held = []
  const open = Effect.gen(function* () {
    const conversation = yield* agent.session()
    yield* conversation.say("Add one")
    held.push(conversation)
  })
  for (let index = 0; index < 200; index++) yield* open
  const before = yield* Effect.promise(heap)
  const began = performance.now()
  for (let index = 0; index < count; index++) yield* open
  const made = performance.now() - began
  const after = yield* Effect.promise(heap)
  return {
    count,
    heapKiB: (after.heap - before.heap) / count / 1024,
    rssKiB: (after.rss - before.rss) / count / 1024,
    made,
    held: held.length
  }
})

/** The same loop by hand: a toolkit of what the server lists, and its calls by name. */
const byHand = (session, toolkit, model) =>
  Effect.gen(function* () {
    const messages = [
      Prompt.systemMessage({ content: "You add." }),
      Prompt.userMessage({ content: [Prompt.textPart({ text: "Add one" })] })
    ]
    for (;;) {
      const response = yield* model.generateText({
        prompt: Prompt.fromMessages(messages),
        toolkit,
        disableToolCallResolution: true,
        toolCallValidation: "deferred"
      })
      messages.push(...Prompt.fromResponseParts(response.content).content)
      if (response.toolCalls.length === 0) return response.text
      const content = []
      for (const call of response.toolCalls) {
        const result = yield* session.callTool("add", call.params)
        content.push(
          Prompt.toolResultPart({
            id: call.id,
            name: call.name,
            isFailure: result.isError === true,
            result: result.structuredContent,
            providerExecuted: false
          })
        )
      }
      messages.push(Prompt.toolMessage({ content }))
    }
  })

const timed = (effect, times) =>
  Effect.gen(function* () {
    const began = process.cpuUsage()
    for (let index = 0; index < times; index++) yield* effect
    const { system, user } = process.cpuUsage(began)
    return (system + user) / times
  })

/** Processor time of one run with one call, beside the loop by hand, in alternation. */
const spawn = Effect.gen(function* () {
  const model = yield* LanguageModel.LanguageModel
  const agent = yield* Agent.connect(adder)
  const session = yield* McpClient.direct(sums, {})
  const tools = yield* session.listTools()
  const toolkit = yield* Effect.succeed({
    tools: Object.fromEntries(
      tools.map((tool) => [
        `mcp__sums__${tool.name}`,
        Tool.dynamic(`mcp__sums__${tool.name}`, { description: tool.description, parameters: tool.inputSchema })
      ])
    ),
    handle: () => Effect.die("not asked")
  })
  const hand = byHand(session, toolkit, model)
  const ours = agent.run("Add one")
  const whole = Agent.run(adder, "Add one")
  const times = few ? 200 : 1_000
  yield* timed(hand, times)
  yield* timed(ours, times)
  yield* timed(whole, times / 10)
  const rounds = []
  for (let round = 0; round < (few ? 3 : 9); round++) {
    const one = yield* timed(hand, times)
    const other = yield* timed(ours, times)
    const connected = yield* timed(whole, times / 10)
    rounds.push({ hand: one, run: other, whole: connected })
  }
  return { rounds }
})

/** Runs of ten steps, a thousand at once, batch after batch. */
const many = Effect.gen(function* () {
  const agent = yield* Agent.connect(adder)
  const batch = Effect.forEach(Array.from({ length: few ? 200 : 1_000 }), () => agent.run("Add"), {
    concurrency: "unbounded"
  })
  const sizes = []
  for (let round = 0; round < 5; round++) {
    const outcomes = yield* batch
    if (outcomes.some(({ status, usage: used }) => status !== "completed" || used.steps !== 10)) {
      return yield* Effect.die("a run did not do ten steps")
    }
    sizes.push((yield* Effect.promise(heap)).heap / 1024 / 1024)
  }
  return { sizes }
})

const cases = { idle: [idle, 1], spawn: [spawn, 1], many: [many, 9] }
const [program, calls] = cases[what]
const result = await Effect.runPromise(Effect.provide(Effect.scoped(program), layerOf(calls)))
console.log(JSON.stringify(result))
