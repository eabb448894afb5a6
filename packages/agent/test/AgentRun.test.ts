import { getEventListeners } from "node:events"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { assert, describe, it } from "@effect/vitest"
import { LanguageModel } from "effect/ai/LanguageModel"
import { Agent, Server, type AgentEvent } from "@treadle/agent"
import { AgentTest, type TurnLike } from "@treadle/agent/test"
import { CurrentCall, Mcp } from "@treadle/server"
import { heardSpans } from "@treadle/testing"
import { kb, note, rule, search } from "./kb.ts"
import { native, result, said, serving, tool } from "./wire.ts"

const agent = Agent.make({ name: "reviewer", instruction: "You review.", servers: { kb } })

class Key extends Context.Service<Key, { readonly key: string }>()("test/Key") {}

describe("the model of an agent", () => {
  it.effect("of its own may need services, which a run then needs in its place", () =>
    Effect.gen(function* () {
      const model = Layer.unwrap(Effect.map(Key, ({ key }) => AgentTest.script(AgentTest.say(`by ${key}`))))
      const own = Agent.make({ name: "own", instruction: "Go.", model })
      const outcome = yield* Effect.provideService(Agent.run(own, "Go"), Key, { key: "k1" })
      assert.strictEqual(outcome.text, "by k1")
    })
  )

  it.effect("of its own is made for a run, and is gone with it, whatever else is provided", () =>
    Effect.gen(function* () {
      let open = 0
      const counting = Layer.effectDiscard(
        Effect.acquireRelease(
          Effect.sync(() => open++),
          () => Effect.sync(() => open--)
        )
      )
      const model = Layer.merge(
        counting,
        AgentTest.script(() => AgentTest.say(`open: ${open}`))
      )
      const own = Agent.make({ name: "own", instruction: "Go.", model })
      const other = AgentTest.script()
      assert.strictEqual((yield* Effect.provide(Agent.run(own, "Go"), other)).text, "open: 1")
      assert.strictEqual(open, 0)
    })
  )

  it.effect("that cannot be made leaves a run without one", () =>
    Effect.gen(function* () {
      const model = Layer.effect(LanguageModel, Effect.fail("no key"))
      const failed = yield* Effect.flip(Agent.run(Agent.make({ name: "own", instruction: "Go.", model }), "Go"))
      assert.strictEqual(failed.reason._tag, "IntelligenceUnavailable")
      assert.include(failed.message, "no key")
    })
  )
})

describe("what a run tells", () => {
  it.effect("is whose it is, and the tokens that were used, in its events and its outcome (A172)", () =>
    Effect.gen(function* () {
      const events: Array<AgentEvent> = []
      const model = AgentTest.script(
        AgentTest.call(search, { query: "x" }, { usage: { input: 1_000, output: 20 } }),
        AgentTest.say("ok", { usage: { input: 1_100, output: 3 } })
      )
      const outcome = yield* Effect.provide(
        Agent.run(agent, "Go", { runId: "r1", onEvent: (event) => events.push(event) }),
        model
      )
      assert.deepStrictEqual(outcome.usage, { input: 2_100, output: 23, steps: 2 })
      const told = events.flatMap((event) => (event._tag === "ModelAnswered" ? [[event.input, event.output]] : []))
      assert.deepStrictEqual(told, [
        [1_000, 20],
        [1_100, 3]
      ])
      assert.deepInclude(events.at(-1), { _tag: "RunEnded", status: "completed", usage: outcome.usage })
      for (const event of events) assert.deepInclude(event, { runId: "r1", path: "0" })
    })
  )

  it.effect("is the same in a stream, which another may hear as well", () =>
    Effect.gen(function* () {
      const heard: Array<AgentEvent> = []
      const model = AgentTest.script(AgentTest.call(note, { text: "x" }), AgentTest.say("ok"))
      const items = yield* Effect.provide(
        Stream.runCollect(Agent.stream(agent, "Go", { stream: false, onEvent: (event) => heard.push(event) })),
        model
      )
      assert.deepStrictEqual(items.slice(0, -1), heard)
      assert.notInclude(
        heard.map(({ _tag }) => _tag),
        "TextDelta"
      )
    })
  )
})

describe("what a run leaves behind", () => {
  it.effect("is no listener at its signal, and tokens count for the tree", () =>
    Effect.gen(function* () {
      const { signal } = new AbortController()
      const turn = () => {
        assert.isAbove(getEventListeners(signal, "abort").length, 0)
        return AgentTest.call(note, { text: "x" })
      }
      const small = Agent.make({ name: "r", instruction: "Go.", servers: { kb }, limits: { treeTokens: 30 } })
      const outcome = yield* Effect.provide(Agent.run(small, "Go", { signal }), AgentTest.script(turn, turn))
      assert.strictEqual(outcome.status, "exhausted_tokens")
      assert.strictEqual(getEventListeners(signal, "abort").length, 0)
    })
  )
})

describe("whoever listens", () => {
  it.effect("and throws keeps nothing from the stream of a run", () =>
    Effect.gen(function* () {
      const onEvent = () => {
        throw new Error("not my day")
      }
      const model = AgentTest.script(AgentTest.say("ok"))
      const items = yield* Effect.provide(Stream.runCollect(Agent.stream(agent, "Go", { onEvent })), model)
      assert.include(
        items.map(({ _tag }) => _tag),
        "RunEnded"
      )
    })
  )

  it.effect("hears the end of a run that was cancelled before it began", () =>
    Effect.gen(function* () {
      const server = yield* serving(() => {})
      const one = Agent.make({ name: "r", instruction: "Go.", servers: { box: server.url } })
      const events: Array<AgentEvent> = []
      const options = { signal: AbortSignal.abort(), onEvent: (event: AgentEvent) => void events.push(event) }
      const outcome = yield* Effect.provide(Agent.run(one, "Go", options), AgentTest.script())
      assert.strictEqual(outcome.status, "cancelled")
      assert.deepInclude(events.at(-1), { _tag: "RunEnded", status: "cancelled", runId: outcome.runId })
    })
  )
})

describe("who reads a stream slowly", () => {
  it.effect("is not told of all the progress of a server that tells of it without end, and of everything else", () =>
    Effect.gen(function* () {
      const flood = Mcp.make({ name: "flood", version: "1.0.0" }).tool("flood", { description: "Floods" }, () =>
        Effect.as(
          Effect.forEach(Array.from({ length: 5_000 }), (_, done) => CurrentCall.progress(done), { discard: true }),
          "flooded"
        )
      )
      let over = () => {}
      const ended = new Promise<void>((resolve) => {
        over = resolve
      })
      const options = { onEvent: ({ _tag }: AgentEvent) => _tag === "RunEnded" && over() }
      const model = AgentTest.script(AgentTest.callNamed("mcp__flood__flood"), AgentTest.say("done"))
      const reader = Agent.make({ name: "reader", instruction: "Go.", servers: { flood }, model })
      const read = Stream.tap(Agent.stream(reader, "Go", options), () => Effect.promise(() => ended))
      const tags = (yield* Stream.runCollect(read)).map(({ _tag }) => _tag)
      const progress = tags.filter((tag) => tag === "ToolProgress").length
      // What the reader has taken already waits no more.
      assert.isAbove(progress, 500)
      assert.isBelow(progress, 3_000)
      assert.strictEqual(tags.at(-1), "Outcome")
      assert.include(tags, "ToolReturned")
    })
  )
})

describe("the calls of an outcome", () => {
  it.effect("are read by a contract, and are there as they came where they do not fit it (B100)", () =>
    Effect.gen(function* () {
      const answers = [
        { number: 7, text: "right" },
        { number: "7", text: "wrong" },
        { number: 7, text: "more", extra: true },
        undefined
      ]
      let next = 0
      const server = yield* serving(
        native({
          tools: [tool("rule")],
          call: ({ json }, reply) => {
            const structuredContent = answers[next++]
            const more = { ...(structuredContent === undefined ? {} : { structuredContent }), _meta: { at: "x" } }
            reply.json(result(json.id, said('{"number":7}', more)))
          }
        })
      )
      const one = Agent.make({ name: "r", instruction: "Go.", servers: { box: Server.http(server.url) } })
      const model = AgentTest.script(
        ...answers.map((_, index) => AgentTest.call(rule, { number: index })),
        AgentTest.say("ok")
      )
      const outcome = yield* Effect.provide(Agent.run(one, "Go"), model)
      const [right, wrong, more, missing] = outcome.calls(rule)
      assert.deepStrictEqual(right?.output, { number: 7, text: "right" })
      assert.isUndefined(wrong?.output)
      assert.deepStrictEqual(more?.output, { number: 7, text: "more" })
      assert.isUndefined(missing?.output)
      for (const call of outcome.calls()) {
        assert.strictEqual(call.result?.content[0]?.type, "text")
        assert.deepInclude(call.result, { _meta: { at: "x" } })
      }
    })
  )

  it.effect("hold numbers as JavaScript can, and never break a run (B099)", () =>
    Effect.gen(function* () {
      const server = yield* serving(
        native({
          tools: [tool("big")],
          call: ({ json }, reply) =>
            reply.raw(
              `{"jsonrpc":"2.0","id":${JSON.stringify(json.id)},"result":{"resultType":"complete","content":[],"structuredContent":{"n":9007199254740993,"e":1e400}}}`,
              { "content-type": "application/json" }
            )
        })
      )
      const one = Agent.make({ name: "r", instruction: "Go.", servers: { box: Server.http(server.url) } })
      const model = AgentTest.script(AgentTest.callNamed("big"), (seen) => AgentTest.answer(seen.results[0]?.isError))
      assert.strictEqual((yield* Effect.provide(Agent.run(one, "Go"), model)).status, "completed")
    })
  )
})

describe("the trace of a run", () => {
  const told = Mcp.make({ name: "told", version: "1.0.0" }).tool("tell", { description: "Tells its _meta" }, () =>
    Effect.map(CurrentCall.meta, (meta) => String(meta["traceparent"] ?? "none"))
  )

  it.effect("goes on in its servers, and in those of its subagents (A171)", () =>
    Effect.gen(function* () {
      const heard: Array<string> = []
      const tell: TurnLike = AgentTest.callNamed("tell")
      const end: TurnLike = (seen) => {
        heard.push(String(seen.results.at(-1)?.value))
        return AgentTest.say("ok")
      }
      const model = AgentTest.cast((seen) => (seen.system.includes("subagent of") ? "child" : "parent"), {
        parent: [
          AgentTest.callNamed("tell"),
          (seen) => {
            heard.push(String(seen.results.at(-1)?.value))
            return AgentTest.callNamed("subagent.spawn", { instruction: "Tell me" })
          },
          AgentTest.say("ok")
        ],
        child: [tell, end]
      })
      const { hearing, spans } = heardSpans()
      const one = Agent.make({ name: "r", instruction: "Go.", servers: { told } })
      yield* hearing(Effect.withSpan(Effect.provide(Agent.run(one, "Go"), model), "the caller"))
      const traces = heard.map((text) => text.split("-")[1])
      const caller = spans.find(({ name }) => name === "the caller")
      assert.deepStrictEqual(traces, [caller?.traceId, caller?.traceId])
    })
  )

  it.effect("goes on in an agent that is a server of it (A171)", () =>
    Effect.gen(function* () {
      let heard = ""
      const model = AgentTest.cast((seen) => (seen.system.includes("You help") ? "helper" : "parent"), {
        parent: [
          AgentTest.callNamed("subagent.spawn", { instruction: "Tell me" }, { server: "helper" }),
          AgentTest.say("ok")
        ],
        helper: [
          AgentTest.callNamed("tell"),
          (seen) => {
            heard = String(seen.results[0]?.value)
            return AgentTest.say("told")
          }
        ]
      })
      const { hearing, spans } = heardSpans()
      const helper = Agent.make({ name: "helper", instruction: "You help.", servers: { told } })
      const one = Agent.make({ name: "r", instruction: "Go.", servers: { helper } })
      yield* hearing(Effect.withSpan(Effect.provide(Agent.run(one, "Go"), model), "the caller"))
      assert.strictEqual(heard.split("-")[1], spans.find(({ name }) => name === "the caller")?.traceId)
    })
  )
})
