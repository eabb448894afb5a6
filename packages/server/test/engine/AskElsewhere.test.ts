import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { rawAsk, rawRequest } from "@treadle/testing"
import { Ask, CurrentCall, Prompt } from "../../src/index.ts"
import { able, compatAsker, nativeAsker, responses, type AnswerFor } from "../fixtures/askers.ts"
import { empty } from "../fixtures/calling.ts"

const nameForm = Ask.form({ message: "Who are you?", fields: { name: Schema.String } })
const answers: AnswerFor = () => ({ action: "accept", content: { name: "Ada" } })

const greeting = Effect.map(CurrentCall.ask("name", nameForm), (answer) =>
  answer.action === "accept" ? `Hello, ${answer.content.name}!` : answer.action
)

const asking = empty()
  .prompt("greet", { description: "" }, () => greeting)
  .prompt("greetAsync", { description: "" }, async (_, { ask }) => {
    const answer = await ask("name", nameForm)
    return [Prompt.user(answer.action === "accept" ? `Hello, ${answer.content.name}!` : answer.action)]
  })
  .resource({ uri: "town://greeting", name: "greeting" }, () => greeting)

const requests: ReadonlyArray<readonly [string, object]> = [
  ["prompts/get", { name: "greet", arguments: {} }],
  ["prompts/get", { name: "greetAsync", arguments: {} }],
  ["resources/read", { uri: "town://greeting" }]
]

const textOf = (result: { readonly [key: string]: any } | undefined): unknown =>
  result?.["messages"]?.[0].content.text ?? result?.["contents"]?.[0].text

describe("a prompt and a resource that ask", () => {
  for (const [method, params] of requests) {
    it.effect(
      `MRTR-02: ${method} of ${JSON.stringify(params)} ends with its question, and the retry has its answer`,
      () =>
        Effect.gen(function* () {
          const { peer } = yield* nativeAsker(asking, answers)
          const meta = { "io.modelcontextprotocol/clientCapabilities": able }
          const { result } = yield* rawAsk(peer, rawRequest(1, method, params, meta))
          assert.strictEqual(result.resultType, "input_required")
          const retry = {
            ...params,
            requestState: result.requestState,
            inputResponses: responses(result, answers)
          }
          assert.strictEqual(textOf((yield* rawAsk(peer, rawRequest(2, method, retry, meta)))["result"]), "Hello, Ada!")
          const { error } = yield* rawAsk(peer, rawRequest(3, method, params))
          assert.strictEqual(error?.code, -32021)
        })
    )

    it.effect(`CHTTP-19: ${method} of ${JSON.stringify(params)} asks its session`, () =>
      Effect.gen(function* () {
        const { answerTo, send } = yield* compatAsker(asking, answers)
        send({ id: "one", method, params })
        assert.strictEqual(textOf((yield* answerTo("one"))["result"]), "Hello, Ada!")
      })
    )
  }
})
