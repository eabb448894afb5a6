import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Cause from "effect/Cause"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import { assert, describe, it } from "@effect/vitest"
import { Agent, AgentMcp, type AgentDefinition, type AnyAgent } from "@treadle/agent"
import { AgentTest, type Turn, type TurnLike } from "@treadle/agent/test"
import { Endpoint, Mcp } from "@treadle/server"
import { kb, note, rule, search } from "../kb.ts"
import { until } from "../until.ts"

const agent = (servers: AgentDefinition["servers"] = { kb }) =>
  Agent.make({ name: "reviewer", instruction: "You review.", servers, subagents: false })

const run = (...turns: ReadonlyArray<TurnLike>) => Effect.provide(Agent.run(agent(), "Go"), AgentTest.script(...turns))

/** The log of a subagent that broke down is another test's. */
const quiet = Logger.layer([])

/** What a test fails of. */
const failure = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<string> =>
  Effect.map(Effect.exit(effect), (exit) =>
    Exit.isFailure(exit)
      ? Cause.prettyErrors(exit.cause)
          .map(({ message }) => message)
          .join("\n")
      : "it did not fail"
  )

describe("a scripted model", () => {
  it.effect("that is asked once too often fails the test by the number of the turn, and shows what it saw", () =>
    Effect.gen(function* () {
      const said = yield* failure(run(AgentTest.call(note, { text: "a" })))
      assert.include(said, "The script has 1 turn, and the model was asked for turn 2. It saw:")
      assert.include(said, "← mcp__kb__note noted: a")
    })
  )

  it.effect("that is asked too seldom fails the test by the number of the turn", () =>
    Effect.gen(function* () {
      const said = yield* failure(run(AgentTest.say("done"), AgentTest.say("and"), AgentTest.say("more")))
      const ended = 'The run ended as "completed", with the text "done".'
      assert.strictEqual(said, `The script was not used up: turn 2 of 3 was never asked for. ${ended}`)
      const brief = Agent.make({ name: "brief", instruction: "Go.", servers: { kb }, limits: { steps: 1 } })
      const stopped = Effect.provide(
        Agent.run(brief, "Go"),
        AgentTest.script(AgentTest.call(note, { text: "a" }), AgentTest.say("b"))
      )
      assert.include(yield* failure(stopped), 'The run ended as "exhausted_steps", with no text.')
    })
  )

  it.effect("shows mistakes of a script where it is written, and of what the model saw the end", () =>
    Effect.gen(function* () {
      const long = "word ".repeat(2_000)
      const model = AgentTest.script(AgentTest.call(note, { text: long }))
      const asked = yield* Effect.exit(Effect.provide(Agent.run(agent({ kb }), "Go"), model))
      const [often] = Exit.isFailure(asked) ? Cause.prettyErrors(asked.cause) : []
      assert.isBelow(often?.message.length ?? 0, 4_200)
      assert.isTrue(often?.message.endsWith("word "))
      const unused = AgentTest.script(AgentTest.say("a"), AgentTest.say("b"))
      const left = yield* Effect.exit(Effect.provide(Agent.run(agent({ kb }), "Go"), unused))
      const [seldom] = Exit.isFailure(left) ? Cause.prettyErrors(left.cause) : []
      for (const error of [often, seldom]) assert.match(error?.stack ?? "", /\n[^\n]*AgentTest\.test\.ts/u)
      const first = (error?: Error) => error?.stack?.split("\n").find((line) => /^\s+at /u.test(line))
      assert.include(first(often), "AgentTest.test.ts")
      assert.include(first(seldom), "AgentTest.test.ts")
    })
  )

  it.effect("leaves the reason alone for which a test fails already", () =>
    Effect.gen(function* () {
      const said = yield* failure(
        run(() => {
          throw new Error("this is what is wrong")
        }, AgentTest.say("never"))
      )
      assert.strictEqual(said, "this is what is wrong")
      const failing = yield* Effect.flip(run(AgentTest.fail(), AgentTest.say("never")))
      assert.strictEqual(failing.reason._tag, "IntelligenceUnavailable")
    })
  )

  it.effect("that calls what is not offered, or what two servers have, fails the test with what there is", () =>
    Effect.gen(function* () {
      const other = Endpoint.make("other", { description: "Not there" })
      const missing = yield* failure(run(AgentTest.call(other)))
      assert.include(missing, 'Turn 1 of the script calls "other", which the model is not offered.')
      assert.include(missing, "It is offered finish, search, rule, note.")
      const two = Effect.provide(
        Agent.run(agent({ a: kb, b: kb }), "Go"),
        AgentTest.script(AgentTest.call(search, { query: "x" }))
      )
      assert.include(yield* failure(two), 'calls "search", which "a", "b" have. Say which: { server: … }.')
    })
  )

  it.effect("whose arguments cannot be sent fails the test with the field", () =>
    Effect.gen(function* () {
      const said = yield* failure(run(AgentTest.call(rule, { number: 1.5 })))
      assert.include(said, 'Turn 1 of the script calls "rule" with')
      assert.include(said, "number")
    })
  )

  it.effect("encodes arguments and decodes results by the contract", () =>
    Effect.gen(function* () {
      const day = Endpoint.make("day", {
        description: "The day after",
        input: { date: Schema.Date, by: Schema.Int.pipe(Schema.withDecodingDefaultKey(Effect.succeed(1))) },
        output: Schema.Struct({ date: Schema.Date })
      })
      const calendar = Mcp.make({ name: "calendar", version: "1.0.0" }).tool(day, ({ by, date }) =>
        Effect.succeed({ date: new Date(date.getTime() + by * 86_400_000) })
      )
      const recorded = AgentTest.recording(calendar)
      const model = AgentTest.script(AgentTest.call(day, { date: new Date(0) }), (seen) => {
        assert.instanceOf(seen.last(day)?.date, Date)
        return AgentTest.say(seen.last(day)?.date.toISOString() ?? "none")
      })
      const outcome = yield* Effect.provide(Agent.run(agent({ recorded }), "Go"), model)
      assert.strictEqual(outcome.text, "1970-01-02T00:00:00.000Z")
      assert.deepStrictEqual(
        recorded.calls(day).map(({ input }) => input),
        [{ date: new Date(0), by: 1 }]
      )
      const [call] = outcome.calls(day)
      assert.deepStrictEqual(call?.output, { date: new Date(86_400_000) })
      assert.deepStrictEqual(call?.input, { date: new Date(0), by: 1 })
    })
  )

  it.effect("may be several, each with a script of its own that a mistake names", () =>
    Effect.gen(function* () {
      const model = AgentTest.cast((seen) => (seen.prompt.includes("a task for one") ? "one" : "two"), {
        one: [AgentTest.say("I am one")],
        two: [AgentTest.say("I am two")]
      })
      const both = Effect.all([Agent.run(agent({}), "a task for one"), Agent.run(agent({}), "another")])
      const [one, two] = yield* Effect.provide(both, model)
      assert.deepStrictEqual([one.text, two.text], ["I am one", "I am two"])
      const missing = yield* failure(Effect.provide(Agent.run(agent({}), "another"), model))
      assert.include(missing, 'The script of "one" was not used up: turn 1 of 1 was never asked for.')
    })
  )

  it.effect("sees the last call of an endpoint that went well", () =>
    Effect.gen(function* () {
      const odd = Endpoint.make("odd", { description: "Odd numbers only", input: { n: Schema.Int } })
      const box = Mcp.make({ name: "box", version: "1.0.0" }).tool(odd, async ({ n }, { fail }) =>
        n % 2 === 1 ? `${n} is odd` : fail(`${n} is even`)
      )
      const model = AgentTest.script(
        AgentTest.call(odd, { n: 2 }),
        (seen) => {
          assert.isUndefined(seen.last(odd))
          return AgentTest.together(AgentTest.call(odd, { n: 3 }), AgentTest.call(odd, { n: 4 }))
        },
        (seen) => AgentTest.say(seen.last(odd) ?? "none")
      )
      assert.strictEqual((yield* Effect.provide(Agent.run(agent({ box }), "Go"), model)).text, "3 is odd")
    })
  )

  it.effect("fails the test where a subagent asked once too often, whose parent goes on", () =>
    Effect.gen(function* () {
      const parent = (child: AnyAgent) =>
        Agent.make({
          name: "parent",
          instruction: "You delegate.",
          servers: { child },
          subagents: false,
          model: AgentTest.script(AgentTest.call(AgentMcp.spawn, { instruction: "Go" }), AgentTest.say("done"))
        })
      const child = (...turns: ReadonlyArray<TurnLike>) =>
        Agent.make({ name: "child", instruction: "You help.", servers: { kb }, model: AgentTest.script(...turns) })
      const tooMany = yield* failure(
        Agent.run(parent(child(AgentTest.call(note, { text: "a" }))), "Go").pipe(Effect.provide(quiet))
      )
      assert.include(tooMany, "The script has 1 turn, and the model was asked for turn 2.")
      const thrown = child(() => {
        throw new Error("an assertion of the test")
      })
      assert.strictEqual(
        yield* failure(Effect.provide(Agent.run(parent(thrown), "Go"), quiet)),
        "an assertion of the test"
      )
      const shared = AgentTest.cast(({ system }) => (system.startsWith("You are a subagent") ? "child" : "parent"), {
        parent: [AgentTest.callNamed("subagent.spawn", { instruction: "Go" }), AgentTest.say("done")],
        child: []
      })
      const lead = Agent.make({ name: "lead", instruction: "You delegate." })
      assert.include(
        yield* failure(Effect.provide(Agent.run(lead, "Go"), [shared, quiet])),
        'The script of "child" has 0 turns, and the model was asked for turn 1.'
      )
    })
  )

  it.effect("begins anew each time that it is provided", () =>
    Effect.gen(function* () {
      const model = AgentTest.script(AgentTest.say("again"))
      for (const _ of [1, 2]) {
        assert.strictEqual((yield* Effect.provide(Agent.run(agent({}), "Go"), model)).text, "again")
      }
    })
  )

  it.effect("tells where tools come from, and what was asked", () =>
    Effect.gen(function* () {
      yield* Effect.provide(
        Agent.run(agent(), "Do it", { context: "Some facts", contract: "One word" }),
        AgentTest.script((seen) => {
          assert.strictEqual(seen.task, "Do it")
          assert.include(seen.system, "Output contract:\nOne word")
          assert.match(seen.prompt, /Some facts\nDo it$/)
          assert.deepInclude(seen.tools[1], { server: "kb", tool: "search", name: "mcp__kb__search" })
          assert.isUndefined(seen.last(search))
          return AgentTest.say("ok")
        })
      )
    })
  )
})

describe("a recording server", () => {
  it.effect("keeps requests in their order, and what was asked with them", () =>
    Effect.gen(function* () {
      const recorded = AgentTest.recording(kb)
      const model = AgentTest.script(AgentTest.call(search, { query: "x" }), AgentTest.say("ok"))
      yield* Effect.provide(Agent.run(agent({ recorded }), "Go", { runId: "r1" }), model)
      assert.deepStrictEqual(
        recorded.methods.filter((method) => method.startsWith("tools/")),
        ["tools/list", "tools/call"]
      )
      const [call] = recorded.calls()
      assert.deepInclude(call, { tool: "search", input: { query: "x" } })
      assert.strictEqual(call?.meta["dev.treadle/run-id"], "r1")
      assert.deepStrictEqual(recorded.calls(note), [])
    })
  )

  it.effect("goes wrong as a test wants it to: late, with an error, or never", () =>
    Effect.gen(function* () {
      const faulty = AgentTest.recording(kb, ({ index, method, tool }) => {
        if (method !== "tools/call") return undefined
        if (tool === "search") return AgentTest.delay(250)
        return index === 1 ? AgentTest.rpcError(-32000, "not today") : undefined
      })
      const model = AgentTest.script(
        AgentTest.call(search, { query: "x" }),
        AgentTest.call(note, { text: "1" }),
        AgentTest.call(note, { text: "2" }),
        (seen) => AgentTest.answer(seen.results.map(({ isError }) => isError))
      )
      const running = yield* Effect.forkChild(Effect.provide(Agent.run(agent({ faulty }), "Go"), model))
      yield* until(() => faulty.calls(search).length === 1)
      yield* TestClock.adjust(249)
      assert.isUndefined(running.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(JSON.parse((yield* Fiber.join(running)).text), [false, true, false])
    })
  )
})

describe("a model that is slow, or hangs", () => {
  it.effect("answers in the time of the test's clock, and ends with the deadline", () =>
    Effect.gen(function* () {
      let asked = 0
      const turn = (like: Turn) => () => {
        asked++
        return like
      }
      const slow = yield* Effect.forkChild(run(turn(AgentTest.after(5_000, AgentTest.say("late")))))
      yield* until(() => asked === 1)
      yield* TestClock.adjust(4_999)
      assert.isUndefined(slow.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.strictEqual((yield* Fiber.join(slow)).text, "late")
      const never = yield* Effect.forkChild(run(turn(AgentTest.hang)))
      yield* until(() => asked === 2)
      yield* TestClock.adjust(600_000)
      assert.strictEqual((yield* Fiber.join(never)).status, "deadline")
    })
  )
})
