import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Ask, CurrentCall } from "../../src/index.ts"
import { attempt, compatAsker, nativeAsker, type AnswerFor } from "../fixtures/askers.ts"
import { empty, said } from "../fixtures/calling.ts"

const plain = { description: "Tested" }
const nameForm = Ask.form({ message: "Who?", fields: { name: Schema.String } })
const yes: AnswerFor = () => ({ action: "accept", content: { name: "Ada" } })

/** What an author without types gives. */
const date = new Date(0) as unknown as string

describe("a step", () => {
  it.effect("D14: runs once over all rounds, in both eras and both colours, and gives the same value in each", () =>
    Effect.gen(function* () {
      const runs = { async: 0, effect: 0 }
      const mcp = empty()
        .tool("async", plain, async (_, { ask, step }) => {
          const first = await step("reserve", async () => ({ at: date, gone: undefined, n: ++runs.async }))
          await ask("name", nameForm)
          const second = await step("nothing", () => undefined)
          await ask("again", nameForm)
          return JSON.stringify([first, second === undefined])
        })
        .tool("effect", plain, () =>
          Effect.gen(function* () {
            const first = yield* CurrentCall.step(
              "reserve",
              Effect.sync(() => ({ at: date, gone: undefined, n: ++runs.effect }))
            )
            yield* CurrentCall.ask("name", nameForm)
            const second = yield* CurrentCall.step("nothing", Effect.void)
            yield* CurrentCall.ask("again", nameForm)
            return JSON.stringify([first, second === undefined])
          })
        )
      const native = yield* nativeAsker(mcp, yes)
      const compat = yield* compatAsker(mcp, yes)
      for (const [index, client] of [native, compat].entries()) {
        for (const name of ["async", "effect"]) {
          const text = said((yield* client.call(name)).answer["result"])
          assert.strictEqual(text, `[{"at":"1970-01-01T00:00:00.000Z","n":${index + 1}},true]`)
        }
      }
      assert.deepStrictEqual(runs, { async: 2, effect: 2 })
    })
  )

  it.effect("D14: that still runs keeps the call from ending with its questions", () =>
    Effect.gen(function* () {
      const runs: Array<string> = []
      const slow = Effect.tap(
        Effect.promise(() => new Promise<string>((resolve) => setImmediate(() => setImmediate(() => resolve("slow"))))),
        () => Effect.sync(() => runs.push("ran"))
      )
      const mcp = empty().tool("t", plain, () =>
        Effect.map(
          Effect.all([CurrentCall.ask("name", nameForm), CurrentCall.step("slow", slow)], { concurrency: "unbounded" }),
          ([, value]) => value
        )
      )
      const { call, peer } = yield* nativeAsker(mcp, yes)
      assert.strictEqual((yield* attempt(peer, "t"))["result"].resultType, "input_required")
      assert.deepStrictEqual(runs, ["ran"])
      assert.strictEqual(said((yield* call("t")).answer["result"]), "slow")
      assert.deepStrictEqual(runs, ["ran", "ran"])
    })
  )

  it.effect("D14: that fails fails the call", () =>
    Effect.gen(function* () {
      const mcp = empty().tool("fails", plain, async (_, { fail, step }) => step("bad", () => fail("No seats left")))
      const { peer } = yield* nativeAsker(mcp, yes)
      assert.strictEqual(said((yield* attempt(peer, "fails"))["result"]), "No seats left")
    })
  )
})
