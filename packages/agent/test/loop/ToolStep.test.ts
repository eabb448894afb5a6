import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import { assert, describe, it } from "@effect/vitest"
import { Agent, AgentMcp, type AgentDefinition } from "@treadle/agent"
import { AgentTest, type Turn } from "@treadle/agent/test"
import { Endpoint, Mcp } from "@treadle/server"
import { connectAgent } from "../../src/AgentTree.ts"
import { argumentsOf } from "../../src/loop/CallArguments.ts"
import { callsOfAnswer } from "../../src/loop/ToolStep.ts"
import type { ToolScope } from "../../src/ToolScope.ts"
import { ownTools } from "../../src/toolbox/OwnTool.ts"
import { ModelToolLists, Toolbox } from "../../src/toolbox/Toolbox.ts"
import { kb, note, search } from "../kb.ts"
import { until } from "../until.ts"

const agent = (servers: AgentDefinition["servers"] = { kb }, limits: AgentDefinition["limits"] = {}) =>
  Agent.make({ name: "reviewer", instruction: "You review.", servers, limits })

/** A turn whose calls have these ids, whatever was made of them. */
const withIds = (turn: Turn, ids: ReadonlyArray<string>): Turn => ({
  options: {},
  parts: (seen, number) =>
    Effect.map(turn.parts(seen, number), (parts) =>
      parts.map((part, index) => (part.type === "tool-call" ? { ...part, id: ids[index] ?? "" } : part))
    )
})

/** Ids of calls and of results in the transcript, in order. */
const idsIn = (messages: ReadonlyArray<{ readonly content: unknown }>) => {
  const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []))
  const of = (type: string) => parts.flatMap((part) => (part.type === type ? [part.id as string] : []))
  return { calls: of("tool-call"), results: of("tool-result") }
}

describe("arguments of a call", () => {
  const schema = {
    type: "object",
    properties: {
      query: { type: "string" },
      filter: { type: "object" },
      ids: { type: "array" },
      maybe: { anyOf: [{ $ref: "#/$defs/Maybe" }, { type: "null" }] },
      either: { anyOf: [{ type: "object" }, { type: "string" }] },
      any: {},
      lost: { $ref: "#/$defs/Lost" },
      round: { $ref: "#/$defs/Round" }
    },
    $defs: { Maybe: { type: ["object", "array"] }, Round: { $ref: "#/$defs/Round" } }
  }

  it.each([
    ["nothing", undefined, {}],
    ["null", null, {}],
    ["an empty text", "", {}],
    ["an empty object as text", "{}", {}],
    ["an object as text", '{"query":"a"}', { query: "a" }],
    ["an object in which a member is text", { filter: '{"x":1}', ids: "[1]" }, { filter: { x: 1 }, ids: [1] }],
    ["an object as text in which a member is text", '{"filter":"{}"}', { filter: {} }],
    ["text that looks like an object, where text is wanted", { query: '{"x":1}' }, { query: '{"x":1}' }],
    ["text that is something else than is wanted", { filter: "[1]", ids: "{}" }, { filter: "[1]", ids: "{}" }],
    ["text of what a reference wants", { maybe: '{"x":1}' }, { maybe: { x: 1 } }],
    ["text where text is one of several", { either: "{}", any: "{}" }, { either: "{}", any: "{}" }],
    ["text where references lead nowhere", { lost: "{}", round: "{}" }, { lost: "{}", round: "{}" }],
    ["text that is no JSON", { filter: "{x" }, { filter: "{x" }],
    ["members that nobody knows", { other: "{}" }, { other: "{}" }],
    ["a name of objects themselves", JSON.parse('{"__proto__":"{}"}'), JSON.parse('{"__proto__":"{}"}')]
  ])("are read from %s (B032)", (_, params, args) => {
    assert.deepStrictEqual(argumentsOf(params, schema), { args })
  })

  it.each([["{bad"], ["null"], ["[1]"], ["5"], [["x"]], [5], [true], [{ _raw: '{"query": "unfin' }]])(
    "that are none are told to the model: %j (A41, B032)",
    (params) => {
      assert.property(argumentsOf(params, schema), "problem")
    }
  )

  it("may have a member that adapters use for text, where the tool has it", () => {
    assert.deepStrictEqual(argumentsOf({ _raw: "x" }, { properties: { _raw: { type: "string" } } }), {
      args: { _raw: "x" }
    })
  })

  it.effect("that are none reach no server, and the run goes on (A41)", () =>
    Effect.gen(function* () {
      const recorded = AgentTest.recording(kb)
      const wrong = [["x"], "{bad", "null", 7, true, { _raw: "{" }]
      const model = AgentTest.script(
        AgentTest.together(...wrong.map((params) => AgentTest.callNamed("search", params))),
        AgentTest.callNamed("search", '{"query":"a"}'),
        (seen) => AgentTest.answer([seen.results.map(({ isError }) => isError), seen.last(search)])
      )
      const outcome = yield* Effect.provide(Agent.run(agent({ kb: recorded }), "Go"), model)
      assert.deepStrictEqual(JSON.parse(outcome.text), [
        [true, true, true, true, true, true, false],
        ["Rule 7: no force pushes (a)"]
      ])
      assert.deepStrictEqual(
        recorded.calls(search).map(({ input }) => input),
        [{ query: "a" }]
      )
    })
  )

  it.effect("that do not fit are told with the field and what is wrong (A41, B015)", () =>
    Effect.gen(function* () {
      const model = AgentTest.script(
        AgentTest.together(
          AgentTest.callNamed("note", {}),
          AgentTest.callNamed("note", { text: 5 }),
          AgentTest.callNamed("note", { text: null })
        ),
        (seen) => {
          for (const { isError, value } of seen.results) {
            assert.isTrue(isError)
            assert.include(String(value), "text")
            assert.notMatch(String(value), /\.ts|\bat /)
          }
          return AgentTest.say("ok")
        }
      )
      yield* Effect.provide(Agent.run(agent(), "Go"), model)
    })
  )
})

describe("a call of a tool", () => {
  it.effect("that there is not is told, tells nothing else, and reaches no server (A39)", () =>
    Effect.gen(function* () {
      const recorded = AgentTest.recording(kb)
      const model = AgentTest.script(
        AgentTest.together(
          AgentTest.callNamed("nope"),
          AgentTest.callNamed("search\n\nignore that", {}),
          AgentTest.callNamed("kb.search"),
          AgentTest.callNamed(""),
          AgentTest.callNamed("kb/search"),
          AgentTest.callNamed("finnish")
        ),
        (seen) => AgentTest.answer(seen.results.map(({ value }) => value))
      )
      const outcome = yield* Effect.provide(Agent.run(agent({ kb: recorded }), "Go"), model)
      assert.deepStrictEqual(JSON.parse(outcome.text), [
        'error: no such tool "nope"',
        'error: no such tool "search\\n\\nignore that"',
        'error: no such tool "kb.search"; there is "mcp__kb__search"',
        'error: no such tool ""',
        'error: no such tool "kb/search"; there is "mcp__kb__search"',
        'error: no such tool "finnish"; there is "finish"'
      ])
      assert.deepStrictEqual(recorded.calls(), [])
    })
  )

  it.effect("named as one of the agent's own is the server's where the server's is meant", () =>
    Effect.gen(function* () {
      const finish = Endpoint.make("finish", { description: "Finishes the paint", input: { coats: Schema.Int } })
      const painter = Mcp.make({ name: "painter", version: "1.0.0" }).tool(finish, ({ coats }) =>
        Effect.succeed(`${coats} coats`)
      )
      const model = AgentTest.script(AgentTest.call(finish, { coats: 2 }, { server: "painter" }), (seen) =>
        AgentTest.callNamed("finish", { answer: seen.last(finish) })
      )
      const outcome = yield* Effect.provide(Agent.run(agent({ painter }), "Go"), model)
      assert.deepInclude(outcome, { status: "completed", answer: "2 coats" })
    })
  )

  const slow = Endpoint.make("slow", {
    description: "Takes its time",
    input: { millis: Schema.Int, say: Schema.String }
  })

  it.effect("overlaps with calls to other servers, and follows those to the same one", () =>
    Effect.gen(function* () {
      const order: Array<string> = []
      const server = (name: string) =>
        Mcp.make({ name, version: "1.0.0" }).tool(slow, ({ millis, say }) =>
          Effect.gen(function* () {
            order.push(`${say} begins`)
            yield* Effect.sleep(millis)
            order.push(`${say} ends`)
            return say
          })
        )
      const call = (name: string, say: string, millis: number) =>
        AgentTest.call(slow, { millis, say }, { server: name })
      const model = AgentTest.script(
        AgentTest.together(call("one", "A", 300), call("one", "B", 200), call("two", "C", 100)),
        (seen) => AgentTest.answer(seen.results.map(({ value }) => value))
      )
      const running = yield* Effect.forkChild(
        Effect.provide(Agent.run(agent({ one: server("one"), two: server("two") }), "Go"), model)
      )
      for (const count of [2, 3, 5, 6]) {
        yield* until(() => order.length >= Math.min(count, 5))
        yield* TestClock.adjust(count === 2 ? 100 : 200)
      }
      const outcome = yield* Fiber.join(running)
      assert.deepStrictEqual(JSON.parse(outcome.text), ["A", "B", "C"])
      assert.sameMembers(order.slice(0, 2), ["A begins", "C begins"])
      assert.deepStrictEqual(order.slice(2), ["C ends", "A ends", "B begins", "B ends"])
    })
  )

  it.effect.each([
    ["ids of the provider", ["c1", "c2", "c3"]],
    ["no ids", ["", "", ""]],
    ["one id for all", ["c", "c", "c"]],
    ["ids that look like made ones", ["c", "c_2", "c"]]
  ] as const)("has its result in its place where they end in another order, with %s (A42, B106)", ([, ids]) =>
    Effect.gen(function* () {
      let count = 0
      const waits = [300, 200, 100]
      const lettered = (name: string) =>
        Mcp.make({ name, version: "1.0.0" }).tool(slow, ({ say }) =>
          Effect.as(Effect.sleep(waits[count++] ?? 0), `${say}!`)
        )
      const servers = { one: lettered("one"), two: lettered("two"), three: lettered("three") }
      const calls = AgentTest.together(
        ...["one", "two", "three"].map((server, index) =>
          AgentTest.call(slow, { millis: 0, say: "ABC".charAt(index) }, { server })
        )
      )
      const model = AgentTest.script(withIds(calls, ids), (seen) => {
        const { calls: called, results } = idsIn(seen.messages)
        assert.deepStrictEqual(results, called)
        assert.strictEqual(new Set(called).size, 3)
        assert.notInclude(called, "")
        return AgentTest.answer(seen.results.map(({ value }) => value))
      })
      const running = yield* Effect.forkChild(Effect.provide(Agent.run(agent(servers), "Go"), model))
      yield* until(() => count === 3)
      yield* TestClock.adjust(300)
      assert.deepStrictEqual(JSON.parse((yield* Fiber.join(running)).text), ["A!", "B!", "C!"])
    })
  )

  it.effect("with an id that came in an earlier answer gets one of its own (B106)", () =>
    Effect.gen(function* () {
      const again = (text: string) => withIds(AgentTest.call(note, { text }), ["call_1"])
      const model = AgentTest.script(again("a"), again("b"), again("c"), (seen) => {
        const { calls, results } = idsIn(seen.messages)
        assert.deepStrictEqual(results, calls)
        assert.strictEqual(new Set(calls).size, 3)
        assert.strictEqual(calls[0], "call_1")
        return AgentTest.say("ok")
      })
      yield* Effect.provide(Agent.run(agent(), "Go"), model)
    })
  )

  it.effect("beyond the 64th of an answer is not made, and has a result all the same", () =>
    Effect.gen(function* () {
      const recorded = AgentTest.recording(kb)
      const many = Array.from({ length: 500 }, (_, n) => AgentTest.call(note, { text: String(n) }))
      const model = AgentTest.script(AgentTest.together(...many), (seen) => {
        const { calls, results } = idsIn(seen.messages)
        assert.strictEqual(calls.length, 500)
        assert.deepStrictEqual(results, calls)
        return AgentTest.answer(seen.results.map(({ isError }) => isError))
      })
      const outcome = yield* Effect.provide(Agent.run(agent({ kb: recorded }), "Go"), model)
      const failed = JSON.parse(outcome.text) as ReadonlyArray<boolean>
      assert.strictEqual(callsOfAnswer, 64)
      assert.deepStrictEqual([failed.indexOf(true), failed.lastIndexOf(false)], [64, 63])
      assert.strictEqual(recorded.calls(note).length, 64)
      assert.strictEqual(outcome.calls().length, 64)
    })
  )

  it.effect("of a server that is not in scope is refused where it is dispatched (A40)", () =>
    Effect.gen(function* () {
      const connecting = connectAgent(agent({ kb, other: kb }), {}, AgentMcp.make)
      const connected = yield* Effect.provide(connecting, AgentTest.script())
      const { catalog } = yield* (yield* connected.tree({})).root({}, 0)
      const within = (scope: ToolScope) =>
        new Toolbox(new ModelToolLists(), ownTools([]), {
          catalog,
          scope,
          runMeta: {},
          supervisor: () => assert.fail("nothing is spawned")
        })
      const [all, narrow, none] = [within("all"), within(new Set(["other"])), within(new Set())]
      assert.strictEqual(all.find("mcp__kb__search")?._tag, "Server")
      assert.isUndefined(narrow.find("mcp__kb__search"))
      assert.strictEqual(narrow.find("mcp__other__search")?._tag, "Server")
      assert.isUndefined(none.find("mcp__other__search"))
      assert.sameMembers(Object.keys(narrow.modelTools.tools), [
        "mcp__other__search",
        "mcp__other__rule",
        "mcp__other__note"
      ])
      assert.deepStrictEqual(Object.keys(none.modelTools.tools), [])
    })
  )
})
