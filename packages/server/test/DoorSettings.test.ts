/**
 * Settings of other doors, as plain JavaScript and shared objects give them: what a door does not read, it refuses, with
 * the place where it belongs.
 */
import { assert, describe, it } from "@effect/vitest"
import { linePair } from "@treadle/protocol/framing"
import { namesOf } from "@treadle/protocol/json"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpRoutes, type RoutesOptions } from "../src/http-api/index.ts"
import { McpRouter, type RouterOptions } from "../src/http-router/index.ts"
import { McpHttp, type HttpSettings, type SseSettings } from "../src/http.ts"
import { Mcp, McpBuildErrors, McpMemory, type ServedSettings } from "../src/index.ts"
import { McpNode, type ListenSettings } from "../src/node/index.ts"
import { empty } from "./fixtures/calling.ts"

const ofServed = { limits: true, onDefect: true, sessions: true, stateKeys: true } as const
const ofHttp = { ...ofServed, hosts: true, origins: true, cors: true, replies: true, auth: true } as const
const ofApplications = { ...ofHttp, principal: true, request: true } as const

/** The settings that the types of doors have. */
const served = namesOf<ServedSettings>(ofServed)
const http = namesOf<HttpSettings>(ofHttp)
const sse = namesOf<SseSettings & HttpSettings>({ ...ofHttp, messages: true })
const listen = namesOf<ListenSettings>({ ...ofHttp, port: true, host: true, path: true, tls: true })
const router = namesOf<RouterOptions<never, never>>({ ...ofApplications, path: true })
const paths = { prefix: true, mcp: true, openapi: true, docs: true } as const
const routes = namesOf<RoutesOptions<never, never>>({ ...ofApplications, ...paths })
const all = [...new Set([served, http, sse, listen, router, routes].flat())]

type Open = (settings: never) => unknown

const run = <E>(door: Effect.Effect<unknown, E, Scope.Scope>) => Effect.runPromise(Effect.scoped(door))
const inRouter = <E>(door: Effect.Effect<unknown, E, Scope.Scope | HttpRouter.HttpRouter>) =>
  run(Effect.provide(door, Layer.fresh(HttpRouter.layer)))

const doors: ReadonlyArray<readonly [door: string, open: Open, names: ReadonlyArray<string>]> = [
  ["Mcp.served", (settings) => run(Mcp.served(empty(), settings)), served],
  ["McpMemory.serve", (settings) => run(McpMemory.serve(empty(), linePair()[0], {}, settings)), served],
  ["McpNode.stdio", (settings) => McpNode.stdio(empty(), {}, settings), served],
  ["McpHttp.fetch", (settings) => McpHttp.fetch(empty(), settings), http],
  ["McpNode.handler", (settings) => McpNode.handler(empty(), settings), http],
  ["McpNode.scoped", (settings) => run(McpNode.scoped(empty(), settings)), http],
  ["McpHttp.sse", (settings) => McpHttp.sse(empty(), settings), sse],
  ["McpNode.sse", (settings) => McpNode.sse(empty(), settings), sse],
  ["McpNode.listen", (settings) => McpNode.listen(empty(), settings), listen],
  ["McpRouter.scoped", (settings) => inRouter(McpRouter.scoped(empty(), settings)), router],
  ["HttpRoutes.fetch", (settings) => HttpRoutes.fetch(empty(), settings), routes]
]

/** Each setting that a door complains of, with why; the last reason where it has several. */
const faults = async (open: Open, settings: object): Promise<ReadonlyMap<string, string>> => {
  try {
    await open(settings as never)
  } catch (error) {
    assert.instanceOf(error, McpBuildErrors)
    return new Map(
      error.errors.flatMap((one) => (one._tag === "InvalidSetting" ? [[one.setting, one.why] as const] : []))
    )
  }
  return new Map()
}

const cures: ReadonlyArray<readonly [setting: string, door: Open, place: string]> = [
  ["tls", (settings) => McpNode.handler(empty(), settings), "it is a setting of McpNode.listen"],
  ["auth", (settings) => McpNode.stdio(empty(), {}, settings), "the doors over HTTP, such as McpNode.handler"],
  ["path", (settings) => McpHttp.fetch(empty(), settings), "it is a setting of McpNode.listen and McpRouter"],
  ["path", (settings) => HttpRoutes.fetch(empty(), settings), "HttpRoutes has mcp for it"],
  ["principal", (settings) => McpNode.listen(empty(), settings), "give Mcp.make a principal"],
  ["messages", (settings) => McpNode.handler(empty(), settings), "it is a setting of McpNode.sse and McpHttp.sse"],
  ["docs", (settings) => McpNode.listen(empty(), settings), "it is a setting of HttpRoutes"],
  ["tls", (settings) => inRouter(HttpRoutes.scoped(empty(), settings)), "it is a setting of McpNode.listen"]
]

describe("a setting of another door", () => {
  for (const [door, open, names] of doors) {
    it(`is refused by ${door}, which reads those of its type`, async () => {
      // But for a prefix, no setting has this value, so each one that is read is told of as well.
      const found = await faults(open, { ...Object.fromEntries(all.map((name) => [name, " "])), prefix: "/api" })
      assert.includeMembers(
        [...found.keys()],
        all.filter((name) => name !== "prefix")
      )
      const unread = all.filter((name) => found.get(name)?.startsWith("this door does not read it; "))
      assert.sameMembers(
        unread,
        all.filter((name) => !names.includes(name))
      )
    })
  }

  for (const [setting, open, place] of cures) {
    it(`is refused with the place where it belongs: ${setting}: ${place}`, async () => {
      const found = await faults(open, { [setting]: "/x" })
      assert.deepStrictEqual([...found.keys()], [setting])
      assert.include(found.get(setting) ?? "", place)
    })
  }

  it("is none where it has no value", async () => {
    const settings = { tls: undefined, port: undefined } as object
    assert.strictEqual((await faults((given) => McpHttp.fetch(empty(), given), settings)).size, 0)
  })
})
