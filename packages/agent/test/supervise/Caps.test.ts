/**
 * What bounds the starts of subagents: each refusal is a value with its own reason, and uses up nothing.
 */
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { assert, describe, it } from "@effect/vitest"
import { Ledger } from "../../src/supervise/Ledger.ts"
import { defaultLimits } from "../../src/Limits.ts"
import type { Supervisor } from "../../src/Supervisor.ts"
import { asked, completed, desk, listens, refusalOf, says, servedDesk, type Act } from "./children.ts"

const pause = TestClock.adjust("10 seconds")

describe("a supervisor", () => {
  it.effect("refuses at the depth limit, naming limit and handle, and the caller goes on (A119)", () =>
    Effect.gen(function* () {
      let said = ""
      const deeper: Act = ({ own, spec }) =>
        spec.depth < 4
          ? Effect.as(own.spawn(asked("deeper")).pipe(Effect.orDie), completed(`at ${spec.path}`))
          : Effect.map(refusalOf(own.spawn(asked("deeper"))), (message) => {
              said = message
              return completed("as deep as it goes")
            })
      const { specs, supervisor } = desk({ deeper })
      const state = yield* supervisor.spawn(asked("deeper"))
      assert.strictEqual(said, "spawn refused: max_depth=4 reached at handle 0.0.0.0.0")
      assert.deepInclude(state, { status: "completed", result: "at 0.0" })
      assert.deepStrictEqual(
        specs.map(({ depth, path }) => [depth, path]),
        [
          [1, "0.0"],
          [2, "0.0.0"],
          [3, "0.0.0.0"],
          [4, "0.0.0.0.0"]
        ]
      )
    })
  )

  it.effect("refuses at the root where the depth is 0 (A119)", () =>
    Effect.gen(function* () {
      const inLoop = yield* refusalOf(desk({}, { limits: { depth: 0 } }).supervisor.spawn(asked("x")))
      const served = yield* refusalOf(servedDesk({}, { limits: { depth: 0 } }).supervisor.spawn(asked("x")))
      assert.strictEqual(inLoop, "spawn refused: max_depth=0 reached at handle 0")
      assert.strictEqual(served, inLoop)
    })
  )

  it.effect("refuses the 9th child of a run, the 65th run of a tree, spent tokens and a tree that drains (A120)", () =>
    Effect.gen(function* () {
      const { ledger, supervisor } = desk({ say: says("ok") })
      for (let child = 0; child < 8; child++) {
        yield* pause
        yield* supervisor.spawn(asked("say"))
      }
      yield* pause
      const ninth = yield* Effect.flip(supervisor.spawn(asked("say")))
      assert.deepStrictEqual(ninth.reason, { _tag: "Children", limit: 8, at: "0" })
      assert.strictEqual(ledger.runs, 9)

      const wide = desk({ say: says("ok") }, { limits: { children: 100 } })
      for (let child = 0; child < 63; child++) {
        yield* pause
        yield* wide.supervisor.spawn(asked("say"))
      }
      yield* pause
      const last = yield* Effect.flip(wide.supervisor.spawn(asked("say")))
      assert.deepStrictEqual(last.reason, { _tag: "TotalChildren", limit: 64 })

      const poor = desk({ say: says("ok") })
      poor.ledger.charge(defaultLimits.treeTokens)
      const spent = yield* Effect.flip(poor.supervisor.spawn(asked("say")))
      assert.deepStrictEqual(spent.reason, { _tag: "TreeTokens", limit: 2_000_000 })

      yield* poor.supervisor.close
      const draining = yield* Effect.flip(poor.supervisor.spawn(asked("say")))
      assert.deepStrictEqual(draining.reason, { _tag: "Draining" })
    })
  )

  it.effect("starts 8 at once and 2 a second after that (A121)", () =>
    Effect.gen(function* () {
      const { supervisor } = desk({ say: says("ok") }, { limits: { children: 100 } })
      for (let child = 0; child < 8; child++) yield* supervisor.spawn(asked("say"))
      const ninth = yield* Effect.flip(supervisor.spawn(asked("say")))
      assert.deepStrictEqual(ninth.reason, { _tag: "Rate", burst: 8, perSecond: 2 })
      yield* TestClock.adjust(499)
      assert.strictEqual((yield* Effect.flip(supervisor.spawn(asked("say")))).reason._tag, "Rate")
      yield* TestClock.adjust(1)
      assert.strictEqual((yield* supervisor.spawn(asked("say"))).handle, "0.8")
      assert.strictEqual((yield* Effect.flip(supervisor.spawn(asked("say")))).reason._tag, "Rate")
      yield* TestClock.adjust("1 hour")
      for (let child = 0; child < 8; child++) yield* supervisor.spawn(asked("say"))
      assert.strictEqual((yield* Effect.flip(supervisor.spawn(asked("say")))).reason._tag, "Rate")
    })
  )

  it.effect("gives numbers to those it starts only: a refused one uses none (A103, A126)", () =>
    Effect.gen(function* () {
      const { ledger, supervisor } = desk({ say: says("ok") }, { servers: [{ name: "kb", tags: [] }] })
      assert.strictEqual((yield* supervisor.spawn(asked("say"))).handle, "0.0")
      yield* Effect.flip(supervisor.spawn(asked("say", { servers: ["nowhere"] })))
      assert.strictEqual((yield* supervisor.spawn(asked("say"))).handle, "0.1")
      assert.strictEqual(supervisor.table.started, 2)
      assert.strictEqual(ledger.runs, 3)
    })
  )

  it.effect("has paths of parent and number that no other child ever had (A126)", () =>
    Effect.gen(function* () {
      const pair: Act = ({ own }) =>
        Effect.as(Effect.orDie(Effect.andThen(own.spawn(asked("say")), own.spawn(asked("say")))), completed("two"))
      const { specs, supervisor } = desk({ say: says("ok"), pair })
      yield* supervisor.spawn(asked("pair"))
      yield* supervisor.spawn(asked("pair"))
      assert.deepStrictEqual(
        specs.map(({ path }) => path),
        ["0.0", "0.0.0", "0.0.1", "0.1", "0.1.0", "0.1.1"]
      )
    })
  )

  it.effect("knows nothing of another one in the same process (A134)", () =>
    Effect.gen(function* () {
      const one = desk({ listen: listens })
      const other = desk({ listen: listens })
      const { handle } = yield* one.supervisor.spawn(asked("listen", { mode: "async" }))
      const lookUps: ReadonlyArray<Effect.Effect<unknown, { readonly why: string }>> = [
        other.supervisor.status(handle),
        other.supervisor.cancel(handle),
        other.supervisor.send(handle, "x")
      ]
      for (const lookUp of lookUps) assert.strictEqual((yield* Effect.flip(lookUp)).why, "unknown")
      assert.deepStrictEqual([one.ledger.runs, other.ledger.runs], [2, 1])
      yield* other.supervisor.close
      assert.strictEqual((yield* one.supervisor.status(handle)).status, "running")
      yield* one.supervisor.close
    })
  )
})

describe("a served agent", () => {
  it.effect("starts 4 at one time; the place returns when one ends, also when it breaks down (A101)", () =>
    Effect.gen(function* () {
      const { supervisor } = servedDesk({ listen: listens, die: () => Effect.die(new Error("broken")) })
      const spawn = (instruction: string) => supervisor.spawn(asked(instruction, { mode: "async" }))
      const first = yield* spawn("listen")
      for (let child = 1; child < 4; child++) yield* spawn("listen")
      const fifth = yield* refusalOf(spawn("listen"))
      assert.strictEqual(fifth, "spawn refused: 4 concurrent served spawns in flight")
      yield* supervisor.cancel(first.handle)
      yield* supervisor.await(first.handle, 1_000)
      const broken = yield* spawn("die")
      assert.strictEqual((yield* supervisor.status(broken.handle)).status, "failed")
      assert.strictEqual((yield* spawn("listen")).handle, "served.5")
      yield* supervisor.close
    })
  )

  it.effect("keeps 8 warm, beside those that run once (A102)", () =>
    Effect.gen(function* () {
      const { supervisor } = servedDesk({ say: says("hello"), listen: listens })
      const spawn = supervisor.spawn(asked("say", { mode: "warm" }))
      const first = yield* spawn
      for (let child = 1; child < 8; child++) yield* spawn
      assert.strictEqual(yield* refusalOf(spawn), "spawn refused: 8 warm sessions live; cancel one")
      yield* supervisor.spawn(asked("listen", { mode: "async" }))
      yield* supervisor.cancel(first.handle)
      yield* supervisor.await(first.handle, 1_000)
      assert.strictEqual((yield* spawn).handle, "served.9")
      yield* supervisor.close
    })
  )

  it.effect("drops the oldest that ended for the 65th, and never one that runs (A104, A105)", () =>
    Effect.gen(function* () {
      const { supervisor } = servedDesk({ say: says("ok"), listen: listens })
      const running = yield* supervisor.spawn(asked("listen", { mode: "async" }))
      for (let child = 1; child < 64; child++) yield* supervisor.spawn(asked("say", { mode: "async" }))
      assert.strictEqual((yield* supervisor.status("served.1")).status, "completed")
      const next = yield* supervisor.spawn(asked("say", { mode: "async" }))
      assert.strictEqual(next.handle, "served.64")
      assert.strictEqual((yield* Effect.flip(supervisor.status("served.1"))).why, "unknown")
      assert.strictEqual((yield* supervisor.status(running.handle)).status, "running")
      assert.strictEqual((yield* supervisor.status("served.2")).status, "completed")
      yield* supervisor.close
    })
  )

  it.effect("has an account for each that it starts, and bounds what is below by it (A101, A120)", () =>
    Effect.gen(function* () {
      const tree: Act = ({ own, spec }) => {
        spec.ledger.charge(defaultLimits.treeTokens)
        const refused = refusalOf((own as Supervisor).spawn(asked("x")))
        return Effect.map(refused, completed)
      }
      const { specs, supervisor } = servedDesk({ tree })
      const one = yield* supervisor.spawn(asked("tree"))
      assert.strictEqual(one.result, "spawn refused: the tree has used its 2000000 tokens")
      yield* supervisor.spawn(asked("tree"))
      assert.notStrictEqual(specs[0]?.ledger, specs[1]?.ledger)
      assert.instanceOf(specs[0]?.ledger, Ledger)
    })
  )

  it.effect("has the place of one that ended free for whoever hears of its end (A101)", () =>
    Effect.gen(function* () {
      const running: Array<number> = []
      const { supervisor } = servedDesk(
        { say: says("done") },
        {
          hears: ({ event }) => {
            if (event._tag === "SubagentEnded") running.push(supervisor.table.running("once"))
          }
        }
      )
      yield* supervisor.spawn(asked("say"))
      assert.deepStrictEqual(running, [0])
    })
  )
})
