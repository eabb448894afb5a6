import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import type { Recorder } from "@treadle/testing"
import type { Answers } from "../../src/index.ts"
import { getShow, ping, reasonOf, result, rpcError, ShowNotFound, textResult } from "../fixtures.ts"
import { cells, play, type Part } from "../played.ts"
import { withSleeps } from "../sleeps.ts"
import { asks, completed, extension, facts, native, tasking, working } from "../tasking.ts"

/** Moves the clock by a wait once it has begun so often. */
const pass = (sleeps: Recorder<number>, millis: number, nth = 1) =>
  Effect.andThen(
    Effect.promise(() => sleeps.first(() => sleeps.events.filter((wait) => wait === millis).length >= nth)),
    TestClock.adjust(millis)
  )

const started = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })

const about = ({ params }: any) => params.taskId

describe("a call that became a task", () => {
  it.effect.each(cells.filter(({ era }) => era === "native"))(
    "TASK-04 TASK-08 TASK-17 TASK-18: gives its result, which is asked for as often as the server says, $name",
    ({ over }) =>
      withSleeps((sleeps) =>
        Effect.gen(function* () {
          const show = { id: 1, title: "Hamlet" }
          const { of, sent, session } = yield* native(
            tasking(
              working(),
              working({ statusMessage: "half", pollIntervalMs: 5000 }),
              working({ statusMessage: "half", pollIntervalMs: 700 }),
              completed({ content: [], structuredContent: show })
            ),
            { over }
          )
          const pending = yield* session.open(getShow)({ id: 1 })
          const told = yield* started(Stream.runCollect(pending.task))
          for (const millis of [2000, 5000, 700]) yield* pass(sleeps, millis)
          assert.deepStrictEqual<unknown>(yield* pending.result, show)
          const polls = of("tasks/get")
          assert.deepStrictEqual(polls.map(about), ["t-1", "t-1", "t-1"])
          if (over === "http") {
            assert.deepStrictEqual(polls[0].headers["mcp-name"], "t-1")
            assert.deepStrictEqual(polls[0].headers["mcp-method"], "tasks/get")
          }
          for (const { params } of sent.events) {
            const declared = params._meta["io.modelcontextprotocol/clientCapabilities"]
            assert.deepStrictEqual(declared, { extensions: { [extension]: {} } }, "TASK-01")
          }
          assert.deepStrictEqual(
            [...(yield* Fiber.join(told))].map(({ status, statusMessage, taskId }) => [taskId, status, statusMessage]),
            [
              ["t-1", "working", undefined],
              ["t-1", "working", "half"],
              ["t-1", "completed", undefined]
            ]
          )
        })
      )
  )

  it.effect.each([
    ["of a millisecond is a tenth of a second", [100, 100, 100], 1],
    ["of a year is five minutes", [300_000, 300_000], 31_536_000_000],
    ["that the server leaves open grows", [100, 200, 400, 800], undefined]
  ] as const)("TASK-18: a wait %s", ([, waits, pollIntervalMs]) =>
    withSleeps((sleeps) =>
      Effect.gen(function* () {
        const { pollIntervalMs: _, ...open } = working()
        const state = pollIntervalMs === undefined ? open : { ...open, pollIntervalMs }
        const ended = completed({ content: [] })
        const { of, session } = yield* native(tasking(state, ...waits.slice(1).map(() => state), ended))
        const before = sleeps.events.length
        const fiber = yield* started(session.callTool("x", {}, { maxTotalTimeout: Infinity }))
        for (const [index, wait] of waits.entries()) {
          const times = waits.slice(0, index + 1).filter((other) => other === wait).length
          yield* pass(sleeps, wait, times)
        }
        assert.deepStrictEqual((yield* Fiber.join(fiber)).content, [])
        assert.strictEqual(of("tasks/get").length, waits.length)
        assert.deepStrictEqual(
          sleeps.events.slice(before).filter((wait) => wait !== 60_000),
          [...waits]
        )
      })
    )
  )

  it.effect("TASK-09: fails with the error that its endpoint declares, and with what the tool says otherwise", () =>
    Effect.gen(function* () {
      const ended = { ...facts, status: "completed" }
      const missing = { _tag: "ShowNotFound", id: 7 }
      const { session } = yield* native(
        tasking(ended, completed({ content: [], structuredContent: missing, isError: true }))
      )
      assert.deepStrictEqual(yield* Effect.flip(session.call(getShow)({ id: 7 })), new ShowNotFound({ id: 7 }))
      const said = yield* native(tasking(ended, completed(textResult("sold out", { isError: true }))))
      assert.deepInclude(yield* reasonOf(said.session.call(ping)()), { _tag: "ToolFailed", message: "sold out" })
    })
  )

  it.effect.each([
    [
      "that failed",
      { ...facts, status: "failed", error: { code: -32603, message: "broke", data: { at: 1 } } },
      { _tag: "Rpc", code: -32603, message: "broke", data: { at: 1 } }
    ],
    [
      "that its server cancelled",
      { ...facts, status: "cancelled", statusMessage: "shutting down" },
      { _tag: "TaskLost", why: "cancelled", message: 'the server cancelled its task "t-1": shutting down' }
    ],
    ["that its server knows no longer", { code: -32602 }, { _tag: "TaskLost", why: "unknown", taskId: "t-1" }],
    ["whose server refuses", { code: -32021 }, { _tag: "Rpc", code: -32021 }],
    ["whose result is none", completed({ content: 1 }), { _tag: "Undecodable" }],
    ["that is none", { ...facts, status: "asleep" }, { _tag: "Undecodable" }],
    [
      "that is told of as another",
      { ...completed(textResult("made")), taskId: "t-2" },
      { _tag: "Undecodable", message: 'the answer about task "t-1" is not as agreed: it is about task "t-2"' }
    ]
  ] as const)("TASK-09 TASK-14: %s fails, and is not cancelled", ([, state, expected]) =>
    Effect.gen(function* () {
      const { of, session } = yield* native(tasking({ ...facts, status: "completed" }, state))
      assert.deepInclude<object>(yield* reasonOf(session.call(ping)()), expected)
      assert.deepStrictEqual(of("tasks/cancel"), [])
    })
  )

  it.effect("TASK-04: from a server that was not told, or to another request, is no answer", () =>
    Effect.gen(function* () {
      const task = tasking(working())
      const untold = yield* native(task, { settings: { tasks: false } })
      const reason = yield* reasonOf(untold.session.call(ping)())
      assert.include(reason.message, "this client did not declare that it knows tasks")
      assert.deepStrictEqual(untold.sent.events[0].params._meta["io.modelcontextprotocol/clientCapabilities"], {})
      const prompt = yield* native(({ id }) => result(id, { resultType: "task", ...working() }))
      const refused = yield* reasonOf(prompt.session.getPrompt("p"))
      assert.include(refused.message, 'resultType "task" is no answer to prompts/get')
    })
  )

  it.effect("a compat session knows no tasks, and says nothing of them", () =>
    Effect.gen(function* () {
      const { of, session } = yield* play({ era: "compat", answer: tasking(working()) })
      assert.deepStrictEqual(of("initialize")[0].params.capabilities, {})
      assert.strictEqual((yield* reasonOf(session.call(ping)()))._tag, "Undecodable")
      assert.strictEqual((yield* reasonOf(session.task(ping)("t-1")))._tag, "NotOffered")
    })
  )
})

describe("a task that asks", () => {
  it.effect("TASK-10 TASK-11 TASK-18: is answered, each question once", () =>
    withSleeps((sleeps) =>
      Effect.gen(function* () {
        let forms = 0
        const answers: Answers = { form: () => ({ action: "accept", content: { nth: ++forms } }) }
        const { of, session } = yield* native(
          tasking(working(), asks("a", "b"), asks("a", "b"), asks("b", "c"), completed(textResult("ok"))),
          { settings: { answers } }
        )
        const fiber = yield* started(session.call(ping)())
        for (const [millis, nth] of [
          [2000, 1],
          [100, 1],
          [2000, 2],
          [100, 2]
        ] as const)
          yield* pass(sleeps, millis, nth)
        assert.strictEqual(yield* Fiber.join(fiber), "ok")
        assert.deepStrictEqual(
          of("tasks/update").map(({ params: { inputResponses, taskId } }) => [taskId, Object.keys(inputResponses)]),
          [
            ["t-1", ["a", "b"]],
            ["t-1", ["c"]]
          ]
        )
        assert.strictEqual(forms, 3)
      })
    )
  )

  it.effect("TIME-05: may be answered for as long as it takes, which is no time of the call", () =>
    Effect.gen(function* () {
      const answers: Answers = { form: () => Effect.as(Effect.sleep(5000), { action: "accept" as const }) }
      const { heard, session } = yield* native(tasking(asks("a"), asks("a"), completed(textResult("ok"))), {
        settings: { answers }
      })
      const fiber = yield* started(session.call(ping)(undefined, { timeout: 1000 }))
      yield* heard("tasks/get")
      yield* TestClock.adjust(5000)
      yield* heard("tasks/update")
      yield* TestClock.adjust(100)
      assert.strictEqual(yield* Fiber.join(fiber), "ok")
    })
  )

  it.effect("whose server does not take the answer ends the call, and is cancelled", () =>
    Effect.gen(function* () {
      const { heard, session } = yield* native(
        (message) =>
          message.method === "tasks/update"
            ? rpcError(message.id, -32602, "nth must be even")
            : tasking(asks("a"), asks("a"))(message),
        { settings: { answers: { form: () => ({ action: "accept" }) } } }
      )
      const reason = yield* reasonOf(session.call(ping)())
      assert.strictEqual(reason._tag, "InputRefused")
      assert.include(reason.message, "nth must be even")
      assert.strictEqual(about(yield* heard("tasks/cancel")), "t-1")
    })
  )

  it.effect("that nobody answers ends the call, and is cancelled", () =>
    Effect.gen(function* () {
      const { heard, session } = yield* native(tasking(asks("a"), asks("a")))
      assert.strictEqual((yield* reasonOf(session.call(ping)()))._tag, "InputRefused")
      assert.strictEqual(about(yield* heard("tasks/cancel")), "t-1")
    })
  )
})

describe("a task that is given up", () => {
  it.effect.each(cells.filter(({ era }) => era === "native"))(
    "TASK-12 TASK-13: is cancelled with its call, and by no other word, $name",
    ({ over }) =>
      Effect.gen(function* () {
        const { heard, of, session } = yield* native(tasking(working()), { over })
        const pending = yield* session.open(ping)()
        yield* Stream.runHead(pending.task)
        const waits = yield* started(reasonOf(pending.result))
        yield* pending.cancel
        assert.strictEqual((yield* Fiber.join(waits))._tag, "Cancelled")
        assert.strictEqual(about(yield* heard("tasks/cancel")), "t-1")
        assert.deepStrictEqual(of("notifications/cancelled"), [])
      })
  )

  it.effect("TASK-12 CANCEL-06: is cancelled where its call was taken back before it was known to be one", () =>
    Effect.gen(function* () {
      let answer = (): void => {}
      const told = new Promise<void>((resolve) => {
        answer = resolve
      })
      const { heard, of, session } = yield* native(async (message) => {
        if (message.method === "tools/call") await told
        return tasking(working())(message)
      })
      const fiber = yield* started(session.call(ping)(undefined, { keepTask: true }))
      yield* heard("tools/call")
      yield* Fiber.interrupt(fiber)
      yield* heard("notifications/cancelled")
      answer()
      assert.strictEqual(about(yield* heard("tasks/cancel")), "t-1")
      assert.strictEqual(of("tasks/cancel").length, 1)
      assert.deepInclude(session.counters(), { late: 1 })
    })
  )

  it.effect("is cancelled before its session ends", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { sent, session } = yield* Scope.provide(native(tasking(working())), scope)
      const pending = yield* Scope.provide(session.open(ping)(), scope)
      yield* Stream.runHead(pending.task)
      yield* Scope.close(scope, Exit.void)
      yield* Effect.promise(() => sent.first(({ method }) => method === "end"))
      const methods = sent.events.map(({ method }) => method)
      assert.deepStrictEqual(methods, ["server/discover", "tools/call", "tasks/cancel", "end"])
    })
  )

  it.effect.each([
    [false, ["server/discover", "tools/call", "tasks/cancel", "end"]],
    [true, ["server/discover", "tools/call", "end"]]
  ] as const)("that somebody else waits for is cancelled as well, unless it is kept: %s", ([keepTask, methods]) =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { sent, session } = yield* Scope.provide(native(tasking(working())), scope)
      const pending = yield* session.open(ping)(undefined, { keepTask })
      yield* Stream.runHead(pending.task)
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual((yield* reasonOf(pending.result))._tag, "Closed")
      yield* Effect.promise(() => sent.first(({ method }) => method === "end"))
      assert.deepStrictEqual(
        sent.events.map(({ method }) => method),
        [...methods]
      )
    })
  )

  it.effect("is left as it is where the caller says so", () =>
    Effect.gen(function* () {
      const { of, session } = yield* native(tasking(working()))
      const pending = yield* session.open(ping)(undefined, { keepTask: true })
      yield* Stream.runHead(pending.task)
      yield* pending.cancel
      yield* session.listTools().pipe(Effect.ignore)
      assert.deepStrictEqual(of("tasks/cancel"), [])
    })
  )

  it.effect.each([
    ["the timeout of the call", { timeout: 5000 }, 5000],
    ["ten minutes", {}, 600_000],
    ["the greatest time of the call", { timeout: 1000, maxTotalTimeout: 90_000 }, 90_000]
  ] as const)("TIME-01: after %s, it is cancelled and the call fails", ([, options, after]) =>
    Effect.gen(function* () {
      let polls = 0
      const { heard, session } = yield* native(({ id, method }) => {
        if (method === "tools/call") return result(id, { resultType: "task", ...working({ pollIntervalMs: 300_000 }) })
        if (method === "tasks/get") polls++
        return result(id, { resultType: "complete", ...working({ pollIntervalMs: 300_000 }) })
      })
      const pending = yield* started(reasonOf(session.callTool("x", {}, { ...options, onTask: () => {} })))
      yield* heard("tools/call")
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      yield* TestClock.adjust(after - 1)
      assert.isUndefined(pending.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.deepInclude(yield* Fiber.join(pending), { _tag: "TimedOut", after })
      yield* heard("tasks/cancel")
      assert.isAtMost(polls, 2)
    })
  )
})

/** An HTTP server that refuses so many questions about a task. */
const away = (times: number) => {
  let left = times
  const first: Part["first"] = ({ json }, reply) => {
    if (json?.method !== "tasks/get" || left-- <= 0) return false
    reply.raw("", {}, 503)
    return true
  }
  return native(tasking(working(), completed(textResult("ok"))), { over: "http", first })
}

/** Lets time pass until a fiber is done. */
const untilDone = <A, E>(fiber: Fiber.Fiber<A, E>) =>
  Effect.gen(function* () {
    while (fiber.pollUnsafe() === undefined) {
      yield* TestClock.adjust(500)
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
    }
    return yield* Fiber.join(fiber)
  })

describe("a task whose server is out of reach", () => {
  it.effect("D21: is asked for again, for about a minute", () =>
    Effect.gen(function* () {
      const { session } = yield* away(12)
      assert.strictEqual(yield* untilDone(yield* started(session.call(ping)())), "ok")
    })
  )

  it.effect("D21: is given up then, but not cancelled, so that one may come back to it", () =>
    Effect.gen(function* () {
      const { of, session } = yield* away(Infinity)
      const reason = yield* untilDone(yield* started(reasonOf(session.call(ping)())))
      assert.deepInclude(reason, { _tag: "Transport", status: 503 })
      assert.deepStrictEqual(of("tasks/cancel"), [])
    })
  )
})

describe("a question about a task that is not answered", () => {
  it.effect("TIME-01: has the time of one request, and is asked again", () =>
    Effect.gen(function* () {
      let polls = 0
      const { session } = yield* native((message) => {
        if (message.method === "tasks/get" && ++polls === 1) return undefined
        return tasking(working(), completed(textResult("ok")))(message)
      })
      assert.strictEqual(yield* untilDone(yield* started(session.call(ping)())), "ok")
      assert.strictEqual(polls, 2)
    })
  )

  it.effect("ends the call in the end, and the task is not cancelled", () =>
    Effect.gen(function* () {
      const { of, session } = yield* native((message) =>
        message.method === "tasks/get" ? undefined : tasking(working())(message)
      )
      const options = { timeout: 1000, maxTotalTimeout: 600_000 }
      const reason = yield* untilDone(yield* started(reasonOf(session.call(ping)(undefined, options))))
      assert.deepInclude(reason, { _tag: "TimedOut", after: 1000, method: "tasks/get" })
      assert.deepStrictEqual([of("tasks/get").length, of("tasks/cancel").length], [7, 0])
    })
  )
})
