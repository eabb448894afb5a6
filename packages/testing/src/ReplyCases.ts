/**
 * What every transport answers: values, failures, refusals, and nothing where nothing is due.
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { secret } from "./FixtureTools.ts"
import { rawAsk, rawError, rawRequest, rawResult, rawToolCall, rawVersion, type RawPeer } from "./RawPeer.ts"
import type { SuiteCase } from "./SuiteDoor.ts"

const text = (said: string) => [{ type: "text", text: said }]
const happened = (peer: RawPeer, event: string) => rawResult(peer, "happened", { event })

const values: SuiteCase = {
  name: "TOOL-10 TOOL-13 B034 META-05: answers a value as structured content, the same as text, and who served it",
  run: Effect.fnUntraced(function* ({ peer }) {
    const one = yield* peer
    assert.deepStrictEqual(yield* rawResult(one, "add", { a: 1, b: 2 }), {
      content: text('{"sum":3}'),
      structuredContent: { sum: 3 }
    })
    assert.deepStrictEqual(yield* rawResult(one, "echo", { text: "naïve 🎭\n" }), { content: text("naïve 🎭\n") })
  })
}

const errors: SuiteCase = {
  name: "D5: answers a declared error with its JSON and its message",
  run: Effect.fnUntraced(function* ({ peer }) {
    const one = yield* peer
    assert.deepStrictEqual(yield* rawResult(one, "get_show", { id: 9 }), {
      content: text("There is no show 9"),
      structuredContent: { _tag: "ShowNotFound", id: 9 },
      isError: true
    })
    assert.deepStrictEqual(yield* rawResult(one, "get_show", { id: 2 }), {
      content: text('{"_tag":"SoldOut","left":0}'),
      structuredContent: { _tag: "SoldOut", left: 0 },
      isError: true
    })
  })
}

const refusals: SuiteCase = {
  name: "D5 B006: answers a failure in words as isError without structured content, although the tool has an output",
  run: Effect.fnUntraced(function* ({ peer }) {
    const one = yield* peer
    for (const how of ["throw", "reject", "failed"]) {
      assert.deepStrictEqual(yield* rawResult(one, "refuse", { how }), { content: text("No order 9"), isError: true })
    }
  })
}

const defects: SuiteCase = {
  name: "D5: answers a defect with a fixed text and a reference; the detail goes to the log and to onDefect only",
  needs: "defects",
  run: Effect.fnUntraced(function* ({ logs, peer }) {
    const one = yield* peer
    for (const how of ["throw", "reject", "die", "fail", "output"]) {
      const answer = yield* rawResult(one, "boom", { how })
      const said: string = answer.content[0].text
      assert.match(said, /^The tool failed because of an internal error \(reference [0-9a-f]{8}\)\.$/)
      assert.deepStrictEqual(answer, { content: text(said), isError: true })
      const reference = /reference (\w+)/.exec(said)?.[1] ?? ""
      yield* happened(one, `defect boom ${reference}`)
      assert.include(logs(), reference)
      assert.include(logs(), how === "output" ? "id: Expected" : secret)
    }
    const interrupted = yield* rawResult(one, "boom", { how: "interrupt" })
    assert.match(interrupted.content[0].text, /internal error/)
  })
}

const wrongArguments: SuiteCase = {
  name: "TOOL-16 B015: answers wrong arguments as isError that names every problem, and runs nothing",
  run: Effect.fnUntraced(function* ({ peer }) {
    const one = yield* peer
    const answer = yield* rawResult(one, "add", { a: "1", b: null })
    assert.isTrue(answer.isError)
    const lines: ReadonlyArray<string> = answer.content[0].text.split("\n")
    assert.strictEqual(lines[0], "Invalid arguments for add:")
    assert.deepStrictEqual(
      lines.slice(1).map((line) => line.slice(0, 5)),
      ["- a: ", "- b: "]
    )
    for (const args of [{}, { text: 5 }, { text: null }]) {
      const { content, isError } = yield* rawResult(one, "echo", args)
      assert.isTrue(isError)
      assert.match(content[0].text, /text/)
      assert.notMatch(content[0].text, /\.ts|node_modules|\n {4}at /)
    }
    const { structuredContent } = yield* rawResult(one, "events")
    assert.deepStrictEqual(structuredContent.events, [])
  })
}

const missingArguments: SuiteCase = {
  name: "B003 TOOL-15: takes missing arguments for none, and answers -32602 to arguments that are no object",
  run: Effect.fnUntraced(function* ({ peer }) {
    const one = yield* peer
    assert.deepStrictEqual(yield* rawResult(one, "noargs"), { content: text("ok") })
    assert.deepStrictEqual(yield* rawResult(one, "noargs", {}), { content: text("ok") })
    for (const args of [undefined, {}]) {
      assert.deepStrictEqual((yield* rawResult(one, "opts", args)).structuredContent, { limit: 10 })
    }
    for (const args of [null, [], "{}", 7, true]) {
      const { code, message } = yield* rawError(one, rawToolCall(1, "noargs", args))
      assert.strictEqual(code, -32602)
      assert.include(message, "params.arguments")
    }
    const { structuredContent } = yield* rawResult(one, "events")
    assert.deepStrictEqual(structuredContent.events, ["noargs", "noargs", "opts", "opts"])
  })
}

const unknown: SuiteCase = {
  name: "TOOL-15 ERR-02 B015: answers -32602 to an unknown tool and a missing name, -32601 to an unknown method",
  run: Effect.fnUntraced(function* ({ peer }) {
    const one = yield* peer
    for (const name of ["nope", "__proto__", "constructor", "ECHO", ""]) {
      const { code, message } = yield* rawError(one, rawToolCall(1, name, {}))
      assert.strictEqual(code, -32602)
      assert.include(message, JSON.stringify(name))
    }
    const foreign = one.era === "compat" ? ["server/discover", "subscriptions/listen"] : ["initialize", "ping"]
    for (const method of ["nope", "prompts/list", "resources/read", "toString", ...foreign]) {
      const answer = yield* rawAsk(one, rawRequest("u", method))
      assert.deepInclude(answer, { jsonrpc: "2.0", id: "u" })
      assert.strictEqual(answer["error"].code, -32601)
    }
  })
}

const ids: SuiteCase = {
  name: 'BASE-07 B053: answers with the id of the request, type included, and tells 1 and "1" apart',
  run: Effect.fnUntraced(function* ({ peer }) {
    const one = yield* peer
    for (const id of [0, -1, 9007199254740991, -9007199254740991, "", "1", '"\\\u2028']) {
      const answer = yield* rawAsk(one, rawToolCall(id, "noargs"))
      assert.strictEqual(answer["id"], id)
      assert.deepStrictEqual(Object.keys(answer), ["jsonrpc", "id", "result"])
    }
    const number = yield* one.send(rawToolCall(1, "happened", { event: "echo second" }))
    const string = yield* one.send(rawToolCall("1", "echo", { text: "second" }))
    assert.strictEqual((yield* string.answer)["result"].content[0].text, "second")
    assert.strictEqual((yield* number.answer)["result"].content[0].text, "echo second")
  })
}

const unanswered: SuiteCase = {
  name: "BASE-15 B037 B043: answers no notification, whatever it is about, a call that has ended included",
  needs: "inbound",
  run: Effect.fnUntraced(function* ({ peer }) {
    const one = yield* peer
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
      assert.deepStrictEqual(
        seen.events.filter((message) => message["result"]?.structuredContent === undefined),
        []
      )
    }
  })
}

const discovering: SuiteCase = {
  name: "DISC-02 CACHE-01: answers discover with its versions, its capabilities and its instructions",
  needs: "discover",
  run: Effect.fnUntraced(function* ({ peer }) {
    const discovered = (yield* rawAsk(yield* peer, rawRequest(1, "server/discover")))["result"]
    assert.deepStrictEqual(discovered, {
      resultType: "complete",
      supportedVersions: [rawVersion],
      capabilities: { tools: { listChanged: true }, logging: {} },
      instructions: "Only for tests",
      ttlMs: 300_000,
      cacheScope: "public",
      _meta: { "io.modelcontextprotocol/serverInfo": { name: "suite", version: "1.0.0" } }
    })
  })
}

const listing: SuiteCase = {
  name: "TOOL-03 CACHE-01: answers the list of tools in the order of definition",
  run: Effect.fnUntraced(function* ({ peer }) {
    const one = yield* peer
    const listed = (yield* rawAsk(one, rawRequest(2, "tools/list")))["result"]
    if (one.era === "compat") assert.deepStrictEqual(Object.keys(listed), ["tools"])
    else assert.deepInclude(listed, { resultType: "complete", ttlMs: 300_000, cacheScope: "public" })
    assert.deepStrictEqual(listed.tools.slice(0, 3), [
      {
        name: "echo",
        description: "Says it again",
        inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] }
      },
      {
        name: "add",
        description: "Adds",
        inputSchema: {
          type: "object",
          properties: { a: { type: "integer" }, b: { type: "integer" } },
          required: ["a", "b"]
        },
        outputSchema: { type: "object", properties: { sum: { type: "integer" } }, required: ["sum"] }
      },
      {
        name: "noargs",
        description: "Takes nothing",
        inputSchema: { type: "object", additionalProperties: false }
      }
    ])
    const { code } = yield* rawError(one, rawRequest(3, "tools/list", { cursor: "x" }))
    assert.strictEqual(code, -32602)
  })
}

export const replyCases: ReadonlyArray<SuiteCase> = [
  values,
  errors,
  refusals,
  defects,
  wrongArguments,
  missingArguments,
  unknown,
  ids,
  unanswered,
  discovering,
  listing
]
