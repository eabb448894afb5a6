/**
 * What the tools of a served agent do, in both eras.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import { assert, describe, it } from "@effect/vitest"
import { Agent } from "@treadle/agent"
import { AgentTest, type Seen } from "@treadle/agent/test"
import { kb, note } from "../kb.ts"
import { until } from "../until.ts"
import { eras, reviewer, servedClient } from "./peer.ts"

const textOf = ({ content }: { readonly [key: string]: any }): string => content[0].text

const spawn = "subagent.spawn"
const later = AgentTest.after(1_000, AgentTest.say("late"))

/** A model that does not answer, and tells whether it is being asked. */
const gate = () => {
  let state: "before" | "asked" | "left" = "before"
  const hanging = Effect.onInterrupt(
    Effect.suspend(() => {
      state = "asked"
      return Effect.never
    }),
    () =>
      Effect.sync(() => {
        state = "left"
      })
  )
  return { turn: { options: {}, parts: () => hanging }, reached: () => state === "asked", left: () => state === "left" }
}

/** Whose turn it is: in-loop subagents are told that they are some. */
const who = ({ system }: Seen) => (system.startsWith("You are a subagent") ? "child" : "top")

describe.each(eras)("a served agent, %s", (era) => {
  it.effect("runs a task as itself, and answers with its distillate (A88, A106)", () =>
    Effect.gen(function* () {
      const long = `${"a".repeat(4_095)}😀${"b".repeat(3_000)}`
      const model = AgentTest.script((seen) => {
        assert.include(seen.system, "Be a reusable code-review worker")
        assert.include(seen.system, "Output contract:\nOne word")
        assert.strictEqual(seen.task, "Review PR 7")
        return AgentTest.say("LGTM")
      }, AgentTest.say(long))
      const { client } = yield* servedClient(era, model)
      const result = yield* client.call(spawn, { instruction: "Review PR 7", output_contract: "One word" })
      assert.deepStrictEqual(result["structuredContent"], {
        handle: "served.0",
        status: "completed",
        done: true,
        partial: false,
        result: "LGTM"
      })
      assert.strictEqual(textOf(result), "LGTM")
      assert.isUndefined(result["isError"])
      const whole = yield* client.call(spawn, { instruction: "x" })
      assert.strictEqual(whole["structuredContent"].result, long)
      assert.strictEqual(textOf(whole), `${"a".repeat(4_095)}…[truncated]`)
    })
  )

  it.effect("answers in the form of the agent's answer, as JSON (A88)", () =>
    Effect.gen(function* () {
      const agent = Agent.make({
        name: "dated",
        instruction: "Tell days",
        answer: Schema.Struct({ day: Schema.Date, count: Schema.Int })
      })
      const value = { day: "2026-07-28T00:00:00.000Z", count: 2 }
      const model = AgentTest.script(AgentTest.answer(value), AgentTest.answer(value))
      const { client } = yield* servedClient(era, model, agent as unknown as Agent)
      const sync = yield* client.call(spawn, { instruction: "x" })
      assert.deepStrictEqual(sync["structuredContent"].result, value)
      assert.strictEqual(textOf(sync), JSON.stringify(value))
      const { handle } = yield* client.structured(spawn, { instruction: "x", async: true })
      yield* client.ended(handle)
      assert.deepInclude(yield* client.read(`agent://subagent/${handle}`), { result: value })
    })
  )

  it.effect("gives the handle of an async run at once, and its state when asked (A89, A93, A105)", () =>
    Effect.gen(function* () {
      const { client, connected } = yield* servedClient(era, AgentTest.script(later))
      const ack = yield* client.call(spawn, { instruction: "x", async: true })
      assert.deepStrictEqual(ack["structuredContent"], { handle: "served.0", status: "running", done: false })
      assert.deepStrictEqual(JSON.parse(textOf(ack)), ack["structuredContent"])
      yield* connected
      yield* TestClock.adjust(812)
      const running = { handle: "served.0", status: "running", done: false, age_ms: 812 }
      assert.deepStrictEqual(yield* client.structured("subagent.status", { handle: "served.0" }), running)
      assert.deepStrictEqual(yield* client.read("agent://subagent/served.0"), running)
      yield* TestClock.adjust(188)
      const done = { handle: "served.0", status: "completed", done: true, partial: false, result: "late" }
      assert.deepStrictEqual(yield* client.structured("subagent.status", { handle: "served.0" }), done)
      assert.deepStrictEqual(yield* client.read("agent://subagent/served.0"), done)
    })
  )

  it.effect("has one supervisor for each run, so that a run finds what it started (A134)", () =>
    Effect.gen(function* () {
      const model = AgentTest.cast(who, {
        top: [
          AgentTest.callNamed(spawn, { instruction: "x", async: true }),
          AgentTest.callNamed("subagent.await", { handle: "0.0.0" }),
          (seen) => AgentTest.answer(seen.results.at(-1)?.value)
        ],
        child: [AgentTest.say("found")]
      })
      const { client } = yield* servedClient(era, model)
      const { result } = yield* client.structured(spawn, { instruction: "x" })
      assert.deepInclude(JSON.parse(result), { handle: "0.0.0", status: "completed", result: "found" })
    })
  )

  it.effect("keeps a warm one, whose transcript goes on and whose turns have budgets of their own (A90, A91)", () =>
    Effect.gen(function* () {
      const model = AgentTest.script(AgentTest.call(note, { text: "Ada" }), AgentTest.say("Noted"), (seen) =>
        AgentTest.say(seen.prompt.includes("noted: Ada") ? "Ada" : "Nobody")
      )
      const { client } = yield* servedClient(era, model, reviewer({ limits: { steps: 2 } }))
      const { handle, ...ack } = yield* client.structured(spawn, { instruction: "Note Ada", warm: true, async: true })
      assert.deepStrictEqual([handle, ack], ["served.0", { warm: true, alive: true }])
      const sent = yield* client.structured("subagent.send", { handle, message: "Whom?" })
      assert.deepInclude(sent, { handle, delivered: true })
      assert.strictEqual(sent["awaiting_turn"], 2)
      const state = yield* client.once(handle, ({ turns }) => turns === 2)
      assert.deepStrictEqual(state, {
        handle,
        warm: true,
        alive: true,
        done: false,
        busy: false,
        turns: 2,
        last_result: "Ada",
        last_is_error: false,
        age_ms: 0
      })
      assert.strictEqual((yield* client.read(`agent://subagent/${handle}`))["data"].uri, `agent://subagent/${handle}`)
      assert.deepStrictEqual(yield* client.structured("subagent.cancel", { handle }), {
        handle,
        cancelled: true,
        warm: true
      })
      const gone = yield* client.call("subagent.status", { handle })
      assert.deepInclude(gone, { isError: true })
    })
  )

  it.effect("takes messages for warm ones only (A92, A99)", () =>
    Effect.gen(function* () {
      const { client } = yield* servedClient(era, AgentTest.script(AgentTest.say("done"), AgentTest.hang))
      yield* client.call(spawn, { instruction: "x", async: true })
      yield* client.ended("served.0")
      const sync = client.begin("tools/call", { name: spawn, arguments: { instruction: "x" } })
      const told: Array<string> = []
      for (const handle of ["served.0", "served.1", "served.9"]) {
        const result = yield* client.call("subagent.send", { handle, message: "x" })
        assert.isTrue(result["isError"])
        assert.isUndefined(result["structuredContent"])
        told.push(textOf(result))
      }
      assert.deepStrictEqual(told, [
        '"served.0" is not warm: it takes no messages. Spawn it warm to send it some',
        '"served.1" is not warm: it takes no messages. Spawn it warm to send it some',
        'no such subagent: "served.9"'
      ])
      for (const tool of ["subagent.status", "subagent.cancel"]) {
        assert.strictEqual(textOf(yield* client.call(tool, { handle: "served.9" })), 'no such subagent: "served.9"')
      }
      assert.isUndefined(client.answered(sync))
      yield* client.call("subagent.cancel", { handle: "served.1" })
      yield* client.answer(sync)
    })
  )

  it.effect("tells of a run that failed, and of one that was cancelled (A94, A95)", () =>
    Effect.gen(function* () {
      const model = AgentTest.script(AgentTest.fail(), AgentTest.hang, AgentTest.fail(), AgentTest.hang)
      const { client } = yield* servedClient(era, model)
      yield* client.call(spawn, { instruction: "x", async: true })
      const { error, ...failed } = yield* client.ended("served.0")
      assert.deepStrictEqual(failed, { handle: "served.0", status: "failed", done: true })
      assert.include(error, "no model answers")
      yield* client.call(spawn, { instruction: "x", async: true })
      assert.deepStrictEqual(yield* client.structured("subagent.cancel", { handle: "served.1" }), {
        handle: "served.1",
        cancelled: true
      })
      assert.deepStrictEqual(yield* client.ended("served.1"), {
        handle: "served.1",
        status: "cancelled",
        done: true
      })
      const sync = yield* client.call(spawn, { instruction: "x" })
      assert.isTrue(sync["isError"])
      assert.isUndefined(sync["structuredContent"])
      assert.match(textOf(sync), /^subagent failed: agent "reviewer": no model answers/)
      const hanging = client.begin("tools/call", { name: spawn, arguments: { instruction: "x" } })
      yield* client.call("subagent.cancel", { handle: "served.3" })
      assert.strictEqual(textOf((yield* client.answer(hanging))["result"]), "subagent terminated: cancelled")
    })
  )

  it.effect("does not cancel what has finished, whose result remains (A96)", () =>
    Effect.gen(function* () {
      const { client } = yield* servedClient(era, AgentTest.script(AgentTest.say("kept")))
      yield* client.call(spawn, { instruction: "x", async: true })
      yield* client.ended("served.0")
      const ack = yield* client.call("subagent.cancel", { handle: "served.0" })
      assert.isUndefined(ack["isError"])
      assert.deepStrictEqual(ack["structuredContent"], {
        handle: "served.0",
        cancelled: false,
        reason: "already finished"
      })
      assert.deepInclude(yield* client.structured("subagent.status", { handle: "served.0" }), { result: "kept" })
    })
  )

  it.effect("ends a run with everything below it when it is cancelled (A95)", () =>
    Effect.gen(function* () {
      const events: Array<string> = []
      const model = AgentTest.cast(who, {
        top: [AgentTest.callNamed("subagent.spawn", { instruction: "x" })],
        child: [AgentTest.hang]
      })
      const { client } = yield* servedClient(era, model, reviewer(), {
        onEvent: (event) => {
          if (event._tag === "SubagentEnded") events.push(`${event.path}: ${event.handle} ${event.status}`)
          if (event._tag === "StepStarted") events.push(`${event.path} works`)
        }
      })
      yield* client.call(spawn, { instruction: "x", async: true })
      yield* until(() => events.includes("0.0.0 works"))
      yield* client.call("subagent.cancel", { handle: "served.0" })
      yield* until(() => events.length === 4)
      assert.deepStrictEqual(events.slice(2), ["0.0: 0.0.0 cancelled", "0: served.0 cancelled"])
    })
  )

  it.effect("does not end a run for a cancelled request; its own tool does (A80)", () =>
    Effect.gen(function* () {
      const asked = gate()
      const { client } = yield* servedClient(era, AgentTest.script(asked.turn))
      const id = client.begin("tools/call", { name: spawn, arguments: { instruction: "x" } })
      yield* until(asked.reached)
      client.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } })
      yield* TestClock.adjust("10 seconds")
      assert.deepInclude(yield* client.structured("status"), { inflight_spawns: 1 })
      yield* client.call("subagent.cancel", { handle: "served.0" })
      yield* until(asked.left)
      assert.deepInclude(yield* client.structured("status"), { inflight_spawns: 0, total_spawns: 1 })
      assert.isUndefined(client.answered(id))
    })
  )

  it.effect("runs sync ones at the same time, four at most, and counts those it started (A100, A101, A103)", () =>
    Effect.gen(function* () {
      const { client, connected } = yield* servedClient(
        era,
        AgentTest.script(later, later, later, later, AgentTest.say("next"))
      )
      const running = [1, 2, 3, 4].map(() =>
        client.begin("tools/call", { name: spawn, arguments: { instruction: "x" } })
      )
      const fifth = yield* client.call(spawn, { instruction: "x" })
      assert.isTrue(fifth["isError"])
      assert.strictEqual(textOf(fifth), "spawn refused: 4 concurrent served spawns in flight")
      assert.deepInclude(yield* client.structured("status"), { inflight_spawns: 4, total_spawns: 4 })
      yield* connected
      yield* TestClock.adjust(1_000)
      for (const id of running) assert.strictEqual(textOf((yield* client.answer(id))["result"]), "late")
      const next = yield* client.structured(spawn, { instruction: "x" })
      assert.strictEqual(next["handle"], "served.4")
      assert.deepInclude(yield* client.structured("status"), { inflight_spawns: 0, total_spawns: 5 })
    })
  )

  it.effect("refuses what no run may have, as a result that the model reads (A119, A122)", () =>
    Effect.gen(function* () {
      const { client } = yield* servedClient(era, AgentTest.script())
      const scope = yield* client.call(spawn, { instruction: "x", tool_scope: ["kb", "kbb"] })
      assert.isTrue(scope["isError"])
      assert.strictEqual(textOf(scope), 'spawn refused: these servers cannot be given: "kbb"')
      const flat = yield* servedClient(era, AgentTest.script(), reviewer({ limits: { depth: 0 } }))
      const deep = yield* flat.client.call(spawn, { instruction: "x" })
      assert.strictEqual(textOf(deep), "spawn refused: max_depth=0 reached at handle 0")
    })
  )

  it.effect("says in brief why it cannot run, and tries again for the next one", () =>
    Effect.gen(function* () {
      let attempts = 0
      const flaky = AgentTest.recording(kb, ({ method }) => {
        if (method !== "server/discover" && method !== "initialize") return undefined
        return ++attempts < 3 ? AgentTest.rpcError(-32603, "not yet") : undefined
      })
      const model = AgentTest.script(AgentTest.say("ok"))
      const { client } = yield* servedClient(era, model, reviewer({ servers: { flaky } }))
      const first = yield* client.call(spawn, { instruction: "x" })
      assert.isTrue(first["isError"])
      // Neither the address of the server nor its words: those are for whoever runs the agent.
      assert.strictEqual(textOf(first), 'subagent failed: agent "reviewer": its server "flaky" is not there')
      let result = yield* client.call(spawn, { instruction: "x" })
      while (result["isError"] === true) result = yield* client.call(spawn, { instruction: "x" })
      assert.strictEqual(textOf(result), "ok")
    })
  )
})

describe("a served agent", () => {
  it.effect("connects its servers for its first run, once for all", () =>
    Effect.gen(function* () {
      const server = AgentTest.recording(kb)
      const model = AgentTest.script(...[1, 2, 3].map(() => AgentTest.say("ok")))
      const { client } = yield* servedClient("native", model, reviewer({ servers: { kb: server } }))
      assert.deepStrictEqual(server.methods, [])
      const ids = [1, 2, 3].map(() => client.begin("tools/call", { name: spawn, arguments: { instruction: "x" } }))
      for (const id of ids) yield* client.answer(id)
      assert.strictEqual(server.methods.filter((method) => method === "tools/list").length, 1)
    })
  )

  it.effect("ends what runs when it is served no more, warm ones too (A117, A131)", () =>
    Effect.gen(function* () {
      const asked = gate()
      const events: Array<string> = []
      yield* Effect.scoped(
        Effect.gen(function* () {
          const model = AgentTest.script(AgentTest.say("warm"), asked.turn)
          const { client } = yield* servedClient("native", model, reviewer(), {
            onEvent: (event) => {
              if (event._tag === "SubagentEnded") events.push(`${event.handle} ${event.status}`)
            }
          })
          yield* client.call(spawn, { instruction: "x", warm: true })
          yield* client.once("served.0", ({ turns }) => turns === 1)
          yield* client.call(spawn, { instruction: "x", async: true })
          yield* until(asked.reached)
        })
      )
      assert.isTrue(asked.left())
      assert.deepStrictEqual(events.toSorted(), ["served.0 cancelled", "served.1 cancelled"])
    })
  )

  it.effect("is a value: two that serve it share nothing (A134)", () =>
    Effect.gen(function* () {
      const one = yield* servedClient("native", AgentTest.script(AgentTest.say("x")))
      const other = yield* servedClient("native", AgentTest.script())
      yield* one.client.call(spawn, { instruction: "x", async: true })
      yield* one.client.ended("served.0")
      assert.deepInclude(yield* other.client.structured("status"), { total_spawns: 0 })
      assert.isTrue((yield* other.client.call("subagent.status", { handle: "served.0" }))["isError"])
    })
  )
})
