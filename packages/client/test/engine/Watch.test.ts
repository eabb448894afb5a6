import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import type { Change } from "../../src/index.ts"
import { fact, ping, reasonOf, result, rpcError } from "../fixtures.ts"
import { atLeast, cells, everything, play, reading, type Played } from "../played.ts"

const tools: Change = { _tag: "ToolsChanged", missed: false }
const prompts: Change = { _tag: "PromptsChanged", missed: false }
const resources: Change = { _tag: "ResourcesChanged", missed: false }
const updated = (uri: string, missed = false): Change => ({ _tag: "ResourceUpdated", uri, missed })

const changedTools = "notifications/tools/list_changed"
const changedPrompts = "notifications/prompts/list_changed"
const changedResources = "notifications/resources/list_changed"
const updatedResource = "notifications/resources/updated"

/** What the server was asked to tell of: natively by the last filter, in the compat era by subscriptions. */
const asked = ({ of }: Played): unknown => of("subscriptions/listen").at(-1)?.params.notifications

const uris = ({ of }: Played, method: string): ReadonlyArray<string> => of(method).map(({ params }) => params.uri)

describe.each(cells)("session.watch of a server that is $name", ({ era, over }) => {
  const part = { era, over } as const
  const native = era === "native"

  it.effect("is there once the server tells, and gives each change once", () =>
    Effect.gen(function* () {
      const played = yield* play(part)
      const { of, session, tell, voices } = played
      const seen = yield* reading(
        yield* session.watch({ tools: true, prompts: true, resources: true, uris: ["box://a", "box://a"] })
      )
      assert.strictEqual(voices(), 1)
      if (native) {
        assert.deepStrictEqual(asked(played), {
          toolsListChanged: true,
          promptsListChanged: true,
          resourcesListChanged: true,
          resourceSubscriptions: ["box://a"]
        })
      } else {
        assert.deepStrictEqual(uris(played, "resources/subscribe"), ["box://a"])
        assert.strictEqual(of("GET").length, over === "http" ? 1 : 0)
      }
      for (const [index, method] of [changedTools, changedPrompts, changedResources].entries()) {
        yield* tell(method)
        yield* atLeast(seen, index + 1)
      }
      yield* tell(updatedResource, { uri: "box://a" })
      yield* atLeast(seen, 4)
      yield* tell(changedTools)
      assert.deepStrictEqual(yield* atLeast(seen, 5), [tools, prompts, resources, updated("box://a"), tools])
    })
  )

  it.effect("gives what is watched and nothing else, and of a burst each thing once", () =>
    Effect.gen(function* () {
      const { session, tell } = yield* play(part)
      const changes = yield* session.watch({ prompts: true, uris: ["box://a"] })
      const probe = yield* reading(yield* session.watch({ resources: true }))
      for (let times = 0; times < 100; times++) {
        yield* tell(updatedResource, { uri: "box://a" })
        yield* tell(changedPrompts)
      }
      yield* tell(changedTools)
      yield* tell(updatedResource, { uri: "box://b" })
      yield* tell(changedResources)
      assert.deepStrictEqual(yield* atLeast(probe, 1), [resources])
      const seen = yield* reading(changes)
      yield* tell(changedPrompts)
      assert.deepStrictEqual(yield* atLeast(seen, 3), [updated("box://a"), prompts, prompts])
    })
  )

  it.effect("SUB-12: hears of what lies below an address, and not of what only begins like it", () =>
    Effect.gen(function* () {
      const { session, tell } = yield* play(part)
      const seen = yield* reading(yield* session.watch({ uris: ["box://hall", "box://dir/"] }))
      for (const uri of ["box://hallway", "box://hall/row/4", "box://dir", "box://dir/x", "box://hall"]) {
        yield* tell(updatedResource, { uri })
      }
      assert.deepStrictEqual(
        (yield* atLeast(seen, 3)).map((change) => fact(change as object, "uri")),
        ["box://hall/row/4", "box://dir/x", "box://hall"]
      )
    })
  )

  it.effect("A47: refuses what the server does not tell of, and a template, before the wire", () =>
    Effect.gen(function* () {
      const { sent, session } = yield* play({
        ...part,
        capabilities: { tools: {}, prompts: { listChanged: true }, resources: { listChanged: false } }
      })
      const full = yield* play(part)
      const before = sent.events.length + full.sent.events.length
      for (const [one, watched, what] of [
        [session, { tools: true, prompts: true }, "tools.listChanged"],
        [session, { resources: true }, "resources.listChanged"],
        [session, { uris: ["box://a"] }, "resources.subscribe"],
        [full.session, { uris: ["box://{hall}/row"] }, "template"]
      ] as const) {
        const reason = yield* reasonOf(Effect.scoped(one.watch(watched)))
        assert.strictEqual(reason._tag, "NotOffered")
        assert.include(reason.message, what)
      }
      assert.strictEqual(sent.events.length + full.sent.events.length, before)
      assert.strictEqual(session.counters().watching, 0)
    })
  )

  it.effect("A65: is one subscription for all who watch, and ends with the last who does", () =>
    Effect.gen(function* () {
      const played = yield* play(part)
      const { heard, of, sent, session, tell, voices } = played
      const [first, second] = [yield* Scope.make(), yield* Scope.make()]
      const one = yield* reading(yield* Scope.provide(session.watch({ tools: true, uris: ["box://a"] }), first))
      const other = yield* reading(yield* Scope.provide(session.watch({ uris: ["box://a", "box://b"] }), second))
      yield* tell(updatedResource, { uri: "box://a" })
      assert.deepStrictEqual(yield* atLeast(one, 1), [updated("box://a")])
      assert.deepStrictEqual(yield* atLeast(other, 1), [updated("box://a")])
      assert.strictEqual(session.counters().watching, 2)
      if (native) {
        const union = { toolsListChanged: true, resourceSubscriptions: ["box://a", "box://b"] }
        assert.deepStrictEqual(asked(played), union)
        if (over === "pipe") {
          yield* heard("notifications/cancelled")
          const methods = sent.events.map(({ method }) => method)
          assert.isAbove(methods.indexOf("notifications/cancelled"), methods.lastIndexOf("subscriptions/listen"))
        }
      } else {
        assert.deepStrictEqual(uris(played, "resources/subscribe"), ["box://a", "box://b"])
      }

      yield* Scope.close(first, Exit.void)
      if (native) {
        yield* heard("subscriptions/listen", 3)
        assert.deepStrictEqual(asked(played), { resourceSubscriptions: ["box://a", "box://b"] })
      }
      yield* tell(updatedResource, { uri: "box://b" })
      assert.deepStrictEqual(yield* atLeast(other, 2), [updated("box://a"), updated("box://b")])
      assert.deepStrictEqual(of("resources/unsubscribe"), [])

      yield* Scope.close(second, Exit.void)
      if (native) {
        if (over === "pipe") yield* heard("notifications/cancelled", 3)
        else yield* Effect.promise(() => quiet(voices))
        assert.strictEqual(of("subscriptions/listen").length, 3)
      } else {
        yield* heard("resources/unsubscribe", 2)
        assert.sameMembers([...uris(played, "resources/unsubscribe")], ["box://a", "box://b"])
      }
      assert.strictEqual(session.counters().watching, 0)
    })
  )

  it.effect("B088: fails where the server refuses, asks no more, and may be tried again", () =>
    Effect.gen(function* () {
      let refusing = true
      const refusal = ({ id }: { readonly id: unknown }) =>
        refusing ? rpcError(id, -32603, "the house is full") : undefined
      const { of, session, tell } = yield* play({
        ...part,
        refusal,
        answer: (message) => refusal(message) ?? result(message.id, {})
      })
      assert.include((yield* reasonOf(session.watch({ uris: ["box://a"] }))).message, "the house is full")
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(of(native ? "subscriptions/listen" : "resources/subscribe").length, 1)
      assert.strictEqual(session.counters().watching, 0)
      refusing = false
      const seen = yield* reading(yield* session.watch({ uris: ["box://a"] }))
      yield* tell(updatedResource, { uri: "box://a" })
      assert.deepStrictEqual(yield* atLeast(seen, 1), [updated("box://a")])
    })
  )

  it.effect("ends its streams with their scope or the session, after what they have not given yet", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { session, tell } = yield* Scope.provide(play(part), scope)
      const changes = yield* Scope.provide(session.watch({ tools: true }), scope)
      const probe = yield* reading(yield* session.watch({ tools: true }))
      yield* tell(changedTools)
      yield* atLeast(probe, 1)
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(yield* atLeast(probe, 2), [tools, "end"])
      const seen = yield* reading(changes)
      assert.deepStrictEqual(yield* atLeast(seen, 2), [tools, "end"])
    })
  )
})

/** Resolves when nobody listens any more. */
const quiet = async (voices: () => number): Promise<void> => {
  while (voices() > 0) await new Promise((resolve) => setImmediate(resolve))
}

describe("a native subscription", () => {
  const native = (over: "http" | "pipe", more: object = {}) => play({ era: "native", over, ...more })

  it.effect("SUB-03 B088: is not there before it is acknowledged, and times out", () =>
    Effect.gen(function* () {
      for (const over of ["http", "pipe"] as const) {
        const { heard, session } = yield* native(over, { honoured: () => undefined, settings: { timeout: 500 } })
        const watching = yield* Effect.forkChild(reasonOf(Effect.scoped(session.watch({ tools: true }))), {
          startImmediately: true
        })
        yield* heard("subscriptions/listen")
        yield* TestClock.adjust(499)
        assert.isUndefined(watching.pollUnsafe())
        yield* TestClock.adjust(1)
        assert.deepInclude(yield* Fiber.join(watching), { _tag: "TimedOut", method: "subscriptions/listen" })
      }
    })
  )

  it.effect("SUB-05: says in a warning what of the wish is not honoured, and watches the rest", () =>
    Effect.gen(function* () {
      const said: Array<string> = []
      const logger = Logger.layer([Logger.make(({ message }) => void said.push(String(message)))])
      const { session, tell } = yield* Effect.provide(
        native("http", { honoured: () => ({ toolsListChanged: true, resourceSubscriptions: ["box://b"] }) }),
        logger
      )
      const seen = yield* reading(yield* session.watch({ tools: true, prompts: true, uris: ["box://a", "box://b"] }))
      assert.match(said.join(), /does not tell of changes of prompts, uri:box:\/\/a$/)
      yield* tell(changedTools)
      assert.deepStrictEqual(yield* atLeast(seen, 1), [tools])
    })
  )

  it.effect("SUB-06: on a pipe hears what names it, whatever else is under way", () =>
    Effect.gen(function* () {
      const { heard, session, tell } = yield* native("pipe", { answer: () => undefined })
      const seen = yield* reading(yield* session.watch({ tools: true }))
      const notes: Array<unknown> = []
      const call = yield* session.open(ping)()
      yield* heard("tools/call")
      yield* tell(changedTools)
      assert.deepStrictEqual(yield* atLeast(seen, 1), [tools])
      yield* call.cancel
      yield* Stream.runForEach(call.notifications, (note) => Effect.sync(() => notes.push(note)))
      assert.deepStrictEqual(notes, [])
    })
  )

  it.effect("TIME-05: has no deadline of its own", () =>
    Effect.gen(function* () {
      const { of, session, tell } = yield* native("pipe", { settings: { timeout: 500, maxTotalTimeout: 1000 } })
      const seen = yield* reading(yield* session.watch({ tools: true }))
      yield* TestClock.adjust("1 hour")
      yield* tell(changedTools)
      assert.deepStrictEqual(yield* atLeast(seen, 1), [tools])
      assert.strictEqual(of("subscriptions/listen").length, 1)
    })
  )
})

describe("a compat server", () => {
  it.effect("A36: is not believed where it tells of what it did not advertise", () =>
    Effect.gen(function* () {
      for (const over of ["http", "pipe"] as const) {
        const capabilities = { ...everything, tools: {} }
        const { of, session, tell } = yield* play({
          era: "compat",
          over,
          capabilities,
          answer: ({ id }) => result(id, { tools: [], ttlMs: 1_000_000 })
        })
        const seen = yield* reading(yield* session.watch({ prompts: true }))
        yield* session.listTools()
        yield* tell(changedTools)
        yield* tell(changedPrompts)
        assert.deepStrictEqual(yield* atLeast(seen, 1), [prompts])
        yield* session.listTools()
        assert.strictEqual(of("tools/list").length, 1)
      }
    })
  )
})
