/**
 * Who may hear of a resource, as its author says, and that nobody who may is left in the dark: a change that comes while
 * the author is asked is told, or the client is refused.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import { linePair } from "@treadle/protocol/framing"
import { rawRequest, type RawMessage } from "@treadle/testing"
import { Change, CurrentCall, Mcp, McpMemory, ResourceUnavailable } from "../../src/index.ts"
import { compatPipe, compatRequest, initialize } from "../fixtures/compatDoor.ts"
import { quietAtEnd } from "../fixtures/quiet.ts"

const uri = "job://7"

/** Lets everything run that is ready to, until it is so. The time limit of the test bounds the wait. */
const until = (condition: () => boolean): Effect.Effect<void> =>
  Effect.flatMap(
    Effect.promise(() => new Promise((resolve) => setImmediate(resolve))),
    () => (condition() ? Effect.void : until(condition))
  )

/** A job that ends once, whose author looks at it when he is told to. */
const job = () => {
  const look = Deferred.makeUnsafe<void>()
  let done = false
  const mcp = Mcp.make({ name: "jobs", version: "1.0.0", live: { resources: false } })
    .template(
      { uriTemplate: "job://{id}", name: "job" },
      ({ id }) => (id === "7" ? Effect.succeed(done ? "done" : "running") : Effect.fail(new ResourceUnavailable("?"))),
      ({ id }, { principal }) =>
        Effect.map(Deferred.await(look), () => {
          if (id !== "7" || principal !== undefined) return "there is no such job"
          return done ? "it is done; read it" : undefined
        })
    )
    .resource({ uri: "job://list", name: "list" }, async () => "7")
  return {
    mcp,
    look: Effect.asVoid(Deferred.succeed(look, undefined)),
    end: Effect.sync(() => {
      done = true
    })
  }
}

const eras = ["native", "compat"] as const

/** What a client is told on one pipe, in order. */
const client = (era: (typeof eras)[number], mcp: Mcp<never>) =>
  Effect.gen(function* () {
    const [near, far] = linePair()
    const served = yield* quietAtEnd(McpMemory.serve(mcp, far, {}))
    const heard: Array<RawMessage> = []
    let rest = ""
    near.open({
      chunk: (bytes) => {
        const lines = (rest + new TextDecoder().decode(bytes)).split("\n")
        rest = lines.pop() ?? ""
        for (const line of lines) heard.push(JSON.parse(line))
      },
      end: () => {},
      drain: () => {}
    })
    const send = (message: RawMessage) => Effect.sync(() => void near.write(`${JSON.stringify(message)}\n`))
    if (era === "compat") {
      yield* send(initialize())
      yield* until(() => heard.length === 1)
      heard.length = 0
    }
    const listening = (named: string) =>
      era === "compat"
        ? compatRequest(1, "resources/subscribe", { uri: named })
        : rawRequest(1, "subscriptions/listen", { notifications: { resourceSubscriptions: [named] } })
    const admitted = (): boolean | undefined => {
      const answer = heard.find(({ id }) => id === 1)
      if (era === "compat") return answer === undefined ? undefined : answer["error"] === undefined
      const acknowledged = heard.find(({ method }) => method === "notifications/subscriptions/acknowledged")
      return acknowledged === undefined
        ? undefined
        : acknowledged["params"].notifications.resourceSubscriptions.length === 1
    }
    const updates = () => heard.filter(({ method }) => method === "notifications/resources/updated").length
    return { heard, served, send, listening, admitted, updates }
  })

/** Every order of two steps each of two, with the steps of each in their order. */
const interleaved = <A>([a, b]: readonly [A, A], [c, d]: readonly [A, A]): ReadonlyArray<ReadonlyArray<A>> => [
  [a, b, c, d],
  [a, c, b, d],
  [a, c, d, b],
  [c, a, b, d],
  [c, a, d, b],
  [c, d, a, b]
]

describe.each(eras)("a client of the %s era", (era) => {
  it.effect("A113: is told of the end, or that it came already, in every order of asking and ending", () =>
    Effect.gen(function* () {
      const outcomes: Array<string> = []
      const names = interleaved(["asks", "is looked at"], ["ends", "is told of"])
      for (const order of names) {
        const { end, look, mcp } = job()
        const { admitted, listening, send, served, updates } = yield* client(era, mcp)
        const steps: Readonly<Record<string, Effect.Effect<unknown>>> = {
          asks: send(listening(uri)),
          "is looked at": look,
          ends: end,
          "is told of": served.live.changed(Change.lastOf(uri))
        }
        for (const step of order) {
          yield* steps[step] ?? Effect.die(step)
          yield* TestClock.adjust(0)
          yield* until(() => true)
        }
        yield* TestClock.adjust(50)
        yield* until(() => admitted() !== undefined)
        outcomes.push(`${admitted() === true} ${updates()}`)
        assert.isTrue(admitted() === false || updates() === 1, order.join(", "))
      }
      assert.includeMembers(outcomes, ["true 1", "false 0"])
    })
  )

  it.effect("A113: is told of what happens while its author takes his time to say yes", () =>
    Effect.gen(function* () {
      const said = Deferred.makeUnsafe<undefined>()
      const mcp = Mcp.make({ name: "slow", version: "1.0.0" }).resource(
        { uri, name: "job" },
        async () => "x",
        () => Deferred.await(said)
      )
      const { admitted, heard, listening, send, served, updates } = yield* client(era, mcp)
      yield* send(listening(uri))
      yield* until(() => true)
      yield* served.live.changed(Change.lastOf(uri))
      yield* TestClock.adjust(50)
      yield* Deferred.succeed(said, undefined)
      yield* until(() => admitted() !== undefined)
      yield* until(() => true)
      assert.isTrue(admitted())
      assert.strictEqual(updates(), 1)
      if (era === "native") assert.strictEqual(heard[0]?.["method"], "notifications/subscriptions/acknowledged")
    })
  )

  it.effect("is refused what its author refuses, and natively it is not acknowledged", () =>
    Effect.gen(function* () {
      const { end, look, mcp } = job()
      yield* end
      yield* look
      const { admitted, heard, listening, send } = yield* client(era, mcp)
      yield* send(listening(uri))
      yield* until(() => admitted() !== undefined)
      assert.isFalse(admitted())
      if (era === "native") return
      assert.deepStrictEqual(heard[0]?.["error"], {
        code: -32002,
        message: 'There is nothing to hear of "job://7": it is done; read it',
        data: { uri, reason: "it is done; read it" }
      })
    })
  )

  it.effect("is refused what nothing reads, where the list of resources is settled", () =>
    Effect.gen(function* () {
      const { admitted, heard, listening, send } = yield* client(era, job().mcp)
      yield* send(listening("other://x"))
      yield* until(() => admitted() !== undefined)
      assert.isFalse(admitted())
      if (era === "compat") assert.deepInclude(heard[0]?.["error"], { code: -32002, data: { uri: "other://x" } })
    })
  )

  it.effect("hears of what has no say of its author, as ever", () =>
    Effect.gen(function* () {
      const { admitted, listening, send, served, updates } = yield* client(era, job().mcp)
      yield* send(listening("job://list"))
      yield* until(() => admitted() !== undefined)
      assert.isTrue(admitted())
      for (const expected of [1, 2]) {
        yield* served.live.changed(Change.resource("job://list"))
        yield* TestClock.adjust(50)
        yield* until(() => true)
        assert.strictEqual(updates(), expected)
      }
    })
  )

  it.effect("A111: hears of the last change once, and of nothing after it", () =>
    Effect.gen(function* () {
      const { look, mcp } = job()
      yield* look
      const { admitted, listening, send, served, updates } = yield* client(era, mcp)
      yield* send(listening(uri))
      yield* until(() => admitted() !== undefined)
      yield* served.live.changed(Change.lastOf(uri))
      yield* served.live.changed(Change.resource(uri))
      yield* TestClock.adjust(50)
      yield* served.live.changed(Change.resource(uri))
      yield* TestClock.adjust(50)
      yield* until(() => true)
      assert.strictEqual(updates(), 1)
    })
  )
})

describe("a session", () => {
  it.effect("A111: may subscribe to another resource once one has changed for the last time", () =>
    Effect.gen(function* () {
      const mcp = Mcp.make({ name: "many", version: "1.0.0" }).template(
        { uriTemplate: "job://{id}", name: "job" },
        ({ id }) => Effect.succeed(id)
      )
      const { peer, served } = yield* compatPipe(mcp)
      yield* peer.send(initialize())
      const subscribe = (id: number) =>
        Effect.flatMap(
          peer.send(compatRequest(id, "resources/subscribe", { uri: `job://${id}` })),
          ({ answer }) => answer
        )
      for (let id = 1; id <= 256; id++) yield* subscribe(id)
      assert.strictEqual((yield* subscribe(257))["error"].code, -32602)
      yield* served.live.changed(Change.lastOf("job://1"))
      yield* TestClock.adjust(50)
      assert.deepStrictEqual((yield* subscribe(258))["result"], {})
    })
  )

  it.effect("A113: that was refused is subscribed to nothing, and one that was subscribed before stays so", () =>
    Effect.gen(function* () {
      let open = true
      const mcp = Mcp.make({ name: "doors", version: "1.0.0" }).resource(
        { uri, name: "job" },
        async () => "x",
        async () => (open ? undefined : "closed")
      )
      const { heard, listening, send, served, updates } = yield* client("compat", mcp)
      const subscribed = (count: number) =>
        Effect.andThen(
          send(listening(uri)),
          until(() => heard.length >= count)
        )
      const changed = Effect.andThen(
        Effect.andThen(served.live.changed(Change.resource(uri)), TestClock.adjust(50)),
        until(() => true)
      )
      open = false
      yield* subscribed(1)
      yield* changed
      assert.strictEqual(updates(), 0)
      open = true
      yield* subscribed(2)
      open = false
      yield* subscribed(3)
      yield* changed
      assert.strictEqual(updates(), 1)
    })
  )
})

describe("the author's say", () => {
  it.effect("may use what the resource was provided, and the call", () =>
    Effect.gen(function* () {
      const mcp = Mcp.make({ name: "who", version: "1.0.0" }).resource(
        { uri, name: "job" },
        async () => "x",
        () =>
          Effect.map(CurrentCall.principal, (principal) => (principal === undefined ? "say who you are" : undefined))
      )
      const { heard, listening, send } = yield* client("compat", mcp)
      yield* send(listening(uri))
      yield* until(() => heard.length === 1)
      assert.strictEqual(heard[0]?.["error"].data.reason, "say who you are")
    })
  )

  it.effect("that breaks down is an internal error, and nothing is subscribed", () =>
    Effect.gen(function* () {
      const mcp = Mcp.make({ name: "broken", version: "1.0.0" }).resource(
        { uri, name: "job" },
        async () => "x",
        () => {
          throw new Error("hunter2")
        }
      )
      const { heard, listening, send, served, updates } = yield* client("compat", mcp)
      yield* send(listening(uri))
      yield* until(() => heard.length === 1)
      assert.strictEqual(heard[0]?.["error"].code, -32603)
      assert.notInclude(JSON.stringify(heard), "hunter2")
      yield* served.live.changed(Change.resource(uri))
      yield* TestClock.adjust(50)
      yield* until(() => true)
      assert.strictEqual(updates(), 0)
    })
  )
})
