/**
 * JSON-RPC as MCP uses it: ids, notifications, and what is no message.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { compatOf, rawAsk, rawRequest, rawResult, rawToolCall, type RawMessage } from "@treadle/testing"
import { chapter, text } from "../fixtures/chapter.ts"

export const messages = chapter("messages", (test) => {
  test('BASE-07 B053: are answered with the id of the request, type included; 1 and "1" are two', ({ connect }) =>
    Effect.gen(function* () {
      const one = yield* connect()
      for (const id of [0, -1, 9007199254740991, -9007199254740991, "", "1", '"\\\u2028']) {
        const answer = yield* rawAsk(one, rawToolCall(id, "noargs"))
        assert.strictEqual(answer["id"], id)
        assert.deepStrictEqual(Object.keys(answer), ["jsonrpc", "id", "result"])
      }
    }))

  test(
    "BASE-07 BASE-18: are served beside each other, and answered in the order in which they are ready",
    ({ connect }) =>
      Effect.gen(function* () {
        const one = yield* connect()
        const number = yield* one.send(rawToolCall(1, "happened", { event: "echo second" }))
        const string = yield* one.send(rawToolCall("1", "echo", { text: "second" }))
        assert.strictEqual((yield* string.answer)["result"].content[0].text, "second")
        assert.strictEqual((yield* number.answer)["result"].content[0].text, "echo second")
      }),
    { needs: ["state"] }
  )

  test(
    "BASE-15 B037 B043 CSUB-02: that are notifications are not answered, even about a call that has ended",
    ({ connect }) =>
      Effect.gen(function* () {
        const one = yield* connect()
        const done = rawToolCall(77, "add", { a: 1, b: 1 })
        yield* rawAsk(one, done)
        const sent = yield* Effect.forEach(
          [
            { method: "notifications/initialized" },
            { method: "notifications/roots/list_changed" },
            { method: "notifications/unknown_x", params: { x: 1 } },
            { method: "notifications/progress", params: { progressToken: [1] } },
            { method: "notifications/cancelled", params: { requestId: 999 } },
            { method: "notifications/cancelled", params: { requestId: 77 } },
            { method: "notifications/cancelled", params: { requestId: {} } },
            { method: "notifications/cancelled" },
            { method: "tools/call", params: { name: "noargs" } }
          ],
          (message) => one.send({ jsonrpc: "2.0", ...message })
        )
        assert.deepStrictEqual((yield* rawResult(one, "events")).structuredContent.events, [])
        assert.deepStrictEqual((yield* rawAsk(one, done))["result"].structuredContent, { sum: 2 })
        for (const { seen } of sent) {
          const answers = seen.events.filter((message) => message["result"]?.structuredContent === undefined)
          assert.deepStrictEqual(answers, [])
        }
      }),
    { needs: ["inbound"] }
  )

  test(
    "BASE-24: that are no message are -32600 without an id, and what comes next is served",
    ({ connect }) =>
      Effect.gen(function* () {
        const one = yield* connect()
        for (const value of [5, "text", true, {}, { jsonrpc: "1.0" }]) {
          const { seen } = yield* one.send(value as unknown as RawMessage)
          const { error, ...rest } = yield* Effect.promise(() =>
            seen.first((message) => message["error"] !== undefined)
          )
          assert.strictEqual(error.code, -32600, JSON.stringify(value))
          assert.deepStrictEqual(rest, { jsonrpc: "2.0" })
        }
        assert.deepStrictEqual(yield* rawResult(one, "echo", { text: "x" }), { content: text("x") })
      }),
    { needs: ["bytes"] }
  )

  test(
    "B096: that nest deeper than limits.nesting are -32600 with their id, and others are served",
    ({ connect }) =>
      Effect.gen(function* () {
        const one = yield* connect()
        const deep = (levels: number): object => (levels === 0 ? {} : { in: deep(levels - 1) })
        const call = (id: string, levels: number) =>
          rawAsk(one, rawToolCall(id, "echo", { text: "x", deep: deep(levels) }))
        assert.deepStrictEqual((yield* call("deep", 508))["result"].content, text("x"))
        const { error, id } = yield* call("deeper", 510)
        assert.deepStrictEqual([id, error.code], ["deeper", -32600])
        assert.strictEqual(error.message, "Invalid request: the message nests deeper than 512 levels")
      }),
    { needs: ["bytes"] }
  )

  test(
    "BASE-24: in an array are answered by one array, at the one revision that has it",
    ({ connect }) =>
      Effect.gen(function* () {
        const one = yield* connect()
        const call = (id: unknown, said: string) => compatOf(rawToolCall(id, "echo", { text: said }))
        const { seen } = yield* one.send([call(1, "a"), call("1", "b"), compatOf(rawRequest(2, "nope")), 5])
        const answers: ReadonlyArray<RawMessage> = yield* Effect.promise(() => seen.first(Array.isArray))
        const outcomes = answers.map(({ error, id, result }) => [id, error?.code ?? result.content[0].text])
        assert.sameDeepMembers(outcomes, [
          [1, "a"],
          ["1", "b"],
          [2, -32601],
          [undefined, -32600]
        ])
      }),
    { since: "2025-03-26", before: "2025-06-18", needs: ["bytes"] }
  )

  const batches = ({ connect }: Parameters<Parameters<typeof test>[1]>[0]) =>
    Effect.gen(function* () {
      const one = yield* connect()
      const call = rawToolCall(1, "echo", { text: "in a batch" })
      for (const batch of [[], [call], [call, call], [{ jsonrpc: "2.0", method: "notifications/initialized" }]]) {
        const { seen } = yield* one.send(batch)
        const { error } = yield* Effect.promise(() => seen.first((message) => message["error"] !== undefined))
        assert.strictEqual(error.code, -32600)
        assert.match(error.message, /batch/)
      }
      assert.deepStrictEqual((yield* rawResult(one, "events")).structuredContent.events, [])
    })
  test("BASE-24: in an array are refused whole: nothing in it runs", batches, {
    since: "2025-06-18",
    needs: ["bytes"]
  })
  test("BASE-24: in an array are refused whole: the first revision has none", batches, {
    before: "2025-03-26",
    needs: ["bytes"]
  })
})
