import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { rawAsk, rawRequest, rawToolCall, type RawMessage } from "@treadle/testing"
import { Ask, AskFailed, Counters, CurrentCall } from "../../src/index.ts"
import { attempt, compatAsker, nativeAsker, type AnswerFor } from "../fixtures/askers.ts"
import { empty, said } from "../fixtures/calling.ts"

const plain = { description: "Tested" }

const nameForm = Ask.form({ message: "Who are you?", fields: { name: Schema.String } })
const seatsForm = Ask.form({
  message: "How many?",
  fields: { seats: Schema.Int.annotate({ default: 2 }), row: Schema.optionalKey(Schema.Literals(["front", "back"])) }
})

const answers: AnswerFor = (method, params) => {
  if (method === "roots/list") return { roots: [{ uri: "file:///work" }] }
  if (method === "sampling/createMessage") {
    return { role: "assistant", content: { type: "text", text: "Paris" }, model: "m" }
  }
  if (params["mode"] === "url") return { action: "accept" }
  return params["message"] === "Who are you?"
    ? { action: "accept", content: { name: "Ada" } }
    : { action: "accept", content: {} }
}

const greeter = empty()
  .tool("greet", plain, () =>
    Effect.map(CurrentCall.ask("user_name", nameForm), (answer) =>
      answer.action === "accept" ? `Hello, ${answer.content.name}!` : `No name: ${answer.action}`
    )
  )
  .tool("greetAsync", plain, async (_, call) => {
    const answer = await call.ask("user_name", nameForm)
    return answer.action === "accept" ? `Hello, ${answer.content.name}!` : `No name: ${answer.action}`
  })
  .tool("both", plain, async (_, { ask }) => {
    const [name, seats] = await Promise.all([ask("name", nameForm), ask("seats", seatsForm)])
    return JSON.stringify([name, seats])
  })
  .tool("chain", plain, () =>
    Effect.gen(function* () {
      const name = yield* CurrentCall.ask("name", nameForm)
      const seats = yield* CurrentCall.ask("seats", seatsForm)
      return JSON.stringify([name, seats])
    })
  )
  .tool("all", plain, () =>
    Effect.map(
      Effect.all(
        [
          CurrentCall.ask("page", Ask.url({ message: "Pay", url: "https://box.example/pay" })),
          CurrentCall.ask("model", Ask.sample({ messages: [], maxTokens: 10 })),
          CurrentCall.ask("roots", Ask.roots())
        ],
        { concurrency: "unbounded" }
      ),
      (all) => JSON.stringify(all)
    )
  )

describe("a question of a native call", () => {
  it.effect("MRTR-03 MRTR-04: ends the attempt with the question, and the retry has its answer", () =>
    Effect.gen(function* () {
      const { peer, served } = yield* nativeAsker(greeter, answers)
      for (const name of ["greet", "greetAsync"]) {
        const { result } = yield* attempt(peer, name)
        const { requestState, _meta, ...rest } = result
        assert.deepStrictEqual(rest, {
          resultType: "input_required",
          inputRequests: {
            user_name: {
              method: "elicitation/create",
              params: {
                message: "Who are you?",
                requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] }
              }
            }
          }
        })
        assert.isString(requestState)
        assert.deepStrictEqual(served.counters(), Counters.none)
        const inputResponses = { user_name: { action: "accept", content: { name: "Ada" } }, other: 7 }
        const second = yield* attempt(peer, name, {}, { inputResponses, requestState })
        assert.strictEqual(second["result"].resultType, "complete")
        assert.strictEqual(said(second["result"]), "Hello, Ada!")
      }
    })
  )

  it.effect("B090 ELIC-08: that a person declines or closes is an answer", () =>
    Effect.gen(function* () {
      for (const action of ["decline", "cancel"]) {
        const { call } = yield* nativeAsker(greeter, () => ({ action }))
        assert.strictEqual(said((yield* call("greet")).answer["result"]), `No name: ${action}`)
      }
    })
  )

  it.effect("D14: travels with those that are open at the same time, and later ones come in a round of their own", () =>
    Effect.gen(function* () {
      const { call, peer } = yield* nativeAsker(greeter, answers)
      const { result } = yield* attempt(peer, "both")
      assert.deepStrictEqual(Object.keys(result.inputRequests), ["name", "seats"])
      const filled = JSON.stringify([
        { action: "accept", content: { name: "Ada" } },
        { action: "accept", content: { seats: 2 } }
      ])
      for (const name of ["both", "chain"]) assert.strictEqual(said((yield* call(name)).answer["result"]), filled)
      const chained = yield* attempt(peer, "chain")
      assert.deepStrictEqual(Object.keys(chained["result"].inputRequests), ["name"])
    })
  )

  it.effect(
    "B090 MRTR-08 MRTR-09: is asked again where its answer is missing, and answers to nothing are ignored",
    () =>
      Effect.gen(function* () {
        const { peer } = yield* nativeAsker(greeter, answers)
        const { requestState } = (yield* attempt(peer, "greet"))["result"]
        for (const inputResponses of [{ wrong: 1 }, null, undefined, {}]) {
          const again = yield* attempt(peer, "greet", {}, { inputResponses, requestState })
          assert.deepStrictEqual(Object.keys(again["result"].inputRequests), ["user_name"])
        }
        const first = (yield* attempt(peer, "both"))["result"]
        const name = { name: { action: "accept", content: { name: "Ada" } } }
        const round = { inputResponses: name, requestState: first.requestState }
        const half = (yield* attempt(peer, "both", {}, round))["result"]
        assert.deepStrictEqual(Object.keys(half.inputRequests), ["seats"])
        const seats = { seats: { action: "decline" } }
        const rest = { inputResponses: seats, requestState: half.requestState }
        assert.strictEqual(
          said((yield* attempt(peer, "both", {}, rest))["result"]),
          JSON.stringify([name.name, { action: "decline" }])
        )
        const answered = { user_name: { action: "accept", content: { name: "Ada" } }, other: 7 }
        const stateless = yield* attempt(peer, "greet", {}, { inputResponses: answered })
        assert.strictEqual(said(stateless["result"]), "Hello, Ada!")
      })
  )

  it.effect("MRTR-09 ELIC-06: gets -32602 for an answer that is malformed", () =>
    Effect.gen(function* () {
      const { peer } = yield* nativeAsker(greeter, answers)
      const { requestState } = (yield* attempt(peer, "greet"))["result"]
      const bad = [12345, {}, { action: "accept" }, { action: "accept", content: { name: 1 } }, { action: "no" }]
      for (const one of [...bad.map((user_name) => ({ user_name })), "text"]) {
        const { error } = yield* attempt(peer, "greet", {}, { inputResponses: one, requestState })
        assert.strictEqual(error?.code, -32602, JSON.stringify(one))
      }
    })
  )

  it.effect("B090 MRTR-05 META-08: needs the capability it names, part by part", () =>
    Effect.gen(function* () {
      const { peer } = yield* nativeAsker(greeter, answers)
      const form = "a form, which this client does not offer (elicitation.form)"
      const page = "a page to visit, which this client does not offer (elicitation.url)"
      const lacking: ReadonlyArray<readonly [string, object, object, string]> = [
        ["greet", {}, { elicitation: { form: {} } }, form],
        ["greetAsync", { elicitation: { url: {} } }, { elicitation: { form: {} } }, form],
        ["all", { sampling: {}, roots: {}, elicitation: {} }, { elicitation: { url: {} } }, page]
      ]
      for (const [name, capabilities, requiredCapabilities, wanted] of lacking) {
        const { error } = yield* attempt(peer, name, {}, {}, capabilities)
        assert.strictEqual(error?.code, -32021)
        assert.strictEqual(error.message, `${name} asks for ${wanted}`)
        assert.deepStrictEqual(error.data, { requiredCapabilities })
      }
      const old = yield* attempt(peer, "greet", {}, {}, { elicitation: {} })
      assert.strictEqual(old["result"].resultType, "input_required")
    })
  )

  it.effect("SAMP-02 ROOT-01: is told in words what it lacks, whatever is asked and whoever asks", () =>
    Effect.gen(function* () {
      const messages = [{ role: "user" as const, content: { type: "text" as const, text: "Hello" } }]
      const tools = [{ name: "t", inputSchema: { type: "object" as const } }]
      const sample = (more: object) => Ask.sample({ messages, maxTokens: 10, ...more })
      const mcp = empty()
        .tool("model", plain, async (_, { ask }) => (await ask("q", sample({}))).model)
        .tool(
          "both",
          plain,
          async (_, { ask }) => (await ask("q", sample({ tools, includeContext: "thisServer" }))).model
        )
        .resource({ uri: "box://folders", name: "folders" }, async ({ ask }) => String(await ask("q", Ask.roots())))
      const { peer } = yield* nativeAsker(mcp, answers)
      const told = (message: RawMessage) => Effect.map(rawAsk(peer, message), ({ error }) => error.message)
      const lacks = "which this client does not offer"
      assert.strictEqual(yield* told(rawToolCall(1, "model")), `model asks for a model, ${lacks} (sampling)`)
      assert.strictEqual(
        yield* told(rawToolCall(1, "both")),
        `both asks for a model with tools and a model with context, ${lacks} (sampling.tools, sampling.context)`
      )
      assert.strictEqual(
        yield* told(rawRequest(1, "resources/read", { uri: "box://folders" })),
        `box://folders asks for folders, ${lacks} (roots)`
      )
    })
  )

  it.effect("MRTR-06: holds nothing: finalizers of the attempt run, and its signal is aborted", () =>
    Effect.gen(function* () {
      const ends: Array<string> = []
      const mcp = empty()
        .tool("effect", plain, () =>
          Effect.as(
            Effect.onExit(CurrentCall.ask("name", nameForm), ({ _tag }) => Effect.sync(() => ends.push(_tag))),
            "done"
          )
        )
        .tool("async", plain, async (_, { ask, signal }) => {
          signal.addEventListener("abort", () => ends.push("aborted"))
          await ask("name", nameForm)
          return "done"
        })
      const { call } = yield* nativeAsker(mcp, answers)
      yield* call("effect")
      yield* call("async")
      assert.deepStrictEqual(ends, ["Failure", "Success", "aborted"])
    })
  )

  it.effect("D14: fails where the handler can go on without an answer", () =>
    Effect.gen(function* () {
      const mcp = empty().tool("t", plain, () =>
        Effect.map(
          Effect.catch(CurrentCall.ask("name", nameForm), (failure: AskFailed) => Effect.succeed(failure.reason)),
          (answer) => JSON.stringify(answer)
        )
      )
      const { peer } = yield* nativeAsker(mcp, answers)
      assert.strictEqual(said((yield* attempt(peer, "t", {}, {}, {}))["result"]), `"no-capability"`)
      const compat = yield* compatAsker(mcp, answers, {}, {})
      assert.strictEqual(said((yield* compat.call("t")).answer["result"]), `"no-capability"`)
    })
  )
})

describe("a question of a call in a session", () => {
  it.effect("CHTTP-03 ELIC-10: is a request on the stream of its call, and a page has an id", () =>
    Effect.gen(function* () {
      const { call, served } = yield* compatAsker(greeter, answers)
      for (const name of ["greet", "greetAsync"]) {
        const { answer, asked } = yield* call(name)
        assert.strictEqual(said(answer["result"]), "Hello, Ada!")
        assert.deepStrictEqual(
          asked.map(({ method }) => method),
          ["elicitation/create"]
        )
      }
      const all = yield* call("all")
      assert.deepStrictEqual(
        all.asked.map(({ method }) => method),
        ["elicitation/create", "sampling/createMessage", "roots/list"]
      )
      assert.isString(all.asked[0]?.params["elicitationId"])
      assert.deepStrictEqual(served.counters(), { ...Counters.none, sessions: 1 })
    })
  )

  it.effect("D14: has the result that it has natively", () =>
    Effect.gen(function* () {
      const compat = yield* compatAsker(greeter, answers)
      const native = yield* nativeAsker(greeter, answers)
      for (const name of ["greet", "greetAsync", "both", "chain", "all"]) {
        const [left, right] = [yield* compat.call(name), yield* native.call(name)]
        assert.strictEqual(said(left.answer["result"]), said(right.answer["result"]))
      }
    })
  )

  it.effect("D14: of a client that lacks the capability is -32602 with the missing part", () =>
    Effect.gen(function* () {
      const { call } = yield* compatAsker(greeter, answers, {}, { elicitation: { url: {} } })
      const { error } = (yield* call("greet")).answer
      assert.strictEqual(error.code, -32602)
      assert.deepStrictEqual(error.data, { requiredCapabilities: { elicitation: { form: {} } } })
    })
  )
})
