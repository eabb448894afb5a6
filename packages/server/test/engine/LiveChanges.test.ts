/**
 * Who hears of a change, and how often.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { TestClock } from "effect/testing"
import { rawAsk, rawRequest, Recorder, type RawMessage } from "@treadle/testing"
import { Change, Live, Mcp, type LiveSettings, type Served } from "../../src/index.ts"
import { directPeer } from "../../src/McpDirect.ts"
import { empty, serving } from "../fixtures/calling.ts"
import { compatDoor, compatRequest, initialize } from "../fixtures/compatDoor.ts"
import { directRawPeer, eventMessages } from "../fixtures/rawPeers.ts"

const part = (said: string, name = "a"): Mcp<never> =>
  empty()
    .tool(name, { description: said }, async () => said)
    .prompt(name, { description: said }, async () => said)
    .resource({ uri: `x://${name}`, name }, async () => said)

const all = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }
const marker = "x://marker"

/** What came, without the envelope: `tools`, or the URI that was updated. */
const told = (messages: ReadonlyArray<RawMessage>): ReadonlyArray<string> =>
  messages.flatMap(({ method, params }) => {
    if (method === "notifications/resources/updated") return [params.uri]
    return /^notifications\/(\w+)\/list_changed$/.exec(method)?.slice(1) ?? []
  })

/** A listener in one of the ways there are, and what it was told before the marker. */
interface Ear {
  readonly name: string
  readonly heard: Effect.Effect<ReadonlyArray<string>>
}

const ear = (name: string, seen: Recorder<RawMessage>): Ear => ({
  name,
  heard: Effect.map(
    Effect.promise(() => seen.first((message) => message["params"]?.uri === marker)),
    () => told(seen.events).slice(0, -1)
  )
})

const nativeEar = (served: Served, name: string, notifications: object) =>
  Effect.map(
    directRawPeer(directPeer(served, {})).send(
      rawRequest("ear", "subscriptions/listen", {
        notifications: { resourceSubscriptions: [marker], ...notifications }
      })
    ),
    ({ seen }) => ear(name, seen)
  )

/** A session of a pipe hears on the pipe. */
const pipeEar = (served: Served, name: string, uris: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const peer = directRawPeer(directPeer(served, {}))
    const { answer, seen } = yield* peer.send(initialize())
    yield* answer
    for (const uri of [marker, ...uris]) yield* rawAsk(peer, compatRequest(uri, "resources/subscribe", { uri }))
    return ear(name, seen)
  })

const readEvents = async (response: Response, seen: Recorder<RawMessage>) => {
  const decoder = new TextDecoder()
  for await (const bytes of response.body ?? []) {
    for (const message of eventMessages(decoder.decode(bytes))) seen.record(message)
  }
}

type Door = Effect.Success<ReturnType<typeof compatDoor>>

/** A session over HTTP hears on one of its streams. */
const streamEar = ({ open, respond, send }: Door, name: string, streams: number) =>
  Effect.gen(function* () {
    const session = yield* open()
    yield* send(compatRequest(1, "resources/subscribe", { uri: marker }), { session })
    const seen = new Recorder<RawMessage>()
    const begin = Effect.promise(async () => {
      void readEvents(await respond(undefined, { verb: "GET", session }), seen)
    })
    for (let count = 0; count < streams; count++) yield* begin
    return { ...ear(name, seen), begin }
  })

/** Tells of the marker and waits until nobody has anything more to hear. */
const finish = (served: Served) =>
  Effect.andThen(served.live.changed(Change.resource(marker)), TestClock.adjust("50 millis"))

describe("who listens", () => {
  it.effect("TOOL-04 SUB-02 SUB-07 CHTTP-10: hears once of however many changes fall into 50 ms, in both eras", () =>
    Effect.gen(function* () {
      const door = yield* compatDoor(part("old"))
      const { served } = door
      const [one, two, none, pipe] = [
        yield* nativeEar(served, "everything", { ...all, resourceSubscriptions: [marker, "x://a", "x://c"] }),
        yield* nativeEar(served, "prompts only", { promptsListChanged: true }),
        yield* nativeEar(served, "nothing", {}),
        yield* pipeEar(served, "a pipe", ["x://a"])
      ]
      const streams = yield* streamEar(door, "two streams", 2)
      const later = yield* streamEar(door, "no stream yet", 0)
      for (let round = 0; round < 5; round++) {
        yield* served.live.replace(part(`new ${round}`))
        yield* served.live.add(part("more", `b${round}`))
        yield* TestClock.adjust("9 millis")
      }
      yield* served.live.remove({ tools: ["a"] })
      yield* TestClock.adjust("5 millis")
      yield* served.live.add(empty().tool("c", { description: "Tested" }, async () => ""))
      yield* TestClock.adjust("50 millis")
      yield* finish(served)
      yield* later.begin
      const lists = ["tools", "prompts", "resources"]
      assert.deepStrictEqual(yield* one.heard, [...lists, "x://a", "tools"])
      assert.deepStrictEqual(yield* two.heard, ["prompts"])
      assert.deepStrictEqual(yield* none.heard, [])
      assert.deepStrictEqual(yield* pipe.heard, [...lists, "x://a", "tools"])
      assert.deepStrictEqual(yield* streams.heard, [...lists, "tools"])
      assert.deepStrictEqual(yield* later.heard, lists)
    })
  )

  it.effect("SUB-12 RES-13: is told to read again what was replaced, removed or added, where it watches that", () =>
    Effect.gen(function* () {
      const { served } = yield* serving(part("old").add(part("old", "b")), {})
      const one = yield* nativeEar(served, "watching", { resourceSubscriptions: [marker, "x://a", "x://b", "x://c"] })
      yield* served.live.replace(part("new"))
      yield* served.live.remove({ resources: ["x://b"] })
      yield* served.live.add(part("new", "c"))
      yield* finish(served)
      assert.deepStrictEqual(yield* one.heard, ["x://a", "x://b", "x://c"])
    })
  )

  it.effect("hears of a part that is given once more, because what it stands on may be another", () =>
    Effect.gen(function* () {
      const { served } = yield* serving(part("old"), {})
      const one = yield* nativeEar(served, "tools", { toolsListChanged: true })
      const tool = empty().tool("t", { description: "Tested" }, async () => "")
      yield* served.live.add(tool)
      yield* TestClock.adjust("50 millis")
      yield* served.live.replace(tool)
      yield* finish(served)
      assert.deepStrictEqual(yield* one.heard, ["tools", "tools"])
    })
  )

  it.effect("hears nothing of what failed, what was not there, and what has nothing in it", () =>
    Effect.gen(function* () {
      const { served } = yield* serving(part("old"), {})
      const one = yield* nativeEar(served, "everything", { ...all, resourceSubscriptions: [marker, "x://a"] })
      yield* Effect.flip(served.live.add(part("new")))
      yield* served.live.remove({ tools: ["never"], resources: ["x://never"] })
      yield* served.live.remove({})
      yield* served.live.add(empty())
      yield* served.live.replace(empty())
      yield* finish(served)
      assert.deepStrictEqual(yield* one.heard, [])
    })
  )

  for (const [live, heard] of [
    [{}, ["tools", "prompts", "resources", "x://a"]],
    [{ tools: false }, ["prompts", "resources", "x://a"]],
    [{ prompts: false, resources: false }, ["tools", "x://a"]],
    [{ subscriptions: false }, ["tools", "prompts", "resources"]]
  ] satisfies ReadonlyArray<readonly [LiveSettings, ReadonlyArray<string>]>) {
    it.effect(`D8: hears only what it was told that it may hear: live ${JSON.stringify(live)}`, () =>
      Effect.gen(function* () {
        const mcp = Mcp.make({ name: "suite", version: "1.0.0", live }).add(part("x"))
        const { served } = yield* serving(mcp, {})
        const peer = directRawPeer(directPeer(served, {}))
        const { seen } = yield* peer.send(
          rawRequest(1, "subscriptions/listen", { notifications: { ...all, resourceSubscriptions: ["x://a"] } })
        )
        const pipe = yield* directRawPeer(directPeer(served, {})).send(initialize())
        for (const change of [Change.tools, Change.prompts, Change.resources, Change.resource("x://a")]) {
          yield* served.live.changed(change)
        }
        yield* TestClock.adjust("50 millis")
        assert.deepStrictEqual(told(seen.events), heard)
        assert.deepStrictEqual(
          told(pipe.seen.events),
          heard.filter((one) => one !== "x://a")
        )
      })
    )
  }

  it.effect(
    "D1: cannot be made by a layer while it is built, which is said; one that it forks waits for its turn",
    () =>
      Effect.gen(function* () {
        const tool = (name: string) => empty().tool(name, { description: "Tested" }, async () => name)
        const extra = tool("extra")
        const hasty = Layer.effectDiscard(Effect.orDie(Live.add(extra))) as Layer.Layer<never>
        const patient = Layer.effectDiscard(Effect.forkScoped(Effect.orDie(Live.add(extra)))) as Layer.Layer<never>
        const { list, served } = yield* serving(tool("t"), {})
        const added = yield* Effect.exit(served.live.add(tool("a").provide(hasty)))
        assert.include(String(added), "A layer cannot change what is served while it is built")
        yield* served.live.add(tool("b").provide(patient))
        const names = Effect.map(list, (tools) => tools.map(({ name }) => name))
        const all = yield* Effect.repeat(Effect.andThen(Effect.yieldNow, names), {
          until: ({ length }) => length === 3
        })
        assert.deepStrictEqual(all, ["t", "b", "extra"])
      })
  )
})
