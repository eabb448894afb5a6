import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { TestClock } from "effect/testing"
import { Endpoint } from "@treadle/protocol"
import { scriptedHttp, type HttpScriptReply, type HttpSeen } from "@treadle/testing"
import type { McpSession } from "../../src/index.ts"
import { fact, initializeResult, listed, ping, reasonOf, result, rpcError, serving, textResult } from "../fixtures.ts"
import { atLeast, everything, play, reading, type Part, type Played } from "../played.ts"

const about = { description: "x" }
const look = Endpoint.make("look", { ...about, hints: { readOnly: true } })
const put = Endpoint.make("put", { ...about, hints: { idempotent: true } })

/** A compat server that knows one session only, and answers 404 to all others. */
const forgetful = (refuse: (seen: HttpSeen, reply: HttpScriptReply) => void = (_, reply) => reply.raw("", {}, 404)) => {
  const sessions = { known: "s1" }
  const first: Part["first"] = (seen, reply) => {
    const session = seen.headers["mcp-session-id"]
    if (session === undefined || session === sessions.known || seen.json?.id === undefined) return false
    refuse(seen, reply)
    return true
  }
  return Effect.map(play({ era: "compat", first }), (played) => ({ ...played, sessions }))
}

/** A compat server that lost its first session, and has not greeted the next one yet. */
const holding = Effect.gen(function* () {
  const held: Array<{ readonly seen: HttpSeen; readonly reply: HttpScriptReply }> = []
  let greeted = 0
  const played = yield* play({
    era: "compat",
    first: (seen, reply) => {
      if (seen.headers["mcp-session-id"] === "s1" && seen.json?.method === "tools/call") reply.raw("", {}, 404)
      else if (seen.json?.method === "initialize" && ++greeted > 1) held.push({ seen, reply })
      else return false
      return true
    }
  })
  return { held, played }
})

/** What was sent from the nth message on, each with its session. */
const transcript = ({ sent }: Played, from: number) =>
  sent.events.slice(from).map(({ headers, method }) => `${method} ${headers["mcp-session-id"] ?? "-"}`)

/** Lets time pass until a fiber is done. */
const settled = <A, E>(fiber: Fiber.Fiber<A, E>) =>
  Effect.gen(function* () {
    for (let times = 0; fiber.pollUnsafe() === undefined && times < 2000; times++) {
      yield* TestClock.adjust(50)
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
    }
    return yield* Fiber.join(fiber)
  })

const started = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.forkChild(effect, { startImmediately: true })

describe("a compat session that its server lost", () => {
  it.effect("B002 D21 CHTTP-17: is begun anew without its id, and the call is sent once more", () =>
    Effect.gen(function* () {
      for (const refuse of [
        undefined,
        ({ json }: HttpSeen, reply: HttpScriptReply) => reply.json(rpcError(json.id, -32001, "Session not found"), 404),
        (_: HttpSeen, reply: HttpScriptReply) => reply.json(rpcError(null, -32000, "Session not found"), 404)
      ]) {
        const played = yield* forgetful(refuse)
        yield* played.session.callTool("a")
        const before = played.sent.events.length
        played.sessions.known = "s2"
        yield* played.session.callTool("b")
        assert.deepStrictEqual(transcript(played, before), [
          "tools/call s1",
          "initialize -",
          "notifications/initialized s2",
          "tools/call s2"
        ])
        assert.deepInclude(played.session.counters(), { links: 2, waiting: 0 })
      }
    })
  )

  it.effect("B002: is begun anew once for five calls that find out at the same time", () =>
    Effect.gen(function* () {
      const played = yield* forgetful()
      played.sessions.known = "s2"
      const names = ["a", "b", "c", "d", "e"]
      yield* Effect.forEach(names, (name) => played.session.callTool(name), { concurrency: "unbounded" })
      assert.strictEqual(played.of("initialize").length, 2)
      const again = played.of("tools/call").filter(({ headers }) => headers["mcp-session-id"] === "s2")
      assert.sameMembers(
        again.map(({ params }) => params.name),
        names
      )
    })
  )

  it.effect("D21: is begun anew each time, but a request is not sent more than three times", () =>
    Effect.gen(function* () {
      const played = yield* forgetful()
      for (const known of ["s2", "s3"]) {
        played.sessions.known = known
        yield* played.session.callTool("a")
      }
      assert.strictEqual(played.session.counters().links, 3)
      played.sessions.known = "none"
      const before = played.of("tools/call").length
      const reason = yield* reasonOf(played.session.callTool("a"))
      assert.deepInclude(reason, { _tag: "Transport", status: 404 })
      assert.strictEqual(played.of("tools/call").length, before + 3)
    })
  )

  it.effect("fails its calls with the reason where it cannot be begun anew, and the next call tries again", () =>
    Effect.gen(function* () {
      let broken = false
      const played = yield* play({
        era: "compat",
        first: ({ headers, json }, reply) => {
          const lost = headers["mcp-session-id"] === "s1"
          if (!broken || (!lost && json?.method !== "initialize")) return false
          reply.raw("", {}, lost ? 404 : 403)
          return true
        }
      })
      broken = true
      const error = yield* Effect.flip(played.session.callTool("a"))
      assert.strictEqual(fact(error.reason, "status"), 403)
      assert.deepInclude(error, { method: "tools/call", tool: "a" })
      broken = false
      yield* played.session.callTool("a")
      assert.strictEqual(played.session.counters().links, 2)
    })
  )

  it.effect("TIME-01: keeps a call that waits for it no longer than the call has time", () =>
    Effect.gen(function* () {
      const { held, played } = yield* holding
      const waiting = yield* started(reasonOf(played.session.callTool("a", {}, { timeout: 700 })))
      yield* Effect.promise(() =>
        played.sent.first(
          ({ method }) =>
            method === "initialize" && played.sent.events.filter((one) => one.method === "initialize").length > 1
        )
      )
      yield* TestClock.adjust(699)
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.deepInclude(yield* Fiber.join(waiting), { _tag: "TimedOut", after: 700, method: "tools/call" })
      assert.strictEqual(held.length, 1)
    })
  )

  it.effect("D21: is opened by nobody in particular: one who waits may go, and the others get their answers", () =>
    Effect.gen(function* () {
      const { held, played } = yield* holding
      const impatient = yield* started(played.session.callTool("a"))
      const patient = yield* started(played.session.callTool("b"))
      yield* played.heard("initialize", 2)
      yield* Fiber.interrupt(impatient)
      const headers = { "content-type": "application/json", "mcp-session-id": "s2" }
      const greeting = result(held[0]?.seen.json.id, { ...initializeResult, capabilities: everything })
      held[0]?.reply.raw(JSON.stringify(greeting), headers)
      yield* Fiber.join(patient)
      assert.strictEqual(played.of("initialize").length, 2)
    })
  )

  it.effect(
    "B081: fails who waits for it with Closed when it is closed meanwhile, and closing twice does nothing",
    () =>
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        const { held, played } = yield* Scope.provide(holding, scope)
        const waiting = yield* started(reasonOf(played.session.callTool("a")))
        yield* played.heard("initialize", 2)
        yield* Scope.close(scope, Exit.void)
        assert.strictEqual((yield* Fiber.join(waiting))._tag, "Closed")
        yield* Effect.promise(() => held[0]?.seen.gone ?? assert.fail())
        yield* Scope.close(scope, Exit.void)
        assert.strictEqual((yield* reasonOf(played.session.callTool("b")))._tag, "Closed")
        assert.deepInclude(played.session.counters(), { waiting: 0, watching: 0 })
        yield* TestClock.adjust("1 hour")
        assert.strictEqual(played.of("initialize").length, 2)
      })
  )
})

describe("a session that is closed", () => {
  it.effect("B081: leaves no stream, no timer that opens one, and no call", () =>
    Effect.gen(function* () {
      for (const era of ["native", "compat"] as const) {
        for (const cut of [false, true]) {
          const scope = yield* Scope.make()
          const server = yield* Scope.make()
          const played = yield* Scope.provide(play({ era, answer: () => undefined }), server)
          const session = yield* Scope.provide(played.another(), scope)
          const seen = yield* reading(yield* Scope.provide(session.watch({ tools: true }), scope))
          const call = yield* started(reasonOf(session.callTool("a")))
          yield* played.heard("tools/call")
          assert.strictEqual(played.voices(), 1)
          if (cut) yield* played.cut
          yield* Scope.close(scope, Exit.void)
          yield* Scope.close(scope, Exit.void)
          assert.strictEqual((yield* Fiber.join(call))._tag, "Closed")
          assert.strictEqual((yield* atLeast(seen, 1)).at(-1), "end")
          assert.deepInclude(session.counters(), { waiting: 0, watching: 0 })
          const before = played.sent.events.length
          yield* TestClock.adjust("1 hour")
          yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
          const later = played.sent.events.slice(before).map(({ method }) => method)
          assert.notIncludeMembers(later, [era === "native" ? "subscriptions/listen" : "GET"])
          if (era === "compat") yield* played.heard("DELETE")
          yield* Scope.close(server, Exit.void)
        }
      }
    })
  )
})

/** A server of an era that may be down, so that connections to it are refused. */
const restarting = (era: "native" | "compat") =>
  Effect.gen(function* () {
    const dead = yield* Effect.scoped(Effect.map(scriptedHttp(serving()), ({ url }) => url))
    const state = { down: false, refused: 0 }
    const send = async (request: Request): Promise<Response> => {
      if (!state.down) return fetch(request)
      state.refused++
      return fetch(new Request(dead, { method: request.method, signal: request.signal }))
    }
    const answer: Part["answer"] = ({ id, method }) =>
      result(id, method === "resources/read" ? { contents: [] } : textResult("ok"))
    const played = yield* play({ era, answer, settings: { fetch: send } })
    return { ...played, state }
  })

describe.each(["native", "compat"] as const)("a %s server that is not there for a while", (era) => {
  it.effect("D21: lets calls wait that it refused, and go through when it is back", () =>
    Effect.gen(function* () {
      const { of, session, state } = yield* restarting(era)
      state.down = true
      const calls = yield* started(
        Effect.all([session.call(ping)(), session.callTool("a"), Effect.as(session.readResource("box://a"), "read")], {
          concurrency: "unbounded"
        })
      )
      while (state.refused < 3) yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      state.down = false
      const [text, , read] = yield* settled(calls)
      assert.deepStrictEqual([text, read], ["ok", "read"])
      assert.strictEqual(of("tools/call").length, 2)
    })
  )

  it.effect("D21: fails calls after three tries", () =>
    Effect.gen(function* () {
      const { session, state } = yield* restarting(era)
      state.down = true
      const error = yield* settled(yield* started(Effect.flip(session.callTool("a"))))
      assert.isTrue(error.notRun)
      assert.strictEqual(state.refused, 3)
      state.down = false
      yield* session.callTool("a")
    })
  )
})

describe("a request that may have run", () => {
  const annotated = { ...listed("marked"), annotations: { readOnlyHint: true } }

  /** How often a request is sent whose first answer never comes. */
  const sends = (
    method: string,
    ask: (session: McpSession) => Effect.Effect<unknown, unknown>,
    { fail = (reply) => reply.destroy(), trusted = false }: Loss = {}
  ) =>
    Effect.gen(function* () {
      let failing = true
      const played = yield* play({
        era: "native",
        settings: { trusted },
        answer: ({ id, method }) =>
          method === "tools/list"
            ? result(id, { tools: [annotated, listed("plain")] })
            : result(id, method === "resources/read" ? { contents: [] } : textResult("ok")),
        first: ({ json }, reply) => {
          if (json.method !== method || !failing) return false
          failing = false
          fail(reply)
          return true
        }
      })
      yield* settled(yield* started(Effect.exit(ask(played.session))))
      return played.of(method).length
    })

  interface Loss {
    readonly fail?: (reply: HttpScriptReply) => void
    readonly trusted?: boolean
  }

  const cutAfter = (reply: HttpScriptReply) => void reply.stream().write(": on it\n\n").then(reply.destroy)

  it.effect("D21: is sent again only where the contract says that this does no harm", () =>
    Effect.gen(function* () {
      for (const fail of [undefined, cutAfter, (reply: HttpScriptReply) => reply.raw("", {}, 503)]) {
        const loss = fail === undefined ? {} : { fail }
        assert.strictEqual(yield* sends("tools/call", (session) => session.call(ping)(), loss), 1)
        assert.strictEqual(yield* sends("tools/call", (session) => session.callTool("marked"), loss), 1)
        assert.strictEqual(yield* sends("tools/call", (session) => session.call(look)(), loss), 2)
        assert.strictEqual(yield* sends("tools/call", (session) => session.call(put)(), loss), 2)
      }
    })
  )

  it.effect("D21: is not sent again where the server answered, if with an error", () =>
    Effect.gen(function* () {
      const fail = (reply: HttpScriptReply) => reply.raw("", {}, 500)
      assert.strictEqual(yield* sends("tools/call", (session) => session.call(look)(), { fail }), 1)
    })
  )

  it.effect("D21: is sent again by the server's word only where the server is trusted", () =>
    Effect.gen(function* () {
      const called = (name: string) => (session: McpSession) =>
        Effect.andThen(session.listTools(), session.callTool(name))
      assert.strictEqual(yield* sends("tools/call", called("marked"), { trusted: true }), 2)
      assert.strictEqual(yield* sends("tools/call", called("plain"), { trusted: true }), 1)
      assert.strictEqual(yield* sends("tools/call", called("marked"), { trusted: false }), 1)
    })
  )

  it.effect("D21: is sent again where it only reads: a list, a resource, a prompt", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* sends("tools/list", (session) => session.listTools()), 2)
      assert.strictEqual(yield* sends("resources/read", (session) => session.readResource("box://a")), 2)
      assert.strictEqual(yield* sends("prompts/get", (session) => session.getPrompt("greet")), 2)
    })
  )
})
