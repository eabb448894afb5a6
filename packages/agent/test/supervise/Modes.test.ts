/**
 * Subagents that are waited for, looked at, and talked with; and how they end.
 */
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/testing/TestClock"
import { assert, describe, it } from "@effect/vitest"
import { waitingMessages } from "../../src/Limits.ts"
import { asked, completed, deaf, desk, listens, says, type Act } from "./children.ts"

const gated =
  (gate: Deferred.Deferred<string>): Act =>
  () =>
    Effect.map(Deferred.await(gate), completed)

describe("a sync subagent", () => {
  it.effect("is over when its spawn returns, with its distillate and nothing else of it (A125)", () =>
    Effect.gen(function* () {
      const { supervisor } = desk({ say: says("the answer") })
      const state = yield* supervisor.spawn(asked("say"))
      assert.deepStrictEqual(state, {
        handle: "0.0",
        mode: "sync",
        status: "completed",
        done: true,
        age: 0,
        turns: 0,
        awaiting: 0,
        partial: false,
        result: "the answer"
      })
    })
  )

  it.effect("answers 8,000 bytes at most, cut between characters (A125)", () =>
    Effect.gen(function* () {
      const long = "ü".repeat(5_000)
      const { supervisor } = desk({
        text: says(`a${long}`),
        json: () => Effect.succeed({ ...completed(""), answer: { list: [long] } }),
        short: () => Effect.succeed({ ...completed(""), answer: { list: ["ü"] } })
      })
      const text = yield* supervisor.spawn(asked("text"))
      assert.strictEqual(text.result, `a${"ü".repeat(3_999)}… [truncated]`)
      const json = yield* supervisor.spawn(asked("json"))
      assert.strictEqual(json.result, `{"list":["${"ü".repeat(3_995)}… [truncated]`)
      assert.deepStrictEqual((yield* supervisor.spawn(asked("short"))).result, { list: ["ü"] })
    })
  )

  it.effect("that breaks down is a failed one, and its parent goes on (A129)", () =>
    Effect.gen(function* () {
      const { supervisor, told } = desk({ die: () => Effect.die(new Error("secret detail")), say: says("ok") })
      const state = yield* supervisor.spawn(asked("die"))
      assert.deepInclude(state, { status: "failed", done: true, error: "it broke down with an internal error" })
      assert.strictEqual((yield* supervisor.spawn(asked("say"))).result, "ok")
      assert.deepStrictEqual(
        told.map(({ event }) => event),
        [
          { _tag: "SubagentStarted", handle: "0.0", depth: 1 },
          { _tag: "SubagentEnded", handle: "0.0", status: "failed" },
          { _tag: "SubagentStarted", handle: "0.1", depth: 1 },
          { _tag: "SubagentEnded", handle: "0.1", status: "completed" }
        ]
      )
    })
  )

  it.effect("that breaks down goes to the log with what it broke down of, and with nothing where it only failed", () =>
    Effect.gen(function* () {
      const logs: Array<string> = []
      const log = Logger.layer([Logger.make(({ cause, message }) => logs.push(`${message} ${Cause.pretty(cause)}`))])
      const { supervisor } = desk({ die: () => Effect.die(new Error("the detail")), stop: () => Effect.interrupt })
      yield* Effect.provide(supervisor.spawn(asked("die")), log)
      yield* Effect.provide(supervisor.spawn(asked("stop")), log)
      const { handle } = yield* Effect.provide(supervisor.spawn({ ...asked("die"), mode: "warm" }), log)
      yield* supervisor.await(handle, 1_000)
      assert.strictEqual(logs.length, 2)
      assert.include(logs[0], "The subagent 0.0 broke down.")
      assert.include(logs[0], "the detail")
      assert.include(logs[1], `The subagent ${handle} broke down.`)
    })
  )

  it.effect("ends when nobody waits for it any more (A75)", () =>
    Effect.gen(function* () {
      const { supervisor } = desk({ listen: listens })
      const waiting = yield* Effect.forkChild(supervisor.spawn(asked("listen")), { startImmediately: true })
      yield* Fiber.interrupt(waiting)
      const state = yield* supervisor.await("0.0", 1_000)
      assert.strictEqual(state.status, "cancelled")
      assert.strictEqual(supervisor.table.running("once"), 0)
    })
  )
})

describe("an async subagent", () => {
  it.effect("is told of at once, and can be looked at as often as wanted (A93)", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<string>()
      const { supervisor } = desk({ gated: gated(gate) })
      const { handle, status } = yield* supervisor.spawn(asked("gated", { mode: "async" }))
      assert.deepStrictEqual([handle, status], ["0.0", "running"])
      yield* TestClock.adjust(812)
      assert.deepInclude(yield* supervisor.status(handle), { status: "running", done: false, age: 812 })
      yield* Deferred.succeed(gate, "late")
      const state = yield* supervisor.await(handle, 1_000)
      assert.deepInclude(state, { status: "completed", done: true, result: "late" })
      assert.deepStrictEqual(yield* supervisor.status(handle), state)
      assert.deepStrictEqual(yield* supervisor.list, [state])
    })
  )

  it.effect("is awaited until it ends, or for as long as was said; no time passes in between (A128)", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<string>()
      const { supervisor } = desk({ gated: gated(gate) })
      const { handle } = yield* supervisor.spawn(asked("gated", { mode: "async" }))
      const early = yield* Effect.forkChild(supervisor.await(handle, 30_000), { startImmediately: true })
      yield* TestClock.adjust(29_999)
      assert.isUndefined(early.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.strictEqual((yield* Fiber.join(early)).status, "running")
      const late = yield* Effect.forkChild(supervisor.await(handle, 30_000), { startImmediately: true })
      yield* Deferred.succeed(gate, "done")
      assert.deepInclude(yield* Fiber.join(late), { status: "completed", result: "done" })
    })
  )

  it.effect("is not ended for being silent (A133)", () =>
    Effect.gen(function* () {
      const { supervisor } = desk({ silent: deaf })
      const { handle } = yield* supervisor.spawn(asked("silent", { mode: "async" }))
      yield* TestClock.adjust("9 minutes")
      assert.strictEqual((yield* supervisor.status(handle)).status, "running")
      const closing = yield* Effect.forkChild(supervisor.close, { startImmediately: true })
      yield* TestClock.adjust("7 seconds")
      yield* Fiber.join(closing)
    })
  )

  it.effect("that has answered has its result, in every order of answer and wish (A97, A130)", () =>
    Effect.gen(function* () {
      const endings: Array<string> = []
      for (const answersFirst of [true, false]) {
        const gate = yield* Deferred.make<string>()
        const patient: Act = ({ stop }) =>
          Effect.raceFirst(
            Effect.map(Deferred.await(gate), completed),
            Effect.as(Deferred.await(stop), {
              status: "cancelled" as const,
              partial: true,
              answer: undefined,
              text: ""
            })
          )
        const { supervisor, told } = desk({ patient })
        const { handle } = yield* supervisor.spawn(asked("patient", { mode: "async" }))
        const steps = [Deferred.succeed(gate, "answer"), supervisor.cancel(handle)]
        for (const step of answersFirst ? steps : steps.toReversed()) yield* step
        const { result, status } = yield* supervisor.await(handle, 1_000)
        endings.push(status)
        assert.strictEqual(status === "completed", result === "answer")
        assert.strictEqual(told.filter(({ event }) => event._tag === "SubagentEnded").length, 1)
      }
      assert.deepStrictEqual(endings, ["completed", "cancelled"])
    })
  )

  it.effect("that ended is not cancelled, and keeps its result (A96)", () =>
    Effect.gen(function* () {
      const { supervisor } = desk({ say: says("kept") })
      const { handle } = yield* supervisor.spawn(asked("say", { mode: "async" }))
      assert.deepStrictEqual(yield* supervisor.cancel(handle), { cancelled: false, mode: "async" })
      assert.deepInclude(yield* supervisor.status(handle), { status: "completed", result: "kept" })
    })
  )
})

describe("the end of a subagent", () => {
  it.effect("is written before anybody is told of it (A112)", () =>
    Effect.gen(function* () {
      const states: Array<string> = []
      const { supervisor } = desk(
        { listen: listens },
        {
          hears: ({ event }) => {
            if (event._tag !== "SubagentEnded") return
            const child = supervisor.table.get(event.handle)
            states.push(`${event.status} ${child?.state(0).status} ${child?.done}`)
          }
        }
      )
      const { handle } = yield* supervisor.spawn(asked("listen", { mode: "async" }))
      yield* supervisor.cancel(handle)
      yield* supervisor.await(handle, 1_000)
      assert.deepStrictEqual(states, ["cancelled cancelled true"])
    })
  )
})

describe("a warm subagent", () => {
  it.effect("answers messages one after another, in their order (A91)", () =>
    Effect.gen(function* () {
      const order: Array<string> = []
      const turn: Act = ({ spec }) => {
        order.push(spec.path)
        return Effect.delay(Effect.succeed(completed(`turn ${order.length}`)), 1_000)
      }
      const { supervisor } = desk({ turn })
      const { handle, status } = yield* supervisor.spawn(asked("turn", { mode: "warm" }))
      assert.strictEqual(status, "running")
      assert.deepStrictEqual(yield* supervisor.send(handle, "turn"), { turns: 0, awaiting: 2 })
      assert.deepStrictEqual(yield* supervisor.send(handle, "turn"), { turns: 0, awaiting: 3 })
      yield* TestClock.adjust(1_000)
      assert.deepInclude(yield* supervisor.status(handle), {
        turns: 1,
        awaiting: 2,
        result: "turn 1",
        lastIsError: false
      })
      const waiting = yield* Effect.forkChild(supervisor.await(handle, 30_000), { startImmediately: true })
      yield* TestClock.adjust(2_000)
      assert.deepInclude(yield* Fiber.join(waiting), { turns: 3, awaiting: 0, result: "turn 3", status: "running" })
      assert.deepStrictEqual(yield* supervisor.send(handle, "turn"), { turns: 3, awaiting: 4 })
      yield* TestClock.adjust(1_000)
      yield* supervisor.close
    })
  )

  it.effect("lives on after a turn that failed, and says so (A90, A148)", () =>
    Effect.gen(function* () {
      const { supervisor } = desk({ say: says("fine"), die: () => Effect.die(new Error("x")) })
      const { handle } = yield* supervisor.spawn(asked("die", { mode: "warm" }))
      assert.deepInclude(yield* supervisor.await(handle, 1_000), { status: "running", turns: 1, lastIsError: true })
      yield* supervisor.send(handle, "say")
      assert.deepInclude(yield* supervisor.await(handle, 1_000), { turns: 2, lastIsError: false, result: "fine" })
      yield* supervisor.close
    })
  )

  it.effect("is the only kind that takes messages, as long as it lives, and not too many at once (A92)", () =>
    Effect.gen(function* () {
      const { supervisor } = desk({ say: says("ok"), listen: listens })
      const once = yield* supervisor.spawn(asked("say"))
      const async = yield* supervisor.spawn(asked("listen", { mode: "async" }))
      const warm = yield* supervisor.spawn(asked("listen", { mode: "warm" }))
      const why = (handle: string) => Effect.map(Effect.flip(supervisor.send(handle, "listen")), (error) => error.why)
      assert.deepStrictEqual(
        [yield* why("0.9"), yield* why(once.handle), yield* why(async.handle)],
        ["unknown", "not_warm", "not_warm"]
      )
      for (let message = 1; message < waitingMessages; message++) yield* supervisor.send(warm.handle, "listen")
      assert.strictEqual(yield* why(warm.handle), "full")
      yield* supervisor.cancel(warm.handle)
      assert.strictEqual(yield* why(warm.handle), "ended")
      yield* supervisor.close
    })
  )

  it.effect("ends with the turn under way, and what waits is not answered (A95)", () =>
    Effect.gen(function* () {
      const { specs, supervisor } = desk({ listen: listens })
      const { handle } = yield* supervisor.spawn(asked("listen", { mode: "warm" }))
      yield* supervisor.send(handle, "listen")
      assert.deepStrictEqual(yield* supervisor.cancel(handle), { cancelled: true, mode: "warm" })
      const state = yield* supervisor.await(handle, 1_000)
      assert.deepInclude(state, { status: "cancelled", done: true, turns: 1 })
      assert.strictEqual(specs.length, 1)
      assert.strictEqual(supervisor.table.running("warm"), 0)
    })
  )
})
