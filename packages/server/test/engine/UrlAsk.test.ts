/**
 * Pages that a client is asked to visit: what tells it that one is done with, and what it is answered where nothing can
 * ask it.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { rawToolCall, type RawMessage } from "@treadle/testing"
import { Ask, AskFailed, CurrentCall } from "../../src/index.ts"
import { directPeer } from "../../src/McpDirect.ts"
import { able, compatAsker, nativeAsker } from "../fixtures/askers.ts"
import { empty, said } from "../fixtures/calling.ts"
import { compatCall, compatDoor, initialize } from "../fixtures/compatDoor.ts"
import { directRawPeer } from "../fixtures/rawPeers.ts"

const plain = { description: "Tested" }
const page = { message: "Pay for the seats", url: "https://box.example/pay/7" }
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4/

const box = empty()
  .tool("pay", plain, async (_, { ask, complete }) => {
    const { action } = await ask("pay", Ask.url(page))
    complete("pay")
    complete("pay")
    complete("other")
    return action
  })
  .tool("pays", plain, () =>
    Effect.gen(function* () {
      const { action } = yield* CurrentCall.ask("pay", Ask.url(page))
      yield* CurrentCall.complete("pay")
      return action
    })
  )
  .tool("form", plain, async (_, { ask, complete }) => {
    await ask("name", Ask.form({ message: "Who?", fields: { name: Schema.String } }))
    complete("name")
    return "named"
  })
  .tool("both", plain, async (_, { ask }) => {
    await Promise.all([ask("a", Ask.url(page)), ask("b", Ask.url({ ...page, url: "https://box.example/sign" }))])
    return "both"
  })
  .tool("copes", plain, async (_, { ask }) =>
    ask("pay", Ask.url(page)).then(
      () => "paid",
      (error: unknown) => (error instanceof AskFailed ? error.reason : "other")
    )
  )
  .tool("mixed", plain, async (_, { ask }) => {
    await ask("pay", Ask.url(page)).catch(() => "later")
    await ask("name", Ask.form({ message: "Who?", fields: { name: Schema.String } }))
    return "named"
  })

const accept = (_: string, { mode }: RawMessage) =>
  mode === "url" ? { action: "accept" } : { action: "accept", content: { name: "Ada" } }

const completions = (events: ReadonlyArray<RawMessage>) =>
  events.filter((message) => message["method"] === "notifications/elicitation/complete")

describe("a page to visit", () => {
  it.effect.each(["pay", "pays"])("ELIC-10 ELIC-19: has an id in a session, and its end is told once (%s)", (tool) =>
    Effect.gen(function* () {
      const { call, seen, served } = yield* compatAsker(box, accept)
      const other = yield* directRawPeer(directPeer(served, {})).send(
        initialize("2025-11-25", { elicitation: { url: {} } })
      )
      yield* other.answer
      const { answer, asked } = yield* call(tool)
      assert.strictEqual(said(answer["result"]), "accept")
      const { elicitationId, ...rest } = asked[0]?.params ?? {}
      assert.deepStrictEqual(rest, { mode: "url", ...page })
      assert.match(elicitationId, uuid)
      assert.deepStrictEqual(
        completions(seen.events).map((message) => message["params"]),
        [{ elicitationId }]
      )
      assert.isBelow(seen.events.indexOf(completions(seen.events)[0] ?? {}), seen.events.indexOf(answer))
      assert.deepStrictEqual(completions(other.seen.events), [])
    })
  )

  it.effect("ELIC-15: has none natively, and nobody is told of its end", () =>
    Effect.gen(function* () {
      const { call } = yield* nativeAsker(box, accept)
      for (const tool of ["pay", "pays"]) {
        const { answer, asked } = yield* call(tool)
        assert.strictEqual(said(answer["result"]), "accept")
        assert.deepStrictEqual(asked, [{ method: "elicitation/create", params: { mode: "url", ...page } }])
      }
    })
  )

  it.effect("ELIC-19: is the only question whose end is told", () =>
    Effect.gen(function* () {
      const { call, seen } = yield* compatAsker(box, accept)
      assert.strictEqual(said((yield* call("form")).answer["result"]), "named")
      assert.deepStrictEqual(completions(seen.events), [])
    })
  )
})

it("ELIC-10: a page has an absolute URL", () => {
  for (const url of ["not a url", "/pay/7", ""]) {
    assert.throws(
      () => Ask.url({ ...page, url }),
      TypeError,
      `Ask.url cannot send anyone to ${JSON.stringify(url)}: give an absolute URL, such as https://box.example/pay`
    )
  }
})

/** Sessions whose calls cannot be asked while they run. */
const deaf = [
  ["takes JSON only", {}, { accept: "application/json" }],
  ["is answered with JSON always", { replies: "json" }, {}],
  ["belongs to no session", { sessions: "off" }, {}]
] as const

describe.each(deaf)("a request that %s", (_, settings, headers) => {
  const calling = Effect.fnUntraced(function* (tool: string) {
    const { send } = yield* compatDoor(box, settings)
    const { session } = yield* send(initialize("2025-11-25", able))
    return yield* send(compatCall(1, tool), { session, headers })
  })

  it.effect("ERR-15 D14: is answered with -32042 and every page that it needs", () =>
    Effect.gen(function* () {
      for (const [tool, urls] of [
        ["pay", [page.url]],
        ["pays", [page.url]],
        ["both", [page.url, "https://box.example/sign"]]
      ] as const) {
        const { answer, messages, status } = yield* calling(tool)
        const { code, data, message } = answer["error"]
        assert.deepStrictEqual([status, code, messages.length], [200, -32042, 1])
        assert.match(message, /send it again/)
        assert.deepStrictEqual(
          data.elicitations.map(({ message, mode, url }: RawMessage) => ({ mode, message, url })),
          urls.map((url) => ({ mode: "url", message: page.message, url }))
        )
        const ids = new Set(data.elicitations.map(({ elicitationId }: RawMessage) => elicitationId))
        assert.strictEqual(ids.size, urls.length)
        for (const id of ids) assert.match(String(id), uuid)
      }
    })
  )

  it.effect("D14: goes on where its handler copes, and fails in words where something else is asked", () =>
    Effect.gen(function* () {
      assert.strictEqual(said((yield* calling("copes")).answer["result"]), "no-stream")
      for (const tool of ["form", "mixed"]) {
        const { result } = (yield* calling(tool)).answer
        assert.isTrue(result.isError)
        assert.match(said(result), /^The client cannot be asked: its request /)
      }
    })
  )
})

it.effect("ELIC-02: a page is not asked of a session that did not declare it, whatever its reply may be", () =>
  Effect.gen(function* () {
    const { send } = yield* compatDoor(box)
    const { session } = yield* send(initialize("2025-11-25", { elicitation: {} }))
    for (const accept of ["application/json", "application/json, text/event-stream"]) {
      const { answer } = yield* send(compatCall(1, "pay"), { session, headers: { accept } })
      assert.deepStrictEqual(
        [answer["error"].code, answer["error"].data],
        [-32602, { requiredCapabilities: { elicitation: { url: {} } } }]
      )
    }
  })
)

it.effect("ERR-10 D14: natively a page is asked in a round, whatever the reply may be", () =>
  Effect.gen(function* () {
    const { send } = yield* compatDoor(box, { replies: "json" })
    const message = rawToolCall(1, "pay", {}, { "io.modelcontextprotocol/clientCapabilities": able })
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "pay" }
    const { answer } = yield* send(message, { headers: { ...headers, accept: "application/json" } })
    assert.strictEqual(answer["result"].resultType, "input_required")
  })
)
