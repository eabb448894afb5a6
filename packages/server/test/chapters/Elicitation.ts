/**
 * Asking a person, in a form or on a page: natively in rounds, in a session by requests while the call runs.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { rawRequest, rawToolCall } from "@treadle/testing"
import { able, answering, type AnswerFor } from "../fixtures/askers.ts"
import { said } from "../fixtures/calling.ts"
import { chapter } from "../fixtures/chapter.ts"

const person = { name: "Ada", seats: 3, window: true, row: "back" }
const accepted: AnswerFor = (_, { requestedSchema }) =>
  requestedSchema?.properties.seats === undefined
    ? { action: "accept", content: { name: "Ada" } }
    : { action: "accept", content: person }
const url = { elicitation: { url: {} } }

const places: ReadonlyArray<readonly [string, object]> = [
  ["prompts/get", { name: "ask_name" }],
  ["prompts/get", { name: "ask_name_async" }],
  ["resources/read", { uri: "suite://greeting" }]
]

export const elicitation = chapter("elicitation", (test) => {
  test(
    "ELIC-04 ELIC-05 ELIC-07: asks with a form of primitive fields, whose answer the handler gets",
    ({ connect }) =>
      Effect.gen(function* () {
        const one = yield* connect({ elicitation: {} })
        const { answer, asked } = yield* answering(one, rawToolCall("form", "ask_form", {}), accepted)
        assert.deepStrictEqual(asked, [
          {
            method: "elicitation/create",
            params: {
              message: "Who are you?",
              requestedSchema: {
                type: "object",
                properties: {
                  name: { type: "string" },
                  seats: { type: "integer", default: 2 },
                  window: { type: "boolean", default: false },
                  row: { type: "string", enum: ["front", "back"] }
                },
                required: ["name", "seats", "window", "row"]
              }
            }
          }
        ])
        assert.deepStrictEqual(JSON.parse(said(answer["result"])), { action: "accept", content: person })
      }),
    { since: "2025-06-18", needs: ["ask"] }
  )

  test(
    "D3 ELIC-04: asks from operations that a catalog runs",
    ({ connect }) =>
      Effect.gen(function* () {
        const one = yield* connect({ elicitation: {} })
        const { answer, asked } = yield* answering(one, rawToolCall("run", "invoke", { name: "greet" }), accepted)
        assert.strictEqual(said(answer["result"]), "Hello, Ada!")
        assert.lengthOf(asked, 1)
      }),
    { since: "2025-06-18", needs: ["ask"] }
  )

  test(
    "ELIC-05: asks for choices with titles, and for several of them, in the words of the revision",
    ({ connect, version }) =>
      Effect.gen(function* () {
        const one = yield* connect(able)
        const content = { seat: "b", row: "back", days: ["Sat"] }
        const ask = (name: string) => answering(one, rawToolCall(name, name, {}), () => ({ action: "accept", content }))
        const older = version < "2025-11-25"
        const row = { type: "string", enum: ["front", "back"] }
        const titles = ["In the stalls", "On the balcony"]
        const seat = older
          ? { type: "string", enum: ["a", "b"], enumNames: titles }
          : { type: "string", oneOf: titles.map((title, at) => ({ const: ["a", "b"][at], title })) }
        const seats = yield* ask("ask_seat")
        assert.deepStrictEqual(seats.asked[0]?.params["requestedSchema"].properties, { seat, row })
        assert.deepInclude(JSON.parse(said(seats.answer["result"])).content, { seat: "b", row: "back" })
        const { answer, asked } = yield* ask("ask_days")
        if (older) {
          assert.deepStrictEqual(asked, [])
          assert.deepStrictEqual(answer["error"], {
            code: -32602,
            message:
              "ask_days asks for several choices in one field (days), which clients of 2025-06-18 do not have; " +
              "ask for one choice there"
          })
          assert.strictEqual(said((yield* ask("ask_days_or_not")).answer["result"]), '["no-capability",null]')
        } else {
          const days = { type: "array", items: { type: "string", enum: ["Fri", "Sat"] } }
          assert.deepStrictEqual(asked[0]?.params["requestedSchema"].properties, { seat, days })
          assert.deepInclude(JSON.parse(said(answer["result"])).content, { seat: "b", days: ["Sat"] })
        }
      }),
    { since: "2025-06-18", needs: ["ask"] }
  )

  test(
    "ELIC-08: takes for an answer that a person declines or closes",
    ({ connect }) =>
      Effect.gen(function* () {
        const one = yield* connect(able)
        for (const action of ["decline", "cancel"]) {
          const { answer } = yield* answering(one, rawToolCall(action, "ask_form", {}), () => ({ action }))
          assert.strictEqual(said(answer["result"]), JSON.stringify({ action }))
        }
      }),
    { since: "2025-06-18", needs: ["ask"] }
  )

  test(
    "ELIC-06 MRTR-09: gets -32602 for an answer that does not fit its form",
    ({ connect }) =>
      Effect.gen(function* () {
        const one = yield* connect(able)
        const wrong = [{ action: "accept" }, { action: "accept", content: { name: 5 } }, { action: "maybe" }, {}]
        for (const [at, result] of wrong.entries()) {
          const { answer } = yield* answering(one, rawToolCall(`wrong ${at}`, "ask_form", {}), () => result)
          assert.strictEqual(answer["error"]?.code, -32602, JSON.stringify(result))
        }
      }),
    { since: "2025-06-18", needs: ["ask"] }
  )

  test(
    "ELIC-10: asks to visit a page, which has an id in a session and none natively",
    ({ connect, era }) =>
      Effect.gen(function* () {
        const one = yield* connect(url)
        const { answer, asked } = yield* answering(one, rawToolCall("page", "ask_page", {}), () => ({
          action: "accept"
        }))
        const { elicitationId, ...rest } = asked[0]?.params ?? {}
        assert.deepStrictEqual(rest, { mode: "url", message: "Pay", url: "https://box.example/pay" })
        assert.strictEqual(typeof elicitationId, era === "native" ? "undefined" : "string")
        assert.strictEqual(said(answer["result"]), '{"action":"accept"}')
      }),
    { since: "2025-11-25", needs: ["ask"] }
  )

  test(
    "ELIC-02 MRTR-05 META-08: asks for nothing that the client did not declare",
    ({ connect, era }) =>
      Effect.gen(function* () {
        const lacking: ReadonlyArray<readonly [object, string, object]> = [
          [{}, "ask_form", { elicitation: { form: {} } }],
          [{ elicitation: { url: {} } }, "ask_form", { elicitation: { form: {} } }],
          [{ elicitation: {} }, "ask_page", { elicitation: { url: {} } }]
        ]
        for (const [capabilities, name, requiredCapabilities] of lacking) {
          const one = yield* connect(capabilities)
          const { answer, asked } = yield* answering(one, rawToolCall("lacking", name, {}), accepted)
          assert.deepStrictEqual(asked, [])
          assert.strictEqual(answer["error"].code, era === "native" ? -32021 : -32602)
          assert.deepStrictEqual(answer["error"].data, { requiredCapabilities })
        }
      }),
    { since: "2025-11-25" }
  )

  test(
    "INIT-09 ELIC-02: asks for nothing that the revision does not have, whatever the client declares",
    ({ connect, version }) =>
      Effect.gen(function* () {
        const one = yield* connect(able)
        for (const name of version < "2025-06-18" ? ["ask_form", "ask_page"] : ["ask_page"]) {
          const { answer, asked } = yield* answering(one, rawToolCall(name, name, {}), accepted)
          assert.deepStrictEqual(asked, [])
          assert.strictEqual(answer["error"]?.code, -32602)
        }
      }),
    { era: "compat", before: "2025-11-25" }
  )

  test(
    "MRTR-02 CHTTP-03: asks from prompts and from reads of resources too",
    ({ connect }) =>
      Effect.gen(function* () {
        const one = yield* connect(able)
        for (const [at, [method, params]] of places.entries()) {
          const { answer, asked } = yield* answering(one, rawRequest(`place ${at}`, method, params), accepted)
          const { contents, messages } = answer["result"]
          assert.strictEqual(messages?.[0].content.text ?? contents?.[0].text, "Hello, Ada!")
          assert.lengthOf(asked, 1)
        }
      }),
    { since: "2025-06-18", needs: ["ask"] }
  )

  test(
    "MRTR-03 MRTR-04 MRTR-13 CACHE-02: ends the attempt with its questions and a state, and nothing else",
    ({ connect }) =>
      Effect.gen(function* () {
        const one = yield* connect(able)
        const { answer } = yield* one.send(rawRequest("round", "resources/read", { uri: "suite://greeting" }))
        const { requestState, ...result } = (yield* answer)["result"]
        assert.isString(requestState)
        assert.deepStrictEqual(Object.keys(result).toSorted(), ["_meta", "inputRequests", "resultType"])
        assert.deepStrictEqual(Object.keys(result.inputRequests.name).toSorted(), ["method", "params"])
      }),
    { era: "native" }
  )

  test(
    "STATE-02 STATE-03: refuses a state that was changed, and one of another request",
    ({ connect }) =>
      Effect.gen(function* () {
        const one = yield* connect(able)
        const asked = yield* one.send(rawToolCall("asked", "ask_form", {}))
        const { requestState } = (yield* asked.answer)["result"]
        const inputResponses = { person: { action: "accept", content: person } }
        const again = (id: string, name: string, state: unknown) =>
          Effect.flatMap(
            one.send(rawRequest(id, "tools/call", { name, arguments: {}, inputResponses, requestState: state })),
            ({ answer }) => answer
          )
        for (const state of [`${requestState}A`, requestState.slice(1), "", 5]) {
          assert.strictEqual((yield* again("changed", "ask_form", state))["error"]?.code, -32602, `${state}`)
        }
        assert.strictEqual((yield* again("elsewhere", "ask_page", requestState))["error"]?.code, -32602)
        assert.strictEqual((yield* again("right", "ask_form", requestState))["result"].resultType, "complete")
      }),
    { era: "native", needs: ["state"] }
  )
})
