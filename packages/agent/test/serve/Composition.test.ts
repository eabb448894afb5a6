/**
 * Agents as servers of agents: each sees what the one below it answered, and nothing of the way to it.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { assert, describe, it } from "@effect/vitest"
import { Agent, AgentMcp } from "@treadle/agent"
import { AgentTest, type Seen } from "@treadle/agent/test"
import { McpClient } from "@treadle/client"
import { McpHttp } from "@treadle/server/http"
import { until } from "../until.ts"
import { worker } from "./worker.ts"

const spawn = (server: string, instruction: string) =>
  AgentTest.callNamed("subagent.spawn", { instruction }, { server })

/** Whose turn it is, by the first word of what it is told. */
const who =
  <Name extends string>(first: Name, ...others: ReadonlyArray<Name>) =>
  ({ system }: Seen): Name =>
    others.find((name) => system.startsWith(name)) ?? first

describe("an agent with an agent for a server", () => {
  it.effect("in the same process ends its sync run with its call, while the server serves on (A80)", () =>
    Effect.gen(function* () {
      for (const asServer of [false, true]) {
        const state = { asked: false, left: false }
        const hanging = Effect.onInterrupt(
          Effect.suspend(() => {
            state.asked = true
            return Effect.never
          }),
          () =>
            Effect.sync(() => {
              state.left = true
            })
        )
        const model = AgentTest.script({ options: {}, parts: () => hanging })
        const worker = Agent.make({ name: "worker", instruction: "You review.", model })
        const lead = Agent.make({
          name: "lead",
          instruction: "You lead.",
          servers: { worker: asServer ? AgentMcp.make(worker) : worker },
          model: AgentTest.script(spawn("worker", "Review PR 7"))
        })
        const abort = new AbortController()
        const { run } = yield* Agent.connect(lead)
        const running = yield* Effect.forkChild(run("Go", { signal: abort.signal }))
        yield* until(() => state.asked)
        abort.abort()
        assert.strictEqual((yield* Fiber.join(running)).status, "cancelled")
        yield* until(() => state.left)
      }
    })
  )

  it.effect("lists its five tools, and gets its distillate (A180)", () =>
    Effect.gen(function* () {
      const worker = Agent.make({ name: "worker", instruction: "worker that reviews" })
      const lead = Agent.make({ name: "lead", instruction: "lead of it", servers: { worker }, subagents: false })
      const model = AgentTest.cast(who("lead", "worker"), {
        lead: [
          (seen) => {
            const listed = seen.tools.filter(({ server }) => server === "worker").map(({ tool }) => tool)
            assert.deepStrictEqual(listed, [
              "status",
              "subagent.spawn",
              "subagent.send",
              "subagent.status",
              "subagent.cancel"
            ])
            return spawn("worker", "Review PR 7")
          },
          (seen) => AgentTest.answer(seen.last(AgentMcp.spawn))
        ],
        worker: [AgentTest.say("LGTM")]
      })
      const outcome = yield* Effect.provide(Agent.run(lead, "Go"), model)
      assert.deepStrictEqual(JSON.parse(outcome.text), {
        handle: "served.0",
        status: "completed",
        done: true,
        partial: false,
        result: "LGTM"
      })
      assert.deepStrictEqual(
        outcome.calls(AgentMcp.spawn).map(({ output }) => output?.result),
        ["LGTM"]
      )
    })
  )

  it.effect("may be the middle of a chain, in which nobody sees another's transcript (A183)", () =>
    Effect.gen(function* () {
      const prompts: Record<string, string> = {}
      const seeing =
        (name: string, turn: (seen: Seen) => ReturnType<typeof AgentTest.say>) =>
        (seen: Seen): ReturnType<typeof AgentTest.say> => {
          prompts[name] = seen.prompt
          return turn(seen)
        }
      const last = Agent.make({ name: "last", instruction: "last of three" })
      const middle = Agent.make({ name: "middle", instruction: "middle of three", servers: { last } })
      const first = Agent.make({ name: "first", instruction: "first of three", servers: { middle } })
      const resultIn = (seen: Seen) => String(seen.last(AgentMcp.spawn)?.result)
      const model = AgentTest.cast(who("first", "middle", "last"), {
        first: [spawn("middle", "task-1"), seeing("first", (seen) => AgentTest.say(`${resultIn(seen)}-first`))],
        middle: [spawn("last", "task-2"), seeing("middle", (seen) => AgentTest.say(`${resultIn(seen)}-middle`))],
        last: [seeing("last", () => AgentTest.say("last"))]
      })
      const outcome = yield* Effect.provide(Agent.run(first, "task-0"), model)
      assert.strictEqual(outcome.text, "last-middle-first")
      assert.notInclude(prompts["last"], "task-1")
      assert.notInclude(prompts["last"], "task-0")
      assert.notInclude(prompts["middle"], "task-0")
      assert.notInclude(prompts["first"], "task-2")
    })
  )

  it.effect("waits for a run as long as it may take, without progress (A88)", () =>
    Effect.gen(function* () {
      let asked = false
      const worker = Agent.make({ name: "worker", instruction: "worker that takes its time" })
      const lead = Agent.make({ name: "lead", instruction: "lead of it", servers: { worker } })
      const model = AgentTest.cast(who("lead", "worker"), {
        lead: [spawn("worker", "Go"), (seen) => AgentTest.answer(seen.last(AgentMcp.spawn)?.result)],
        worker: [
          () => {
            asked = true
            return AgentTest.after(300_000, AgentTest.say("at last"))
          }
        ]
      })
      const running = yield* Effect.forkChild(Effect.provide(Agent.run(lead, "Go"), model))
      yield* until(() => asked)
      yield* TestClock.adjust("5 minutes")
      assert.strictEqual((yield* Fiber.join(running)).text, '"at last"')
    })
  )
})

describe("a parent", () => {
  it.effect("closes the loop with the messages of the protocol and no others (A87, A181)", () =>
    Effect.gen(function* () {
      const served = AgentTest.recording({
        "~treadle/direct": (context) => Effect.orDie(worker["~treadle/direct"](context))
      })
      const session = yield* McpClient.direct(served)
      const spawn = session.call(AgentMcp.spawn)
      yield* spawn({ instruction: "Review" })
      const before = served.methods.length
      const { handle } = yield* spawn({ instruction: "Wait", async: true })
      const uri = `agent://subagent/${handle}`
      const changes = yield* session.watch({ uris: [uri] })
      yield* spawn({ instruction: "Say it" })
      const woken = yield* Effect.forkChild(Stream.runHead(changes))
      yield* TestClock.adjust(50)
      assert.isTrue(Option.isSome(yield* Fiber.join(woken)))
      const { contents } = yield* session.readResource(uri)
      assert.include(JSON.stringify(contents), "heard")
      assert.deepStrictEqual(served.methods.slice(before), [
        "tools/call",
        "subscriptions/listen",
        "tools/call",
        "resources/read"
      ])
    })
  )

  it.live("whose worker is another one now finds no run of the old handle, and is not left hanging (A184)", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const served = () =>
          Effect.acquireRelease(
            Effect.sync(() =>
              McpHttp.fetch(
                AgentMcp.make(Agent.make({ name: "w", instruction: "x" })).provide(AgentTest.script(AgentTest.hang))
              )
            ),
            (door) => Effect.promise(() => door.close().catch(() => {}))
          )
        let door = yield* served()
        for (const revision of ["2026-07-28", "2025-11-25"] as const) {
          const session = yield* McpClient.http("http://localhost/mcp", {
            revision,
            fetch: (request) => door(request)
          })
          const { handle } = yield* session.call(AgentMcp.spawn)({ instruction: "Work", async: true })
          const uri = `agent://subagent/${handle}`
          const before = door
          door = yield* served()
          yield* Effect.promise(() => before.close().catch(() => {}))
          const error = yield* Effect.flip(session.readResource(uri))
          assert.strictEqual(error.reason._tag, "Rpc")
          assert.include(error.message, uri)
          const state = yield* Effect.flip(session.call(AgentMcp.subagentStatus)({ handle }))
          assert.include(state.message, "no such subagent")
        }
      })
    )
  )
})
