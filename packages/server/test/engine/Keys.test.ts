/**
 * Keys of questions and steps: each is used once in a run, whichever era and colour the call has.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { Ask, CurrentCall, type Call, type Mcp, type ServedSettings } from "../../src/index.ts"
import { compatAsker, nativeAsker, type AnswerFor, type Asker } from "../fixtures/askers.ts"
import { empty, said } from "../fixtures/calling.ts"

const plain = { description: "Tested" }
const form = (message: string) => Ask.form({ message, fields: { name: Schema.String } })
const yes: AnswerFor = () => ({ action: "accept", content: { name: "Ada" } })

const once = (question: string) => CurrentCall.ask("k", form(question))
const step = (value: number) => CurrentCall.step("k", Effect.succeed(value))
const atOnce = { concurrency: "unbounded" } as const

interface Case {
  readonly name: string
  readonly what: "question" | "step"
  readonly effect: Effect.Effect<unknown, unknown, CurrentCall>
  readonly async: (call: Pick<Call<unknown, never>, "ask" | "step">) => Promise<unknown>
}

const twice: ReadonlyArray<Case> = [
  {
    name: "a question after its answer",
    what: "question",
    effect: Effect.andThen(once("first?"), once("second?")),
    async: async ({ ask }) => {
      await ask("k", form("first?"))
      return ask("k", form("second?"))
    }
  },
  {
    name: "two questions at once",
    what: "question",
    effect: Effect.all([once("first?"), once("second?")], atOnce),
    async: async ({ ask }) => Promise.all([ask("k", form("first?")), ask("k", form("second?"))])
  },
  {
    name: "a step after one that gave its value",
    what: "step",
    effect: Effect.andThen(step(1), step(2)),
    async: async ({ step }) => {
      await step("k", () => 1)
      return step("k", () => 2)
    }
  },
  {
    name: "two steps at once",
    what: "step",
    effect: Effect.all(
      [CurrentCall.step("k", Effect.as(Effect.yieldNow, 1)), CurrentCall.step("k", Effect.as(Effect.yieldNow, 2))],
      atOnce
    ),
    async: async ({ step }) => Promise.all([step("k", async () => 1), step("k", async () => 2)])
  },
  {
    name: "a step after one that ran in an earlier round",
    what: "step",
    effect: Effect.andThen(Effect.andThen(step(1), CurrentCall.ask("go", form("go?"))), step(2)),
    async: async ({ ask, step }) => {
      await step("k", () => 1)
      await ask("go", form("go?"))
      return step("k", () => 2)
    }
  }
]

const askers: ReadonlyArray<
  readonly [era: string, (mcp: Mcp<never>, settings?: ServedSettings) => Effect.Effect<Asker, unknown, Scope.Scope>]
> = [
  ["natively", (mcp, settings) => nativeAsker(mcp, yes, settings)],
  ["in a session", (mcp, settings) => compatAsker(mcp, yes, settings)]
]

describe.each(askers)("a key that is used twice in one run %s", (_, make) => {
  for (const { async, effect, name, what } of twice) {
    it.effect(`D14: is a defect that names it and the cure: ${name}`, () =>
      Effect.gen(function* () {
        const dead: Array<string> = []
        const mcp = empty()
          .tool("effect", plain, () => Effect.as(Effect.orDie(effect), "done"))
          .tool("async", plain, async (_, call) => async(call).then(() => "done"))
        const onDefect = (error: unknown) => dead.push(String(error))
        const { call } = yield* Effect.orDie(make(mcp, { onDefect }))
        for (const colour of ["effect", "async"]) {
          assert.match(said((yield* call(colour)).answer["result"]), /internal error/i)
        }
        const sentence =
          `Error: The key "k" names two ${what}s of one call. Give each ${what} its own key, such as "k-2", ` +
          "the same in every run."
        assert.deepStrictEqual(dead, [sentence, sentence])
      })
    )
  }

  it.effect("D14: is none where a step failed, and a question and a step may have the same", () =>
    Effect.gen(function* () {
      let tries = 0
      const pay = Effect.suspend(() => (++tries % 2 === 1 ? Effect.fail("busy") : Effect.succeed("paid")))
      const mcp = empty()
        .tool("effect", plain, () =>
          Effect.andThen(
            CurrentCall.ask("k", form("go?")),
            Effect.orDie(Effect.retry(CurrentCall.step("k", pay), { times: 1 }))
          )
        )
        .tool("async", plain, async (_, { ask, step }) => {
          await ask("k", form("go?"))
          const run = () => step("k", () => Effect.runPromise(pay))
          return run().catch(run)
        })
      const { call } = yield* Effect.orDie(make(mcp))
      for (const colour of ["effect", "async", "effect"]) {
        assert.strictEqual(said((yield* call(colour)).answer["result"]), "paid")
      }
    })
  )
})
