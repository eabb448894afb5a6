/**
 * Programs made of questions, steps and pure code do the same in both eras (D14).
 */
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Ask, CurrentCall, type AskFailed, type Call, type Mcp } from "../../src/index.ts"
import { attempt, compatAsker, nativeAsker, responses, type AnswerFor, type Asker } from "../fixtures/askers.ts"
import { empty, said } from "../fixtures/calling.ts"

/** A program: what it is made of, in turn or at once. */
type Program =
  | { readonly kind: "ask" | "step" | "pure" }
  | { readonly kind: "turn" | "once"; readonly parts: ReadonlyArray<Program> }

const leaf: Arbitrary.Arbitrary<Program> = Arbitrary.map(
  Arbitrary.schema(Schema.Literals(["ask", "step", "pure"])),
  (kind) => ({ kind })
)

const composed = (part: Arbitrary.Arbitrary<Program>): Arbitrary.Arbitrary<Program> =>
  Arbitrary.map(
    Arbitrary.all([Arbitrary.schema(Schema.Literals([0, 1, 2])), part, part, part]),
    ([size, ...parts]): Program => ({ kind: size === 0 ? "turn" : "once", parts: parts.slice(0, size + 1) })
  )

const program = composed(composed(leaf))

/** What ran, by key. */
type Runs = Map<string, number>

const numberForm = (key: string) => Ask.form({ message: key, fields: { n: Schema.Int } })

/** Each part has a key of its own. */
const run = (part: Program, key: string, runs: Runs): Effect.Effect<unknown, AskFailed, CurrentCall> => {
  switch (part.kind) {
    case "ask":
      return CurrentCall.ask(key, numberForm(key))
    case "step":
      return CurrentCall.step(
        key,
        Effect.sync(() => {
          runs.set(key, (runs.get(key) ?? 0) + 1)
          return { key, stepped: true }
        })
      )
    case "pure":
      return Effect.succeed(key)
    default:
      return Effect.all(
        part.parts.map((one, index) => run(one, `${key}.${index}`, runs)),
        { concurrency: part.kind === "once" ? "unbounded" : 1 }
      )
  }
}

const runAsync = async (
  part: Program,
  key: string,
  runs: Runs,
  call: Pick<Call<unknown, never>, "ask" | "step">
): Promise<unknown> => {
  switch (part.kind) {
    case "ask":
      return call.ask(key, numberForm(key))
    case "step":
      return call.step(key, async () => {
        runs.set(key, (runs.get(key) ?? 0) + 1)
        return { key, stepped: true }
      })
    case "pure":
      return key
    default: {
      if (part.kind === "once") {
        return Promise.all(part.parts.map((one, index) => runAsync(one, `${key}.${index}`, runs, call)))
      }
      const values: Array<unknown> = []
      for (const [index, one] of part.parts.entries()) {
        values.push(await runAsync(one, `${key}.${index}`, runs, call))
      }
      return values
    }
  }
}

/** Declines every third question. */
const answerFor: AnswerFor = (_, { message }) =>
  message.length % 3 === 0 ? { action: "decline" } : { action: "accept", content: { n: message.length } }

const server = (part: Program, runs: Runs) =>
  empty()
    .tool("effect", { description: "Tested" }, () => Effect.map(run(part, "k", runs), (value) => JSON.stringify(value)))
    .tool("async", { description: "Tested" }, async (_, call) => JSON.stringify(await runAsync(part, "k", runs, call)))

const natively = (mcp: Mcp<never>) =>
  Effect.orDie(Effect.map(nativeAsker(mcp, answerFor), ({ call }): Asker => ({ call })))
const inSession = (mcp: Mcp<never>) =>
  Effect.orDie(Effect.map(compatAsker(mcp, answerFor), ({ call }): Asker => ({ call })))

const seen = (runs: Runs, { answer, asked }: { readonly answer: any; readonly asked: ReadonlyArray<any> }) => ({
  said: answer.result === undefined ? answer.error : said(answer.result),
  asked: asked.map(({ params }) => params.message).toSorted(),
  runs: [...runs].toSorted()
})

describe("any program of questions, steps and pure code", () => {
  it.effect("D14: has the same result, questions and runs of each step in both eras and both colours", () =>
    Effect.gen(function* () {
      const checked = yield* Arbitrary.checkEffect(
        program,
        (part) =>
          Effect.scoped(
            Effect.gen(function* () {
              const all: Array<unknown> = []
              for (const make of [natively, inSession]) {
                for (const name of ["effect", "async"]) {
                  const runs: Runs = new Map()
                  const { call } = yield* make(server(part, runs))
                  all.push(seen(runs, yield* call(name)))
                  assert.isTrue([...runs.values()].every((count) => count === 1))
                }
              }
              for (const one of all) assert.deepStrictEqual(one, all[0])
              return true
            })
          ),
        { runs: 60 }
      )
      assert.strictEqual(checked._tag, "Passed", Arbitrary.formatCheckFailure(checked))
    })
  )

  it.effect("STATE-02: refuses a state of which any bit of any character was changed", () =>
    Effect.gen(function* () {
      const part: Program = { kind: "turn", parts: [{ kind: "step" }, { kind: "ask" }, { kind: "ask" }] }
      const { peer } = yield* nativeAsker(server(part, new Map()), answerFor)
      const { result } = yield* attempt(peer, "effect")
      const state = String(result.requestState)
      const inputResponses = responses(result, answerFor)
      for (let at = 0; at < state.length; at++) {
        const changed = String.fromCharCode(state.charCodeAt(at) ^ (1 << (at % 6)))
        const requestState = state.slice(0, at) + changed + state.slice(at + 1)
        const answer = yield* attempt(peer, "effect", {}, { inputResponses, requestState })
        assert.strictEqual(answer["error"]?.code, -32602, `at ${at}`)
      }
    })
  )
})
