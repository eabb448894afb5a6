/**
 * What a child may reach: what its parent may or less, whatever is asked for.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as fc from "effect/testing/FastCheck"
import { assert, describe, it } from "@effect/vitest"
import { ToolScope } from "../../src/ToolScope.ts"
import type { Tag } from "../../src/Tag.ts"
import { asked, desk, refusalOf, says } from "./children.ts"

const server = (name: string, ...tags: ReadonlyArray<Tag>) => ({ name, tags })
const servers = [server("kb"), server("web"), server("mail")]

describe("the scope of a child", () => {
  it.effect("is its caller's, or some of it, or nothing (A122)", () =>
    Effect.gen(function* () {
      const { specs, supervisor } = desk({ say: says("ok") }, { servers, scope: new Set(["kb", "web"]) })
      yield* supervisor.spawn(asked("say"))
      yield* supervisor.spawn(asked("say", { servers: ["web"] }))
      yield* supervisor.spawn(asked("say", { servers: [] }))
      assert.deepStrictEqual(
        specs.map(({ scope }) => scope),
        [new Set(["kb", "web"]), new Set(["web"]), new Set()]
      )
    })
  )

  it.effect("is refused where it has what its caller has not, or what there is not, by name (A122)", () =>
    Effect.gen(function* () {
      const { specs, supervisor } = desk({ say: says("ok") }, { servers, scope: new Set(["kb"]) })
      const message = yield* refusalOf(supervisor.spawn(asked("say", { servers: ["kb", "mail", "mial"] })))
      assert.strictEqual(message, 'spawn refused: these servers cannot be given: "mail", "mial"')
      assert.deepStrictEqual(specs, [])
    })
  )

  it("never grows along a chain, whatever is asked for on the way (A123)", () => {
    const names = ["a", "b", "c", "d"]
    const asking = fc.option(fc.uniqueArray(fc.constantFrom(...names, "other")), { nil: undefined })
    fc.assert(
      fc.property(fc.array(asking, { maxLength: 6 }), (chain) => {
        let scope: ToolScope = "all"
        for (const step of chain) {
          const narrowed = ToolScope.narrow(scope, step, names)
          if (Result.isFailure(narrowed)) {
            assert.isTrue(narrowed.failure.every((name) => !names.includes(name) || !ToolScope.has(scope, name)))
            continue
          }
          const next = narrowed.success
          for (const name of names) if (ToolScope.has(next, name)) assert.isTrue(ToolScope.has(scope, name))
          scope = next
        }
      })
    )
  })

  it.effect("is refused where it brings all three tags together, unless that is allowed (A174)", () =>
    Effect.gen(function* () {
      const tagged = [server("web", "untrusted_input"), server("files", "sensitive"), server("mail", "egress")]
      const { supervisor } = desk({ say: says("ok") }, { servers: tagged })
      const all = yield* Effect.flip(supervisor.spawn(asked("say")))
      assert.deepStrictEqual(all.reason, { _tag: "Trifecta", servers: ["web", "files", "mail"] })
      assert.strictEqual((yield* supervisor.spawn(asked("say", { servers: ["web", "mail"] }))).status, "completed")
      const allowing = desk({ say: says("ok") }, { servers: tagged, allowTrifecta: true })
      assert.strictEqual((yield* allowing.supervisor.spawn(asked("say"))).status, "completed")
    })
  )
})
