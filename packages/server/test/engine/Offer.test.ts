/**
 * What becomes of calls that run while their entry goes, and how long layers live.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import { rawAsk, rawRequest } from "@treadle/testing"
import { empty, serving } from "../fixtures/calling.ts"

class Db extends Context.Service<Db, string>()("test/Db") {}

/** Layers that say when they are made and released. */
const databases = () => {
  const events: Array<string> = []
  const layer = (name: string) =>
    Layer.effect(
      Db,
      Effect.acquireRelease(
        Effect.sync(() => {
          events.push(`made ${name}`)
          return name
        }),
        () => Effect.sync(() => events.push(`released ${name}`))
      )
    )
  return { events, layer }
}

const entry = empty().resource({ uri: "x://entry", name: "entry" }, async () => "")

const started = empty()
  .tool("t", { description: "Tested" }, async () => "")
  .prompt("p", { description: "Tested", arguments: { v: Schema.String }, complete: { v: () => [] } }, async () => "")
  .resource({ uri: "x://r", name: "r" }, async () => "")

/** Parts whose one entry waits at a gate with its database, and what runs it. */
const waiting = (gate: Deferred.Deferred<void>) => {
  const wait = () => Effect.andThen(Deferred.await(gate), Db)
  const argument = { name: "v", value: "" }
  const args = { v: Schema.String }
  return [
    ["tools/call", { name: "w" }, { tools: ["w"] }, empty().tool("w", { description: "Tested" }, wait)],
    ["prompts/get", { name: "w" }, { prompts: ["w"] }, empty().prompt("w", { description: "Tested" }, wait)],
    ["resources/read", { uri: "x://w" }, { resources: ["x://w"] }, empty().resource({ uri: "x://w", name: "w" }, wait)],
    [
      "resources/read",
      { uri: "y://1" },
      { templates: ["y://{id}"] },
      empty().template({ uriTemplate: "y://{id}", name: "w" }, wait)
    ],
    [
      "completion/complete",
      { ref: { type: "ref/prompt", name: "w" }, argument },
      { prompts: ["w"] },
      empty().prompt(
        "w",
        { description: "Tested", arguments: args, complete: { v: () => Effect.map(wait(), (db) => [db]) } },
        async () => ""
      )
    ]
  ] as const
}

const methods = ["tools/call", "prompts/get", "resources/read", "resources/read of a template", "completion/complete"]

describe("a call that runs", () => {
  for (const [at, name] of methods.entries()) {
    it.effect(`finishes with what it began with after its entry is gone, and then that is released: ${name}`, () =>
      Effect.gen(function* () {
        const gate = yield* Deferred.make<void>()
        const { events, layer } = databases()
        const { peer, served } = yield* serving(started, {})
        const [method, params, names, mcp] = waiting(gate)[at] ?? assert.fail("no such method")
        yield* served.live.add(mcp.provide(layer("db")))
        const calls = yield* Effect.forEach([1, 2], (id) => peer.send(rawRequest(id, method, params)))
        const removed = yield* served.live.remove(names)
        assert.deepStrictEqual({ ...removed, ...names }, removed)
        assert.deepStrictEqual(events, ["made db"])
        yield* Deferred.succeed(gate, undefined)
        for (const { answer } of calls) assert.include(JSON.stringify((yield* answer)["result"]), '"db"')
        assert.deepStrictEqual(events, ["made db", "released db"])
        assert.isDefined((yield* rawAsk(peer, rawRequest(3, method, params)))["error"])
      })
    )
  }

  it.effect("is released by its end, whatever that is: a defect, a cancellation, its first tick", () =>
    Effect.gen(function* () {
      const { events, layer } = databases()
      const { peer, served } = yield* serving(started, {})
      const wait = empty()
        .tool("die", { description: "Tested" }, () => Effect.andThen(Effect.yieldNow, Effect.die("x")))
        .tool("wait", { description: "Tested" }, () => Effect.andThen(Effect.asVoid(Db), Effect.never))
        .tool("now", { description: "Tested" }, () => Effect.asVoid(Db))
      yield* served.live.add(wait.provide(layer("db")))
      const call = (name: string) => peer.send(rawRequest(name, "tools/call", { name }))
      yield* Effect.flatMap(call("die"), ({ answer }) => answer)
      yield* Effect.flatMap(call("now"), ({ answer }) => answer)
      const { cancel } = yield* call("wait")
      yield* served.live.remove({ tools: ["wait", "now", "die"] })
      assert.deepStrictEqual(events, ["made db"])
      yield* cancel
      yield* Effect.yieldNow
      assert.deepStrictEqual(events, ["made db", "released db"])
    })
  )

  it.effect("may replace its own tool, and answers for itself", () =>
    Effect.gen(function* () {
      const { events, layer } = databases()
      const next = empty().tool("self", { description: "new" }, async () => "new")
      const { result, served } = yield* serving(started, {})
      yield* served.live.add(
        empty()
          .tool(
            "self",
            { description: "old" },
            () => Effect.andThen(served.live.replace(next), Db) as Effect.Effect<string>
          )
          .provide(layer("db"))
      )
      assert.deepStrictEqual((yield* result("self")).content[0].text, "db")
      assert.deepStrictEqual(events, ["made db", "released db"])
      assert.deepStrictEqual((yield* result("self")).content[0].text, "new")
    })
  )
})

const using = (name: string) =>
  empty().tool(name, { description: "Tested" }, () => Effect.map(Db, (db) => `${name} ${db}`))

describe("a layer", () => {
  it.effect("lives as long as one of the entries that it was provided to, and is made once for all of them", () =>
    Effect.gen(function* () {
      const { events, layer } = databases()
      const shared = layer("shared")
      const { result, served } = yield* serving(started.add(using("a").provide(shared)), {})
      yield* served.live.add(
        using("b")
          .add(using("c"))
          .provide(shared)
          .add(using("d").provide(layer("own")))
      )
      assert.deepStrictEqual(events, ["made shared", "made own"])
      yield* served.live.remove({ tools: ["a", "b", "d"] })
      assert.deepStrictEqual(events, ["made shared", "made own", "released own"])
      assert.strictEqual((yield* result("c")).content[0].text, "c shared")
      yield* served.live.remove({ tools: ["c"] })
      assert.deepStrictEqual(events.slice(-2), ["released own", "released shared"])
      yield* served.live.add(using("a").provide(shared))
      assert.strictEqual(events.at(-1), "made shared")
    })
  )

  it.effect("is released, and nothing else happens, where another one of the same change dies", () =>
    Effect.gen(function* () {
      const { events, layer } = databases()
      const { list, served } = yield* serving(started, {})
      const broken = using("b").provide(Layer.effect(Db, Effect.die(new Error("no database"))))
      const exit = yield* Effect.exit(served.live.add(using("a").provide(layer("db")).add(broken)))
      assert.isTrue(Exit.isFailure(exit))
      assert.deepStrictEqual(events, ["made db", "released db"])
      assert.lengthOf(yield* list, 1)
      yield* served.live.add(using("a").provide(layer("db")))
      assert.lengthOf(yield* list, 2)
    })
  )

  it.effect("that takes its time lets later changes wait their turn; one that is given up does not", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<string>()
      const { result, served } = yield* serving(started, {})
      const add = (layer: Layer.Layer<Db>) =>
        Effect.forkChild(served.live.replace(using("a").provide(layer)), { startImmediately: true })
      const stuck = yield* add(Layer.effect(Db, Effect.never))
      const slow = yield* add(Layer.effect(Db, Deferred.await(gate)))
      const quick = yield* add(Layer.succeed(Db, "quick"))
      yield* Fiber.interrupt(stuck)
      yield* Deferred.succeed(gate, "slow")
      yield* Fiber.join(quick)
      assert.isTrue(Exit.isSuccess(yield* Fiber.await(slow)))
      assert.strictEqual((yield* result("a")).content[0].text, "a quick")
    })
  )

  it.effect("outlives the calls that run while the server stops, and ends with it; then nothing changes any more", () =>
    Effect.gen(function* () {
      const { events, layer } = databases()
      const scope = yield* Scope.make()
      const gate = yield* Deferred.make<void>()
      const { peer, served } = yield* Scope.provide(serving(started, {}), scope)
      const wait = empty().tool("wait", { description: "Tested" }, () =>
        Effect.andThen(
          Deferred.await(gate),
          Effect.andThen(
            Effect.sync(() => events.push("ran")),
            Effect.asVoid(Db)
          )
        )
      )
      yield* served.live.add(wait.provide(layer("db")))
      const { answer } = yield* peer.send(rawRequest(1, "tools/call", { name: "wait" }))
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
      yield* Deferred.succeed(gate, undefined)
      assert.isDefined((yield* answer)["result"])
      yield* Fiber.join(closing)
      assert.deepStrictEqual(events, ["made db", "ran", "released db"])
      const late = yield* Effect.exit(served.live.add(using("late").provide(layer("late"))))
      assert.isTrue(Exit.isFailure(late))
      assert.lengthOf(events, 3)
    })
  )
})

const isScope = (key: unknown): key is Scope.Scope => typeof key === "object" && key !== null && "state" in key

/** How many finalizers a scope has, with those of the scopes in it. */
const finalizers = ({ state }: Scope.Scope): number => {
  if (state._tag !== "Open") return 0
  const keys: ReadonlyArray<unknown> =
    state.finalizers === undefined ? [state.finalizerKey] : [...state.finalizers.keys()]
  return keys.reduce<number>((sum, key) => sum + 1 + (isScope(key) ? finalizers(key) : 0), 0)
}

describe("ten thousand replacements", () => {
  it.effect("leave as much behind as one", () =>
    Effect.gen(function* () {
      const { events, layer } = databases()
      const scope = yield* Effect.scope
      const { list, served } = yield* serving(started, {})
      const shared = layer("shared")
      const [own, rest] = [using("a"), using("b").provide(shared).add(entry)]
      const replace = (at: number) => served.live.replace(own.provide(layer(`own ${at}`)).add(rest))
      yield* replace(0)
      const before = [finalizers(scope), (yield* list).length]
      for (let at = 1; at <= 10_000; at++) yield* replace(at)
      assert.deepStrictEqual([finalizers(scope), (yield* list).length], before)
      assert.deepStrictEqual(events.slice(-2), ["made own 10000", "released own 9999"])
      assert.lengthOf(events, 2 + 20_000)
    })
  )
})
