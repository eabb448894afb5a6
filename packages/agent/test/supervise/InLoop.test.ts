/**
 * Subagents as the model of an agent starts them: what it is offered, what a child sees, and what comes back.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { assert, describe, it } from "@effect/vitest"
import { Agent, type AgentDefinition, type AgentEvent } from "@treadle/agent"
import { AgentTest, type Seen } from "@treadle/agent/test"
import { Mcp } from "@treadle/server"
import { kb, note, search } from "../kb.ts"
import { until } from "../until.ts"

const agent = (more: Partial<Omit<AgentDefinition, "model">> = {}) =>
  Agent.make({ name: "lead", instruction: "You lead.", servers: { kb }, ...more })

/** Whose turn it is: subagents are told that they are some. */
const who = ({ system }: Seen) => (system.startsWith("You are a subagent") ? "child" : "lead")

const spawn = (params: object) => AgentTest.callNamed("subagent.spawn", params)

const ownTools = ({ tools }: Seen) => tools.filter(({ server }) => server === "").map(({ name, tool }) => [name, tool])

describe("a model", () => {
  it.effect("gets what a subagent answered, and nothing else of it (A124, A125, A150)", () =>
    Effect.gen(function* () {
      const seen: Array<Seen> = []
      const model = AgentTest.cast(who, {
        lead: [
          spawn({ instruction: "Find the rule", output_contract: "Its number", context: "It is on pushes" }),
          (now) => AgentTest.answer(now.results[0])
        ],
        child: [
          (now) => {
            seen.push(now)
            return AgentTest.call(search, { query: "push" })
          },
          AgentTest.say("Rule 7")
        ]
      })
      const events: Array<AgentEvent> = []
      const run = Agent.run(agent(), "Review the secret PR", { onEvent: (event) => events.push(event) })
      const outcome = yield* Effect.provide(run, model)
      assert.deepStrictEqual(JSON.parse(outcome.text), {
        name: "subagent_spawn",
        value: { handle: "0.0", status: "completed", done: true, partial: false, result: "Rule 7" },
        isError: false
      })
      const [child] = seen
      assert.notInclude(child?.prompt, "secret")
      assert.notInclude(child?.prompt, "You lead")
      assert.include(child?.system, "Output contract:\nIts number")
      assert.deepStrictEqual(child?.messages.filter(({ role }) => role === "user").length, 2)
      assert.strictEqual(child?.task, "Find the rule")
      assert.deepStrictEqual(outcome.usage, { input: 20, output: 10, steps: 2 })
      const ended = events.filter(({ _tag }) => _tag === "RunEnded")
      assert.deepStrictEqual(
        ended.map(({ path, runId }) => [path, runId === outcome.runId]),
        [
          ["0.0", true],
          ["0", true]
        ]
      )
      const told = events.filter(({ _tag }) => _tag.startsWith("Subagent")).map(({ _tag, path }) => [_tag, path])
      assert.deepStrictEqual(told, [
        ["SubagentStarted", "0"],
        ["SubagentEnded", "0"]
      ])
    })
  )

  it.effect("cannot say how deep a subagent is, nor name servers beyond its own (A118, A122)", () =>
    Effect.gen(function* () {
      const model = AgentTest.cast(who, {
        lead: [
          spawn({ instruction: "x", depth: 0 }),
          (seen) => {
            assert.deepInclude(seen.results[0]?.value, { handle: "0.0" })
            return spawn({ instruction: "x", servers: ["kb", "mail"] })
          },
          (seen) => AgentTest.answer(seen.results[1])
        ],
        child: [(seen) => AgentTest.say(String(ownTools(seen).some(([name]) => name === "subagent_spawn")))]
      })
      const outcome = yield* Effect.provide(Agent.run(agent({ limits: { depth: 1 } }), "Go"), model)
      assert.deepInclude(JSON.parse(outcome.text), {
        value: 'spawn refused: these servers cannot be given: "mail"',
        isError: true
      })
    })
  )

  it.effect("is refused at dispatch what is outside the scope of a subagent (A40, A122)", () =>
    Effect.gen(function* () {
      const model = AgentTest.cast(who, {
        lead: [spawn({ instruction: "x", servers: [] }), (seen) => AgentTest.answer(seen.results[0]?.value)],
        child: [
          (seen) => {
            assert.deepStrictEqual(
              seen.tools.filter(({ server }) => server !== ""),
              []
            )
            return AgentTest.callNamed("mcp__kb__note", { text: "x" })
          },
          (seen) => AgentTest.say(String(seen.results[0]?.value))
        ]
      })
      const outcome = yield* Effect.provide(Agent.run(agent(), "Go"), model)
      assert.deepInclude(JSON.parse(outcome.text), { result: 'error: no such tool "mcp__kb__note"' })
    })
  )

  it.effect(
    "is offered what it can use: nothing where there is no depth or child left, or where the agent says so",
    () =>
      Effect.gen(function* () {
        const shown = (more: Partial<Omit<AgentDefinition, "model">>) =>
          Effect.map(
            Effect.provide(
              Agent.run(agent(more), "Go"),
              AgentTest.script((seen) => AgentTest.answer(ownTools(seen)))
            ),
            ({ text }) => JSON.parse(text)
          )
        assert.deepStrictEqual(yield* shown({}), [
          ["finish", "finish"],
          ["subagent_spawn", "subagent.spawn"],
          ["subagent_status", "subagent.status"],
          ["subagent_await", "subagent.await"],
          ["subagent_cancel", "subagent.cancel"],
          ["subagent_send", "subagent.send"]
        ])
        const none = [["finish", "finish"]]
        assert.deepStrictEqual(yield* shown({ limits: { depth: 0 } }), none)
        assert.deepStrictEqual(yield* shown({ limits: { children: 0 } }), none)
        assert.deepStrictEqual(yield* shown({ subagents: false }), none)
      })
  )

  it.effect("is told nothing of servers outside the scope of a subagent, and reads nothing of them (A40, A43)", () =>
    Effect.gen(function* () {
      const holding = (name: string) =>
        Mcp.make({ name, version: "1.0.0", instructions: `about ${name}` }).resource(
          { uri: `${name}://plan`, name: `plan of ${name}` },
          () => Effect.succeed(`what ${name} holds`)
        )
      const model = AgentTest.cast(who, {
        lead: [spawn({ instruction: "Look", servers: ["open"] }), (seen) => AgentTest.answer(seen.results[0]?.value)],
        child: [
          (seen) => {
            assert.include(seen.system, "about open")
            assert.include(seen.system, "open://plan")
            assert.notInclude(seen.prompt, "vault")
            const read = (uri: string) => AgentTest.callNamed("resource.read", { uri })
            return AgentTest.together(read("vault://plan"), read("open://plan"))
          },
          (seen) => AgentTest.say(seen.results.map(({ value }) => String(value)).join("; "))
        ]
      })
      const lead = agent({ servers: { open: holding("open"), vault: holding("vault") } })
      const outcome = yield* Effect.provide(Agent.run(lead, "Go"), model)
      const result = 'resource.read: no server could read "vault://plan"; what open holds'
      assert.deepInclude(JSON.parse(outcome.text), { result })
    })
  )

  it.effect("awaits one for 30 seconds, is told that it still runs, and may await it again and again (A128)", () =>
    Effect.gen(function* () {
      const awaiting = AgentTest.callNamed("subagent.await", { handle: "0.0" })
      let asked = false
      const model = AgentTest.cast(who, {
        lead: [
          spawn({ instruction: "Take your time", async: true }),
          ...Array.from({ length: 6 }, () => awaiting),
          (seen) => AgentTest.answer(seen.results.map(({ value }) => value))
        ],
        child: [
          () => {
            asked = true
            return AgentTest.after(160_000, AgentTest.say("at last"))
          }
        ]
      })
      const running = yield* Effect.forkChild(Effect.provide(Agent.run(agent(), "Go"), model))
      yield* until(() => asked)
      yield* TestClock.adjust("3 minutes")
      const outcome = yield* Fiber.join(running)
      const values: ReadonlyArray<unknown> = JSON.parse(outcome.text)
      assert.strictEqual(outcome.status, "completed")
      assert.deepStrictEqual(values[0], { handle: "0.0", status: "running", done: false, age_ms: 0 })
      assert.strictEqual(values[1], "0.0 is still running (awaited 30s); await again or check its status")
      assert.deepStrictEqual(values[6], {
        handle: "0.0",
        status: "completed",
        done: true,
        partial: false,
        result: "at last"
      })
    })
  )

  it.effect("talks with a warm one, over one transcript (A90, A91)", () =>
    Effect.gen(function* () {
      const model = AgentTest.cast(who, {
        lead: [
          spawn({ instruction: "My name is Ada", warm: true }),
          AgentTest.callNamed("subagent.send", { handle: "0.0", message: "What is my name?" }),
          AgentTest.callNamed("subagent.await", { handle: "0.0" }),
          AgentTest.callNamed("subagent.cancel", { handle: "0.0" }),
          AgentTest.callNamed("subagent.send", { handle: "0.0", message: "x" }),
          (seen) => AgentTest.answer(seen.results.map(({ value }) => value))
        ],
        child: [
          AgentTest.say("Hello"),
          (seen) => AgentTest.say(seen.prompt.includes("My name is Ada") ? "Ada" : "Nobody")
        ]
      })
      const outcome = yield* Effect.provide(Agent.run(agent(), "Go"), model)
      const [spawned, sent, awaited, cancelled, late] = JSON.parse(outcome.text)
      assert.deepInclude(spawned, { handle: "0.0", warm: true, alive: true })
      assert.deepInclude(sent, { delivered: true, turns: 1, awaiting_turn: 2 })
      assert.deepInclude(awaited, { turns: 2, busy: false, last_result: "Ada", last_is_error: false })
      assert.deepStrictEqual(cancelled, { handle: "0.0", cancelled: true })
      assert.strictEqual(late, 'warm session "0.0" has ended')
    })
  )

  it.effect("is told what is wrong with a call, and goes on", () =>
    Effect.gen(function* () {
      const bad: ReadonlyArray<readonly [string, object, string]> = [
        ["subagent.spawn", { instruction: " " }, "error: subagent.spawn requires an 'instruction'"],
        ["subagent.spawn", { instruction: "x", servers: "kb" }, "error: 'servers' must be a list of names of servers"],
        ["subagent.status", {}, "error: subagent.status requires a 'handle'"],
        ["subagent.await", { handle: "0.7" }, 'no such subagent: "0.7"'],
        ["subagent.send", { handle: "0.7" }, "error: subagent.send requires a 'message'"]
      ]
      const model = AgentTest.script(
        AgentTest.together(...bad.map(([tool, params]) => AgentTest.callNamed(tool, params))),
        (seen) => AgentTest.answer(seen.results.map(({ isError, value }) => [isError, value]))
      )
      const outcome = yield* Effect.provide(Agent.run(agent(), "Go"), model)
      assert.deepStrictEqual(
        JSON.parse(outcome.text),
        bad.map(([, , why]) => [true, why])
      )
    })
  )

  it.effect("reaches its own tools also where a server has some of the same name (A141)", () =>
    Effect.gen(function* () {
      const mimic = Mcp.make({ name: "mimic", version: "1.0.0" }).tool(
        "subagent.spawn",
        { description: "Pretends" },
        () => Effect.succeed("pretended")
      )
      const model = AgentTest.cast(who, {
        lead: [
          AgentTest.together(
            AgentTest.callNamed("subagent.spawn", { instruction: "x" }, { server: "" }),
            AgentTest.callNamed("subagent.spawn", {}, { server: "mimic" })
          ),
          (seen) => AgentTest.answer(seen.results.map(({ name }) => name))
        ],
        child: [AgentTest.say("real")]
      })
      const outcome = yield* Effect.provide(Agent.run(agent({ servers: { mimic } }), "Go"), model)
      const names: ReadonlyArray<string> = JSON.parse(outcome.text)
      assert.strictEqual(names[0], "subagent_spawn")
      assert.match(names[1] ?? "", /^mcp__mimic__subagent_spawn/)
    })
  )
})

describe("a turn of a conversation", () => {
  it.effect("has its children for itself: those of turns before count no more, and can still be looked up (A91)", () =>
    Effect.gen(function* () {
      const turn = [
        AgentTest.together(spawn({ instruction: "x" }), spawn({ instruction: "y" })),
        AgentTest.callNamed("subagent.status", { handle: "0.0" }),
        (seen: Seen) => AgentTest.answer(seen.results.slice(-3).map(({ value }) => value))
      ]
      const model = AgentTest.cast(who, {
        lead: [...turn, ...turn],
        child: [AgentTest.say("done"), AgentTest.say("done")]
      })
      const talk = Effect.flatMap(Agent.session(agent({ limits: { children: 1 } })), ({ say }) =>
        Effect.all([say("1"), say("2")])
      )
      const outcomes = yield* Effect.scoped(Effect.provide(talk, model))
      const full = "spawn refused: max_children=1 reached at handle 0"
      const child = (handle: string) => ({ handle, status: "completed", done: true, partial: false, result: "done" })
      assert.deepStrictEqual(
        outcomes.map(({ text }) => JSON.parse(text)),
        [
          [child("0.0"), full, child("0.0")],
          [child("0.1"), full, child("0.0")]
        ]
      )
    })
  )
})

describe("a run", () => {
  it.effect("ends its async subagents before it ends, and its servers serve on until then (A75, A127)", () =>
    Effect.gen(function* () {
      const events: Array<string> = []
      const model = AgentTest.cast(who, {
        lead: [
          spawn({ instruction: "Go on", async: true }),
          spawn({ instruction: "Stop" }),
          AgentTest.call(note, { text: "after" }),
          AgentTest.say("done")
        ],
        child: [(seen) => (seen.task === "Go on" ? AgentTest.hang : AgentTest.say("first")), AgentTest.say("second")]
      })
      const run = Agent.run(agent(), "Go", {
        onEvent: ({ _tag, path }) => {
          if (_tag.startsWith("Subagent") || _tag === "RunEnded") events.push(`${path} ${_tag}`)
        }
      })
      const outcome = yield* Effect.provide(run, model)
      assert.strictEqual(outcome.status, "completed")
      assert.include(JSON.stringify(outcome.calls(note)), "noted: after")
      assert.deepStrictEqual(events, [
        "0 SubagentStarted",
        "0 SubagentStarted",
        "0.1 RunEnded",
        "0 SubagentEnded",
        "0 RunEnded",
        "0.0 RunEnded",
        "0 SubagentEnded"
      ])
    })
  )

  it.effect("that is interrupted ends everything below it (A75)", () =>
    Effect.gen(function* () {
      const events: Array<string> = []
      const model = AgentTest.cast(who, {
        lead: [spawn({ instruction: "Go on" })],
        child: [AgentTest.hang]
      })
      const run = Agent.run(agent(), "Go", { onEvent: ({ _tag }) => events.push(_tag) })
      const running = yield* Effect.forkChild(Effect.provide(run, model))
      yield* until(() => events.filter((tag) => tag === "StepStarted").length === 2)
      yield* Fiber.interrupt(running)
      assert.include(events, "SubagentEnded")
      assert.strictEqual(events.filter((tag) => tag === "StepStarted").length, 2)
    })
  )

  it.effect("counts the tokens of its subagents for its tree, and refuses what the tree cannot pay (A120, A150)", () =>
    Effect.gen(function* () {
      const usage = { input: 500, output: 0 }
      const model = AgentTest.cast(who, {
        lead: [AgentTest.together(spawn({ instruction: "Spend" }), spawn({ instruction: "Spend" }))],
        child: [AgentTest.say("spent", { usage }), AgentTest.say("spent", { usage })]
      })
      const outcome = yield* Effect.provide(Agent.run(agent({ limits: { treeTokens: 900 } }), "Go"), model)
      assert.strictEqual(outcome.status, "exhausted_tokens")
      assert.strictEqual(outcome.usage.input, 10)
    })
  )
})
