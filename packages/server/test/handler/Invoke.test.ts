/**
 * What `invoke` runs, and that it runs as a tool does.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import { TestClock } from "effect/testing"
import * as z from "zod/v4"
import type { RawMessage } from "@treadle/testing"
import { Ask, Content, CurrentCall, Reply, ToolFailed, type Mcp } from "../../src/index.ts"
import { attempt, compatAsker, nativeAsker } from "../fixtures/askers.ts"
import { empty, said } from "../fixtures/calling.ts"
import { both, box, call, invoke, NoShow, plain, type Ctx } from "../fixtures/catalogBox.ts"
import { bothEras } from "../fixtures/eras.ts"

const shows = Schema.Struct({ id: Schema.Int })
const returns = Schema.Literals(["ok", "declared", "fail", "failed", "defect"])

/** Operations of every kind of result. */
const kinds = (add: "tool" | "operation") => {
  const adding = (mcp: Mcp<never>): Mcp<never>["tool"] => mcp[add].bind(mcp) as Mcp<never>["tool"]
  const first = adding(empty())(
    "typed",
    { ...plain, input: { as: returns }, output: shows, errors: NoShow },
    ({ as }, { fail }) => {
      if (as === "defect") return Effect.die(new Error("a bug"))
      if (as === "fail") return fail("No order")
      if (as === "failed") return Effect.fail(new ToolFailed("No order") as never)
      return as === "ok" ? Effect.succeed({ id: 1 }) : Effect.fail(new NoShow({ id: 9 }))
    }
  )
  const second = adding(first)(
    "wrapped",
    { ...plain, input: z.object({ n: z.int() }), output: z.array(z.int()) },
    async ({ n }) => [n]
  )
  const third = adding(second)("text", { ...plain, input: { text: Schema.String } }, async ({ text }) => text)
  const fourth = adding(third)("blocks", { ...plain, output: shows }, async () =>
    Reply.withMeta(Reply.of({ id: 1 }, Content.text("more")), { "com.example/k": 1 })
  )
  return adding(fourth)("nothing", plain, async () => {})
}

describe("invoke", () => {
  it.effect("D3 D4 D5: gives what a tool with the same function gives", () =>
    Effect.gen(function* () {
      const tools = yield* bothEras(kinds("tool"), {}, { onDefect: () => {} })
      const operations = yield* bothEras(kinds("operation").catalog({ allow: () => true }), {}, { onDefect: () => {} })
      const withoutReference = (answer: RawMessage) => JSON.stringify(answer).replace(/reference \w+/, "reference")
      const calls: ReadonlyArray<readonly [string, object?]> = [
        ...returns.literals.map((as) => ["typed", { as }] as const),
        ["typed"],
        ["typed", { as: "other" }],
        ["wrapped", { n: 3 }],
        ["wrapped", { n: "3" }],
        ["text", { text: "naïve 🎭" }],
        ["text", { text: "a", strange: 1 }],
        ["blocks"],
        ["nothing", {}],
        ["nothing", { a: 1 }]
      ]
      for (const [name, args] of calls) {
        const params = { name, ...(args === undefined ? {} : { arguments: args }) }
        const direct = yield* tools.both("tools/call", params)
        const invoked = yield* operations.both("tools/call", { name: "invoke", arguments: params })
        assert.deepStrictEqual(
          invoked.map(({ result }) => withoutReference(result)),
          direct.map(({ result }) => withoutReference(result)),
          JSON.stringify(params)
        )
      }
    })
  )

  it.effect("D3: runs nothing that is neither marked read-only nor allowed, and says what to do", () =>
    Effect.gen(function* () {
      const { asks } = yield* both(box.catalog({ allow: ["create_hold"] }))
      for (const ask of asks) {
        assert.deepStrictEqual(yield* invoke(ask, "wipe"), {
          content: [
            {
              type: "text",
              text:
                'The operation "wipe" is not marked as read-only, and the catalog of this server does not allow it. Use ' +
                "search_operations to see what can be run; the author of the server can name it in allow of catalog(…)."
            }
          ],
          isError: true
        })
        assert.strictEqual(said((yield* invoke(ask, "create_hold", { seats: 2 })) as never), "2")
      }
    })
  )

  it.effect("names the nearest operations that the caller may run where there is none of a name, and no others", () =>
    Effect.gen(function* () {
      const { asks, native } = yield* both(box.catalog({ allow: ["create_hold"] }))
      const other = "Use search_operations to see what there is."
      for (const ask of asks) {
        const rows: ReadonlyArray<readonly [string, string]> = [
          ["create_hodl", `There is no operation "create_hodl". The nearest: "create_hold". ${other}`],
          ["audi", `There is no operation "audi". ${other}`],
          ["audit", `There is no operation "audit". ${other}`],
          ["wip", `There is no operation "wip". ${other}`],
          ["", `There is no operation "". ${other}`],
          ["__proto__", `There is no operation "__proto__". ${other}`],
          ["x".repeat(1_000_000), `There is no operation "${"x".repeat(64)}…". ${other}`],
          ["list_shows", '"list_shows" is a tool: call it by its name.'],
          ["invoke", '"invoke" is a tool: call it by its name.']
        ]
        for (const [name, text] of rows) {
          assert.deepStrictEqual(yield* invoke(ask, name), { content: [{ type: "text", text }], isError: true })
        }
      }
      const admin = native({ admin: true })
      assert.include(said((yield* invoke(admin, "audi")) as never), 'The nearest: "audit".')
      assert.strictEqual(said((yield* invoke(admin, "audit")) as never), "audited")
    })
  )

  it.effect("TOOL-16: names what is wrong with its own arguments", () =>
    Effect.gen(function* () {
      const { asks } = yield* both(box.catalog())
      const name = "get_show"
      for (const ask of asks) {
        for (const [args, problem] of [
          [{}, "- name: "],
          [{ name: 5 }, "- name: "],
          [{ name, arguments: "{}" }, "- arguments: "],
          [{ name, arguments: [] }, "- arguments: "],
          [{ name, arguments: null }, "- arguments: "]
        ] as const) {
          const answer = yield* call(ask, "invoke", args)
          assert.isTrue(answer["isError"])
          assert.include(said(answer as never), `Invalid arguments for invoke:\n${problem}`)
        }
      }
    })
  )

  it.effect("TIME-01: gives an operation up at its own time limit, and says which", () =>
    Effect.gen(function* () {
      let interrupted = 0
      const waits = () => Effect.onInterrupt(Effect.never, () => Effect.sync(() => interrupted++))
      const slow = empty<Ctx>()
        .operation("slow", { ...plain, timeout: 10_000 }, waits)
        .catalog({ allow: ["slow"] })
      const { asks, served } = yield* both(slow)
      const answers = yield* Effect.forkChild(
        Effect.forEach(asks, (ask) => invoke(ask, "slow"), { concurrency: "unbounded" }),
        { startImmediately: true }
      )
      yield* TestClock.adjust(9_999)
      assert.deepStrictEqual([served.counters().calls, interrupted], [2, 0])
      yield* TestClock.adjust(251)
      for (const answer of yield* Fiber.join(answers)) {
        assert.deepStrictEqual(answer, {
          content: [{ type: "text", text: "slow gave up after 10000 ms" }],
          isError: true
        })
      }
      assert.deepStrictEqual([served.counters().calls, interrupted], [0, 2])
    })
  )

  it.effect("D14: runs operations that ask their client, once for each step, in both eras", () =>
    Effect.gen(function* () {
      const steps: Array<string> = []
      const form = Ask.form({ message: "Who are you?", fields: { name: Schema.String } })
      const asking = empty()
        .operation("greet", plain, () =>
          Effect.gen(function* () {
            yield* CurrentCall.step(
              "look",
              Effect.sync(() => void steps.push("looked"))
            )
            const answer = yield* CurrentCall.ask("name", form)
            return answer.action === "accept" ? `Hello, ${answer.content.name}!` : answer.action
          })
        )
        .catalog({ allow: ["greet"] })
      const answers = () => ({ action: "accept", content: { name: "Ada" } })
      const native = yield* nativeAsker(asking, answers)
      const compat = yield* compatAsker(asking, answers)
      for (const asker of [native, compat]) {
        const { answer, asked } = yield* asker.call("invoke", { name: "greet" })
        assert.strictEqual(said(answer["result"]), "Hello, Ada!")
        assert.lengthOf(asked, 1)
      }
      assert.deepStrictEqual(steps, ["looked", "looked"])
      const { requestState } = (yield* attempt(native.peer, "invoke", { name: "greet" }))["result"]
      const inputResponses = { name: answers() }
      const other = { name: "greet", arguments: {} }
      const strange = yield* attempt(native.peer, "invoke", other, { requestState, inputResponses })
      assert.strictEqual(strange["error"]?.code, -32602)
      const own = yield* attempt(native.peer, "invoke", { name: "greet" }, { requestState, inputResponses })
      assert.strictEqual(said(own["result"]), "Hello, Ada!")
    })
  )
})
