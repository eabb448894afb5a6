/**
 * What is left of runs that end at any moment, in whatever way: nothing.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import { assert, describe, it } from "@effect/vitest"
import { Agent, Server } from "@treadle/agent"
import { AgentTest, type Seen, type TurnLike } from "@treadle/agent/test"
import { Endpoint, Mcp } from "@treadle/server"
import { McpHttp } from "@treadle/server/http"
import { until } from "../until.ts"

const slow = Endpoint.make("slow", { description: "Takes its time", input: { turns: Schema.Int } })

/** Lets everything go on for so many turns of the event loop. */
const turns = (count: number) =>
  Effect.promise(async () => {
    for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
  })

/** A server over HTTP in either era, and how many of its handlers run. */
const serving = (era: "native" | "compat") => {
  let running = 0
  const mcp = Mcp.make({ name: "slow", version: "1.0.0" }).tool(slow, ({ turns: count }) =>
    Effect.acquireUseRelease(
      Effect.sync(() => running++),
      () => Effect.as(turns(count), "done"),
      () => Effect.sync(() => running--)
    )
  )
  const door = McpHttp.fetch(mcp, { hosts: ["slow.example"] })
  const refused = () =>
    Response.json({ jsonrpc: "2.0", id: null, error: { code: -32601, message: "no" } }, { status: 404 })
  const fetch = async (request: Request): Promise<Response> =>
    era === "compat" && (await request.clone().text()).includes('"server/discover"') ? refused() : door(request)
  return { server: Server.http("https://slow.example/mcp", { fetch }), door, running: () => running }
}

const spawn = (params: object): TurnLike => AgentTest.callNamed("subagent.spawn", params)

/** A lead that has three at work beside its own calls. */
const script = [
  spawn({ instruction: "one", async: true }),
  spawn({ instruction: "two", warm: true }),
  AgentTest.together(
    AgentTest.call(slow, { turns: 6 }),
    AgentTest.callNamed("subagent.spawn", { instruction: "three" })
  ),
  AgentTest.call(slow, { turns: 4 }),
  AgentTest.say("done")
]

/** When they end, in turns of the event loop. */
const at = Array.from({ length: 24 }, (_, index) => index * 3)

/** Listeners of an abort signal, counted. */
const counting = (signal: AbortSignal) => {
  let listeners = 0
  const add = signal.addEventListener.bind(signal)
  const remove = signal.removeEventListener.bind(signal)
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    listeners++
    add(...args)
  }
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    listeners--
    remove(...args)
  }
  return () => listeners
}

describe.each(["native", "compat"] as const)("a run over HTTP, %s", (era) => {
  it.live.each(["interrupted", "aborted"] as const)(
    "that is %s at any moment leaves no call, no session, no stream and no listener",
    (way) =>
      Effect.gen(function* () {
        const { door, running, server } = serving(era)
        const agent = Agent.make({ name: "lead", instruction: "Go.", servers: { slow: server } })
        let inCalls = 0
        for (const moment of at) {
          const controller = new AbortController()
          const listeners = counting(controller.signal)
          const model = AgentTest.cast(({ system }) => (system.startsWith("You are a subagent") ? "child" : "lead"), {
            lead: script,
            child: Array.from(
              { length: 6 },
              () => (seen: Seen) =>
                seen.results.length === 0 ? AgentTest.call(slow, { turns: 20 }) : AgentTest.say("done")
            )
          })
          const run = Effect.provide(Agent.run(agent, "Go", { signal: controller.signal }), model)
          const fiber = yield* Effect.forkChild(Effect.exit(run), { startImmediately: true })
          yield* turns(moment)
          if (running() > 0) inCalls++
          if (way === "interrupted") yield* Fiber.interrupt(fiber)
          else {
            controller.abort()
            yield* Fiber.join(fiber)
          }
          assert.strictEqual(listeners(), 0)
        }
        assert.isAbove(inCalls, 0)
        yield* until(() => running() === 0)
        const left = { calls: 0, listeners: 0, streams: 0, sessions: 0, tasks: 0, asks: 0, queued: 0 }
        yield* until(() => door.counters().calls === 0)
        assert.deepInclude(door.counters(), left)
        yield* Effect.promise(() => door.close())
      })
  )
})
