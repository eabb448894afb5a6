import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { TestClock } from "effect/testing"
import { Recorder, scriptedHttp, type HttpScript, type HttpSeen } from "@treadle/testing"
import { McpClient, type HttpSettings } from "../../src/index.ts"
import { compatServing, initializeResult, opened, ping, reasonOf, result, serving, textResult } from "../fixtures.ts"

const methodOf = (seen: HttpSeen): string => seen.json?.method ?? seen.verb

/** The first request of a method, or of a verb where it has none. */
const heard = (server: { readonly seen: Recorder<HttpSeen> }, method: string) =>
  Effect.promise(() => server.seen.first((seen) => methodOf(seen) === method))

/** A compat server that answers one method, or one verb, in this way. */
const answering = (method: string, answer: HttpScript, rest: HttpScript = compatServing()): HttpScript => {
  return (seen, reply) => (methodOf(seen) === method ? answer(seen, reply) : rest(seen, reply))
}

const isAnswer = (seen: HttpSeen) => seen.json?.method === undefined && seen.json?.jsonrpc === "2.0"

/** A session in a scope of its own, which `close` ends. */
const closable = (script: HttpScript, settings?: HttpSettings) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const server = yield* scriptedHttp(script)
    const session = yield* Scope.provide(McpClient.http(server.url, settings), scope)
    return { server, session, close: Scope.close(scope, Exit.void) }
  })

describe("the headers of a compat session", () => {
  /** Every kind of message: requests, notifications, an answer, the stream, the end. */
  const everything = (session: () => string | undefined) =>
    Effect.gen(function* () {
      const asking = compatServing(
        async (seen, reply) => {
          if (seen.json.params.name === "wait") return
          const stream = reply.stream()
          await stream.event({ jsonrpc: "2.0", id: "q", method: "ping" })
          await stream.event(result(seen.json.id, textResult("ok")))
          stream.end()
        },
        { session }
      )
      const one = yield* closable(asking, { answers: { roots: [] } })
      yield* one.session.callTool("x")
      yield* Effect.promise(() => one.server.seen.first(isAnswer))
      const fiber = yield* Effect.forkChild(one.session.callTool("wait"), { startImmediately: true })
      yield* Effect.promise(() => one.server.seen.first((seen) => seen.json?.params?.name === "wait"))
      yield* Fiber.interrupt(fiber)
      yield* heard(one.server, "notifications/cancelled")
      yield* heard(one.server, "GET")
      yield* one.close
      return one.server.seen.events
    })

  const kindOf = (seen: HttpSeen) => (isAnswer(seen) ? "answer" : methodOf(seen))

  it.effect("CHTTP-15 CHTTP-20: name session and revision on everything after initialize, and nothing native", () =>
    Effect.gen(function* () {
      const [probe, initialize, ...later] = yield* everything(() => "s1")
      for (const seen of [probe, initialize]) assert.isUndefined(seen?.headers["mcp-session-id"])
      assert.isUndefined(initialize?.headers["mcp-protocol-version"])
      assert.sameMembers(later.map(kindOf), [
        "notifications/initialized",
        "GET",
        "tools/call",
        "answer",
        "tools/call",
        "notifications/cancelled",
        "DELETE"
      ])
      for (const { headers, verb } of later) {
        assert.strictEqual(headers["mcp-session-id"], "s1")
        assert.strictEqual(headers["mcp-protocol-version"], "2025-11-25")
        assert.isUndefined(headers["mcp-method"])
        if (verb === "POST") {
          assert.strictEqual(headers.accept, "application/json, text/event-stream")
          assert.strictEqual(headers["content-type"], "application/json")
        }
      }
      const stream = later.find((seen) => seen.verb === "GET")
      assert.strictEqual(stream?.headers.accept, "text/event-stream")
    })
  )

  it.effect("CHTTP-14 CHTTP-25: name no session where the server gave none, and then there is none to end", () =>
    Effect.gen(function* () {
      const [, , ...later] = yield* everything(() => undefined)
      for (const { headers } of later) {
        assert.isUndefined(headers["mcp-session-id"])
        assert.strictEqual(headers["mcp-protocol-version"], "2025-11-25")
      }
      assert.notInclude(later.map(kindOf), "DELETE")
    })
  )

  it.effect("CHTTP-14: are not sent with a session id that is not visible ASCII: there is no session", () =>
    Effect.gen(function* () {
      for (const id of ["s 1", "s\t1", ""]) {
        const server = yield* scriptedHttp(compatServing(undefined, { session: () => id }))
        const reason = yield* reasonOf(McpClient.http(server.url))
        assert.strictEqual(reason._tag, "Undecodable", JSON.stringify(id))
        assert.include(reason.message, "mcp-session-id")
        assert.deepStrictEqual(server.seen.events.map(methodOf), ["server/discover", "initialize"])
      }
    })
  )
})

describe("the end of a compat session", () => {
  it.effect("CHTTP-19 B057: is told by DELETE, and over whatever the answer is", () =>
    Effect.gen(function* () {
      for (const status of [200, 204, 400, 404, 405, 500]) {
        const one = yield* closable(answering("DELETE", (_, reply) => reply.raw("", {}, status)))
        yield* one.session.call(ping)()
        yield* one.close
        const end = one.server.seen.events.at(-1)
        assert.strictEqual(end?.verb, "DELETE", String(status))
        assert.strictEqual(end?.text, "")
        assert.strictEqual((yield* reasonOf(one.session.call(ping)()))._tag, "Closed")
      }
      const broken = yield* closable(answering("DELETE", (_, reply) => reply.destroy()))
      yield* broken.close
    })
  )

  it.effect("B057: is waited for one second where nobody answers, and no connection is left", () =>
    Effect.gen(function* () {
      const streams: HttpScript = answering(
        "DELETE",
        () => {},
        answering("GET", (_, reply) => void reply.stream())
      )
      const one = yield* closable(streams, { answers: { roots: [] } })
      const stream = yield* heard(one.server, "GET")
      const fiber = yield* Effect.forkChild(one.close, { startImmediately: true })
      const end = yield* heard(one.server, "DELETE")
      yield* TestClock.adjust(999)
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust(1)
      yield* Fiber.join(fiber)
      yield* Effect.promise(() => Promise.all([stream.gone, end.gone]))
    })
  )

  it.effect("B057: is no message natively", () =>
    Effect.gen(function* () {
      const one = yield* closable(serving())
      yield* one.session.call(ping)()
      yield* one.close
      assert.deepStrictEqual(one.server.seen.events.map(methodOf), ["server/discover", "tools/call"])
    })
  )

  it.effect("fails whoever waits with Closed, at once", () =>
    Effect.gen(function* () {
      const one = yield* closable(compatServing(() => {}))
      const fiber = yield* Effect.forkChild(reasonOf(one.session.call(ping)()), { startImmediately: true })
      const call = yield* heard(one.server, "tools/call")
      yield* one.close
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "Closed")
      yield* Effect.promise(() => call.gone)
    })
  )
})

describe("a server that never answers cancellations", () => {
  it.effect("CANCEL-02: has at most 256 of them under way", () =>
    Effect.gen(function* () {
      const cancellations = new Recorder<number>()
      const given = new Recorder<number>()
      const usual = compatServing(() => {})
      const { server, session } = yield* opened((seen, reply) => {
        if (methodOf(seen) !== "notifications/cancelled") return usual(seen, reply)
        cancellations.record(1)
        void seen.gone.then(() => given.record(1))
      })
      for (let round = 1; round <= 3; round++) {
        const calls = Array.from({ length: 100 }, () => session.callTool("x"))
        const fiber = yield* Effect.forkChild(Effect.all(calls, { concurrency: "unbounded" }), {
          startImmediately: true
        })
        const called = () => server.seen.events.filter((seen) => methodOf(seen) === "tools/call").length
        yield* Effect.promise(() => server.seen.first(() => called() === 100 * round))
        yield* Fiber.interrupt(fiber)
        yield* Effect.promise(() => cancellations.first(() => cancellations.events.length === 100 * round))
      }
      yield* Effect.promise(() => given.first(() => given.events.length === 44))
    })
  )
})

describe("the end of a session whose server is slow to take it", () => {
  it.effect("A70 CHTTP-19: fails whoever waits with Closed at once, and cancels before it says DELETE", () =>
    Effect.gen(function* () {
      const usual = compatServing(() => {})
      const one = yield* closable((seen, reply) => (seen.verb === "DELETE" ? undefined : usual(seen, reply)))
      const fiber = yield* Effect.forkChild(reasonOf(one.session.call(ping)()), { startImmediately: true })
      yield* heard(one.server, "tools/call")
      const closing = yield* Effect.forkChild(one.close, { startImmediately: true })
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "Closed")
      yield* heard(one.server, "DELETE")
      assert.isUndefined(closing.pollUnsafe())
      yield* TestClock.adjust(1000)
      yield* Fiber.join(closing)
    })
  )
})

describe("a notification to a compat server", () => {
  const takings: ReadonlyArray<readonly [string, number]> = [
    ["", 202],
    ["ok", 202],
    ["", 204],
    ["{}", 200]
  ]

  it.effect("B064: is taken with 202, 204 or 200, whatever the body is", () =>
    Effect.gen(function* () {
      for (const [body, status] of takings) {
        const noise: Array<string> = []
        const taking = (method: string, rest?: HttpScript) =>
          answering(method, (_, reply) => reply.raw(body, {}, status), rest)
        const waiting = compatServing((seen, reply) =>
          seen.json.params.name === "wait" ? undefined : reply.json(result(seen.json.id, textResult("ok")))
        )
        const { server, session } = yield* opened(
          taking("notifications/initialized", taking("notifications/cancelled", waiting)),
          { onNoise: (_, why) => noise.push(why) }
        )
        const fiber = yield* Effect.forkChild(session.callTool("wait"), { startImmediately: true })
        yield* heard(server, "tools/call")
        yield* Fiber.interrupt(fiber)
        yield* heard(server, "notifications/cancelled")
        yield* session.callTool("x")
        assert.deepStrictEqual(noise, [])
      }
    })
  )

  it.effect("is reported where it is refused, and the session goes on", () =>
    Effect.gen(function* () {
      const noise = new Recorder<string>()
      const waiting = compatServing((seen, reply) =>
        seen.json.params.name === "wait" ? undefined : reply.json(result(seen.json.id, textResult("ok")))
      )
      const refusing = answering("notifications/cancelled", (_, reply) => reply.raw("no", {}, 500), waiting)
      const { server, session } = yield* opened(refusing, { onNoise: (text, why) => noise.record(`${why}: ${text}`) })
      const fiber = yield* Effect.forkChild(session.callTool("wait"), { startImmediately: true })
      yield* heard(server, "tools/call")
      yield* Fiber.interrupt(fiber)
      const reported = yield* Effect.promise(() => noise.first(() => true))
      assert.strictEqual(reported, "a cancellation was not taken: HTTP 500: the server failed; its log says why")
      yield* session.callTool("x")
    })
  )
})

describe("a call that is given up in the compat era", () => {
  const hanging = compatServing((seen, reply) =>
    seen.json.params.name === "ping" ? undefined : reply.json(result(seen.json.id, textResult("ok")))
  )

  const cancellations = (events: ReadonlyArray<HttpSeen>) =>
    events.filter((seen) => methodOf(seen) === "notifications/cancelled").map((seen) => seen.json)

  it.effect("A70 CHTTP-06 CANCEL-02: is cancelled by one notification with its id and the reason", () =>
    Effect.gen(function* () {
      const { server, session } = yield* opened(hanging)
      const fiber = yield* Effect.forkChild(reasonOf(session.call(ping)({}, { timeout: 500 })), {
        startImmediately: true
      })
      const call = yield* heard(server, "tools/call")
      yield* TestClock.adjust(500)
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "TimedOut")
      yield* heard(server, "notifications/cancelled")
      yield* Effect.promise(() => call.gone)
      yield* session.callTool("x")
      const [cancelled, ...more] = cancellations(server.seen.events)
      assert.deepStrictEqual(more, [])
      assert.deepStrictEqual(cancelled, {
        jsonrpc: "2.0",
        method: "notifications/cancelled",
        params: { requestId: call.json.id, reason: "no answer within 500 ms" }
      })
    })
  )

  it.effect("B095: is cancelled once, however often its handle is", () =>
    Effect.gen(function* () {
      const { server, session } = yield* opened(hanging)
      const call = yield* session.open(ping)({})
      yield* heard(server, "tools/call")
      yield* Effect.all([call.cancel, call.cancel], { concurrency: 2 })
      yield* call.cancel
      assert.strictEqual((yield* reasonOf(call.result))._tag, "Cancelled")
      yield* heard(server, "notifications/cancelled")
      yield* session.callTool("x")
      assert.strictEqual(cancellations(server.seen.events).length, 1)
    })
  )

  it.effect("A70 B095: is not cancelled once it was answered or has failed", () =>
    Effect.gen(function* () {
      const { server, session } = yield* opened(
        compatServing((seen, reply) =>
          seen.json.params.name === "ping"
            ? reply.raw("no", {}, 400)
            : reply.json(result(seen.json.id, textResult("ok")))
        )
      )
      const call = yield* session.open(ping)({})
      yield* reasonOf(call.result)
      yield* call.cancel
      yield* session.callTool("x", {}, { timeout: 500 })
      yield* TestClock.adjust(1000)
      yield* session.callTool("x")
      assert.deepStrictEqual(cancellations(server.seen.events), [])
    })
  )
})

describe("a request of a compat server", () => {
  const question = { jsonrpc: "2.0", id: "q1", method: "roots/list" }
  const answers = { roots: [{ uri: "file:///box" }] }
  const answered = { jsonrpc: "2.0", id: "q1", result: answers }

  it.effect("CHTTP-02 CHTTP-24: is answered by POST where it comes on the stream of a call", () =>
    Effect.gen(function* () {
      const asking = compatServing(async (seen, reply) => {
        const stream = reply.stream()
        await stream.event(question)
        await server.seen.first(isAnswer)
        await stream.event(result(seen.json.id, textResult("ok")))
        stream.end()
      })
      const { server, session } = yield* opened(asking, { answers })
      assert.strictEqual(yield* session.call(ping)(), "ok")
      const answer = server.seen.events.find(isAnswer)
      assert.deepStrictEqual(answer?.json, answered)
      assert.strictEqual(answer?.verb, "POST")
    })
  )

  it.effect("CHTTP-07 CHTTP-24: is answered by POST where it comes on the server's own stream", () =>
    Effect.gen(function* () {
      const asking = answering("GET", (_, reply) => void reply.stream().event(question))
      const { server } = yield* opened(asking, { answers })
      const answer = yield* Effect.promise(() => server.seen.first(isAnswer))
      assert.deepStrictEqual(answer.json, answered)
      assert.strictEqual(server.seen.events.filter((seen) => seen.verb === "GET").length, 1)
    })
  )

  it.effect("spoils nothing where its answer is refused, which is reported", () =>
    Effect.gen(function* () {
      const noise = new Recorder<string>()
      const rest = compatServing(async (seen, reply) => {
        const stream = reply.stream()
        await stream.event(question)
        await noise.first(() => true)
        await stream.event(result(seen.json.id, textResult("ok")))
        stream.end()
      })
      const { session } = yield* opened(
        (seen, reply) => (isAnswer(seen) ? reply.raw("", {}, 500) : rest(seen, reply)),
        {
          answers,
          onNoise: (text, why) => noise.record(`${why}: ${text}`)
        }
      )
      assert.strictEqual(yield* session.call(ping)(), "ok")
      assert.deepStrictEqual(noise.events, [
        "an answer to the server was not taken: HTTP 500: the server failed; its log says why"
      ])
    })
  )

  it.effect("has no stream to come on where nothing can be answered and nothing is watched", () =>
    Effect.gen(function* () {
      const { server, session } = yield* opened(compatServing(undefined, { initialized: initializeResult }))
      yield* session.call(ping)()
      assert.notInclude(server.seen.events.map(methodOf), "GET")
    })
  )
})
