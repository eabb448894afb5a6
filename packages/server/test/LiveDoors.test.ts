/**
 * The handle at each door: promises at plain doors, before the first request too, and effects elsewhere.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import { linePair } from "@treadle/protocol/framing"
import { rawRequest, rawToolCall, type RawMessage } from "@treadle/testing"
import { McpHttp } from "../src/http.ts"
import { McpRouter } from "../src/http-router/index.ts"
import { Change, Live, Mcp, McpBuildErrors, McpMemory, type LiveHandle, type LiveService } from "../src/index.ts"
import { McpNode } from "../src/node/index.ts"
import { empty } from "./fixtures/calling.ts"
import { listening } from "./fixtures/cells.ts"
import { headersOf } from "./fixtures/rawPeers.ts"

const saying = (name: string, text: string): Mcp<never> => empty().tool(name, { description: text }, async () => text)
const start = saying("a", "old")

const request = (message: RawMessage, url = "http://localhost/mcp", headers: Record<string, string> = {}) =>
  new Request(url, { method: "POST", headers: { ...headersOf(message), ...headers }, body: JSON.stringify(message) })

const answer = async (response: Promise<Response>): Promise<RawMessage> => (await (await response).json()) as RawMessage

/** What the tools say that are listed, in their order. */
const listed = async (send: (one: Request) => Promise<Response>, url?: string): Promise<ReadonlyArray<string>> => {
  const { result } = await answer(send(request(rawRequest(1, "tools/list"), url)))
  return result.tools.map(({ description }: { readonly description: string }) => description)
}

/** What a change was refused with. */
const refusal = (change: Promise<unknown>): Effect.Effect<unknown> =>
  Effect.promise(() =>
    change.then(
      () => "done",
      (error: unknown) => error
    )
  )

/** The plain doors, each with how it is asked. */
const plainDoors = [
  [
    "McpNode.handler",
    Effect.gen(function* () {
      const door = McpNode.handler(start)
      const port = yield* listening((req, res) => door(req, res))
      return { live: door.live, close: door.close, list: () => listed(fetch, `http://127.0.0.1:${port}/mcp`) }
    })
  ],
  [
    "McpNode.listen",
    Effect.promise(async () => {
      const door = await McpNode.listen(start)
      return { live: door.live, close: door.close, list: () => listed(fetch, door.url) }
    })
  ],
  [
    "McpHttp.fetch",
    Effect.sync(() => {
      const door = McpHttp.fetch(start)
      return { live: door.live, close: door.close, list: () => listed(door) }
    })
  ]
] as const

describe.each(plainDoors)("%s", (_, opening) => {
  it.effect("takes changes before its first request and after it, in the order in which they were asked for", () =>
    Effect.gen(function* () {
      const { close, list, live } = yield* opening
      const changes = [
        live.add(saying("b", "first")),
        live.replace(saying("b", "second")),
        live.remove({ tools: ["a", "never"] }),
        live.replace(saying("b", "third"))
      ]
      const done = yield* Effect.promise(() => Promise.all(changes))
      const nothing = { tools: [], operations: [], prompts: [], resources: [], templates: [] }
      assert.deepStrictEqual(done, [undefined, undefined, { ...nothing, tools: ["a"] }, undefined])
      assert.deepStrictEqual(yield* Effect.promise(list), ["third"])
      yield* Effect.promise(() => live.add(saying("c", "more")))
      assert.deepStrictEqual(yield* Effect.promise(list), ["third", "more"])
      live.changed(Change.tools)
      yield* Effect.promise(close)
    })
  )

  it.effect("D1: rejects a change with every reason, and serves what it served", () =>
    Effect.gen(function* () {
      const { close, list, live } = yield* opening
      const change = saying("a", "x").tool("a b" as "ab", { description: "Tested" }, async () => "")
      const refused = yield* refusal(live.add(change))
      assert.instanceOf(refused, McpBuildErrors)
      assert.deepStrictEqual(
        refused.errors.map(({ _tag }) => _tag),
        ["InvalidToolName", "DuplicateTool"]
      )
      assert.deepStrictEqual(yield* Effect.promise(list), ["old"])
      yield* Effect.promise(close)
    })
  )

  it.effect("rejects changes after it was closed", () =>
    Effect.gen(function* () {
      const { close, live } = yield* opening
      live.changed(Change.tools)
      yield* Effect.promise(close)
      live.changed(Change.tools)
      const refused = yield* refusal(live.add(saying("b", "x")))
      assert.instanceOf(refused, Error)
      assert.strictEqual(refused.message, "suite was stopped, so what it serves cannot be changed any more")
    })
  )
})

describe("a handler", () => {
  it("of a plain door reaches the handle of the door that serves it", async () => {
    const growing = empty().tool("grow", { description: "grows" }, async () => {
      await door.live.replace(saying("grown", "grown"))
      return "grew"
    })
    const door = McpHttp.fetch(growing)
    const { result } = await answer(door(request(rawToolCall(1, "grow"))))
    assert.strictEqual(result.content[0].text, "grew")
    assert.deepStrictEqual(await listed(door), ["grows", "grown"])
    await door.close()
  })

  it("of a tool, a prompt, a resource and a template reaches the service", async () => {
    const grow = (name: string) => Effect.as(Effect.orDie(Live.add(saying(name, `by a ${name}`))), "grew")
    const mcp = empty()
      .prompt("p", { description: "Tested" }, () => grow("prompt"))
      .resource({ uri: "x://r", name: "r" }, () => grow("resource"))
      .template({ uriTemplate: "x://t/{id}", name: "t" }, () => grow("template"))
      .tool("grow", { description: "grows" }, () => grow("tool"))
    const door = McpHttp.fetch(mcp)
    for (const message of [
      rawRequest(1, "prompts/get", { name: "p" }),
      rawRequest(1, "resources/read", { uri: "x://r" }),
      rawRequest(1, "resources/read", { uri: "x://t/1" }),
      rawToolCall(1, "grow")
    ]) {
      const headers: Record<string, string> =
        message["params"].uri === undefined ? {} : { "mcp-name": message["params"].uri }
      assert.isDefined((await answer(door(request(message, undefined, headers))))["result"], JSON.stringify(message))
    }
    const names = ["prompt", "resource", "template", "tool"]
    assert.deepStrictEqual(await listed(door), ["grows", ...names.map((name) => `by a ${name}`)])
    await door.close()
  })
})

class User extends Context.Service<User, string>()("test/User") {}

const web = (layer: Layer.Layer<never, McpBuildErrors, HttpRouter.HttpRouter>) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() =>
        HttpRouter.toWebHandler(Layer.provide(layer, HttpServer.layerServices), { disableLogger: true })
      ),
      ({ dispose }) => Effect.promise(dispose)
    ),
    ({ handler }) =>
      (one: Request) =>
        handler(one)
  )

const users = {
  path: "/mcp",
  request: ({ headers }: { readonly headers: { readonly [name: string]: string | undefined } }) =>
    Effect.succeed(Context.make(User, headers["x-user"] ?? "nobody"))
} as const

const greeting = empty().tool("hello", { description: "hello" }, () => Effect.map(User, (user) => `Hello ${user}`))

describe("an Effect application", () => {
  it.effect("gives the handle of McpRouter.layer to what runs in the background", () =>
    Effect.gen(function* () {
      const plugged = yield* Deferred.make<void>()
      const routes = McpRouter.layer(greeting, users)
      const background = Layer.effectDiscard(
        Effect.forkScoped(Effect.andThen(Live.add(saying("plugin", "plugin")), Deferred.succeed(plugged, undefined)))
      )
      const send = yield* web(Layer.provideMerge(background, routes))
      yield* Effect.promise(() => listed(send))
      yield* Deferred.await(plugged)
      assert.deepStrictEqual(yield* Effect.promise(() => listed(send)), ["hello", "plugin"])
    })
  )

  it.effect("adds parts that need the services of a request through McpRouter.scoped", () =>
    Effect.gen(function* () {
      const handles: Array<LiveService<User, {}>> = []
      const routes = Layer.effectDiscard(
        Effect.map(McpRouter.scoped(greeting, users), ({ live }) => handles.push(live))
      )
      const send = yield* web(routes)
      yield* Effect.promise(() => listed(send))
      const bye = empty().tool("bye", { description: "bye" }, () => Effect.map(User, (user) => `Bye ${user}`))
      yield* Effect.forEach(handles, (live) => live.add(bye))
      const call = request(rawToolCall(1, "bye"), undefined, { "x-user": "Ada" })
      const { result } = yield* Effect.promise(() => answer(send(call)))
      assert.strictEqual(result.content[0].text, "Bye Ada")
    })
  )

  it.effect("has the handle of McpNode.scoped and of McpMemory.serve", () =>
    Effect.gen(function* () {
      const handler = yield* McpNode.scoped(start)
      const port = yield* listening((req, res) => handler(req, res))
      yield* handler.live.replace(saying("a", "new"))
      assert.deepStrictEqual(yield* Effect.promise(() => listed(fetch, `http://127.0.0.1:${port}/mcp`)), ["new"])
      const served = yield* McpMemory.serve(start, linePair()[0], {})
      yield* served.live.add(saying("b", "new"))
      assert.deepStrictEqual((yield* served.live.remove({ tools: ["b"] })).tools, ["b"])
    })
  )
})

it("the handle of a door takes parts that need less context than the door has", async () => {
  const door = McpHttp.fetch(
    Mcp.make<{ readonly user: string }>({ name: "suite", version: "1", live: { tools: true } })
  )
  const live: LiveHandle<{ readonly user: string }> = door.live
  await live.add(saying("a", "needs nothing"))
  const who = Mcp.make<{ readonly user: string }>({ name: "part", version: "1" })
  await live.add(who.tool("who", { description: "who" }, async (_, { context }) => context.user))
  const { result } = await answer(door(request(rawToolCall(1, "who")), { user: "ada" }))
  assert.strictEqual(result.content[0].text, "ada")
  await door.close()
})
