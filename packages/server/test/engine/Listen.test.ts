/**
 * `subscriptions/listen`: what it says first, what it is told and what not, and how it ends, at each kind of door.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { TestClock } from "effect/testing"
import { linePair } from "@treadle/protocol/framing"
import { rawRequest, type RawCall, type RawMessage, type RawPeer } from "@treadle/testing"
import type { Sink } from "../../src/engine/Sink.ts"
import { Change, Mcp, McpMemory, type Served } from "../../src/index.ts"
import { directPeer } from "../../src/McpDirect.ts"
import { httpDoorParts } from "../../src/McpHttp.ts"
import { nodeExchange } from "../../src/node/NodeExchange.ts"
import { webExchange } from "../../src/transport/WebExchange.ts"
import { makeOutbox } from "../../src/transport/Outbox.ts"
import { empty } from "../fixtures/calling.ts"
import { listening } from "../fixtures/cells.ts"
import { directRawPeer, httpPeer, linePeer } from "../fixtures/rawPeers.ts"
import { quietAtEnd } from "../fixtures/quiet.ts"

const tool = empty().tool("t", { description: "Tested" }, async () => "x")
const both = tool.resource({ uri: "x://a", name: "a" }, async () => "a")

interface Door {
  readonly served: Served
  readonly peer: RawPeer
}

const web = (mcp: Mcp<never>) =>
  Effect.map(quietAtEnd(Mcp.served(mcp)), (served): Door => {
    const parts = httpDoorParts(served, {})
    return { served, peer: httpPeer("http://localhost/mcp", (request) => webExchange(parts, request, { context: {} })) }
  })

const node = (mcp: Mcp<never>) =>
  Effect.gen(function* () {
    const served = yield* quietAtEnd(Mcp.served(mcp))
    const parts = { ...httpDoorParts(served, {}), served, outbox: makeOutbox(setImmediate) }
    const port = yield* listening((req, res) => nodeExchange(parts, req, res, {}))
    return { served, peer: httpPeer(`http://127.0.0.1:${port}/mcp`, fetch) }
  })

const pipe = (mcp: Mcp<never>) =>
  Effect.gen(function* () {
    const [near, far] = linePair()
    const served = yield* quietAtEnd(McpMemory.serve(mcp, far, {}))
    const { peer, read } = linePeer((text) => void near.write(text))
    const decoder = new TextDecoder()
    near.open({ chunk: (bytes) => read(decoder.decode(bytes, { stream: true })), end: () => {}, drain: () => {} })
    return { served, peer }
  })

const direct = (mcp: Mcp<never>) =>
  Effect.map(quietAtEnd(Mcp.served(mcp)), (served) => ({ served, peer: directRawPeer(directPeer(served, {})) }))

const doors: ReadonlyArray<{
  readonly name: string
  readonly open: (mcp: Mcp<never>) => Effect.Effect<Door, unknown, Scope.Scope>
}> = [
  { name: "fetch", open: web },
  { name: "node:http", open: node },
  { name: "a pipe", open: pipe },
  { name: "the same process", open: direct }
]

const key = "io.modelcontextprotocol/subscriptionId"
const listen = (peer: RawPeer, id: unknown, notifications: object) =>
  peer.send(rawRequest(id, "subscriptions/listen", { notifications }))

/** What is of this subscription: on a pipe nothing else tells it from others. */
const of = ({ seen }: RawCall, id: unknown): ReadonlyArray<RawMessage> =>
  seen.events.filter((message) => message["params"]?._meta?.[key] === id)

const heard = (call: RawCall, id: unknown, count: number) =>
  Effect.as(
    Effect.promise(() => call.seen.first(() => of(call, id).length >= count)),
    undefined
  )

const acknowledged = (id: unknown, notifications: object): RawMessage => ({
  jsonrpc: "2.0",
  method: "notifications/subscriptions/acknowledged",
  params: { notifications, _meta: { [key]: id } }
})
const changed = (id: unknown, list: string): RawMessage => ({
  jsonrpc: "2.0",
  method: `notifications/${list}/list_changed`,
  params: { _meta: { [key]: id } }
})

const changes = ({ served }: Door, ...all: ReadonlyArray<Change>) =>
  Effect.andThen(Effect.forEach(all, served.live.changed), TestClock.adjust(50))

const turn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

/** Lets the event loop turn until no more than these are open. */
const closed = ({ served }: Door, listeners: number) =>
  Effect.gen(function* () {
    while (served.counters().listeners > listeners) yield* turn
  })

describe.each(doors)("a listen request at the door of $name", ({ open }) => {
  it.effect("B088 SUB-02 SUB-03 SUB-06: says first what is honoured, and then hears that and nothing else", () =>
    Effect.gen(function* () {
      const door = yield* open(both)
      const asked = { toolsListChanged: true, promptsListChanged: true }
      const number = yield* listen(door.peer, 1, asked)
      const string = yield* listen(door.peer, "1", { resourcesListChanged: true, resourceSubscriptions: ["x://a"] })
      yield* heard(number, 1, 1)
      yield* heard(string, "1", 1)
      yield* changes(door, Change.tools, Change.prompts, Change.resources, Change.resource("x://a"))
      yield* heard(number, 1, 2)
      yield* heard(string, "1", 3)
      yield* changes(door, Change.resource("x://other"), Change.tools, Change.tools)
      yield* heard(number, 1, 3)
      assert.deepStrictEqual(of(number, 1), [
        acknowledged(1, { toolsListChanged: true }),
        changed(1, "tools"),
        changed(1, "tools")
      ])
      assert.deepStrictEqual(of(string, "1"), [
        acknowledged("1", { resourcesListChanged: true, resourceSubscriptions: ["x://a"] }),
        changed("1", "resources"),
        { jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri: "x://a", _meta: { [key]: "1" } } }
      ])
      yield* number.cancel
      yield* string.cancel
      yield* closed(door, 0)
    })
  )

  it.effect("B088 SUB-04: of which nothing is honoured is told so, hears nothing, and leaves nothing behind", () =>
    Effect.gen(function* () {
      const door = yield* open(tool)
      const unserved = { resourcesListChanged: true, resourceSubscriptions: ["x://a"], toolsListChanged: false }
      const calls = [yield* listen(door.peer, 1, {}), yield* listen(door.peer, 2, unserved)]
      const other = yield* listen(door.peer, 3, { toolsListChanged: true })
      for (const [at, call] of calls.entries()) yield* heard(call, at + 1, 1)
      yield* heard(other, 3, 1)
      yield* changes(door, Change.tools, Change.resources, Change.resource("x://a"))
      yield* heard(other, 3, 2)
      for (const [at, call] of calls.entries()) {
        assert.deepStrictEqual(of(call, at + 1), [acknowledged(at + 1, {})])
        yield* call.cancel
      }
      yield* closed(door, 1)
      yield* other.cancel
      yield* closed(door, 0)
    })
  )

  it.effect("B088 SUB-08: hears nothing more once it is closed, and the others go on", () =>
    Effect.gen(function* () {
      const door = yield* open(tool)
      const [going, staying] = [
        yield* listen(door.peer, 1, { toolsListChanged: true }),
        yield* listen(door.peer, 2, { toolsListChanged: true })
      ]
      yield* heard(going, 1, 1)
      yield* heard(staying, 2, 1)
      yield* going.cancel
      yield* closed(door, 1)
      yield* changes(door, Change.tools)
      yield* heard(staying, 2, 2)
      assert.lengthOf(of(going, 1), 1)
      assert.isFalse(going.seen.events.some((message) => message["id"] === 1))
      yield* staying.cancel
      yield* closed(door, 0)
    })
  )

  it.effect("B088 SUB-09: ends with its result when the server stops", () =>
    Effect.gen(function* () {
      const door = yield* open(tool)
      const call = yield* listen(door.peer, "s", { toolsListChanged: true })
      yield* heard(call, "s", 1)
      yield* door.served.stop
      assert.deepStrictEqual(yield* call.answer, {
        jsonrpc: "2.0",
        id: "s",
        result: {
          resultType: "complete",
          _meta: { [key]: "s", "io.modelcontextprotocol/serverInfo": { name: "suite", version: "1.0.0" } }
        }
      })
      assert.strictEqual(door.served.counters().listeners, 0)
    })
  )
})

/** A listen request of the server itself, and what it is told. */
const ownListen = (served: Served, notifications: object, owner = "o") => {
  const told: Array<RawMessage> = []
  const sink: Sink = {
    post: (text) => told.push(JSON.parse(text)) > 0,
    full: () => false,
    room: Effect.void,
    answer: () => assert.fail("it goes on"),
    abandon: () => {},
    tick: () => {}
  }
  const value = rawRequest(0, "subscriptions/listen", { notifications })
  const inbound = {
    value,
    http: undefined,
    overHttp: false,
    context: {},
    principal: undefined,
    services: undefined,
    owner
  }
  return { call: served.serve(inbound, sink), told }
}

describe("a change in the turn of its listen request", () => {
  it.effect("B088 SUB-03: is told after what is honoured, and not lost", () =>
    Effect.gen(function* () {
      const served = yield* quietAtEnd(Mcp.served(tool))
      const { call, told } = ownListen(served, { toolsListChanged: true })
      yield* served.live.changed(Change.tools)
      yield* TestClock.adjust(50)
      assert.deepStrictEqual(told, [acknowledged(0, { toolsListChanged: true }), changed(0, "tools")])
      if (typeof call === "object") call.end("cancelled")
    })
  )
})

describe("a listen request that names many resources", () => {
  it.effect("lets others be served while it is found out which of them may be heard of", () =>
    Effect.gen(function* () {
      const served = yield* quietAtEnd(Mcp.served(both))
      const many = ownListen(served, { resourceSubscriptions: ["x://a", "x://b", "x://c"] })
      const few = ownListen(served, { resourceSubscriptions: ["x://a"] }, "p")
      assert.deepStrictEqual([many.told.length, few.told.length], [0, 1])
      while (many.told.length === 0) yield* turn
      assert.deepStrictEqual(many.told, [acknowledged(0, { resourceSubscriptions: ["x://a", "x://b", "x://c"] })])
      for (const { call } of [many, few]) if (typeof call === "object") call.end("cancelled")
    })
  )
})
