import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { TestClock } from "effect/testing"
import { Recorder, scriptedHttp, type HttpScript } from "@treadle/testing"
import { McpClient, type Answers, type Asker, type ClientSettings } from "../../src/index.ts"
import { discoverResult, opened, ping, reasonOf, result, serving, textResult } from "../fixtures.ts"
import { withSleeps } from "../sleeps.ts"

const form = (name: string) => ({
  method: "elicitation/create",
  params: {
    message: name,
    requestedSchema: { type: "object", properties: { [name]: { type: "string", default: name } } }
  }
})

const asking = (inputRequests: object | undefined, requestState?: string) => ({
  resultType: "input_required",
  ...(inputRequests === undefined ? {} : { inputRequests }),
  ...(requestState === undefined ? {} : { requestState })
})

/** A server whose answers to the asking methods come in this order, the last one again and again. */
const rounds = (...bodies: ReadonlyArray<object>): HttpScript => {
  let round = 0
  return serving((seen, reply) => reply.json(result(seen.json.id, bodies[Math.min(round++, bodies.length - 1)] ?? {})))
}

const accept: Answers = { form: () => ({ action: "accept" }) }

const accepted = (name: string) => ({ action: "accept", content: { [name]: name } })

/** The requests after the probe. */
const sent = (events: ReadonlyArray<{ readonly json: any }>) => events.slice(1).map((seen) => seen.json)

describe("a round of input", () => {
  it.effect("MRTR-13 MRTR-14 MRTR-16 B090: has a new id, the state byte for byte, and only the latest answers", () =>
    Effect.gen(function* () {
      const states = ["é\n=?\u0000", '{"a": 1 }', ""]
      const { server, session } = yield* opened(
        rounds(
          asking({ a: form("a"), b: form("b") }, states[0]),
          asking({ c: form("c") }, states[1]),
          asking({ d: form("d") }),
          asking({ e: form("e") }, states[2]),
          textResult("ok")
        ),
        { answers: accept }
      )
      yield* session.callTool("x", { n: 1 })
      const requests = sent(server.seen.events)
      assert.strictEqual(new Set(requests.map(({ id }) => id)).size, 5)
      for (const { method, params } of requests) {
        assert.deepStrictEqual([method, params.name, params.arguments], ["tools/call", "x", { n: 1 }])
      }
      assert.deepStrictEqual(
        requests.map(({ params: { inputResponses, requestState } }) => ({ inputResponses, requestState })),
        [
          { inputResponses: undefined, requestState: undefined },
          { inputResponses: { a: accepted("a"), b: accepted("b") }, requestState: states[0] },
          { inputResponses: { c: accepted("c") }, requestState: states[1] },
          { inputResponses: { d: accepted("d") }, requestState: undefined },
          { inputResponses: { e: accepted("e") }, requestState: states[2] }
        ]
      )
      assert.notProperty(requests[3].params, "requestState")
      const names = server.seen.events.slice(1).map((seen) => seen.headers["mcp-name"])
      assert.deepStrictEqual(names, ["x", "x", "x", "x", "x"])
    })
  )

  it.effect(
    "is refused as a whole where it asks for more answers than a client gives at once, and nobody is asked",
    () =>
      Effect.gen(function* () {
        let asked = 0
        const answers: Answers = { form: () => (asked++, { action: "accept" }) }
        const many = (count: number) =>
          Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, form("a")]))
        const flood = yield* opened(rounds(asking(many(65)), textResult("ok")), { answers })
        const reason = yield* reasonOf(flood.session.callTool("x"))
        assert.deepInclude(reason, { _tag: "InputRefused", asked: "65 answers at once, and at most 64 are given" })
        assert.strictEqual(asked, 0)
        const most = yield* opened(rounds(asking(many(64)), textResult("ok")), { answers })
        yield* most.session.callTool("x")
        assert.strictEqual(asked, 64)
      })
  )

  it.effect("MRTR-15 B090: gives its state and its answers to no other request, a parallel one included", () =>
    Effect.gen(function* () {
      const { server, session } = yield* opened(
        serving(({ json: { id, params } }, reply) => {
          const { inputResponses, name } = params
          reply.json(
            result(id, inputResponses === undefined ? asking({ q: form(name) }, `of ${name}`) : textResult("ok"))
          )
        }),
        { answers: accept }
      )
      yield* Effect.forEach(["a", "b", "c"], (name) => session.callTool(name), { concurrency: "unbounded" })
      yield* session.listTools().pipe(Effect.ignore)
      for (const { method, params } of sent(server.seen.events)) {
        if (method === "tools/list" || params.inputResponses === undefined) {
          assert.notProperty(params, "requestState")
          continue
        }
        assert.strictEqual(params.requestState, `of ${params.name}`)
        assert.deepStrictEqual(params.inputResponses, { q: accepted(params.name) })
      }
      assert.strictEqual(sent(server.seen.events).filter(({ params }) => "requestState" in params).length, 3)
    })
  )

  it.effect("MRTR-02 B090: is read in calls, prompts and resources, and is no answer to anything else", () =>
    Effect.gen(function* () {
      const discovered = { ...discoverResult, capabilities: { tools: {}, prompts: {}, resources: {} } }
      const { server, session } = yield* opened(
        ({ json: { id, method, params } }, reply) => {
          if (method === "server/discover") return reply.json(result(id, discovered))
          if (params.inputResponses === undefined) return reply.json(result(id, asking({ q: form("q") })))
          reply.json(result(id, method === "prompts/get" ? { messages: [] } : { contents: [] }))
        },
        { answers: accept }
      )
      assert.deepStrictEqual((yield* session.getPrompt("p")).messages, [])
      assert.deepStrictEqual((yield* session.readResource("box://a")).contents, [])
      assert.strictEqual((yield* reasonOf(session.listTools()))._tag, "Undecodable")
      assert.strictEqual(server.seen.events.length, 6)
    })
  )

  it.effect("B090: fails with TooManyRounds after 16 rounds, or as many as the setting says", () =>
    Effect.gen(function* () {
      for (const [settings, most] of [
        [{}, 16],
        [{ maxRounds: 2 }, 2],
        [{ maxRounds: 0 }, 0]
      ] as const) {
        const { server, session } = yield* opened(rounds(asking({ q: form("q") })), { answers: accept, ...settings })
        assert.deepInclude(yield* reasonOf(session.call(ping)()), { _tag: "TooManyRounds", rounds: most })
        assert.strictEqual(sent(server.seen.events).length, most + 1)
      }
    })
  )

  it.effect("MRTR-12: that asks nothing is waited before, twice as long each time", () =>
    withSleeps((sleeps) =>
      Effect.gen(function* () {
        const postponed = asking(undefined, "later")
        const { server, session } = yield* opened(rounds(postponed, asking({}, "again"), asking({}), textResult("ok")))
        const before = sleeps.events.length
        const waits = () => sleeps.events.slice(before).filter((millis) => millis < 60_000)
        const fiber = yield* Effect.forkChild(session.call(ping)(), { startImmediately: true })
        for (const [index, millis] of [100, 200, 400].entries()) {
          yield* Effect.promise(() => sleeps.first(() => waits().length > index))
          assert.strictEqual(sent(server.seen.events).length, index + 1)
          yield* TestClock.adjust(millis)
        }
        assert.strictEqual(yield* Fiber.join(fiber), "ok")
        assert.deepStrictEqual(waits(), [100, 200, 400])
        const carried = sent(server.seen.events).map(({ params: { inputResponses, requestState } }) => [
          requestState,
          inputResponses
        ])
        assert.deepStrictEqual(carried.slice(1), [
          ["later", undefined],
          ["again", {}],
          [undefined, {}]
        ])
      })
    )
  )

  it.effect("MRTR-11: is answered for all its questions, or for none", () =>
    Effect.gen(function* () {
      const one: Answers["form"] = ({ message }) =>
        message === "a" ? { action: "accept" } : { action: "accept", content: { b: 5 } }
      const { server, session } = yield* opened(rounds(asking({ a: form("a"), b: form("b") })), {
        answers: { form: one }
      })
      const reason = yield* reasonOf(session.call(ping)())
      assert.strictEqual(reason._tag, "InputRefused")
      assert.strictEqual(sent(server.seen.events).length, 1)
    })
  )
})

/** A call whose question is under way. */
const waiting = (settings: ClientSettings = {}) =>
  Effect.gen(function* () {
    const askers = new Recorder<Asker>()
    const answers: Answers = {
      form: (_, asker) => {
        askers.record(asker)
        return Effect.never
      }
    }
    const server = yield* scriptedHttp(rounds(asking({ q: form("q") })))
    const scope = yield* Scope.make()
    const session = yield* Scope.provide(McpClient.http(server.url, { answers, ...settings }), scope)
    const fiber = yield* Effect.forkChild(reasonOf(session.call(ping)()), { startImmediately: true })
    const { signal } = yield* Effect.promise(() => askers.first(() => true))
    return { server, fiber, signal, close: Scope.close(scope, Exit.void) }
  })

describe("a question that nobody answers", () => {
  it.effect("is refused after ten minutes, or as long as the setting says", () =>
    Effect.gen(function* () {
      for (const [settings, millis] of [
        [{}, 600_000],
        [{ answerTimeout: 500 }, 500]
      ] as const) {
        const { fiber, server, signal } = yield* waiting(settings)
        yield* TestClock.adjust(millis - 1)
        assert.isUndefined(fiber.pollUnsafe())
        assert.isFalse(signal.aborted)
        yield* TestClock.adjust(1)
        const reason = yield* Fiber.join(fiber)
        assert.strictEqual(reason._tag, "InputRefused")
        assert.include(reason.message, `no answer within ${millis} ms`)
        assert.isTrue(signal.aborted)
        assert.strictEqual(sent(server.seen.events).length, 1)
      }
    })
  )

  it.effect("B092: is withdrawn with its call", () =>
    Effect.gen(function* () {
      const { fiber, signal } = yield* waiting()
      yield* Fiber.interrupt(fiber)
      assert.isTrue(signal.aborted)
    })
  )

  it.effect("B092: is withdrawn with its session, and the call fails with Closed", () =>
    Effect.gen(function* () {
      const { close, fiber, server, signal } = yield* waiting()
      yield* close
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "Closed")
      assert.isTrue(signal.aborted)
      assert.strictEqual(sent(server.seen.events).length, 1)
    })
  )
})
