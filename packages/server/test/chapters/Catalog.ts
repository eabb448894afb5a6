/**
 * The tools of a catalog: operations are found, and run as tools are run.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { rawCall, rawResult, secret, type RawPeer } from "@treadle/testing"
import { said } from "../fixtures/calling.ts"
import { chapter, errorOf, happened, notifications, resultOf, text } from "../fixtures/chapter.ts"

const invoked = (peer: RawPeer, name: string, args?: unknown) =>
  rawResult(peer, "invoke", { name, ...(args === undefined ? {} : { arguments: args }) })

export const catalog = chapter("catalog", (test) => {
  test("D3 TOOL-03: is listed as two tools, and its operations are not", ({ connect }) =>
    Effect.gen(function* () {
      const one = yield* connect()
      const { tools } = yield* resultOf(one, "tools/list")
      const names = tools.map(({ name }: { readonly name: string }) => name)
      assert.deepStrictEqual(names.slice(-2), ["search_operations", "invoke"])
      assert.notIncludeMembers(names, ["look_up"])
      assert.strictEqual((yield* errorOf(one, "tools/call", { name: "look_up", arguments: { id: 1 } })).code, -32602)
    }))

  test("D3: finds operations, with what they take and give", ({ connect }) =>
    Effect.gen(function* () {
      const one = yield* connect()
      const { structuredContent } = yield* rawResult(one, "search_operations", { query: "archive bills" })
      const [{ outputSchema, ...shown }] = structuredContent.operations
      assert.deepStrictEqual(shown, {
        name: "look_up",
        description: "One bill of the archive",
        inputSchema: { type: "object", properties: { id: { type: "integer" } }, required: ["id"] },
        annotations: { readOnlyHint: true }
      })
      assert.strictEqual(outputSchema.type, "object")
      assert.strictEqual((yield* rawResult(one, "search_operations")).structuredContent.total, 6)
    }))

  test("D3 D4 D5: runs an operation with the result of a tool of the same function", ({ connect }) =>
    Effect.gen(function* () {
      const one = yield* connect()
      for (const id of [1, 2, 9]) {
        assert.deepStrictEqual(yield* invoked(one, "look_up", { id }), yield* rawResult(one, "get_show", { id }))
      }
      const wrong = yield* invoked(one, "look_up", { id: "1" })
      assert.isTrue(wrong.isError)
      assert.match(said(wrong), /^Invalid arguments for look_up:\n- id: /)
    }))

  test("D3: runs nothing that it does not allow, and nothing that is not there", ({ connect }) =>
    Effect.gen(function* () {
      const one = yield* connect()
      const refused = yield* invoked(one, "wipe_all")
      assert.isTrue(refused.isError)
      assert.match(said(refused), /^The operation "wipe_all" is not marked as read-only/)
      const unknown = yield* invoked(one, "look_pu", { id: 1 })
      assert.isTrue(unknown.isError)
      assert.match(said(unknown), /^There is no operation "look_pu"\. The nearest: "look_up"\./)
    }))

  test(
    "D5: answers a defect of an operation with a fixed text and a reference",
    ({ connect, logs }) =>
      Effect.gen(function* () {
        const one = yield* connect()
        const answer = yield* invoked(one, "break_down", { how: "die" })
        const reference = /^The tool failed because of an internal error \(reference (\w+)\)\.$/.exec(said(answer))?.[1]
        assert.isDefined(reference)
        yield* happened(one, `defect break_down ${reference}`)
        assert.include(logs(), secret)
      }),
    { needs: ["defects"] }
  )

  test("TIME-01: gives an operation up at its time limit", ({ connect }) =>
    Effect.gen(function* () {
      const one = yield* connect()
      const answer = yield* invoked(one, "give_up")
      assert.deepStrictEqual(answer, { content: text("give_up gave up after 20 ms"), isError: true })
      yield* happened(one, "gave up")
    }))

  test(
    "PROG-01 PROG-02: passes on how far an operation is",
    ({ connect }) =>
      Effect.gen(function* () {
        const one = yield* connect()
        const steps = yield* rawCall(one, "invoke", { name: "count_up" }, { progressToken: "p" })
        assert.strictEqual(said((yield* steps.answer)["result"]), "done")
        assert.deepStrictEqual(
          notifications(steps).map(({ params }) => params.progress),
          [1, 2.5, 3]
        )
      }),
    { needs: ["notifications"] }
  )

  test("CANCEL-02 HTTP-17 CHTTP-06: ends an operation whose call is cancelled", ({ connect, open }) =>
    Effect.gen(function* () {
      const one = yield* connect()
      const waiting = yield* rawCall(one, "invoke", { name: "wait_for", arguments: { gate: "invoked" } })
      yield* happened(one, "began invoked")
      yield* waiting.cancel
      yield* happened(one, "interrupted invoked")
      yield* open("invoked")
    }))
})
