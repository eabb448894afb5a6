/**
 * Asking the client's model, with tools and without. Deprecated by the specification in 2026-07-28, still served.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/sampling
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { rawToolCall } from "@treadle/testing"
import { answering, type AnswerFor } from "../fixtures/askers.ts"
import { said } from "../fixtures/calling.ts"
import { chapter } from "../fixtures/chapter.ts"

const question = { role: "user", content: { type: "text", text: "What is on?" } }
const message = { role: "assistant", content: { type: "text", text: "Hamlet" }, model: "m", stopReason: "endTurn" }
const use = { type: "tool_use", id: "u1", name: "bill", input: {} }
const bill = { name: "bill", inputSchema: { type: "object" } }

/** Uses the tool that it is given, once. */
const using: AnswerFor = (_, { messages }) =>
  messages.length === 1 ? { role: "assistant", content: use, model: "m", stopReason: "toolUse" } : message

export const sampling = chapter("sampling", (test) => {
  test(
    "SAMP-01 SAMP-09: asks for a message, and the handler gets it",
    ({ connect }) =>
      Effect.gen(function* () {
        const one = yield* connect({ sampling: {} })
        const { answer, asked } = yield* answering(one, rawToolCall("plain", "ask_model", {}), () => message)
        assert.deepStrictEqual(asked, [
          { method: "sampling/createMessage", params: { messages: [question], maxTokens: 10, temperature: 0 } }
        ])
        assert.deepStrictEqual(JSON.parse(said(answer["result"])), message)
      }),
    { needs: ["ask"] }
  )

  test(
    "SAMP-02 SAMP-03 SAMP-04 SAMP-06: offers tools, and goes on with what they gave",
    ({ connect }) =>
      Effect.gen(function* () {
        const one = yield* connect({ sampling: { tools: {} } })
        const { answer, asked } = yield* answering(one, rawToolCall("tools", "ask_model_with_tools", {}), using)
        const content = { type: "tool_result", toolUseId: "u1", content: [{ type: "text", text: "Hamlet" }] }
        assert.deepStrictEqual(
          asked.map(({ params }) => params),
          [
            { messages: [question], maxTokens: 10, tools: [bill], toolChoice: { mode: "required" } },
            {
              messages: [question, { role: "assistant", content: use }, { role: "user", content }],
              maxTokens: 10,
              tools: [bill],
              toolChoice: { mode: "none" }
            }
          ]
        )
        assert.deepStrictEqual(JSON.parse(said(answer["result"])), message.content)
      }),
    { since: "2025-11-25", needs: ["ask"] }
  )

  test("SAMP-02 MRTR-05: offers no tools to a client, nor in a revision, that does not take them", (server) =>
    Effect.gen(function* () {
      const { connect, era, version } = server
      const lacking: ReadonlyArray<readonly [object, string]> = [
        [{}, "ask_model"],
        [{ sampling: {} }, "ask_model_with_tools"],
        ...(version < "2025-11-25" ? ([[{ sampling: { tools: {} } }, "ask_model_with_tools"]] as const) : [])
      ]
      for (const [capabilities, name] of lacking) {
        const one = yield* connect(capabilities)
        const { answer, asked } = yield* answering(one, rawToolCall("lacking", name, {}), using)
        assert.deepStrictEqual(asked, [])
        assert.strictEqual(answer["error"]?.code, era === "native" ? -32021 : -32602)
      }
    }))

  test(
    "SAMP-09 MRTR-09: gets -32602 for a message that is none",
    ({ connect }) =>
      Effect.gen(function* () {
        const one = yield* connect({ sampling: {} })
        for (const [at, wrong] of [{}, { role: "assistant" }, { ...message, content: 5 }].entries()) {
          const { answer } = yield* answering(one, rawToolCall(`wrong ${at}`, "ask_model", {}), () => wrong)
          assert.strictEqual(answer["error"]?.code, -32602)
        }
      }),
    { needs: ["ask"] }
  )
})
