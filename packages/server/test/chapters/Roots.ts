/**
 * Asking for the folders that the client works in. Deprecated by the specification in 2026-07-28, still served.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/roots
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { rawToolCall } from "@treadle/testing"
import { answering } from "../fixtures/askers.ts"
import { said } from "../fixtures/calling.ts"
import { chapter } from "../fixtures/chapter.ts"

const folders = { roots: [{ uri: "file:///work", name: "Work" }] }

export const roots = chapter("roots", (test) => {
  test(
    "ROOT-01 ROOT-03: asks for them, and again after they have changed",
    ({ connect, era }) =>
      Effect.gen(function* () {
        const one = yield* connect({ roots: era === "native" ? {} : { listChanged: true } })
        for (const roots of [folders.roots, []]) {
          const { answer, asked } = yield* answering(one, rawToolCall("roots", "ask_folders", {}), () => ({ roots }))
          assert.deepStrictEqual(
            asked.map(({ method }) => method),
            ["roots/list"]
          )
          assert.deepStrictEqual(JSON.parse(said(answer["result"])), { roots })
          if (era === "compat") yield* one.send({ jsonrpc: "2.0", method: "notifications/roots/list_changed" })
        }
      }),
    { needs: ["ask"] }
  )

  test("ROOT-01 ROOT-03 MRTR-05: does not ask a client that did not declare them", ({ connect, era }) =>
    Effect.gen(function* () {
      const one = yield* connect({ sampling: {} })
      const { answer, asked } = yield* answering(one, rawToolCall("lacking", "ask_folders", {}), () => folders)
      assert.deepStrictEqual(asked, [])
      assert.strictEqual(answer["error"].code, era === "native" ? -32021 : -32602)
      assert.deepStrictEqual(answer["error"].data, { requiredCapabilities: { roots: {} } })
    }))
})
