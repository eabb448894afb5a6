/**
 * What happens in every transport when a handler changes what is served.
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { rawAsk, rawError, rawRequest, rawResult, rawToolCall, type RawPeer } from "./RawPeer.ts"
import type { SuiteCase } from "./SuiteDoor.ts"

const text = (said: string) => ({ content: [{ type: "text", text: said }] })
const plug = (peer: RawPeer, ...changes: ReadonlyArray<string>) => rawResult(peer, "plug", { changes })

const plugged = (peer: RawPeer): Effect.Effect<ReadonlyArray<string>> =>
  Effect.map(rawAsk(peer, rawRequest("listed", "tools/list")), (answer) =>
    answer["result"].tools.flatMap((tool: { readonly name: string; readonly description: string }) =>
      tool.name === "plugged" ? [tool.description] : []
    )
  )

const changing: SuiteCase = {
  name: "TOOL-04: calls and lists what a handler added, replaced and removed, from then on",
  needs: "live",
  run: Effect.fnUntraced(function* ({ peer }) {
    const one = yield* peer
    assert.deepStrictEqual(yield* plugged(one), [])
    assert.deepStrictEqual(yield* plug(one, "add"), { content: [] })
    assert.deepStrictEqual(yield* plugged(one), ["first"])
    assert.deepStrictEqual(yield* rawResult(one, "plugged"), text("first"))
    yield* plug(one, "replace")
    assert.deepStrictEqual(yield* plugged(one), ["second"])
    assert.deepStrictEqual(yield* rawResult(one, "plugged"), text("second"))
    yield* plug(one, "remove")
    assert.deepStrictEqual(yield* plugged(one), [])
    assert.strictEqual((yield* rawError(one, rawToolCall("gone", "plugged"))).code, -32602)
  })
}

const refusing: SuiteCase = {
  name: "D1: tells a handler what is wrong with a change, and changes nothing",
  needs: "live",
  run: Effect.fnUntraced(function* ({ peer }) {
    const one = yield* peer
    const { content, isError } = yield* plug(one, "add", "add")
    assert.isTrue(isError)
    assert.match(
      content[0].text,
      /^MCP server "suite" cannot be changed, for 1 reason:\n {2}1\. tool "plugged" is added 2 times \(suite(?:Server|Child)\.[a-z]+:\d+, suite(?:Server|Child)\.[a-z]+:\d+\)\. Rename all but one\.$/
    )
    assert.deepStrictEqual(yield* plugged(one), ["first"])
  })
}

const hearing: SuiteCase = {
  name: "TOOL-04 SUB-03 SUB-06 B088: tells a listener of many changes at once, and of a later one again",
  needs: "listen",
  run: Effect.fnUntraced(function* ({ peer }) {
    const one = yield* peer
    const listening = yield* one.send(
      rawRequest("ear", "subscriptions/listen", { notifications: { toolsListChanged: true } })
    )
    const heard = (count: number) =>
      Effect.promise(() => listening.seen.first(() => listening.seen.events.length === count))
    const _meta = { "io.modelcontextprotocol/subscriptionId": "ear" }
    const changed = { jsonrpc: "2.0", method: "notifications/tools/list_changed", params: { _meta } }
    yield* heard(1)
    yield* plug(one, "add", "replace", "remove", "add", "replace")
    yield* heard(2)
    yield* plug(one, "remove")
    yield* heard(3)
    assert.deepStrictEqual(listening.seen.events, [
      {
        jsonrpc: "2.0",
        method: "notifications/subscriptions/acknowledged",
        params: { notifications: { toolsListChanged: true }, _meta }
      },
      changed,
      changed
    ])
    yield* listening.cancel
  })
}

export const liveCases: ReadonlyArray<SuiteCase> = [changing, refusing, hearing]
