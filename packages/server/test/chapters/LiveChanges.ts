/**
 * What a handler changes in what is served: calls and lists follow, and those who listen hear of it.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { rawError, rawResult, rawToolCall, type RawPeer } from "@treadle/testing"
import { chapter, resultOf, text } from "../fixtures/chapter.ts"
import { hearing } from "../fixtures/clients.ts"

const plug = (peer: RawPeer, ...changes: ReadonlyArray<string>) => rawResult(peer, "plug", { changes })

const plugged = (peer: RawPeer): Effect.Effect<ReadonlyArray<string>> =>
  Effect.map(resultOf(peer, "tools/list"), ({ tools }) =>
    tools.flatMap((tool: { readonly name: string; readonly description: string }) =>
      tool.name === "plugged" ? [tool.description] : []
    )
  )

export const liveChanges = chapter("live changes", (test) => {
  test(
    "TOOL-04: are called and listed from then on, added, replaced and removed",
    ({ connect }) =>
      Effect.gen(function* () {
        const one = yield* connect()
        assert.deepStrictEqual(yield* plugged(one), [])
        assert.deepStrictEqual(yield* plug(one, "add"), { content: [] })
        assert.deepStrictEqual(yield* plugged(one), ["first"])
        assert.deepStrictEqual(yield* rawResult(one, "plugged"), { content: text("first") })
        yield* plug(one, "replace")
        assert.deepStrictEqual(yield* plugged(one), ["second"])
        assert.deepStrictEqual(yield* rawResult(one, "plugged"), { content: text("second") })
        yield* plug(one, "remove")
        assert.deepStrictEqual(yield* plugged(one), [])
        assert.strictEqual((yield* rawError(one, rawToolCall("gone", "plugged"))).code, -32602)
      }),
    { needs: ["state"] }
  )

  test(
    "D1: that are wrong are told to the handler, and change nothing",
    ({ connect }) =>
      Effect.gen(function* () {
        const one = yield* connect()
        const { content, isError } = yield* plug(one, "add", "add")
        assert.isTrue(isError)
        assert.match(
          content[0].text,
          /^MCP server "suite" cannot be changed, for 1 reason:\n {2}1\. tool "plugged" is added 2 times \(suite(?:Server|Child)\.[a-z]+:\d+, suite(?:Server|Child)\.[a-z]+:\d+\)\. Rename all but one, or use live\.replace\.$/
        )
        assert.deepStrictEqual(yield* plugged(one), ["first"])
        yield* plug(one, "remove")
      }),
    { needs: ["state"] }
  )

  test(
    "TOOL-04 SUB-06 B088: are told of once where they happen together, and each that comes later again",
    ({ connect }) =>
      Effect.gen(function* () {
        const one = yield* connect()
        const { id, seen } = yield* hearing(one, { toolsListChanged: true })
        const told = () =>
          seen.events.filter(
            ({ method, params }) =>
              method === "notifications/tools/list_changed" &&
              params?._meta?.["io.modelcontextprotocol/subscriptionId"] === id
          )
        const heard = (count: number) => Effect.promise(() => seen.first(() => told().length >= count))
        // Five in one turn, in which no window can end.
        yield* rawResult(one, "change", { what: Array.from({ length: 5 }, () => "tools") })
        yield* heard(1)
        for (const [before, how] of ["add", "replace", "remove"].entries()) {
          yield* plug(one, how)
          yield* heard(before + 2)
        }
        assert.lengthOf(told(), 4)
      }),
    { needs: ["notifications"] }
  )
})
