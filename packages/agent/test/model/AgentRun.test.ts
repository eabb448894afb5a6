/** A run of an agent on each wire, whole and in a stream: what it is asked, from the first turn to the answer. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { Agent, AgentError } from "@treadle/agent"
import { Anthropic, OpenAiCompat, type ModelLayer } from "@treadle/agent/model"
import {
  anthropicAnswer,
  anthropicStream,
  openAiAnswer,
  openAiCall,
  openAiStream,
  scriptedModel,
  streams,
  type ModelAnswer
} from "@treadle/testing"
import { kb, search } from "../kb.ts"

const reviewer = Agent.make({ name: "reviewer", instruction: "You review pull requests.", servers: { kb } })

const done = "Request changes: rule 7."
const searching = '{"query":"force push"}'
const name = "mcp__kb__search"

/** What a wire says in the three turns: a call with broken arguments, the same one right, the answer. */
interface Wire {
  readonly model: (url: string) => ModelLayer
  readonly whole: readonly [ModelAnswer, ...Array<ModelAnswer>]
  readonly streamed: readonly [ModelAnswer, ...Array<ModelAnswer>]
  /** The results of tools in the last request: the text and whether they failed. */
  readonly results: (body: any) => ReadonlyArray<readonly [boolean, string]>
}

const openAiDelta = (id: string, args: string) => ({
  tool_calls: [{ index: 0, id, type: "function", function: { name, arguments: args } }]
})

const anthropicUse = (id: string, args: string) => ({
  block: { type: "tool_use", id, name, input: {} },
  deltas: [{ type: "input_json_delta", partial_json: args }]
})

const wires: Readonly<Record<string, Wire>> = {
  "chat completions": {
    model: (url) => Layer.orDie(OpenAiCompat.layer({ url, model: "m" })),
    whole: [
      openAiAnswer({ tool_calls: [openAiCall("c1", name, '{"query":')] }, "tool_calls"),
      openAiAnswer({ tool_calls: [openAiCall("c2", name, searching)] }, "tool_calls"),
      openAiAnswer({ content: done })
    ],
    streamed: [
      streams(openAiStream([openAiDelta("c1", '{"query":')], "tool_calls")),
      streams(openAiStream([openAiDelta("c2", searching)], "tool_calls")),
      streams(openAiStream([{ content: "Request changes: " }, { content: "rule 7." }]))
    ],
    results: ({ messages }) =>
      messages
        .filter(({ role }: any) => role === "tool")
        .map(({ content }: any) => [content.startsWith("ERROR: "), content])
  },
  "Anthropic's messages": {
    model: (url) => Layer.orDie(Anthropic.layer({ url, model: "m" })),
    whole: [
      anthropicAnswer([{ type: "tool_use", id: "c1", name, input: { query: 7 } }], "tool_use"),
      anthropicAnswer([{ type: "tool_use", id: "c2", name, input: { query: "force push" } }], "tool_use"),
      anthropicAnswer([{ type: "text", text: done }])
    ],
    streamed: [
      streams(anthropicStream([anthropicUse("c1", '{"query":')], "tool_use")),
      streams(anthropicStream([anthropicUse("c2", searching)], "tool_use")),
      streams(anthropicStream([{ block: { type: "text", text: "" }, deltas: [{ type: "text_delta", text: done }] }]))
    ],
    results: ({ messages }) =>
      messages
        .flatMap(({ content }: any) => content)
        .filter(({ type }: any) => type === "tool_result")
        .map(({ content, is_error }: any) => [is_error === true, content])
  }
}

const ways = {
  whole: Agent.run(reviewer, "Review PR 7"),
  streamed: Agent.stream(reviewer, "Review PR 7").pipe(
    Stream.runCollect,
    Effect.map((items) => items.flatMap((item) => (item._tag === "Outcome" ? [item.outcome] : []))[0]!)
  )
}

for (const [wire, { model, results, ...turns }] of Object.entries(wires)) {
  for (const way of ["whole", "streamed"] as const) {
    describe(`a run of an agent over ${wire}, ${way}`, () => {
      it.effect("A41, A42: answers a broken call with an error, the next one with its result, and ends", () =>
        Effect.gen(function* () {
          const service = yield* scriptedModel(...turns[way])
          const outcome = yield* Effect.provide(ways[way], model(service.url))
          assert.strictEqual(outcome.status, "completed")
          assert.strictEqual(outcome.text, done)
          assert.deepStrictEqual(
            outcome
              .calls(search)
              .map(({ output }) => output)
              .at(-1),
            ["Rule 7: no force pushes (force push)"]
          )
          const [broken, right, ...others] = results(service.seen.events[2]!.json)
          assert.isTrue(broken?.[0])
          assert.isFalse(right?.[0])
          assert.include(right?.[1], "Rule 7: no force pushes")
          assert.lengthOf(others, 0)
          assert.strictEqual(outcome.usage.steps, 3)
          assert.isAbove(outcome.usage.input, 50)
          assert.isAbove(outcome.usage.output, 20)
        })
      )

      it.effect("A157: ends without a model where the service is not there", () =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(Effect.provide(ways[way], model("http://127.0.0.1:1")))
          assert.instanceOf(error, AgentError)
          assert.strictEqual(error.reason._tag, "IntelligenceUnavailable")
        })
      )
    })
  }
}
