/**
 * Ending subagents that do not want to: asked, interrupted, given up. The deepest go first.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { assert, describe, it } from "@effect/vitest"
import { AgentError, AgentReason } from "../../src/AgentError.ts"
import { asked, completed, deaf, desk, listens, refusalOf, servedDesk, stuck, type Act } from "./children.ts"

const ends = (told: ReturnType<typeof desk>["told"]) =>
  told.flatMap(({ event }) => (event._tag === "SubagentEnded" ? [[event.handle, event.status]] : []))

/** A child that starts one of its own, and goes on until it is asked to end. */
const nesting =
  (inner: string): Act =>
  (child) =>
    Effect.andThen(Effect.orDie(child.own.spawn(asked(inner, { mode: "async" }))), listens(child))

describe("the ladder", () => {
  it.effect("asks, interrupts after 5 seconds, and gives up after 2 more with a report (A131)", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const { supervisor, told } = servedDesk({ listen: listens, deaf, stuck: stuck(gate) })
      for (const instruction of ["listen", "deaf", "stuck"]) {
        yield* supervisor.spawn(asked(instruction, { mode: "async" }))
      }
      const closing = yield* Effect.forkChild(supervisor.close, { startImmediately: true })
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(ends(told), [["served.0", "cancelled"]])
      yield* TestClock.adjust(4_999)
      assert.strictEqual(ends(told).length, 1)
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(ends(told)[1], ["served.1", "cancelled"])
      yield* TestClock.adjust(1_999)
      assert.isUndefined(closing.pollUnsafe())
      yield* TestClock.adjust(1)
      yield* Fiber.join(closing)
      assert.deepStrictEqual(ends(told)[2], ["served.2", "cancelled"])
      const left = yield* supervisor.status("served.2")
      assert.deepInclude(left, { status: "cancelled", done: true, abandoned: true })
      // The place of one that was given up returns when it really ends, and its late answer changes nothing (A101).
      assert.strictEqual(supervisor.table.running("once"), 1)
      yield* Deferred.succeed(gate, undefined)
      yield* TestClock.adjust(0)
      assert.strictEqual(supervisor.table.running("once"), 0)
      assert.deepInclude(yield* supervisor.status("served.2"), { status: "cancelled", abandoned: true })
      assert.strictEqual(ends(told).length, 3)
    })
  )

  it.effect("ends the deepest first, and refuses what is started meanwhile (A131)", () =>
    Effect.gen(function* () {
      let meanwhile = ""
      const stubborn: Act = ({ own, stop }) =>
        Effect.andThen(
          Deferred.await(stop),
          Effect.map(refusalOf(own.spawn(asked("listen"))), (message) => {
            meanwhile = message
            return completed("done anyway")
          })
        )
      const { supervisor, told } = desk({ two: nesting("one"), one: nesting("stubborn"), stubborn })
      yield* supervisor.spawn(asked("two", { mode: "async" }))
      yield* supervisor.close
      assert.strictEqual(meanwhile, "spawn refused: the tree is being stopped")
      assert.deepStrictEqual(ends(told), [
        ["0.0.0.0", "completed"],
        ["0.0.0", "cancelled"],
        ["0.0", "cancelled"]
      ])
    })
  )

  it.effect("ends one with everything below it, and leaves the others (A95)", () =>
    Effect.gen(function* () {
      const { supervisor, told } = desk({ one: nesting("listen"), listen: listens })
      const { handle } = yield* supervisor.spawn(asked("one", { mode: "async" }))
      const other = yield* supervisor.spawn(asked("listen", { mode: "async" }))
      assert.deepStrictEqual(yield* supervisor.cancel(handle), { cancelled: true, mode: "async" })
      assert.strictEqual((yield* supervisor.await(handle, 1_000)).status, "cancelled")
      assert.deepStrictEqual(ends(told), [
        ["0.0.0", "cancelled"],
        ["0.0", "cancelled"]
      ])
      assert.strictEqual((yield* supervisor.status(other.handle)).status, "running")
      yield* supervisor.close
    })
  )

  it.effect("is told of as what it is: not as the failure that it provoked (A132)", () =>
    Effect.gen(function* () {
      const failing: Act = ({ stop }) =>
        Effect.andThen(
          Deferred.await(stop),
          Effect.fail(
            new AgentError({
              agent: "x",
              reason: new AgentReason.RequiredServerDown({ server: "kb", detail: "closed by the teardown" })
            })
          )
        )
      const dying: Act = ({ stop }) => Effect.andThen(Deferred.await(stop), Effect.die(new Error("torn down")))
      const failed: Act = ({ stop }) => Effect.as(Deferred.await(stop), { ...completed(""), status: "failed" })
      const { supervisor, told } = desk({ failing, dying, failed })
      yield* supervisor.spawn(asked("failing", { mode: "async" }))
      yield* supervisor.spawn(asked("dying", { mode: "async" }))
      yield* supervisor.spawn(asked("failed", { mode: "async" }))
      yield* supervisor.close
      assert.deepStrictEqual(ends(told), [
        ["0.0", "cancelled"],
        ["0.1", "cancelled"],
        ["0.2", "cancelled"]
      ])
    })
  )

  it.effect("refuses what one starts that was asked to end, also where it is its first (A131)", () =>
    Effect.gen(function* () {
      let refused = ""
      const late: Act = (child) =>
        Effect.andThen(
          Deferred.await(child.stop),
          Effect.suspend(() =>
            Effect.map(refusalOf(child.own.spawn(asked("listen", { mode: "async" }))), (text) => {
              refused = text
              return completed("")
            })
          )
        )
      const { supervisor } = desk({ late, listen: listens })
      yield* supervisor.spawn(asked("late", { mode: "async" }))
      yield* supervisor.close
      assert.strictEqual(refused, "spawn refused: the tree is being stopped")
    })
  )

  it.effect("lets no child outlive the run that started it, whatever its own end was (A127)", () =>
    Effect.gen(function* () {
      const leaving: Act = ({ own }) =>
        Effect.as(Effect.orDie(own.spawn(asked("listen", { mode: "async" }))), completed("I leave"))
      const { supervisor, told } = desk({ leaving, listen: listens })
      const state = yield* supervisor.spawn(asked("leaving"))
      assert.deepInclude(state, { status: "completed", result: "I leave" })
      assert.deepStrictEqual(ends(told), [
        ["0.0.0", "cancelled"],
        ["0.0", "completed"]
      ])
    })
  )

  it.effect("keeps what a run answered, also where what it started does not end (A97, A127)", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const leaving: Act = ({ own }) =>
        Effect.as(Effect.orDie(own.spawn(asked("stuck", { mode: "async" }))), completed("I leave"))
      const { supervisor, told } = desk({ leaving, stuck: stuck(gate) })
      const { handle } = yield* supervisor.spawn(asked("leaving", { mode: "async" }))
      yield* TestClock.adjust(3_000)
      const closing = yield* Effect.forkChild(supervisor.close, { startImmediately: true })
      yield* TestClock.adjust(10_000)
      yield* Fiber.join(closing)
      assert.deepInclude(yield* supervisor.status(handle), { status: "completed", result: "I leave" })
      assert.deepStrictEqual(ends(told), [
        ["0.0.0", "cancelled"],
        ["0.0", "completed"]
      ])
      yield* Deferred.succeed(gate, undefined)
    })
  )
})
