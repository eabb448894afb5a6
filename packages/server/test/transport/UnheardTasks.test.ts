/**
 * Tasks of callers who went away before they were told of them: nobody knows their ids, so they end as a call would.
 */
import { assert, describe, it } from "@effect/vitest"
import type { ServerResponse } from "node:http"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import { rawDeclaring, rawRequest, rawToolCall, Recorder, type RawMessage } from "@treadle/testing"
import { CurrentCall, type Mcp, type TaskOption } from "../../src/index.ts"
import { McpHttp } from "../../src/http.ts"
import { McpRouter } from "../../src/http-router/index.ts"
import { McpNode } from "../../src/node/index.ts"
import { assertQuiet } from "../fixtures/quiet.ts"
import { empty } from "../fixtures/calling.ts"
import { listening } from "../fixtures/cells.ts"
import { eventMessages, headersOf, posting } from "../fixtures/rawPeers.ts"

const able = { extensions: { "io.modelcontextprotocol/tasks": {} } }
/** A door that closes waits for no task. */
const limits = { grace: 0 }

const call = rawDeclaring(rawToolCall(1, "endless"), able)

/** A tool whose calls become tasks that never end, what happened to them, and what to do once one has begun. */
const endless = (task: TaskOption = "optional") => {
  const events = new Recorder<string>()
  const on = { began: () => {} }
  const begun = Effect.andThen(
    CurrentCall.startTask,
    Effect.sync(() => {
      on.began()
      events.record("began")
    })
  )
  const mcp: Mcp<never> = empty().tool("endless", { description: "Tested", task }, () =>
    Effect.onInterrupt(Effect.andThen(begun, Effect.never), () => Effect.sync(() => events.record("ended")))
  )
  return { events, mcp, on }
}

const happened = (events: Recorder<string>, event: string) => Effect.promise(() => events.first((one) => one === event))

const request = (message: RawMessage, signal?: AbortSignal) =>
  new Request("http://localhost/mcp", {
    method: "POST",
    headers: headersOf(message),
    body: JSON.stringify(message),
    ...(signal === undefined ? {} : { signal })
  })

/** The answer of either form. */
const answerIn = (text: string): RawMessage =>
  text.startsWith("{") ? JSON.parse(text) : (eventMessages(text).at(-1) ?? assert.fail("there is no event"))

type Send = (request: Request) => Promise<Response>

const got = async (send: Send, taskId: string): Promise<RawMessage> => {
  const response = await send(request(rawDeclaring(rawRequest(2, "tasks/get", { taskId }), able)))
  return answerIn(await response.text())
}

const turns = Effect.promise(async () => {
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
})

/** Lets the door forget what is over; it looks a few times a second. */
const forgotten = (door: Parameters<typeof assertQuiet>[0]) =>
  Effect.promise(async () => {
    for (let waits = 0; door.counters().tasks > 0 && waits < 1_000; waits++) {
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  })

const node = (mcp: Mcp<never>) =>
  Effect.gen(function* () {
    const door = yield* Effect.acquireRelease(
      Effect.sync(() => McpNode.handler(mcp, { limits })),
      (door) => Effect.promise(() => door.close())
    )
    let latest: ServerResponse | undefined
    const port = yield* listening((req, res) => {
      latest = res
      door(req, res)
    })
    const send: Send = (one) => fetch(`http://127.0.0.1:${port}/mcp`, one)
    return { door, port, send, cut: () => void latest?.destroy() }
  })

const web = (mcp: Mcp<never>, replies: "auto" | "events") =>
  Effect.acquireRelease(
    Effect.sync(() => McpHttp.fetch(mcp, { replies, limits })),
    (door) => Effect.promise(() => door.close())
  )

const router = (mcp: Mcp<never>) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        const layer = McpRouter.layer(mcp, { path: "/mcp", replies: "events", limits })
        return HttpRouter.toWebHandler(Layer.provide(layer, HttpServer.layerServices), { disableLogger: true })
      }),
      ({ dispose }) => Effect.promise(dispose)
    ),
    ({ handler }): Send =>
      (one) =>
        handler(one)
  )

describe.each(["at-once", "later"] as const)("a task that begins %s, behind node:http,", (begins) => {
  it.live("HTTP-17 TASK-13: ends where its connection is gone before the answer could be written", () =>
    Effect.gen(function* () {
      const { events, mcp, on } = endless({ begins })
      const { cut, door, port } = yield* node(mcp)
      on.began = cut
      posting(port, call)
      yield* happened(events, "ended")
      yield* forgotten(door)
      assertQuiet(door)
    })
  )

  it.live("TASK-13: goes on once its answer was written, whatever becomes of the connection", () =>
    Effect.gen(function* () {
      const { events, mcp } = endless({ begins })
      const { cut, port, send } = yield* node(mcp)
      const { taskId } = answerIn(yield* Effect.promise(() => posting(port, call).text))["result"]
      cut()
      yield* turns
      assert.strictEqual((yield* Effect.promise(() => got(send, taskId)))["result"].status, "working")
      assert.deepStrictEqual(events.events, ["began"])
    })
  )
})

describe.each(["auto", "events"] as const)("a task behind McpHttp.fetch that replies %s", (replies) => {
  it.live("HTTP-17 TASK-13: ends where the signal of its request aborts before the answer is there", () =>
    Effect.gen(function* () {
      const { events, mcp, on } = endless()
      const door = yield* web(mcp, replies)
      const abort = new AbortController()
      on.began = () => abort.abort()
      void door(request(call, abort.signal)).catch(() => {})
      yield* happened(events, "ended")
      yield* forgotten(door)
      assertQuiet(door)
    })
  )

  it.live.each(["at-once", "later"] as const)(
    "TASK-13: goes on once its answer was handed over, whatever the signal of its request does then, begun %s",
    (begins) =>
      Effect.gen(function* () {
        const { events, mcp } = endless({ begins })
        const door = yield* web(mcp, replies)
        const abort = new AbortController()
        const response = yield* Effect.promise(() => door(request(call, abort.signal)))
        const { taskId } = answerIn(yield* Effect.promise(() => response.text()))["result"]
        abort.abort()
        yield* turns
        assert.strictEqual((yield* Effect.promise(() => got(door, taskId)))["result"].status, "working")
        assert.deepStrictEqual(events.events, ["began"])
      })
  )
})

describe("a task whose answer is an event", () => {
  it.live("HTTP-17 TASK-13: ends where the reader leaves the stream before it has read it", () =>
    Effect.gen(function* () {
      const { events, mcp } = endless()
      const door = yield* web(mcp, "events")
      const response = yield* Effect.promise(() => door(request(call)))
      yield* Effect.promise(async () => response.body?.cancel())
      yield* happened(events, "ended")
    })
  )

  it.live("TASK-13: goes on after its request in an Effect application", () =>
    Effect.gen(function* () {
      const { events, mcp } = endless()
      const send = yield* router(mcp)
      const response = yield* Effect.promise(() => send(request(call)))
      const { taskId } = answerIn(yield* Effect.promise(() => response.text()))["result"]
      yield* turns
      assert.strictEqual((yield* Effect.promise(() => got(send, taskId)))["result"].status, "working")
      assert.deepStrictEqual(events.events, ["began"])
    })
  )
})
