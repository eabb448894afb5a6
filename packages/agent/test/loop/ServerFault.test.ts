import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { assert, describe, it } from "@effect/vitest"
import type { HttpScript } from "@treadle/testing"
import { McpError, McpReason } from "@treadle/client"
import { Agent, Server, type AgentEvent, type HttpServerSettings } from "@treadle/agent"
import { AgentTest, type Turn } from "@treadle/agent/test"
import { attempts, delayBefore, faultPolicy } from "../../src/loop/ServerFault.ts"
import { kb, note, search } from "../kb.ts"
import { until } from "../until.ts"
import { compat, eras, failure, native, result, said, serving, tool } from "../wire.ts"

const agent = (url: string, settings: HttpServerSettings = {}) =>
  Agent.make({ name: "reviewer", instruction: "You review.", servers: { box: Server.http(url, settings), kb } })

const error = (reason: McpReason) => new McpError({ method: "tools/call", server: "box", reason })

const policyOf = (reason: McpReason, harmless = false): string => faultPolicy(error(reason), harmless)._tag

/** Calls a tool once, and then says what the model reads of it and which tools there are. */
const once = (name = "x") =>
  AgentTest.script(AgentTest.callNamed(name), (seen) =>
    AgentTest.answer([seen.results[0]?.value, seen.results[0]?.isError, seen.tools.some((one) => one.tool === name)])
  )

/** What a run with one call comes to, all delays passed. */
const ran = (url: string, settings: HttpServerSettings = {}, model = once()) =>
  Effect.gen(function* () {
    const events: Array<AgentEvent> = []
    const running = yield* Effect.forkChild(
      Effect.result(
        Effect.provide(Agent.run(agent(url, settings), "Go", { onEvent: (event) => events.push(event) }), model)
      )
    )
    while (running.pollUnsafe() === undefined) {
      // Both ends are in this process, so some rounds of its loop carry a request there and back.
      let rounds = 0
      yield* until(() => ++rounds > 20)
      yield* TestClock.adjust(100)
    }
    return { ended: yield* Fiber.join(running), events }
  })

describe("what follows from a call without a result", () => {
  it("depends on whether the call may have run, and on nothing else that a server says (A31, A32, A34)", () => {
    const timedOut = new McpReason.TimedOut({ after: 1, method: "tools/call" })
    const reset = new McpReason.Transport({ message: "reset" })
    const cases: ReadonlyArray<readonly [policy: string, reason: McpReason, harmless?: boolean]> = [
      ["Drop", new McpReason.Rpc({ code: -32601, message: "" })],
      ["Refused", new McpReason.Rpc({ code: -32602, message: "" }), true],
      ["Broken", new McpReason.Rpc({ code: -32603, message: "" }), true],
      ["Again", new McpReason.Rpc({ code: -32000, message: "", status: 503 })],
      ["Tell", new McpReason.Rpc({ code: -32000, message: "" }), true],
      ["Again", new McpReason.Transport({ message: "", status: 429 })],
      ["Tell", new McpReason.Transport({ message: "", status: 502 }), true],
      ["Broken", reset],
      ["Again", reset, true],
      ["Again", new McpReason.Transport({ message: "refused", notRun: true })],
      ["Tell", timedOut],
      ["Again", timedOut, true],
      ["Broken", new McpReason.Closed({})],
      ["Lost", new McpReason.Unauthorized({ server: "box" }), true],
      ["Tell", new McpReason.InputRefused({ asked: "x" })],
      ["Tell", new McpReason.Undecodable({ what: "the result", problems: [] }), true]
    ]
    for (const [policy, reason, harmless] of cases) {
      assert.strictEqual(policyOf(reason, harmless), policy, `${reason._tag} ${reason.message}`)
    }
  })

  it("waits 100 ms, doubling to 5 s, a quarter more or less, or what the server asks for within that (A32)", () => {
    assert.deepStrictEqual(
      [1, 2, 3, 7, 20].map((attempt) => delayBefore(attempt, undefined, 0.5)),
      [100, 200, 400, 5_000, 5_000]
    )
    assert.deepStrictEqual([delayBefore(1, undefined, 0), delayBefore(1, undefined, 1)], [75, 125])
    assert.deepStrictEqual(
      [delayBefore(1, 2_000, 0), delayBefore(1, 60_000, 0), delayBefore(3, 0, 0)],
      [2_000, 5_000, 400]
    )
    assert.strictEqual(attempts, 3)
  })
})

describe.each(eras)("a call to a server that is $era", ({ serve }) => {
  const served = (call: HttpScript, more: object = {}) => serving(serve({ tools: [tool("x", more)], call }))

  it.effect("carries the id of the run, under the key of the setting (A28)", () =>
    Effect.gen(function* () {
      for (const key of [undefined, "io.modelcontextprotocol/run-id"]) {
        const server = yield* served(({ json }, reply) => reply.json(result(json.id, said("ok"))))
        const one = Agent.make({
          name: "r",
          instruction: "Go.",
          servers: { box: server.url },
          ...(key === undefined ? {} : { runIdKey: key })
        })
        const twice = AgentTest.script(AgentTest.callNamed("x"), AgentTest.callNamed("x"), AgentTest.say("ok"))
        const outcome = yield* Effect.provide(Agent.run(one, "Go", { runId: "run-7" }), twice)
        assert.strictEqual(outcome.runId, "run-7")
        assert.deepStrictEqual(
          server.of("tools/call").map(({ params }) => params._meta[key ?? "dev.treadle/run-id"]),
          ["run-7", "run-7"]
        )
        assert.isUndefined(server.of("tools/list")[0].params?._meta?.["io.modelcontextprotocol/run-id"])
      }
    })
  )

  it.effect("that answers isError is an observation, and costs its step (A29, B012)", () =>
    Effect.gen(function* () {
      const bad = said("API key invalid", { isError: true, structuredContent: { ok: false } })
      const server = yield* served(({ json }, reply) => reply.json(result(json.id, bad)))
      const { ended, events } = yield* ran(server.url)
      assert.strictEqual(ended._tag, "Success")
      if (ended._tag === "Success") {
        assert.deepStrictEqual(JSON.parse(ended.success.text), [
          { value: { ok: false }, content: ["API key invalid"] },
          true,
          true
        ])
        assert.strictEqual(ended.success.usage.steps, 2)
        assert.strictEqual(ended.success.calls()[0]?.result?.isError, true)
      }
      const returned = events.find((event) => event._tag === "ToolReturned")
      assert.deepInclude(returned, { isError: true, server: "box", tool: "x" })
    })
  )

  it.effect(
    "that is refused as unknown or as wrong is not repeated: the model is told, and an unknown tool is gone (A30, A31, B015)",
    () =>
      Effect.gen(function* () {
        for (const code of [-32601, -32602]) {
          const server = yield* served(({ json }, reply) => reply.json(failure(json.id, code, "no such thing")))
          const { ended } = yield* ran(server.url)
          assert.strictEqual(ended._tag, "Success")
          if (ended._tag !== "Success") continue
          const [notice, isError, there] = JSON.parse(ended.success.text)
          assert.include(notice, '[protocol fault, no result of the tool] "x" of server "box"')
          assert.include(notice, "no such thing")
          assert.notInclude(notice, server.url, "where a server is does not concern the model")
          assert.deepStrictEqual([isError, there], [true, code === -32602])
          assert.strictEqual(server.of("tools/call").length, 1)
          assert.deepInclude(ended.success.calls()[0]?.error?.reason, { _tag: "Rpc", code })
        }
      })
  )

  it.effect("whose arguments are wrong may be mended; three in a row cost the tool (A31)", () =>
    Effect.gen(function* () {
      const server = yield* served(({ json }, reply) =>
        reply.json(
          json.params.arguments.good === true ? result(json.id, said("ok")) : failure(json.id, -32602, "not good")
        )
      )
      const call = (good: boolean, number: number) => AgentTest.callNamed("x", { good, number })
      const model = AgentTest.script(
        ...[false, false, true, false, false].map(call),
        (seen) => {
          assert.isTrue(seen.tools.some((one) => one.tool === "x"))
          return call(false, 6)
        },
        (seen) => AgentTest.answer([seen.results.map(({ value }) => value), seen.tools.some((one) => one.tool === "x")])
      )
      const { ended } = yield* ran(server.url, {}, model)
      assert.strictEqual(ended._tag, "Success")
      if (ended._tag !== "Success") return
      const [values, there] = JSON.parse(ended.success.text)
      const mend = "Its arguments may be wrong: mend them before you call it again."
      const gone = "It is not offered any more in this run."
      const expected = [mend, mend, "ok", mend, mend, gone]
      assert.strictEqual(values.length, expected.length)
      for (const [index, text] of expected.entries()) assert.include(values[index], text)
      assert.isFalse(there)
    })
  )

  it.effect("that finds the server busy is made three times at most, and then given up (A32)", () =>
    Effect.gen(function* () {
      for (const status of [429, 503]) {
        const server = yield* served((_, reply) => reply.raw("busy", {}, status))
        const { ended } = yield* ran(server.url)
        assert.strictEqual(ended._tag, "Success")
        if (ended._tag === "Success") assert.include(ended.success.text, "Try again later.")
        assert.strictEqual(server.of("tools/call").length, 3)
      }
      let left = 2
      const server = yield* served(({ json }, reply) =>
        left-- > 0 ? reply.raw("busy", {}, 503) : reply.json(result(json.id, said("made it")))
      )
      const { ended } = yield* ran(server.url)
      assert.isTrue(ended._tag === "Success" && ended.success.text.includes("made it"))
    })
  )

  it.effect(
    "is not made again where it may have run, unless its operator trusts what it says of itself (A34, A35)",
    () =>
      Effect.gen(function* () {
        const lose: HttpScript = (_, reply) => reply.destroy()
        const hints = { annotations: { idempotentHint: true, readOnlyHint: true } }
        const stranger = yield* served(lose, hints)
        const lost = yield* ran(stranger.url, { required: false })
        assert.strictEqual(lost.ended._tag, "Success")
        assert.strictEqual(stranger.of("tools/call").length, 1)

        let left = 1
        const friend = yield* served(
          (seen, reply) => (left-- > 0 ? reply.destroy() : reply.json(result(seen.json.id, said("made it")))),
          hints
        )
        const made = yield* ran(friend.url, { trusted: true })
        assert.isTrue(made.ended._tag === "Success" && made.ended.success.text.includes("made it"))
      })
  )

  it.effect("that breaks the server down three times in a row loses it; an answer between begins anew (A33)", () =>
    Effect.gen(function* () {
      let broken = true
      const server = yield* served(({ json }, reply) =>
        reply.json(broken ? failure(json.id, -32603, "boom") : result(json.id, said("ok")))
      )
      const call = (n: number) => AgentTest.callNamed("x", { n })
      const required = yield* ran(server.url, {}, AgentTest.script(call(1), call(2), call(3)))
      assert.isTrue(
        required.ended._tag === "Failure" && required.ended.failure.reason._tag === "RequiredServerDown",
        JSON.stringify(required.ended)
      )
      const between = AgentTest.script(
        call(1),
        call(2),
        () => ((broken = false), call(3)),
        () => ((broken = true), call(4)),
        call(5),
        AgentTest.say("still here")
      )
      const { ended } = yield* ran(server.url, {}, between)
      assert.isTrue(ended._tag === "Success" && ended.success.text === "still here")
    })
  )

  it.effect("whose connection breaks is told as one that may have been made, and another is made anew (A34)", () =>
    Effect.gen(function* () {
      let left = 1
      const server = yield* served(({ json }, reply) =>
        left-- > 0 ? reply.destroy() : reply.json(result(json.id, said("made it")))
      )
      const model = AgentTest.script(AgentTest.callNamed("x"), AgentTest.callNamed("x", { again: true }), (seen) => {
        assert.include(String(seen.results[0]?.value), "Whether the call was made is not known")
        return AgentTest.answer(seen.results.map(({ isError }) => isError))
      })
      const { ended } = yield* ran(server.url, {}, model)
      assert.isTrue(ended._tag === "Success" && ended.success.text === "[true,false]", JSON.stringify(ended))
      assert.strictEqual(server.of("tools/call").length, 2)
    })
  )

  // A33 has one loss end a run; decision 7 of the same page, which is above it, has only what persists do so.
  it.effect(
    "that loses a server for good ends the run where the agent needs it, and leaves it out where not (A33)",
    () =>
      Effect.gen(function* () {
        const server = yield* served((_, reply) => reply.destroy())
        const calls = [1, 2, 3].map((n) => AgentTest.callNamed("x", { n }))
        const needed = yield* ran(server.url, {}, AgentTest.script(...calls))
        assert.isTrue(needed.ended._tag === "Failure" && needed.ended.failure.reason._tag === "RequiredServerDown")
        const optional = AgentTest.script(
          AgentTest.together(...calls, AgentTest.call(search, { query: "a" })),
          (seen) => {
            assert.include(String(seen.results[2]?.value), "The server is left out from here on.")
            assert.deepStrictEqual(seen.last(search), ["Rule 7: no force pushes (a)"])
            assert.isFalse(seen.tools.some((one) => one.server === "box"))
            return AgentTest.say("went on")
          }
        )
        const { ended, events } = yield* ran(server.url, { required: false }, optional)
        assert.isTrue(ended._tag === "Success" && ended.success.text === "went on")
        assert.isTrue(events.some((event) => event._tag === "Degraded" && event.server === "box"))
      })
  )

  it.effect("to a server that is gone is told once, is then tried three times, and the run ends (A32, A33)", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const server = yield* Scope.provide(
        served(() => {}),
        scope
      )
      const gone: Turn = {
        options: {},
        parts: (...given) => Effect.andThen(Scope.close(scope, Exit.void), AgentTest.callNamed("x").parts(...given))
      }
      const { ended } = yield* ran(server.url, {}, AgentTest.script(gone, AgentTest.callNamed("x", { again: true })))
      assert.isTrue(ended._tag === "Failure" && ended.failure.reason._tag === "RequiredServerDown")
    })
  )

  it.effect("that is answered by what is no result is told, and the run goes on", () =>
    Effect.gen(function* () {
      for (const body of [{}, { content: "text" }, { content: [{ text: "no type" }] }, null, [], "ok"]) {
        const server = yield* served(({ json }, reply) => reply.json({ jsonrpc: "2.0", id: json.id, result: body }))
        const { ended } = yield* ran(server.url, { required: false })
        assert.strictEqual(ended._tag, "Success", JSON.stringify(body))
      }
    })
  )

  it.effect("that hangs ends after its time, is cancelled, and is told (A70, B020)", () =>
    Effect.gen(function* () {
      const server = yield* served(() => {})
      const { ended } = yield* ran(server.url, { timeout: 1_000 })
      assert.isTrue(ended._tag === "Success" && ended.success.text.includes("1000 ms"), JSON.stringify(ended))
      const call = server.seen.events.find(({ json }) => json?.method === "tools/call")
      assert.exists(call?.json.params._meta.progressToken)
      if (serve === compat) assert.strictEqual(server.of("notifications/cancelled").length, 1)
      else yield* Effect.promise(() => call?.gone ?? Promise.reject(new Error("there was no call")))
    })
  )
})

describe("progress of a call", () => {
  it.effect("is told of, and lets its time begin anew (B020)", () =>
    Effect.gen(function* () {
      let stream: ReturnType<Parameters<HttpScript>[1]["stream"]> | undefined
      let call: any
      const server = yield* serving(
        native({
          tools: [tool("x")],
          call: ({ json }, reply) => {
            call = json
            stream = reply.stream()
          }
        })
      )
      const events: Array<AgentEvent> = []
      const running = yield* Effect.forkChild(
        Effect.provide(
          Agent.run(agent(server.url, { timeout: 1_000 }), "Go", { onEvent: (event) => events.push(event) }),
          AgentTest.script(AgentTest.callNamed("x"), (seen) => AgentTest.answer(seen.results[0]?.value))
        )
      )
      yield* until(() => stream !== undefined)
      for (let done = 1; done <= 3; done++) {
        yield* TestClock.adjust(900)
        const { progressToken } = call.params._meta
        const params = { progressToken, progress: done, total: 3, message: `part ${done}` }
        yield* Effect.promise(async () => stream?.event({ jsonrpc: "2.0", method: "notifications/progress", params }))
        yield* until(() => events.filter(({ _tag }) => _tag === "ToolProgress").length === done)
      }
      yield* Effect.promise(async () => stream?.event(result(call.id, said("done"))))
      stream?.end()
      assert.strictEqual((yield* Fiber.join(running)).text, '"done"')
      assert.deepInclude(
        events.findLast(({ _tag }) => _tag === "ToolProgress"),
        { done: 3, total: 3, message: "part 3" }
      )
    })
  )
})

describe("a run whose calls are all done", () => {
  it.effect("has cancelled none of them (A70)", () =>
    Effect.gen(function* () {
      const server = yield* serving(compat({ tools: [tool("x")] }))
      const recorded = AgentTest.recording(kb)
      const both = Agent.make({ name: "r", instruction: "Go.", servers: { box: server.url, kb: recorded } })
      const model = AgentTest.script(
        AgentTest.together(AgentTest.callNamed("x"), AgentTest.call(note, { text: "a" })),
        AgentTest.say("ok")
      )
      yield* Effect.provide(Agent.run(both, "Go"), model)
      assert.deepStrictEqual(server.of("notifications/cancelled"), [])
      assert.notInclude(recorded.cancelled, "tools/call")
    })
  )

  it.effect("drops an answer that comes after its call was given up (A72, B035)", () =>
    Effect.gen(function* () {
      const late = AgentTest.recording(kb, ({ tool: name }) => (name === "note" ? AgentTest.delay(3_000) : undefined))
      const quick = Agent.make({
        name: "r",
        instruction: "Go.",
        servers: { kb: Server.inProcess(late, { timeout: 1_000 }) }
      })
      let told = false
      const model = AgentTest.script(AgentTest.call(note, { text: "a" }), (seen) => {
        told = true
        return AgentTest.after(5_000, AgentTest.answer(seen.results.map(({ isError }) => isError)))
      })
      const running = yield* Effect.forkChild(Effect.provide(Agent.run(quick, "Go"), model))
      yield* until(() => late.calls(note).length === 1)
      yield* TestClock.adjust(1_000)
      yield* until(() => told && late.cancelled.includes("tools/call"))
      yield* TestClock.adjust(6_000)
      const outcome = yield* Fiber.join(running)
      assert.deepStrictEqual(JSON.parse(outcome.text), [true])
      assert.strictEqual(outcome.calls(note).length, 1)
    })
  )
})
