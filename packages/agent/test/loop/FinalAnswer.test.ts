import { Ajv2020 } from "ajv/dist/2020.js"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { assert, describe, it } from "@effect/vitest"
import { Agent, AgentMcp } from "@treadle/agent"
import { AgentTest } from "@treadle/agent/test"
import { type } from "arktype"
import * as z from "zod"
import type { AnswerDef } from "../../src/AgentDefinition.ts"
import { finishTool } from "../../src/toolbox/FinishTool.ts"
import { answerForm, answerInText } from "../../src/loop/FinalAnswer.ts"

interface Tree {
  readonly name: string
  readonly children: ReadonlyArray<Tree>
}
const Tree: Schema.Codec<Tree> = Schema.Struct({
  name: Schema.String,
  children: Schema.Array(Schema.suspend((): Schema.Codec<Tree> => Tree))
}).annotate({ identifier: "Tree" })

class Verdict extends Schema.Class<Verdict>("Verdict")({ ok: Schema.Boolean }) {}

const forms: ReadonlyArray<readonly [name: string, schema: AnswerDef<unknown>, json: unknown, wrong: unknown]> = [
  ["a struct", Schema.Struct({ a: Schema.Int }), { a: 1 }, { a: "1" }],
  ["a class", Verdict, { ok: true }, { ok: 1 }],
  ["a list", Schema.Array(Schema.Int), [1, 2], ["x"]],
  ["a text", Schema.String, "words", 5],
  ["a choice", Schema.Literals(["yes", "no"]), "yes", "maybe"],
  ["a tree", Tree, { name: "a", children: [{ name: "b", children: [] }] }, { name: "a" }],
  ["a date", Schema.Date, "2026-01-01T00:00:00.000Z", 5],
  ["an object of Zod", z.object({ a: z.int() }), { a: 1 }, { a: "1" }],
  ["an object of ArkType", type({ a: "number" }), { a: 1 }, { a: "1" }],
  ["a list of Zod", z.array(z.string()), ["x"], [1]],
  ["one of several", Schema.Union([Schema.Struct({ a: Schema.Int }), Schema.Null]), null, "x"]
]

describe("the form of an answer", () => {
  it.effect.each(forms)("that is %s is what models are told, and what is read (A153)", ([, schema, json, wrong]) =>
    Effect.gen(function* () {
      const form = answerForm(schema)
      const check = new Ajv2020({ strict: false, validateFormats: false }).compile(form.schema)
      assert.isTrue(check(json), JSON.stringify(form.schema))
      assert.isFalse(check(wrong), JSON.stringify(form.schema))
      const decoded = yield* form.decode(json)
      assert.deepStrictEqual(yield* form.encode(decoded), json as never)
      const misfit = yield* Effect.flip(form.decode(wrong))
      assert.isAbove(misfit.problems.length, 0)
      assert.deepStrictEqual(yield* answerInText(form, JSON.stringify(json)), decoded)
      assert.deepStrictEqual(
        yield* answerInText(form, `\n\`\`\`json\n${JSON.stringify(json, null, 2)}\n\`\`\`\n`),
        decoded
      )
    })
  )

  it("is what finish takes, with what it refers to", () => {
    for (const [name, schema, json, wrong] of forms) {
      const check = new Ajv2020({ strict: false, validateFormats: false }).compile(
        finishTool(answerForm(schema).schema).inputSchema
      )
      assert.isTrue(check({ answer: json }), name)
      assert.isFalse(check({ answer: wrong }), name)
    }
  })

  it.effect("may be given to finish as the text of it", () =>
    Effect.gen(function* () {
      const counting = Agent.make({ name: "r", instruction: "Go.", answer: Schema.Int })
      const outcome = yield* Effect.provide(
        Agent.run(counting, "Go"),
        AgentTest.script(AgentTest.callNamed("finish", { answer: "7" }))
      )
      assert.strictEqual(outcome.answer, 7)
      const wrong = AgentTest.script(AgentTest.callNamed("finish", { answer: "seven" }), (seen) => {
        assert.include(seen.task, "is not of the agreed form")
        return AgentTest.answer(7)
      })
      assert.strictEqual((yield* Effect.provide(Agent.run(counting, "Go"), wrong)).answer, 7)
    })
  )

  it.effect("may stand in a fence of code with words around it, and a text need not be in quotes", () =>
    Effect.gen(function* () {
      const counted = answerForm(Schema.Struct({ n: Schema.Int }))
      assert.deepStrictEqual(yield* answerInText(counted, 'Here it is:\n\n```json\n{ "n": 1 }\n```\nDone.'), { n: 1 })
      const two = 'Either\n```\n{ "n": 1 }\n```\nor\n```\n{ "n": 2 }\n```'
      assert.deepStrictEqual(yield* Effect.flip(answerInText(counted, two)), { problems: ["it is not JSON"] })
      const choice = answerForm(Schema.Literals(["yes", "7"]))
      assert.strictEqual(yield* answerInText(choice, " yes\n"), "yes")
      assert.strictEqual(yield* answerInText(choice, "7"), "7")
      assert.include((yield* Effect.flip(answerInText(choice, "8"))).problems[0], "Expected")
    })
  )

  it.effect("may be null, for who asked and for who started the run", () =>
    Effect.gen(function* () {
      const finder = Agent.make({
        name: "finder",
        instruction: "Find it.",
        answer: Schema.NullOr(Schema.Int),
        model: AgentTest.script(AgentTest.answer(null))
      })
      const outcome = yield* Agent.run(finder, "Where is it?")
      assert.deepStrictEqual([outcome.status, outcome.partial, outcome.answer], ["completed", false, null])
      const parent = Agent.make({
        name: "parent",
        instruction: "Have it found.",
        servers: { finder },
        model: AgentTest.script(
          AgentTest.call(AgentMcp.spawn, { instruction: "Where is it?" }, { server: "finder" }),
          (seen) => AgentTest.answer(seen.last(AgentMcp.spawn)?.result)
        )
      })
      assert.strictEqual((yield* Agent.run(parent, "Go")).text, "null")
    })
  )

  it.effect("is asked for by finish as well, and checked there", () =>
    Effect.gen(function* () {
      const typed = Agent.make({ name: "r", instruction: "Go.", answer: Tree })
      const model = AgentTest.script(AgentTest.callNamed("finish", { answer: { name: "a" } }), (seen) => {
        assert.include(seen.task, "children")
        return AgentTest.callNamed("finish", { answer: '{"name":"a","children":[]}' })
      })
      const outcome = yield* Effect.provide(Agent.run(typed, "Go"), model)
      assert.deepStrictEqual(outcome.answer, { name: "a", children: [] })
      assert.isFalse(outcome.partial)
    })
  )
})
