/**
 * Programs of one user that call one server, each in a process of its own, with one store.
 */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { scriptedAuth } from "@treadle/testing"
import { bundled } from "../../../server/test/fixtures/bundled.ts"
import { startedChild } from "./fixtures/child.ts"
import { bytesIn, folder } from "./fixtures/folder.ts"

const program = bundled("fixtures/loginChild", import.meta.url)

const world = Effect.gen(function* () {
  const auth = yield* scriptedAuth()
  const directory = join(yield* folder, "store")
  const locks = join(directory, "locks")
  const started = (person: "agrees" | "looks") => startedChild(program, directory, auth.mcp.url, person)
  const ended = (children: ReadonlyArray<Effect.Success<ReturnType<typeof started>>>) =>
    Effect.promise(() => Promise.all(children.map((child) => child.ended)))
  const grants = () => auth.of("as1", "POST /token").map(({ form }) => form.get("grant_type"))
  return { auth, directory, locks, started, ended, grants }
})

const three = ["agrees", "agrees", "agrees"] as const

describe("programs that log in at one server", () => {
  it.live("B098: share one login, also where the first of them is killed in the middle of it", () =>
    Effect.gen(function* () {
      const { auth, directory, ended, grants, locks, started } = yield* world
      const first = yield* started("looks")
      yield* Effect.promise(() => first.words.first((word) => word === "shown\n"))
      const others = yield* Effect.forEach(three, started)
      yield* Effect.promise(async (signal) => {
        while (!signal.aborted && readdirSync(locks).length < 4) await new Promise(setImmediate)
      })
      first.kill()
      assert.deepStrictEqual(yield* ended(others), [0, 0, 0])
      assert.deepStrictEqual(
        others.map(({ words }) => words.events),
        three.map(() => ["connected\n"])
      )
      assert.lengthOf(auth.of("as1", "GET /authorize"), 1)
      assert.deepStrictEqual(grants(), ["authorization_code"])
      assert.deepStrictEqual(auth.faults, [])
      assert.deepStrictEqual(readdirSync(locks), [])
      const kept = bytesIn(directory)
      for (const token of auth.issued.keys()) assert.isFalse(kept.includes(token))
    })
  )

  it.live("W153: renew it once, and whoever comes late takes what the first one got", () =>
    Effect.gen(function* () {
      const { auth, ended, grants, started } = yield* world
      auth.as.script = { expiresIn: 1 }
      assert.deepStrictEqual(yield* ended([yield* started("agrees")]), [0])
      yield* Effect.sleep("1 second")
      const before = grants()
      auth.as.script = { expiresIn: 3_600 }
      assert.deepStrictEqual(yield* ended(yield* Effect.forEach(three, started)), [0, 0, 0])
      assert.deepStrictEqual(grants().slice(before.length), ["refresh_token"])
      assert.lengthOf(auth.of("as1", "GET /authorize"), 1)
      assert.deepStrictEqual(auth.faults, [])
    })
  )
})
