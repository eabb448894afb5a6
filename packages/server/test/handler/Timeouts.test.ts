/**
 * The time limits of reads and prompts; those of tools are in the transport suite.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import { TestClock } from "effect/testing"
import { describeBuildError } from "../../src/index.ts"
import { empty } from "../fixtures/calling.ts"
import { bothEras } from "../fixtures/eras.ts"

const slow = { name: "slow", timeout: 10_000 }
const rows = [
  ["resources/read", { uri: "box-office://board" }, "box-office://board"],
  ["resources/read", { uri: "box-office://shows/1" }, "box-office://shows/1"],
  ["prompts/get", { name: "ask" }, "ask"]
] as const

describe("a time limit", () => {
  it.effect.each(rows)(
    "of %s %j: interrupts it at that time and not before, with -32603 in words",
    ([method, params, name]) =>
      Effect.gen(function* () {
        let interrupted = 0
        const waits = () => Effect.onInterrupt(Effect.never, () => Effect.sync(() => interrupted++))
        const mcp = empty()
          .resource({ ...slow, uri: "box-office://board" }, waits)
          .template({ ...slow, uriTemplate: "box-office://shows/{id}" }, waits)
          .prompt("ask", { description: "Tested", timeout: slow.timeout }, waits)
        const { compat, native } = yield* bothEras(mcp, {})
        const asked = [native(), yield* compat()].map((ask) => ask(method, params))
        const answers = yield* Effect.forkChild(Effect.all(asked, { concurrency: 2 }), { startImmediately: true })
        yield* TestClock.adjust(9_999)
        assert.strictEqual(interrupted, 0)
        yield* TestClock.adjust(251)
        const error = { code: -32603, message: `${name} gave up after 10000 ms` }
        assert.deepStrictEqual(
          (yield* Fiber.join(answers)).map((answer) => answer["error"]),
          [error, error]
        )
        assert.strictEqual(interrupted, 2)
      })
  )

  it("D1: that is no time is a build error, of anything that has one", () => {
    const limit = (timeout: number) =>
      empty()
        .tool("t", { description: "Tested", timeout }, async () => "")
        .resource({ uri: "x://y", name: "r", timeout }, async () => "")
        .template({ uriTemplate: "x://{z}", name: "s", timeout }, async () => "")
        .prompt("p", { description: "Tested", timeout }, async () => "")
        .build()
    for (const timeout of [0, -1, Number.NaN]) {
      const built = limit(timeout)
      const reasons = Result.isFailure(built) ? built.failure.errors.map(describeBuildError) : []
      assert.lengthOf(reasons, 4)
      for (const reason of reasons) assert.include(reason, "timeout must be a number of milliseconds above 0")
    }
    assert.isTrue(Result.isSuccess(limit(1)))
  })
})
