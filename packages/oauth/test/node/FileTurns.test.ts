import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import type { Recorder } from "@treadle/testing"
import { withSleeps } from "../../../client/test/sleeps.ts"
import { inTurn } from "../../src/node/FileTurns.ts"
import { folder } from "./fixtures/folder.ts"

/** How long a waiter rests at most between two looks, in milliseconds. */
const rest = 250

/** Lets a waiter look again and again, as long as it waits. */
const looking = (
  sleeps: Recorder<number>,
  waiter: Fiber.Fiber<unknown, unknown>,
  times: number,
  between = () => {}
) => {
  const looks = () => sleeps.events.filter((millis) => millis <= rest).length
  const looked = (before: number) => Effect.promise(() => sleeps.first(() => looks() > before))
  const once = Effect.gen(function* () {
    yield* Effect.raceFirst(looked(0), Fiber.await(waiter))
    between()
    const before = looks()
    yield* TestClock.adjust(rest)
    yield* Effect.raceFirst(looked(before), Fiber.await(waiter))
  })
  return Effect.replicateEffect(once, times, { discard: true })
}

const owner = "00000000-0000-4000-8000-000000000000"

/** What a file of this process says; and of another process of this machine. */
const identity = (path: string) =>
  inTurn(
    path,
    "other",
    Effect.sync(() => readFileSync(join(path, readdirSync(path)[0]!), "utf8"))
  )

/** A file of somebody else who wants the lock too. */
const other = (path: string, said: string, number = 1): string => {
  mkdirSync(path, { recursive: true })
  const file = join(path, `lock.${String(number).padStart(10, "0")}.${owner}`)
  writeFileSync(file, said)
  return file
}

/** A process that was, and is no more. */
const deadPid = () => spawnSync(process.execPath, ["-e", ""]).pid

const locks = Effect.map(folder, (path) => join(path, "locks"))

describe("turns by files", () => {
  it.effect("B098: are taken one after the other, in the order in which they were wanted", () =>
    withSleeps((sleeps) =>
      Effect.gen(function* () {
        const path = yield* locks
        const order: Array<string> = []
        const [inside, over] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const held = inTurn(path, "lock", Effect.andThen(Deferred.succeed(inside, undefined), Deferred.await(over)))
        const holder = yield* Effect.forkChild(held)
        yield* Deferred.await(inside)
        const turn = (name: string) =>
          inTurn(
            path,
            "lock",
            Effect.sync(() => order.push(name))
          )
        const second = yield* Effect.forkChild(turn("second"))
        yield* Effect.promise(() => sleeps.first((millis) => millis <= rest))
        const third = yield* Effect.forkChild(turn("third"))
        yield* looking(sleeps, third, 40)
        assert.deepStrictEqual(order, [])
        yield* Deferred.succeed(over, undefined)
        yield* looking(sleeps, third, 8)
        yield* Fiber.join(holder)
        yield* Fiber.join(second)
        yield* Fiber.join(third)
        assert.deepStrictEqual(order, ["second", "third"])
        assert.deepStrictEqual(readdirSync(path), [])
      })
    )
  )

  it.effect("do not wait for turns of other locks", () =>
    Effect.gen(function* () {
      const path = yield* locks
      const nested = inTurn(path, "lock", inTurn(path, "lock-change", inTurn(path, "loc", Effect.succeed("in"))))
      assert.strictEqual(yield* nested, "in")
    })
  )

  it.effect("end however the effect ends, and hand on how", () =>
    Effect.gen(function* () {
      const path = yield* locks
      const inside = yield* Deferred.make<void>()
      assert.strictEqual(yield* Effect.flip(inTurn(path, "lock", Effect.fail("no"))), "no")
      const defect = yield* Effect.exit(inTurn(path, "lock", Effect.die("boom")))
      assert.isTrue(Exit.hasDies(defect))
      const held = inTurn(path, "lock", Effect.andThen(Deferred.succeed(inside, undefined), Effect.never))
      const holder = yield* Effect.forkChild(held)
      yield* Deferred.await(inside)
      assert.strictEqual(readdirSync(path).length, 1)
      yield* Fiber.interrupt(holder)
      assert.deepStrictEqual(readdirSync(path), [])
    })
  )

  it.effect("are given up by whoever is interrupted while it waits", () =>
    withSleeps((sleeps) =>
      Effect.gen(function* () {
        const path = yield* locks
        const held = other(path, yield* identity(path))
        const waiter = yield* Effect.forkChild(inTurn(path, "lock", Effect.die("ran")))
        yield* looking(sleeps, waiter, 2)
        assert.strictEqual(readdirSync(path).length, 2)
        yield* Fiber.interrupt(waiter)
        assert.deepStrictEqual(
          readdirSync(path).map((name) => join(path, name)),
          [held]
        )
      })
    )
  )

  it.effect("show life each second as long as they last, and no longer", () =>
    withSleeps((sleeps) =>
      Effect.gen(function* () {
        const path = yield* locks
        const during = Effect.gen(function* () {
          const file = join(path, readdirSync(path)[0]!)
          const moved = (to: number) =>
            Effect.promise(async () => {
              while (statSync(file).mtimeMs !== to) await new Promise(setImmediate)
            })
          for (const second of [1, 2, 3]) {
            yield* TestClock.adjust(1_000)
            yield* moved(second * 1_000)
          }
        })
        yield* inTurn(path, "lock", during)
        const before = sleeps.events.length
        for (let second = 0; second < 5; second++) {
          yield* TestClock.adjust(1_000)
          yield* Effect.promise(() => new Promise(setImmediate))
        }
        assert.strictEqual(sleeps.events.length, before)
      })
    )
  )
})

describe("a dead owner of a turn", () => {
  it.effect("B098 W153: is known at once by its process, on this machine, whether it held or waited or chose", () =>
    Effect.gen(function* () {
      const path = yield* locks
      const [, machine] = (yield* identity(path)).split("\n")
      for (const number of [0, 1, 7]) {
        const file = other(path, `${deadPid()}\n${machine}\n`, number)
        // The clock stands still: nothing is waited for.
        assert.strictEqual(yield* inTurn(path, "lock", Effect.succeed(number)), number)
        assert.isFalse(existsSync(file))
      }
    })
  )

  const silent: ReadonlyArray<readonly [what: string, said: (own: string) => string, number: number]> = [
    ["is on another machine", () => `${deadPid()}\nanother machine\n`, 1],
    ["has a process number that runs", (own) => own, 1],
    ["wrote nothing", () => "", 1],
    ["wrote half", () => `${deadPid()}`, 1],
    ["wrote nonsense", () => "-1\n0\n\n", 1],
    ["was choosing its number", (own) => own, 0]
  ]

  it.effect.each(silent)("B098: that %s is known by its silence of five seconds", ([, said, number]) =>
    withSleeps((sleeps) =>
      Effect.gen(function* () {
        const path = yield* locks
        const file = other(path, said(yield* identity(path)), number)
        const waiter = yield* Effect.forkChild(inTurn(path, "lock", Effect.succeed("in")))
        yield* looking(sleeps, waiter, 19)
        assert.isUndefined(waiter.pollUnsafe())
        assert.isTrue(existsSync(file))
        yield* looking(sleeps, waiter, 2)
        assert.strictEqual(yield* Fiber.join(waiter), "in")
        assert.deepStrictEqual(readdirSync(path), [])
      })
    )
  )

  it.effect("B098: is not one that shows life, however long it takes", () =>
    withSleeps((sleeps) =>
      Effect.gen(function* () {
        const path = yield* locks
        const file = other(path, "1\nanother machine\n")
        const waiter = yield* Effect.forkChild(inTurn(path, "lock", Effect.succeed("in")))
        let time = 0
        const live = () => utimesSync(file, (time += 1), time)
        for (let seconds = 0; seconds < 30; seconds += 4) {
          yield* looking(sleeps, waiter, 15)
          live()
          yield* looking(sleeps, waiter, 1)
        }
        assert.isUndefined(waiter.pollUnsafe())
        rmSync(file)
        yield* looking(sleeps, waiter, 2)
        assert.strictEqual(yield* Fiber.join(waiter), "in")
      })
    )
  )

  it.effect("draws again where it was only taken for dead while it waited", () =>
    withSleeps((sleeps) =>
      Effect.gen(function* () {
        const path = yield* locks
        const file = other(path, yield* identity(path))
        const waiter = yield* Effect.forkChild(
          inTurn(
            path,
            "lock",
            Effect.sync(() => readdirSync(path).length)
          )
        )
        yield* looking(sleeps, waiter, 1)
        const own = () => readdirSync(path).filter((name) => !file.endsWith(name))
        const [first] = own()
        rmSync(join(path, first!))
        yield* looking(sleeps, waiter, 2)
        assert.strictEqual(own().length, 1)
        assert.notDeepEqual(own(), [first])
        rmSync(file)
        yield* looking(sleeps, waiter, 2)
        assert.strictEqual(yield* Fiber.join(waiter), 1)
      })
    )
  )

  it.effect("is not seen in files of others that lie about", () =>
    Effect.gen(function* () {
      const path = yield* locks
      mkdirSync(path, { recursive: true })
      for (const name of ["lock.x", `lock.0000000000.${owner} (copy)`, `lock.999.${owner}`, ".DS_Store"]) {
        writeFileSync(join(path, name), "")
      }
      assert.strictEqual(yield* inTurn(path, "lock", Effect.succeed("in")), "in")
      assert.strictEqual(readdirSync(path).length, 4)
    })
  )
})
