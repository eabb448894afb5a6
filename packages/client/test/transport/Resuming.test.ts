import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import { Recorder, type HttpScript, type HttpScriptReply, type HttpSeen } from "@treadle/testing"
import { compatServing, opened, ping, reasonOf, result, serving, textResult } from "../fixtures.ts"
import { withSleeps } from "../sleeps.ts"

/** Answers a GET. @param call the id of the call whose stream was cut last */
type GetScript = (reply: HttpScriptReply, call: unknown, seen: HttpSeen) => void | Promise<void>

/** A compat server whose calls and whose GETs are answered so. */
const cutting = (call: HttpScript, get: GetScript): HttpScript => {
  let last: unknown
  const rest = compatServing((seen, reply) => {
    last = seen.json.id
    return call(seen, reply)
  })
  return (seen, reply) => (seen.verb === "GET" ? get(reply, last, seen) : rest(seen, reply))
}

/** A server without streams of its own. */
const none: GetScript = (reply) => reply.raw("", {}, 405)

/** Begins a stream with these pieces and ends it, or breaks it. */
const cut = async (reply: HttpScriptReply, piece: string, how: "end" | "destroy" = "end") => {
  const stream = reply.stream()
  await stream.write(piece)
  if (how === "end") stream.end()
  else reply.destroy()
}

const event = (value: unknown, id?: string) =>
  `${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(value)}\n\n`

const gets = (server: { readonly seen: Recorder<HttpSeen> }) => server.seen.events.filter((seen) => seen.verb === "GET")

/** A call whose stream is cut, and the waits before it is taken up again. */
const calling = (script: HttpScript, waits: ReadonlyArray<number>) =>
  withSleeps((sleeps) =>
    Effect.gen(function* () {
      const { server, session } = yield* opened(script, { ping: false })
      const opening = sleeps.events.length
      const fiber = yield* Effect.forkChild(Effect.exit(session.callTool("x", {}, { timeout: 3e5 })), {
        startImmediately: true
      })
      const waited = () => sleeps.events.slice(opening).filter((millis) => millis < 3e5)
      for (const [index, millis] of waits.entries()) {
        yield* Effect.promise(() => sleeps.first(() => waited().length > index))
        const before = gets(server).length
        yield* TestClock.adjust(millis - 1)
        assert.strictEqual(gets(server).length, before)
        assert.isUndefined(fiber.pollUnsafe())
        yield* TestClock.adjust(1)
      }
      const exit = yield* Fiber.join(fiber)
      assert.deepStrictEqual(waited(), waits)
      return { server, session, outcome: exit }
    })
  )

const text = "late but here"

describe("a compat stream that is cut before its answer", () => {
  it.effect("CHTTP-05 CHTTP-12 B083: is taken up by GET with the last event id, after the wait that `retry` asks", () =>
    Effect.gen(function* () {
      for (const how of ["end", "destroy"] as const) {
        const { outcome, server } = yield* calling(
          cutting(
            (_, reply) => cut(reply, "id: e1\nretry: 300\ndata:\n\n", how),
            (reply, call) => cut(reply, event(result(call, textResult(text))))
          ),
          [300]
        )
        assert.deepInclude(outcome, { _tag: "Success" })
        const [get, ...more] = gets(server)
        assert.deepStrictEqual(more, [])
        assert.strictEqual(get?.headers["last-event-id"], "e1")
        assert.strictEqual(get?.headers.accept, "text/event-stream")
        assert.strictEqual(get?.headers["mcp-session-id"], "s1")
        assert.strictEqual(get?.headers["mcp-protocol-version"], "2025-11-25")
        assert.isUndefined(get?.headers["content-type"])
      }
    })
  )

  it.effect("is lost at once where its last id can be shown in no header, and is asked for nowhere else", () =>
    Effect.gen(function* () {
      for (const id of ["e\u2603", "", "x".repeat(5000)]) {
        const cutAgain = (reply: HttpScriptReply) => cut(reply, `id: ${id}\nretry: 10\ndata:\n\n`)
        const first = yield* calling(
          cutting((_, reply) => cutAgain(reply), none),
          []
        )
        assert.match(String(first.outcome), /the stream ended before the answer; the request is lost/)
        assert.deepStrictEqual(gets(first.server), [])
        const resumed = yield* calling(
          cutting((_, reply) => cut(reply, "id: e1\nretry: 10\ndata:\n\n"), cutAgain),
          [10]
        )
        assert.match(String(resumed.outcome), /the stream ended before the answer; the request is lost/)
        assert.strictEqual(gets(resumed.server).length, 1)
      }
    })
  )

  it.effect("is taken up after a second where the server does not say when", () =>
    Effect.gen(function* () {
      const { outcome } = yield* calling(
        cutting(
          (_, reply) => cut(reply, "id: e1\ndata:\n\n"),
          (reply, call) => cut(reply, event(result(call, textResult(text))))
        ),
        [1000]
      )
      assert.strictEqual(outcome._tag, "Success")
    })
  )

  it.effect("CHTTP-04 CHTTP-05: is polled as often as the server cuts it, each time from where it was", () =>
    Effect.gen(function* () {
      let polled = 0
      const progress = (done: number) => ({
        jsonrpc: "2.0",
        method: "notifications/message",
        params: { level: "info", data: done }
      })
      const { outcome, server } = yield* calling(
        cutting(
          (_, reply) => cut(reply, "id: e1\nretry: 500\ndata:\n\n"),
          (reply, call) =>
            ++polled < 4
              ? cut(reply, `retry: ${500 + polled}\n${event(progress(polled), `e1-${polled}`)}`)
              : cut(reply, event(result(call, textResult(text))))
        ),
        [500, 501, 502, 503]
      )
      assert.strictEqual(outcome._tag, "Success")
      assert.deepStrictEqual(
        gets(server).map((seen) => seen.headers["last-event-id"]),
        ["e1", "e1-1", "e1-2", "e1-3"]
      )
    })
  )

  it.effect("waits longer while a stream brings nothing new", () =>
    Effect.gen(function* () {
      let polled = 0
      const { outcome } = yield* calling(
        cutting(
          (_, reply) => cut(reply, "id: e1\ndata:\n\n"),
          (reply, call) =>
            ++polled < 4 ? cut(reply, ": nothing\n\n") : cut(reply, event(result(call, textResult(text))))
        ),
        [1000, 2000, 4000, 8000]
      )
      assert.strictEqual(outcome._tag, "Success")
    })
  )

  it.effect("CHTTP-12: is taken up although the network fails in between, or the server is out for a while", () =>
    Effect.gen(function* () {
      let polled = 0
      const { outcome, server } = yield* calling(
        cutting(
          (_, reply) => cut(reply, "id: e1\nretry: 100\ndata:\n\n"),
          (reply, call) => {
            if (++polled === 1) return reply.destroy()
            if (polled === 2) return reply.raw("", {}, 503)
            return cut(reply, event(result(call, textResult(text))))
          }
        ),
        [100, 2000, 4000]
      )
      assert.strictEqual(outcome._tag, "Success")
      assert.deepStrictEqual(
        gets(server).map((seen) => seen.headers["last-event-id"]),
        ["e1", "e1", "e1"]
      )
    })
  )

  it.effect("is lost where it cannot be taken up three times in a row", () =>
    Effect.gen(function* () {
      const { outcome, server } = yield* calling(
        cutting(
          (_, reply) => cut(reply, "id: e1\ndata:\n\n"),
          (reply) => reply.raw("", {}, 502)
        ),
        [1000, 2000, 4000]
      )
      assert.deepInclude(yield* reasonOf(outcome), { _tag: "Transport", status: 502 })
      assert.strictEqual(gets(server).length, 3)
    })
  )

  it.effect("is taken up however often it breaks, while each time something came", () =>
    Effect.gen(function* () {
      let polled = 0
      const log = { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: 1 } }
      const { outcome } = yield* calling(
        cutting(
          (_, reply) => cut(reply, "id: e0\nretry: 5\ndata:\n\n", "destroy"),
          (reply, call) =>
            ++polled < 8
              ? cut(reply, event(log, `e${polled}`), "destroy")
              : cut(reply, event(result(call, textResult(text))))
        ),
        Array.from({ length: 8 }, () => 5)
      )
      assert.strictEqual(outcome._tag, "Success")
    })
  )

  it.effect("CHTTP-17: is lost with its session, and the next call begins another one", () =>
    Effect.gen(function* () {
      const { outcome, server, session } = yield* calling(
        cutting(
          (seen, reply) =>
            seen.json.params.name === "x"
              ? cut(reply, "id: e1\nretry: 10\ndata:\n\n")
              : reply.json(result(seen.json.id, textResult("ok"))),
          (reply) => reply.raw("", {}, 404)
        ),
        [10]
      )
      const reason = yield* reasonOf(outcome)
      assert.deepInclude(reason, { _tag: "Transport", status: 404 })
      assert.include(reason.message, "the session ended before the answer; the request is lost")
      assert.strictEqual(yield* session.call(ping)(), "ok")
      assert.strictEqual(session.counters().links, 2)
      assert.strictEqual(gets(server).length, 1)
    })
  )

  it.effect("is lost where the server has no stream to take up", () =>
    Effect.gen(function* () {
      for (const status of [400, 405, 200]) {
        const { outcome, server } = yield* calling(
          cutting(
            (_, reply) => cut(reply, "id: e1\nretry: 10\ndata:\n\n"),
            (reply) => reply.raw("", {}, status)
          ),
          [10]
        )
        const reason = yield* reasonOf(outcome)
        assert.deepInclude(reason, { _tag: "Transport", status })
        assert.include(reason.message, "the stream ended before the answer; the request is lost")
        assert.strictEqual(gets(server).length, 1)
      }
    })
  )

  it.effect("CHTTP-12: is lost at once where its events have no ids", () =>
    Effect.gen(function* () {
      for (const piece of ["retry: 10\ndata:\n\n", ": hello\n\n", "id: e1\ndata: cut in the mid"]) {
        const { outcome, server } = yield* calling(
          cutting((_, reply) => cut(reply, piece), none),
          []
        )
        assert.include((yield* reasonOf(outcome)).message, "the request is lost")
        assert.deepStrictEqual(gets(server), [])
      }
    })
  )

  it.effect("CHTTP-06: is given up with its call: one cancellation, and no GET any more", () =>
    withSleeps((sleeps) =>
      Effect.gen(function* () {
        const { server, session } = yield* opened(
          cutting((_, reply) => cut(reply, "id: e1\nretry: 300\ndata:\n\n"), none)
        )
        const fiber = yield* Effect.forkChild(session.call(ping)(), { startImmediately: true })
        yield* Effect.promise(() => sleeps.first((millis) => millis === 300))
        yield* Fiber.interrupt(fiber)
        const cancelled = yield* Effect.promise(() =>
          server.seen.first((seen) => seen.json?.method === "notifications/cancelled")
        )
        const call = server.seen.events.find((seen) => seen.json?.method === "tools/call")
        assert.strictEqual(cancelled.json.params.requestId, call?.json.id)
        yield* TestClock.adjust(10_000)
        assert.deepStrictEqual(gets(server), [])
      })
    )
  )
})

describe("a compat stream that is taken up again", () => {
  it.effect("CHTTP-24: brings requests of the server as before", () =>
    Effect.gen(function* () {
      const answers = new Recorder<unknown>()
      const script = cutting(
        (_, reply) => cut(reply, "id: e1\nretry: 100\ndata:\n\n"),
        async (reply, call) => {
          const stream = reply.stream()
          await stream.write(event({ jsonrpc: "2.0", id: "q", method: "ping" }, "e2"))
          await answers.first(() => true)
          await stream.write(event(result(call, textResult(text))))
          stream.end()
        }
      )
      const { outcome } = yield* calling(
        (seen, reply) => {
          if (seen.json?.id === "q") answers.record(seen.json.result)
          return script(seen, reply)
        },
        [100]
      )
      assert.strictEqual(outcome._tag, "Success")
      assert.deepStrictEqual(answers.events, [{}])
    })
  )

  it.effect("gives up nothing while others run: each call has its own place", () =>
    withSleeps((sleeps) =>
      Effect.gen(function* () {
        const ids = new Map<string, number>()
        const { server, session } = yield* opened(
          cutting(
            (seen, reply) => {
              ids.set(`e-${seen.json.params.name}`, seen.json.id)
              return cut(reply, `id: e-${seen.json.params.name}\nretry: 50\ndata:\n\n`)
            },
            (reply, _, seen) => {
              const place = String(seen.headers["last-event-id"])
              return cut(reply, event(result(ids.get(place), textResult(place))))
            }
          )
        )
        const calls = yield* Effect.forkChild(
          Effect.forEach(["a", "b"], (name) => session.callTool(name), { concurrency: "unbounded" }),
          { startImmediately: true }
        )
        yield* Effect.promise(() => sleeps.first(() => sleeps.events.filter((millis) => millis === 50).length === 2))
        yield* TestClock.adjust(50)
        const texts = (yield* Fiber.join(calls)).map(({ content }) => content)
        assert.deepStrictEqual(
          texts,
          ["e-a", "e-b"].map((place) => [{ type: "text", text: place }])
        )
        assert.strictEqual(gets(server).length, 2)
      })
    )
  )
})

describe("a stream that brought its answer", () => {
  it.effect("B083: is not taken up again, whatever it said of ids and waits", () =>
    Effect.gen(function* () {
      for (const how of ["end", "destroy"] as const) {
        const { server, session } = yield* opened(
          cutting(
            (seen, reply) =>
              cut(reply, `id: e1\nretry: 1\n${event(result(seen.json.id, textResult("ok")), "e2")}`, how),
            none
          ),
          // A ping that misses its answer in the jump of the clock would end the session.
          { ping: false }
        )
        assert.strictEqual(yield* session.call(ping)(), "ok")
        yield* TestClock.adjust(60_000)
        assert.strictEqual(yield* session.call(ping)(), "ok")
        assert.deepStrictEqual(gets(server), [])
      }
    })
  )

  it.effect("HTTP-16: is not taken up natively before its answer either, ids or not", () =>
    Effect.gen(function* () {
      const { server, session } = yield* opened(serving((_, reply) => cut(reply, "id: e1\nretry: 1\ndata:\n\n")))
      assert.include((yield* reasonOf(session.call(ping)())).message, "the request is lost")
      yield* TestClock.adjust(60_000)
      assert.deepStrictEqual(gets(server), [])
    })
  )
})
