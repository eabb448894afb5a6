import { readdirSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { bundled } from "../../../server/test/fixtures/bundled.ts"
import { makeFileStore } from "../../src/node/FileTokenStore.ts"
import { startedChild } from "./fixtures/child.ts"
import { filesIn, folder } from "./fixtures/folder.ts"

const program = bundled("fixtures/storeChild", import.meta.url)

/** A process with a store. */
const child = (directory: string, ...deed: ReadonlyArray<string>) => startedChild(program, directory, ...deed)

const valueOf = (directory: string, key: string) =>
  Effect.map(makeFileStore({ directory }).read(key), (kept) => (kept === undefined ? undefined : Redacted.value(kept)))

describe("processes that share a store", () => {
  it.live("B098 W153: make one key, never meet under a lock, and lose nothing", () =>
    Effect.gen(function* () {
      const directory = join(yield* folder, "store")
      const names = ["ann", "bob", "cyd", "dan"]
      const children = yield* Effect.forEach(names, (name) => child(directory, "count", name))
      const codes = yield* Effect.promise(() => Promise.all(children.map(({ ended }) => ended)))
      assert.deepStrictEqual(codes, [0, 0, 0, 0])
      assert.strictEqual(yield* valueOf(directory, "count"), "24")
      for (const name of names) assert.strictEqual(yield* valueOf(directory, name), `token of ${name}`)
      assert.deepStrictEqual(readdirSync(join(directory, "locks")), [])
      assert.strictEqual(filesIn(directory).length, names.length + 2)
    })
  )

  it.live("B098: let the next one in as soon as the one that holds a key is killed", () =>
    Effect.gen(function* () {
      const directory = join(yield* folder, "store")
      const holder = yield* child(directory, "hold")
      yield* Effect.promise(() => holder.words.first((word) => word === "in\n"))
      const next = yield* child(directory, "take")
      const mine = makeFileStore({ directory }).exclusive("held", Effect.void)
      // Both wait before the holder dies: a lock of each is there.
      yield* Effect.raceFirst(
        mine,
        Effect.promise(async (signal) => {
          const waiting = () => readdirSync(join(directory, "locks")).length
          while (!signal.aborted && waiting() < 3) await new Promise(setImmediate)
          holder.kill()
          return new Promise<never>(() => {})
        })
      )
      assert.strictEqual(yield* Effect.promise(() => next.ended), 0)
      assert.deepStrictEqual(next.words.events, ["in\n"])
      assert.deepStrictEqual(readdirSync(join(directory, "locks")), [])
    })
  )

  it.live.skipIf(process.platform === "win32")(
    "W147: leave what was kept where one dies between writing a file and naming it",
    () =>
      Effect.gen(function* () {
        const directory = join(yield* folder, "store")
        const store = makeFileStore({ directory })
        yield* store.write("ann", Redacted.make("before"))
        const crashed = yield* child(directory, "crash", "ann")
        assert.strictEqual(yield* Effect.promise(() => crashed.ended), "SIGKILL")
        const left = filesIn(directory).filter((file) => file.endsWith(".tmp"))
        assert.strictEqual(left.length, 1)
        assert.strictEqual(yield* valueOf(directory, "ann"), "before")
        // Its lock holds nobody up.
        yield* store.write("ann", Redacted.make("after"))
        assert.strictEqual(yield* valueOf(directory, "ann"), "after")
      })
  )
})
