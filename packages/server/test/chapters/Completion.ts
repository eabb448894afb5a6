/**
 * Completion of the arguments of prompts and of the variables of templates.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { chapter, errorOf, resultOf } from "../fixtures/chapter.ts"

const template = { type: "ref/resource", uri: "suite://shows/{id}{?day}" }
const prompt = { type: "ref/prompt", name: "letter" }

export const completion = chapter("completion", (test) => {
  test("COMP-02: proposes what fits what is typed so far, of a variable of a template", ({ connect }) =>
    Effect.gen(function* () {
      const one = yield* connect()
      const proposed = (value: string) =>
        resultOf(one, "completion/complete", { ref: template, argument: { name: "day", value } })
      assert.deepStrictEqual(yield* proposed("t"), {
        completion: { values: ["tuesday", "thursday"], total: 2, hasMore: false }
      })
      assert.deepStrictEqual(yield* proposed("x"), { completion: { values: [], total: 0, hasMore: false } })
    }))

  test("COMP-02: knows what was chosen already, of an argument of a prompt", ({ connect }) =>
    Effect.gen(function* () {
      const one = yield* connect()
      const { completion } = yield* resultOf(one, "completion/complete", {
        ref: prompt,
        argument: { name: "tone", value: "" },
        context: { arguments: { to: "Ada" } }
      })
      assert.deepStrictEqual(completion.values, ["warm Ada", "cool Ada"])
    }))

  test("COMP-03: of what is not there is -32602", ({ connect }) =>
    Effect.gen(function* () {
      const one = yield* connect()
      const argument = { name: "tone", value: "" }
      const wrong: ReadonlyArray<object> = [
        { ref: { type: "ref/prompt", name: "nope" }, argument },
        { ref: { type: "ref/resource", uri: "suite://nope/{x}" }, argument },
        { ref: { type: "ref/tool", name: "letter" }, argument },
        { ref: prompt, argument: { name: "nope", value: "" } },
        { ref: prompt, argument: { name: "tone" } },
        { ref: prompt },
        {}
      ]
      for (const params of wrong) {
        assert.strictEqual((yield* errorOf(one, "completion/complete", params)).code, -32602, JSON.stringify(params))
      }
    }))
})
