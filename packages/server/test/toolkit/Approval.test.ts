/**
 * Tools that need approval: who is asked, with what, and what comes of each answer, in both eras.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import { ToolkitTools } from "../../src/toolkit/index.ts"
import { compatAsker, nativeAsker, type AnswerFor } from "../fixtures/askers.ts"
import { empty, said } from "../fixtures/calling.ts"

const parameters = Schema.Struct({ rows: Schema.Int })
const success = Schema.Int

const Row = Schema.Struct({ number: Schema.BigInt, note: Schema.String })

const seen: Array<unknown> = []

const toolkit = Toolkit.make(
  Tool.make("clear", { description: "Clears rows", parameters, success, needsApproval: true }),
  Tool.make("clear_many", {
    description: "Clears rows",
    parameters,
    success,
    needsApproval: ({ rows }, context) => {
      seen.push(context)
      return rows > 1
    }
  }),
  Tool.make("clear_some", {
    description: "Clears rows",
    parameters,
    success,
    needsApproval: ({ rows }) => Effect.succeed(rows > 1)
  }),
  Tool.make("clear_row", { description: "Clears a row", parameters: Row, success, needsApproval: true }),
  Tool.make("clear_freely", { description: "Clears rows", parameters, success, needsApproval: false })
)

const asking = Effect.fnUntraced(function* (era: "native" | "compat", answerFor: AnswerFor, capabilities?: object) {
  const cleared = yield* Ref.make(0)
  const clear = ({ rows }: { readonly rows: number }) => Ref.updateAndGet(cleared, (sum) => sum + rows)
  const handlers = toolkit.toLayer({
    clear,
    clear_many: clear,
    clear_some: clear,
    clear_freely: clear,
    clear_row: () => clear({ rows: 1 })
  })
  const mcp = empty().add(ToolkitTools.make(toolkit).mcp.provide(handlers))
  const asker = yield* (era === "native" ? nativeAsker : compatAsker)(mcp, answerFor, undefined, capabilities)
  return { call: asker.call, cleared: Ref.get(cleared) }
})

const yes: AnswerFor = () => ({ action: "accept", content: { approve: true } })

describe.each(["native", "compat"] as const)("a tool that needs approval, of a %s client", (era) => {
  it.effect("asks a person, shows the arguments, and runs once when that one says yes", () =>
    Effect.gen(function* () {
      const { call, cleared } = yield* asking(era, yes)
      const { answer, asked } = yield* call("clear", { rows: 3 })
      assert.deepStrictEqual(answer["result"].structuredContent, { value: 3 })
      assert.strictEqual(yield* cleared, 3)
      assert.lengthOf(asked, 1)
      assert.strictEqual(asked[0]?.params["message"], 'May the tool clear run with these arguments? {"rows":3}')
      assert.deepStrictEqual(asked[0]?.params["requestedSchema"].required, ["approve"])
    })
  )

  it.effect("shows arguments that JSON has no form for, and cuts long ones", () =>
    Effect.gen(function* () {
      const { call } = yield* asking(era, yes)
      const { asked } = yield* call("clear_row", { number: "7", note: "x".repeat(3000) })
      const message = String(asked[0]?.params["message"])
      assert.match(message, /\? \{"number":"7","note":"xxx/)
      assert.match(message, /x…$/)
      assert.isBelow(message.length, 2100)
    })
  )

  it.effect.each([
    ["says no in the form", { action: "accept", content: { approve: false } }],
    ["declines", { action: "decline" }],
    ["closes the form", { action: "cancel" }]
  ])("does not run when the person %s, and the model is told", ([, response]) =>
    Effect.gen(function* () {
      const { call, cleared } = yield* asking(era, () => response)
      const { answer } = yield* call("clear", { rows: 3 })
      assert.isTrue(answer["result"].isError)
      assert.strictEqual(said(answer["result"]), "clear did not run: the person who was asked did not approve it.")
      assert.strictEqual(yield* cleared, 0)
    })
  )

  it.effect("does not run where the client cannot ask anyone, and the model is told", () =>
    Effect.gen(function* () {
      const { call, cleared } = yield* asking(era, yes, {})
      const { answer, asked } = yield* call("clear", { rows: 3 })
      assert.isTrue(answer["result"].isError)
      assert.match(
        said(answer["result"]),
        /^clear did not run: a person has to approve it, and nobody could be asked\./
      )
      assert.strictEqual(yield* cleared, 0)
      assert.deepStrictEqual(asked, [])
    })
  )

  it.effect.each(["clear_many", "clear_some"])("%s asks only where its function says so", (name) =>
    Effect.gen(function* () {
      const { call } = yield* asking(era, yes)
      assert.lengthOf((yield* call(name, { rows: 1 })).asked, 0)
      const { answer, asked } = yield* call(name, { rows: 2 })
      assert.lengthOf(asked, 1)
      assert.strictEqual(answer["result"].structuredContent.value, 3)
    })
  )

  it.effect("gives its function an id of the call, the same in every run of it, and no conversation", () =>
    Effect.gen(function* () {
      seen.length = 0
      const { call } = yield* asking(era, yes)
      yield* call("clear_many", { rows: 2 })
      const [first] = seen
      assert.match((first as { readonly toolCallId: string }).toolCallId, /^id_/)
      for (const context of seen) assert.deepStrictEqual(context, first)
      assert.deepStrictEqual(first, { toolCallId: (first as { readonly toolCallId: string }).toolCallId, messages: [] })
      yield* call("clear_many", { rows: 2 })
      assert.notDeepEqual(seen.at(-1), first)
    })
  )

  it.effect("asks nobody where it is said that no approval is needed", () =>
    Effect.gen(function* () {
      const { call } = yield* asking(era, yes, {})
      assert.strictEqual((yield* call("clear_freely", { rows: 2 })).answer["result"].structuredContent.value, 2)
    })
  )
})
