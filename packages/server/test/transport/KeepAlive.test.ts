/**
 * Streams that have nothing to say: a comment now and then, so that nobody on the way closes them, and no more once they
 * are closed.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import { rawRequest, rawToolCall, Recorder, type RawMessage } from "@treadle/testing"
import { Counters, CurrentCall, Limits, Mcp } from "../../src/index.ts"
import { httpDoorParts } from "../../src/McpHttp.ts"
import { nodeExchange } from "../../src/node/NodeExchange.ts"
import { makeOutbox } from "../../src/transport/Outbox.ts"
import { webExchange } from "../../src/transport/WebExchange.ts"
import { empty } from "../fixtures/calling.ts"
import { listening } from "../fixtures/cells.ts"
import { initialize } from "../fixtures/compatDoor.ts"
import { headersOf } from "../fixtures/rawPeers.ts"
import { quietAtEnd } from "../fixtures/quiet.ts"

const mcp = empty().tool("slow", { description: "Tested" }, () => Effect.andThen(CurrentCall.progress(1), Effect.never))

type Send = (init: RequestInit) => Promise<Response>

const throughFetch = Effect.map(quietAtEnd(Mcp.served(mcp)), (served) => {
  const parts = httpDoorParts(served, {})
  const send: Send = (init) => webExchange(parts, new Request("http://localhost/mcp", init), { context: {} })
  return { served, send }
})

const throughNode = Effect.gen(function* () {
  const served = yield* quietAtEnd(Mcp.served(mcp))
  const parts = { ...httpDoorParts(served, {}), served, outbox: makeOutbox(setImmediate) }
  const port = yield* listening((req, res) => nodeExchange(parts, req, res, {}))
  const send: Send = (init) => fetch(`http://127.0.0.1:${port}/mcp`, init)
  return { served, send }
})

const post = (message: RawMessage): RequestInit => ({
  method: "POST",
  headers: headersOf(message),
  body: JSON.stringify(message)
})

/** What opens a stream and then stays silent. */
const streams: { readonly [name: string]: (send: Send) => Promise<RequestInit> } = {
  "a call that lasts": async () => post(rawToolCall(1, "slow", {}, { progressToken: 1 })),
  "a listen request": async () => post(rawRequest(1, "subscriptions/listen", { notifications: {} })),
  "the stream of a session": async (send) => {
    const accept = "application/json, text/event-stream"
    const headers = { "content-type": "application/json", accept }
    const opened = await send({ method: "POST", headers, body: JSON.stringify(initialize()) })
    await opened.text()
    return { headers: { accept: "text/event-stream", "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" } }
  }
}

/** The comments of a body, counted as they come. */
const comments = (response: Response) => {
  const seen = new Recorder<string>()
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  const read = async () => {
    for (let next = await reader?.read(); next !== undefined && !next.done; next = await reader?.read()) {
      for (const event of decoder.decode(next.value).split("\n\n")) if (event.startsWith(":")) seen.record(event)
    }
  }
  const ended = read().catch(() => {})
  return { seen, ended, leave: Effect.promise(async () => reader?.cancel()) }
}

it("B042: comments come in time for those who close a stream that is silent for ten seconds", () => {
  assert.isBelow(Limits.defaults.keepAlive + 1_000, 10_000)
})

describe.each([
  { door: "fetch", open: throughFetch },
  { door: "node:http", open: throughNode }
])("a quiet stream at the door of $door", ({ open }) => {
  it.effect.each(Object.entries(streams))("B042 HTTP-13: of %s is kept open by comments", ([, opening]) =>
    Effect.gen(function* () {
      const { send, served } = yield* open
      const response = yield* Effect.promise(() => opening(send).then(send))
      assert.strictEqual(response.headers.get("content-type"), "text/event-stream")
      const { ended, leave, seen } = comments(response)
      for (let at = 0; at < 3; at++) {
        const before = seen.events.length
        yield* TestClock.adjust(Limits.defaults.keepAlive + 250)
        yield* Effect.promise(() => seen.first(() => seen.events.length > before))
      }
      yield* leave
      yield* Effect.promise(() => ended)
      yield* served.idle
      const heard = seen.events.length
      yield* TestClock.adjust(60_000)
      assert.strictEqual(seen.events.length, heard)
      assert.deepStrictEqual({ ...served.counters(), sessions: 0 }, Counters.none)
    })
  )
})
