/**
 * What is told of the end of a run: to whom, once, and never into the dark.
 */
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { assert, describe, it } from "@effect/vitest"
import { AgentMcp } from "@treadle/agent"
import { AgentTest } from "@treadle/agent/test"
import { Mcp } from "@treadle/server"
import { compatDoor, compatCall, compatRequest } from "../../../server/test/fixtures/compatDoor.ts"
import { eventTail } from "../../../server/test/fixtures/eventTail.ts"
import { until } from "../until.ts"
import { eras, rawClient, reviewer, servedClient } from "./peer.ts"

const spawn = "subagent.spawn"
const uri = "agent://subagent/served.0"
const later = AgentTest.after(1_000, AgentTest.say("late"))

/** One turn of the event loop. */
const turn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

/** The window in which changes are gathered. */
const told = Effect.andThen(TestClock.adjust(50), turn)

describe.each(eras)("a client of a served agent, %s", (era) => {
  it.effect("is told of the end of a run that it subscribed to, by its address alone, once (A110, A111, A114)", () =>
    Effect.gen(function* () {
      const { client, connected } = yield* servedClient(era, AgentTest.script(later, later))
      yield* client.call(spawn, { instruction: "x", async: true })
      yield* client.call(spawn, { instruction: "x", async: true })
      yield* connected
      const { admitted, id } = yield* client.subscribe(uri)
      assert.isTrue(admitted)
      yield* TestClock.adjust(999)
      yield* told
      yield* TestClock.adjust("1 minute")
      yield* until(() => client.updates.length > 0)
      const updates = client.heard.filter(({ method }) => method === "notifications/resources/updated")
      const meta = { "io.modelcontextprotocol/subscriptionId": id }
      assert.deepStrictEqual(
        updates.map(({ params }) => params),
        [era === "native" ? { uri, _meta: meta } : { uri }]
      )
      assert.deepStrictEqual(yield* client.structured("subagent.status", { handle: "served.1" }), {
        handle: "served.1",
        status: "completed",
        done: true,
        partial: false,
        result: "late"
      })
    })
  )

  it.effect("has room for another run once one has ended: its subscription is over with it (A111)", () =>
    Effect.gen(function* () {
      const mcp = AgentMcp.make(reviewer()).provide(AgentTest.script(later, later))
      const { client } = yield* rawClient(mcp, era, { subscribedUris: 1 })
      for (const number of [0, 1]) {
        yield* client.call(spawn, { instruction: "x", async: true })
        const { admitted } = yield* client.subscribe(`agent://subagent/served.${number}`)
        assert.isTrue(admitted)
        yield* Effect.repeat(told, { until: () => client.updates.length > number })
        assert.strictEqual(client.updates.length, number + 1)
      }
    })
  )

  it.effect("reads the terminal state whenever it was told (A112)", () =>
    Effect.gen(function* () {
      const { client, connected } = yield* servedClient(era, AgentTest.script(later))
      yield* client.call(spawn, { instruction: "x", async: true })
      yield* connected
      yield* client.subscribe(uri)
      yield* TestClock.adjust(1_000)
      yield* TestClock.adjust(50)
      yield* until(() => client.updates.length === 1)
      assert.deepStrictEqual(yield* client.read(uri), {
        handle: "served.0",
        status: "completed",
        done: true,
        partial: false,
        result: "late"
      })
    })
  )

  it.effect(
    "cannot subscribe to what has finished, to what there is not, or to the status, and learns why (A110)",
    () =>
      Effect.gen(function* () {
        const { client } = yield* servedClient(era, AgentTest.script(AgentTest.say("done"), AgentTest.say("warm")))
        yield* client.call(spawn, { instruction: "x", async: true })
        yield* client.ended("served.0")
        yield* client.call(spawn, { instruction: "x", warm: true })
        const refused: ReadonlyArray<readonly [string, string | undefined]> = [
          [uri, "the run has finished already; read it"],
          ["agent://subagent/served.7", "there is no such run"],
          ["agent://subagent/served.1", "there is no such run"],
          ["agent://status", "it is not told of; read it when you need it"],
          ["agent://run/x", undefined]
        ]
        for (const [named, reason] of refused) {
          const { admitted, error } = yield* client.subscribe(named)
          assert.isFalse(admitted, named)
          if (era === "native") continue
          assert.strictEqual(error?.["code"], -32002)
          assert.deepStrictEqual(error?.["data"], reason === undefined ? { uri: named } : { uri: named, reason })
        }
      })
  )

  it.effect("is told or refused, however the end of the run and its wish meet (A113)", () =>
    Effect.gen(function* () {
      const outcomes = new Set<string>()
      for (let wait = 0; wait <= 6; wait++) {
        const { client, connected } = yield* servedClient(era, AgentTest.script(later))
        yield* client.call(spawn, { instruction: "x", async: true })
        yield* connected
        yield* TestClock.adjust(999)
        // The wish is sent so many turns of the event loop before the run ends, or after.
        const ending = TestClock.adjust(1)
        if (wait > 3) yield* ending
        for (let turn = 0; turn < wait % 4; turn++) yield* until(() => true)
        const id =
          era === "compat"
            ? client.begin("resources/subscribe", { uri })
            : client.begin("subscriptions/listen", { notifications: { resourceSubscriptions: [uri] } })
        if (wait <= 3) {
          for (let turn = 0; turn < wait; turn++) yield* until(() => true)
          yield* ending
        }
        yield* until(() => true)
        yield* told
        yield* told
        const refused =
          era === "compat"
            ? (yield* client.answer(id))["error"] !== undefined
            : client.heard.find(({ method }) => method === "notifications/subscriptions/acknowledged")?.["params"]
                .notifications.resourceSubscriptions.length === 0
        const updates = client.updates.length
        assert.isTrue(refused ? updates === 0 : updates === 1, `turn ${wait}: ${refused} ${updates}`)
        outcomes.add(refused ? "refused" : "told")
      }
      assert.deepStrictEqual([...outcomes].toSorted(), ["refused", "told"])
    })
  )

  it.effect("is told once though it subscribed twice, and not at all once it has unsubscribed (A115)", () =>
    Effect.gen(function* () {
      const { client, connected } = yield* servedClient(era, AgentTest.script(later, later))
      yield* client.call(spawn, { instruction: "x", async: true })
      yield* client.call(spawn, { instruction: "x", async: true })
      yield* connected
      const second = "agent://subagent/served.1"
      if (era === "compat") {
        yield* client.subscribe(uri)
        yield* client.subscribe(uri)
        yield* client.subscribe(second)
        yield* client.ask("resources/unsubscribe", { uri: second })
      } else {
        const notifications = { resourceSubscriptions: [uri, uri] }
        client.begin("subscriptions/listen", { notifications })
        const { id } = yield* client.subscribe(second)
        client.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } })
        yield* until(() => true)
      }
      yield* TestClock.adjust(1_000)
      yield* told
      assert.deepStrictEqual(client.updates, [uri])
    })
  )
})

describe("clients of one served agent", () => {
  const open = Effect.gen(function* () {
    let asked = false
    const mcp = AgentMcp.make(reviewer(), {
      onEvent: ({ _tag }) => {
        asked ||= _tag === "StepStarted"
      }
    }).provide(AgentTest.script(later))
    const door = yield* compatDoor(mcp)
    const sessions = [yield* door.open(), yield* door.open()] as const
    yield* door.send(compatCall(1, spawn, { instruction: "x", async: true }), { session: sessions[0] })
    yield* until(() => asked)
    yield* until(() => true)
    for (const session of sessions) yield* door.send(compatRequest(2, "resources/subscribe", { uri }), { session })
    return { ...door, sessions }
  })

  it.effect("are told each, also where one does not read (A111, A116)", () =>
    Effect.gen(function* () {
      const { respond, sessions } = yield* open
      const [stalled, quick] = yield* Effect.promise(() =>
        Promise.all(sessions.map((session) => respond(undefined, { verb: "GET", session })))
      )
      const tail = eventTail(quick ?? new Response())
      yield* TestClock.adjust(1_050)
      assert.deepStrictEqual((yield* tail.message)["params"], { uri })
      const late = eventTail(stalled ?? new Response())
      assert.deepStrictEqual((yield* late.message)["params"], { uri })
      yield* tail.cancel
      yield* late.cancel
    })
  )

  it.effect("leave nothing behind when they go (A117)", () =>
    Effect.gen(function* () {
      const { send, served, sessions } = yield* open
      for (const session of sessions) yield* send(undefined, { verb: "DELETE", session })
      assert.strictEqual(served.counters().sessions, 0)
      yield* TestClock.adjust(1_050)
      assert.strictEqual(served.counters().queued, 0)
    })
  )
})

describe("handles", () => {
  const composed = (ownership: "principal" | "any") =>
    Mcp.make<{ user?: string }>({ name: "shared", version: "1.0.0", principal: ({ user }) => user }).add(
      AgentMcp.make(reviewer(), { ownership }).provide(AgentTest.script(AgentTest.say("mine")))
    )

  it.effect("are those of the principal that spawned; for another there is no such run", () =>
    Effect.gen(function* () {
      const { open, send } = yield* compatDoor(composed("principal"))
      const as = (user: string) =>
        Effect.map(open("2025-11-25", { context: { user } }), (session) => ({ session, context: { user } }))
      const ada = yield* as("ada")
      const bob = yield* as("bob")
      yield* send(compatCall(1, spawn, { instruction: "x", async: true }), ada)
      const status = compatCall(2, "subagent.status", { handle: "served.0" })
      const own = (yield* send(status, ada)).answer["result"]
      assert.strictEqual(own.structuredContent.handle, "served.0")
      for (const tool of ["subagent.status", "subagent.cancel"]) {
        const { result } = (yield* send(compatCall(2, tool, { handle: "served.0" }), bob)).answer
        assert.strictEqual(result.content[0].text, 'no such subagent: "served.0"')
      }
      const read = (yield* send(compatRequest(3, "resources/read", { uri }), bob)).answer
      assert.deepInclude(read["error"], { code: -32002, data: { uri } })
      const heard = (yield* send(compatRequest(4, "resources/subscribe", { uri }), bob)).answer
      assert.strictEqual(heard["error"].data.reason, "there is no such run")
      const done = Effect.map(send(status, ada), ({ answer }) => answer["result"].structuredContent.done === true)
      yield* Effect.repeat(Effect.andThen(turn, done), { until: (ended) => ended })
    })
  )

  it.effect("are anybody's where the setting says so", () =>
    Effect.gen(function* () {
      const { open, send } = yield* compatDoor(composed("any"))
      const ada = { session: yield* open("2025-11-25", { context: { user: "ada" } }), context: { user: "ada" } }
      const bob = { session: yield* open("2025-11-25", { context: { user: "bob" } }), context: { user: "bob" } }
      yield* send(compatCall(1, spawn, { instruction: "x", async: true }), ada)
      const { result } = (yield* send(compatCall(2, "subagent.status", { handle: "served.0" }), bob)).answer
      assert.strictEqual(result.structuredContent.handle, "served.0")
      const status = send(compatCall(3, "subagent.status", { handle: "served.0" }), bob)
      const done = Effect.map(status, ({ answer }) => answer["result"].structuredContent.done === true)
      yield* Effect.repeat(Effect.andThen(turn, done), { until: (ended) => ended })
    })
  )
})
