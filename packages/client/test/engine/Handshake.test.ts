import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import { scriptedHttp, type HttpScript, type HttpScriptReply, type HttpSeen } from "@treadle/testing"
import { McpClient, type ClientSettings, type McpError } from "../../src/index.ts"
import { connect } from "../../src/promise/index.ts"
import { compatLines, farEnd, piped } from "../farEnd.ts"
import {
  compatServing,
  discoverResult,
  initializeResult,
  opened,
  reasonOf,
  result,
  rpcError,
  textResult
} from "../fixtures.ts"

const methodOf = (seen: HttpSeen): string => seen.json?.method ?? seen.verb

/** A compat server that answers one method in this way. */
const answering = (method: string, answer: HttpScript): HttpScript => {
  const rest = compatServing()
  return (seen, reply) => (methodOf(seen) === method ? answer(seen, reply) : rest(seen, reply))
}

const initializing = (version: string) => ({ ...initializeResult, protocolVersion: version })

const older = ["2025-06-18", "2025-03-26", "2024-11-05"]

describe("initialize", () => {
  const greetings = (settings: ClientSettings) =>
    Effect.gen(function* () {
      const { server } = yield* opened(compatServing(), settings)
      const { far } = yield* piped(compatLines(), settings)
      return [...server.seen.events.map((seen) => seen.json), ...far.lines.events]
        .filter(({ method }) => method === "initialize")
        .map(({ params }) => params)
    }).pipe(Effect.scoped)

  it.effect("A11 INIT-01 INIT-02: offers 2025-11-25 with empty capabilities, a name, a version and no title", () =>
    Effect.gen(function* () {
      const greeting = {
        protocolVersion: "2025-11-25",
        capabilities: {},
        clientInfo: { name: "@treadle/client", version: "0.1.0" }
      }
      assert.deepStrictEqual(yield* greetings({}), [greeting, greeting])
    })
  )

  it.effect("D22 INIT-12: declares what there is an answer for, and the extensions", () =>
    Effect.gen(function* () {
      const [overHttp, overPipe] = yield* greetings({
        answers: { url: () => ({ action: "cancel" }), roots: [] },
        extensions: { "com.example/x": { on: true } }
      })
      const capabilities = { elicitation: { url: {} }, roots: {}, extensions: { "com.example/x": { on: true } } }
      assert.deepStrictEqual(overHttp.capabilities, capabilities)
      assert.deepStrictEqual(overPipe.capabilities, capabilities)
    })
  )

  it.effect("A13 INIT-03 CHTTP-20 B041: settles on each older revision, which every later message names", () =>
    Effect.gen(function* () {
      for (const version of older) {
        const { server, session } = yield* opened(compatServing(undefined, { initialized: initializing(version) }))
        assert.deepStrictEqual([session.era, session.version], ["compat", version])
        yield* session.callTool("x")
        const [, initialize, ...later] = server.seen.events
        assert.isUndefined(initialize?.headers["mcp-protocol-version"])
        assert.deepStrictEqual(
          later.map((seen) => [methodOf(seen), seen.headers["mcp-protocol-version"]]),
          [
            ["notifications/initialized", version],
            ["tools/call", version]
          ]
        )
        const pipe = yield* piped(compatLines(undefined, initializing(version)))
        assert.strictEqual(pipe.session.version, version)
      }
    })
  )

  it.effect("A14 INIT-04 B041: fails with both sides' revisions where the answered one is unknown", () =>
    Effect.gen(function* () {
      for (const version of ["1999-01-01", "2026-07-28", "2099-01-01", ""]) {
        const server = yield* scriptedHttp(compatServing(undefined, { initialized: initializing(version) }))
        const open = [
          McpClient.http(server.url),
          McpClient.pipe(farEnd(compatLines(undefined, initializing(version))).near)
        ]
        for (const one of open) {
          const reason = yield* reasonOf(one)
          assert.strictEqual(reason._tag, "NotOffered")
          assert.include(reason.message, JSON.stringify(version))
          assert.include(reason.message, "2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05")
        }
        assert.notInclude(server.seen.events.map(methodOf), "notifications/initialized")
      }
    })
  )

  it.effect("fails with Undecodable where the answer is none", () =>
    Effect.gen(function* () {
      const reason = yield* reasonOf(opened(compatServing(undefined, { initialized: { serverInfo: {} } })))
      assert.strictEqual(reason._tag, "Undecodable")
      assert.include(reason.message, "protocolVersion")
    })
  )

  it.effect("VER-02: offers a revision that the refusal names, once and under a new id", () =>
    Effect.gen(function* () {
      const refusing = (agreeing: boolean): HttpScript => {
        let asked = 0
        return answering("initialize", (seen, reply) => {
          if (++asked === 2 && agreeing) return reply.json(result(seen.json.id, initializing("2025-06-18")))
          reply.json(rpcError(seen.json.id, -32602, "not that one", { supported: ["x", "2025-03-26", "2025-06-18"] }))
        })
      }
      const asked = (events: ReadonlyArray<HttpSeen>) => events.filter((seen) => methodOf(seen) === "initialize")
      const { server, session } = yield* opened(refusing(true))
      assert.strictEqual(session.version, "2025-06-18")
      const [first, second] = asked(server.seen.events)
      assert.strictEqual(second?.json.params.protocolVersion, "2025-06-18")
      assert.notStrictEqual(first?.json.id, second?.json.id)
      const stubborn = yield* scriptedHttp(refusing(false))
      assert.deepInclude(yield* reasonOf(McpClient.http(stubborn.url)), { _tag: "Rpc", code: -32602 })
      assert.strictEqual(asked(stubborn.seen.events).length, 2)
    })
  )
})

describe("notifications/initialized", () => {
  it.effect("A12 INIT-06 INIT-07: follows the answer and precedes every other message", () =>
    Effect.gen(function* () {
      const { far, session } = yield* piped(compatLines())
      yield* session.callTool("x")
      assert.deepStrictEqual(far.methods(), [
        "server/discover",
        "initialize",
        "notifications/initialized",
        "tools/call"
      ])
      assert.notProperty(far.lines.events[2], "id")
    })
  )

  it.effect("A12: is taken over HTTP before there is a session", () =>
    Effect.gen(function* () {
      let taken: HttpScriptReply | undefined
      const server = yield* scriptedHttp(answering("notifications/initialized", (_, reply) => void (taken = reply)))
      const fiber = yield* Effect.forkChild(McpClient.http(server.url), { startImmediately: true })
      const initialized = yield* Effect.promise(() =>
        server.seen.first((seen) => methodOf(seen) === "notifications/initialized")
      )
      assert.strictEqual(initialized.headers["mcp-session-id"], "s1")
      assert.isUndefined(fiber.pollUnsafe())
      taken?.raw("", {}, 202)
      assert.strictEqual((yield* Fiber.join(fiber)).version, "2025-11-25")
    })
  )

  it.effect("fails the opening where it is refused", () =>
    Effect.gen(function* () {
      const { error, server } = yield* Effect.gen(function* () {
        const server = yield* scriptedHttp(
          answering("notifications/initialized", (_, reply) => reply.raw("no", {}, 404))
        )
        return { server, error: yield* Effect.flip(McpClient.http(server.url)) }
      })
      assert.deepInclude(error.reason, { _tag: "Transport", status: 404, body: "no" })
      assert.include(error.message, `notifications/initialized at ${server.url}`)
      // Nothing is left behind at the server (CHTTP-19), and no other transport is tried.
      assert.deepStrictEqual(
        server.seen.events.slice(2).map(({ headers, verb }) => [verb, headers["mcp-session-id"]]),
        [
          ["POST", "s1"],
          ["DELETE", "s1"]
        ]
      )
    })
  )
})

/** A server that refuses the probe and says nothing to `initialize`. */
const silent = answering("initialize", () => {})

const greeted = (seen: HttpSeen) => methodOf(seen) === "initialize"

describe("initialize that is given up", () => {
  it.effect("INIT-10 A71 B095: is not cancelled on the wire when the time is over", () =>
    Effect.gen(function* () {
      const { far, near } = farEnd((line, far) => {
        if (line.method === "server/discover") far.send(rpcError(line.id, -32601, "Method not found"))
      })
      const fiber = yield* Effect.forkChild(reasonOf(McpClient.pipe(near, { connectTimeout: 200 })), {
        startImmediately: true
      })
      yield* far.heard("initialize")
      yield* TestClock.adjust(200)
      assert.deepInclude(yield* Fiber.join(fiber), { _tag: "TimedOut", after: 200 })
      assert.deepStrictEqual(far.methods(), ["server/discover", "initialize"])

      const server = yield* scriptedHttp(silent)
      const overHttp = yield* Effect.forkChild(reasonOf(McpClient.http(server.url, { connectTimeout: 200 })), {
        startImmediately: true
      })
      const initialize = yield* Effect.promise(() => server.seen.first(greeted))
      yield* TestClock.adjust(200)
      assert.deepInclude(yield* Fiber.join(overHttp), { _tag: "TimedOut", after: 200 })
      yield* Effect.promise(() => initialize.gone)
      assert.deepStrictEqual(server.seen.events.map(methodOf), ["server/discover", "initialize"])
    })
  )

  it.effect("INIT-10 B095: is not cancelled on the wire when opening is interrupted", () =>
    Effect.gen(function* () {
      const { far, near } = farEnd((line, far) => {
        if (line.method === "server/discover") far.send(rpcError(line.id, -32601, "Method not found"))
      })
      const overPipe = yield* Effect.forkChild(Effect.scoped(McpClient.pipe(near)), { startImmediately: true })
      yield* far.heard("initialize")
      yield* Fiber.interrupt(overPipe)
      assert.deepStrictEqual(far.methods(), ["server/discover", "initialize"])

      const server = yield* scriptedHttp(silent)
      const overHttp = yield* Effect.forkChild(Effect.scoped(McpClient.http(server.url)), { startImmediately: true })
      const initialize = yield* Effect.promise(() => server.seen.first(greeted))
      yield* Fiber.interrupt(overHttp)
      yield* Effect.promise(() => initialize.gone)
      assert.deepStrictEqual(server.seen.events.map(methodOf), ["server/discover", "initialize"])
    })
  )

  it.effect("INIT-10 B095: is not cancelled on the wire when connecting is aborted", () =>
    Effect.gen(function* () {
      const server = yield* scriptedHttp(silent)
      yield* Effect.promise(async () => {
        const controller = new AbortController()
        const refused = connect(server.url, { signal: controller.signal }).then(
          () => assert.fail("it connected"),
          (error: McpError) => error
        )
        const initialize = await server.seen.first(greeted)
        controller.abort(new Error("enough"))
        assert.deepInclude((await refused).reason, { _tag: "Cancelled", why: "enough" })
        await initialize.gone
      })
      assert.deepStrictEqual(server.seen.events.map(methodOf), ["server/discover", "initialize"])
    })
  )
})

describe("the time to open a session", () => {
  it.effect("A15: is 10 s over HTTP, the probe included", () =>
    Effect.gen(function* () {
      let probe: HttpScriptReply | undefined
      const server = yield* scriptedHttp((seen, reply) => {
        if (methodOf(seen) === "server/discover") probe = reply
      })
      const fiber = yield* Effect.forkChild(reasonOf(McpClient.http(server.url)), { startImmediately: true })
      yield* Effect.promise(() => server.seen.first(() => true))
      yield* TestClock.adjust(4000)
      probe?.raw("", {}, 400)
      yield* Effect.promise(() => server.seen.first(greeted))
      yield* TestClock.adjust(5999)
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.deepInclude(yield* Fiber.join(fiber), { _tag: "TimedOut", after: 10_000 })
    })
  )

  it.effect("A15: holds for two endpoints too, where the stream opens and names no address", () =>
    Effect.gen(function* () {
      const server = yield* scriptedHttp((seen, reply) =>
        seen.verb === "GET" ? void reply.stream() : reply.raw("", {}, 404)
      )
      const fiber = yield* Effect.forkChild(reasonOf(McpClient.http(server.url)), { startImmediately: true })
      const stream = yield* Effect.promise(() => server.seen.first((seen) => seen.verb === "GET"))
      yield* TestClock.adjust(9999)
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.deepInclude(yield* Fiber.join(fiber), { _tag: "TimedOut", after: 10_000 })
      yield* Effect.promise(() => stream.gone)
    })
  )

  it.effect("is what the setting says, and a failed opening sends nothing more", () =>
    Effect.gen(function* () {
      const { far, near } = farEnd(() => {})
      const fiber = yield* Effect.forkChild(reasonOf(McpClient.pipe(near, { connectTimeout: 300 })), {
        startImmediately: true
      })
      yield* TestClock.adjust(299)
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.deepInclude(yield* Fiber.join(fiber), { _tag: "TimedOut", after: 300 })
      assert.notInclude(far.methods(), "initialize")
    })
  )
})

describe("a DiscoverResult that comes late on a pipe", () => {
  const slowly = (settings: { readonly late: "before" | "after" }) =>
    Effect.gen(function* () {
      const { far, near } = farEnd((line, far) => {
        if (line.method === "tools/call") far.send(result(line.id, textResult("ok")))
      })
      const fiber = yield* Effect.forkChild(McpClient.pipe(near), { startImmediately: true })
      const { id } = yield* far.heard("server/discover")
      yield* TestClock.adjust(5000)
      const initialize = yield* far.heard("initialize")
      if (settings.late === "after") far.send(result(initialize.id, initializeResult))
      else far.send(result(id, discoverResult))
      const session = yield* Fiber.join(fiber)
      far.send(settings.late === "after" ? result(id, discoverResult) : result(initialize.id, initializeResult))
      yield* session.callTool("x")
      return { far, initialize, session }
    })

  it.effect("D18: wins while initialize is unanswered, which is abandoned without a word (INIT-10)", () =>
    Effect.gen(function* () {
      const { far, session } = yield* slowly({ late: "before" })
      assert.deepStrictEqual([session.era, session.version], ["native", "2026-07-28"])
      assert.deepStrictEqual(far.methods(), ["server/discover", "initialize", "tools/call"])
      const call = yield* far.heard("tools/call")
      assert.strictEqual(call.params._meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28")
    })
  )

  it.effect("D18: comes too late once initialize is answered", () =>
    Effect.gen(function* () {
      const { far, initialize, session } = yield* slowly({ late: "after" })
      assert.deepStrictEqual([session.era, session.version], ["compat", "2025-11-25"])
      const call = yield* far.heard("tools/call")
      assert.deepStrictEqual(call.params, { name: "x" })
      assert.notInclude(
        far.lines.events.map((line) => line.params?.requestId),
        initialize.id
      )
      assert.strictEqual(session.counters().late, 1)
    })
  )
})
