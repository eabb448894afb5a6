import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { TestClock } from "effect/testing"
import { Recorder, scriptedHttp, type HttpScript, type HttpScriptReply } from "@treadle/testing"
import { McpClient, type HttpSettings, type McpSession, type TokenRequest } from "../../src/index.ts"
import { connect } from "../../src/promise/index.ts"
import { compatServing, fact, listed, opened, ping, reasonOf, result, serving } from "../fixtures.ts"
import { guarded, kindOf, scriptedTokens, type TokenScript } from "../tokens.ts"

/** A login that a person takes their time for. */
const login = Effect.gen(function* () {
  const over = yield* Deferred.make<void>()
  const events = new Recorder<string>()
  const wait = Effect.gen(function* () {
    events.record("begun")
    yield* Deferred.await(over)
    events.record("done")
  }).pipe(Effect.onInterrupt(() => Effect.sync(() => events.record("interrupted"))))
  const first = (event: string) => Effect.promise(() => events.first((one) => one === event))
  return { wait, begun: first("begun"), interrupted: first("interrupted"), finish: Deferred.succeed(over, undefined) }
})

/** A server whose tools never answer, and whose refusals are sent by the test. */
const silent = () => {
  const held = new Recorder<HttpScriptReply>()
  const calls = new Recorder<unknown>()
  const script = serving((seen, reply) => {
    if (calls.events.length === 0) held.record(reply)
    calls.record(seen.json.id)
  })
  return { script, held, calls }
}

describe("while a provider works", () => {
  it.effect("W125: no time of opening runs out, and afterwards what is left is what it was", () =>
    Effect.gen(function* () {
      const limits: ReadonlyArray<readonly [HttpSettings, "probeTimeout" | "connectTimeout", number]> = [
        [{ probeTimeout: 5000 }, "probeTimeout", 5000],
        [{ probeTimeout: 60_000, connectTimeout: 10_000 }, "connectTimeout", 10_000]
      ]
      for (const [settings, limit, time] of limits) {
        const { begun, finish, wait } = yield* login
        const { auth } = scriptedTokens({ headers: () => Effect.as(wait, {}) })
        const server = yield* scriptedHttp(() => {})
        const opening = yield* Effect.forkChild(reasonOf(McpClient.http(server.url, { auth, ...settings })), {
          startImmediately: true
        })
        yield* begun
        yield* TestClock.adjust("10 minutes")
        assert.isUndefined(opening.pollUnsafe())
        yield* finish
        yield* Effect.promise(() => server.seen.first(() => true))
        yield* TestClock.adjust(time - 1)
        assert.isUndefined(opening.pollUnsafe())
        yield* TestClock.adjust(1)
        assert.deepInclude(yield* Fiber.join(opening), { _tag: "TimedOut", limit, after: time })
      }
    })
  )

  it.effect("W125: opening goes on where it stood, once a person has logged in", () =>
    Effect.gen(function* () {
      const { begun, finish, wait } = yield* login
      const { auth } = scriptedTokens({ refused: () => Effect.as(wait, true) })
      const server = yield* scriptedHttp(
        guarded(serving(), ({ headers }) => (headers.authorization === "Bearer 1" ? 401 : undefined))
      )
      const opening = yield* Effect.forkChild(McpClient.http(server.url, { auth }), { startImmediately: true })
      yield* begun
      yield* TestClock.adjust("10 minutes")
      yield* finish
      const session = yield* Fiber.join(opening)
      assert.strictEqual(yield* session.call(ping)(), "ok")
    })
  )

  it.effect("TIME-05: no time of a request runs out, and afterwards what is left is what it was", () =>
    Effect.gen(function* () {
      for (const options of [{ timeout: 300 }, { timeout: 1000, maxTotalTimeout: 300 }]) {
        const { begun, finish, wait } = yield* login
        const { calls, held, script } = silent()
        const { auth } = scriptedTokens({ refused: () => Effect.as(wait, true) })
        const { session } = yield* opened(script, { auth })
        const call = yield* Effect.forkChild(reasonOf(session.callTool("slow", {}, options)), {
          startImmediately: true
        })
        const reply = yield* Effect.promise(() => held.first(() => true))
        yield* TestClock.adjust(200)
        reply.raw("", {}, 401)
        yield* begun
        yield* TestClock.adjust("5 minutes")
        assert.isUndefined(call.pollUnsafe())
        yield* finish
        yield* Effect.promise(() => calls.first(() => calls.events.length === 2))
        yield* TestClock.adjust(99)
        assert.isUndefined(call.pollUnsafe())
        yield* TestClock.adjust(1)
        assert.deepInclude(yield* Fiber.join(call), { _tag: "TimedOut", after: 300 })
      }
    })
  )

  it.effect("TIME-05: others of the session wait, too, until the last of several is done", () =>
    Effect.gen(function* () {
      const logins = [yield* login, yield* login] as const
      const { auth } = scriptedTokens({
        headers: (_, nth) => (nth === 1 ? Effect.succeed({}) : Effect.as(logins[nth - 2]?.wait ?? Effect.void, {}))
      })
      const { calls, script } = silent()
      const { session } = yield* opened(script, { auth })
      const call = () =>
        Effect.forkChild(reasonOf(session.callTool("slow", {}, { timeout: 300 })), { startImmediately: true })
      const first = yield* call()
      yield* logins[0].begun
      const second = yield* call()
      yield* logins[1].begun
      const third = yield* call()
      yield* TestClock.adjust("1 minute")
      yield* logins[0].finish
      yield* Effect.promise(() => calls.first(() => calls.events.length === 2))
      yield* TestClock.adjust("1 minute")
      for (const fiber of [first, second, third]) assert.isUndefined(fiber.pollUnsafe())
      yield* logins[1].finish
      yield* Effect.promise(() => calls.first(() => calls.events.length === 3))
      yield* TestClock.adjust(300)
      for (const fiber of [first, second, third]) assert.strictEqual((yield* Fiber.join(fiber))._tag, "TimedOut")
    })
  )

  it.effect("its own clock goes on", () =>
    Effect.gen(function* () {
      const times: Array<number> = []
      const { asked, auth } = scriptedTokens({
        headers: () =>
          Effect.gen(function* () {
            times.push(yield* Clock.currentTimeMillis)
            yield* Effect.sleep("3 minutes")
            times.push(yield* Clock.currentTimeMillis)
            return {}
          })
      })
      const server = yield* scriptedHttp(serving())
      const opening = yield* Effect.forkChild(McpClient.http(server.url, { auth }), { startImmediately: true })
      yield* Effect.promise(() => asked.first(() => true))
      yield* TestClock.adjust("3 minutes")
      yield* Fiber.join(opening)
      assert.deepStrictEqual(times, [0, 180_000])
    })
  )
})

describe("a request that is given up", () => {
  const atWork = (script: (wait: Effect.Effect<void>) => TokenScript) =>
    Effect.gen(function* () {
      const { begun, interrupted, wait } = yield* login
      const { auth } = scriptedTokens(script(wait))
      const server = yield* scriptedHttp(
        guarded(serving(), (seen) => (kindOf(seen) === "tools/call" ? 401 : undefined))
      )
      return { auth, begun, interrupted, server }
    })

  const scripts: ReadonlyArray<readonly [string, (wait: Effect.Effect<void>) => TokenScript]> = [
    ["headers", (wait) => ({ headers: (_, nth) => (nth === 1 ? Effect.succeed({}) : Effect.as(wait, {})) })],
    ["refused", (wait) => ({ refused: () => Effect.as(wait, true) })]
  ]

  it.effect.each(scripts)("CANCEL-02: interrupts the provider in %s", ([, script]) =>
    Effect.gen(function* () {
      const { auth, begun, interrupted, server } = yield* atWork(script)
      const session = yield* McpClient.http(server.url, { auth })
      const call = yield* Effect.forkChild(session.call(ping)(), { startImmediately: true })
      yield* begun
      yield* Fiber.interrupt(call)
      yield* interrupted
    })
  )

  it.effect.each(scripts)("CANCEL-02: interrupts the provider in %s by an abort signal", ([, script]) =>
    Effect.gen(function* () {
      const { auth, begun, interrupted, server } = yield* atWork(script)
      const client = yield* Effect.promise(() => connect(server.url, { auth }))
      const controller = new AbortController()
      const call = client.callTool("x", {}, { signal: controller.signal }).catch((error) => error.reason._tag)
      yield* begun
      controller.abort()
      yield* interrupted
      assert.strictEqual(yield* Effect.promise(() => call), "Cancelled")
      yield* Effect.promise(() => client.close())
    })
  )

  it.effect.each(scripts)("interrupts the provider in %s where the session is closed", ([, script]) =>
    Effect.gen(function* () {
      const { auth, begun, interrupted, server } = yield* atWork(script)
      const scope = yield* Scope.make()
      const session = yield* Scope.provide(McpClient.http(server.url, { auth }), scope)
      const call = yield* Effect.forkChild(reasonOf(session.call(ping)()), { startImmediately: true })
      yield* begun
      yield* Scope.close(scope, Exit.void)
      yield* interrupted
      assert.strictEqual((yield* Fiber.join(call))._tag, "Closed")
    })
  )
})

describe("the end of a compat session", () => {
  it.effect("CHTTP-19: waits a second at most for a provider that gives no headers", () =>
    Effect.gen(function* () {
      const { begun, interrupted, wait } = yield* login
      const { auth } = scriptedTokens({
        headers: ({ method }) => (method === "DELETE" ? Effect.as(wait, {}) : Effect.succeed({}))
      })
      const server = yield* scriptedHttp(compatServing())
      const scope = yield* Scope.make()
      yield* Scope.provide(McpClient.http(server.url, { auth }), scope)
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
      yield* begun
      yield* TestClock.adjust(1000)
      yield* Fiber.join(closing)
      yield* interrupted
      assert.isFalse(server.seen.events.some(({ verb }) => verb === "DELETE"))
    })
  )

  it.effect("CHTTP-19: waits for no login that its own stream has begun", () =>
    Effect.gen(function* () {
      const { begun, interrupted, wait } = yield* login
      const isStream = ({ method }: TokenRequest) => method === "GET"
      const { auth } = scriptedTokens({ headers: (request) => Effect.as(isStream(request) ? wait : Effect.void, {}) })
      const rest = compatServing()
      const script: HttpScript = (seen, reply) => (seen.verb === "DELETE" ? undefined : rest(seen, reply))
      const server = yield* scriptedHttp(script)
      const scope = yield* Scope.make()
      yield* Scope.provide(McpClient.http(server.url, { auth, answers: { roots: () => Effect.succeed([]) } }), scope)
      yield* begun
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
      yield* interrupted
      yield* Effect.promise(() => server.seen.first(({ verb }) => verb === "DELETE"))
      yield* TestClock.adjust(1000)
      yield* Fiber.join(closing)
    })
  )
})

describe("on whose behalf is called", () => {
  const lists = { tools: [listed("a")], ttlMs: 3_600_000, cacheScope: "private" }
  const listing = serving((seen, reply) => reply.json(result(seen.json.id, { resultType: "complete", ...lists })))

  it.effect("CACHE-07: is what the provider names, so that what is kept for one is not shown to another", () =>
    Effect.gen(function* () {
      let caller = "ann"
      const { auth } = scriptedTokens({ caller: Effect.sync(() => caller) })
      const { server, session } = yield* opened(listing, { auth })
      const asks = Effect.map(session.listTools(), () => server.seen.events.length - 1)
      assert.deepStrictEqual([yield* asks, yield* asks], [1, 1])
      caller = "bob"
      assert.deepStrictEqual([yield* asks, yield* asks], [2, 2])
      caller = "ann"
      assert.strictEqual(yield* asks, 2)
    })
  )

  it.effect("W151: is not asked of the provider where the settings have an Authorization", () =>
    Effect.gen(function* () {
      let asked = 0
      const { auth } = scriptedTokens({ caller: Effect.sync(() => `caller ${++asked}`) })
      const { server, session } = yield* opened(listing, { auth, headers: { Authorization: "Bearer static" } })
      yield* session.listTools()
      yield* session.listTools()
      assert.deepStrictEqual([server.seen.events.length, asked], [2, 0])
    })
  )

  it.effect("TIME-01: is asked for within the time of the request", () =>
    Effect.gen(function* () {
      let answers = true
      const never = scriptedTokens({ caller: Effect.suspend(() => (answers ? Effect.succeed("") : Effect.never)) })
      const headers = () => (answers ? {} : new Promise<never>(() => {}))
      const asks: ReadonlyArray<(session: McpSession) => Effect.Effect<unknown, unknown>> = [
        (session) => session.listTools({ timeout: 300 }),
        (session) => session.listPrompts({ timeout: 300 }),
        (session) => session.readResource("box://a", { timeout: 300 })
      ]
      const capabilities = { tools: {}, prompts: {}, resources: {} }
      for (const settings of [{ headers }, { auth: never.auth }]) {
        for (const ask of asks) {
          answers = true
          const { session } = yield* opened((seen, reply) => {
            const discovered = { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities, ttlMs: 0 }
            reply.json(result(seen.json.id, { ...discovered, cacheScope: "public" }))
          }, settings)
          answers = false
          const asked = yield* Effect.forkChild(Effect.flip(ask(session)), { startImmediately: true })
          yield* TestClock.adjust(299)
          assert.isUndefined(asked.pollUnsafe())
          yield* TestClock.adjust(1)
          const error = yield* Fiber.join(asked)
          assert.deepInclude(fact(Object(error), "reason"), { _tag: "TimedOut", after: 300 })
        }
      }
    })
  )
})
