/** A client made of the api of routes: typed values both ways, declared errors as their classes, paths that stay. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpApiClient from "effect/http-api/HttpApiClient"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Endpoint, type Mcp } from "../../src/index.ts"
import { HttpRoutes, RouteProblem } from "../../src/http-api/index.ts"
import { empty } from "../fixtures/calling.ts"
import { endShow, getShow, kiosk, listShows, nameShow, saySomething, ShowNotFound, SoldOut } from "../fixtures/kiosk.ts"
import { handlerOf } from "../fixtures/routing.ts"

type Client = { readonly [name: string]: (request: object) => Effect.Effect<unknown, { readonly message: string }> }

/** A client, and the addresses that it asked for. */
const calling = (mcp: Mcp<never>) =>
  Effect.gen(function* () {
    const handler = yield* handlerOf(HttpRoutes.layer(mcp))
    const asked: Array<string> = []
    const fetch = ((input: RequestInfo, init?: RequestInit) => {
      const request = new Request(input, init)
      asked.push(`${request.method} ${request.url.slice("http://localhost".length)}`)
      return handler(request)
    }) as typeof globalThis.fetch
    const api = Result.getOrThrow(HttpRoutes.api(mcp))
    const client = yield* HttpApiClient.make(api, { baseUrl: "http://localhost" }).pipe(
      Effect.provide(FetchHttpClient.layer),
      (made) => made as Effect.Effect<unknown>
    )
    const call = (name: string, request: object = {}) =>
      Effect.provideService(
        Effect.suspend(() => (client as Client)[name]?.(request) ?? Effect.die(`no ${name}`)),
        FetchHttpClient.Fetch,
        fetch
      )
    return { asked, call }
  })

describe("a client of HttpRoutes.api", () => {
  it.effect("takes arguments where they travel, and gives values", () =>
    Effect.gen(function* () {
      const { asked, call } = yield* calling(kiosk)
      assert.deepStrictEqual(yield* call("get_show", { params: { id: 1 } }), { id: 1, title: "Early bill" })
      const query = { halls: [1, 2], limit: 3, open: true, search: "a&b" }
      assert.deepStrictEqual(yield* call("list_shows", { query }), [query])
      assert.deepStrictEqual(yield* call("list_shows", { query: {} }), [{}])
      assert.deepStrictEqual(yield* call("make_show", { payload: { title: "New" } }), { id: 10, title: "New" })
      assert.strictEqual(yield* call("name_show", { params: { id: 3 }, payload: { title: "Late" } }), "3 is Late")
      assert.isUndefined(yield* call("end_show", { params: { id: 3 } }))
      assert.deepStrictEqual(asked, [
        "GET /shows/1",
        "GET /shows?search=a%26b&limit=3&open=true&halls=1&halls=2",
        "GET /shows",
        "POST /shows",
        "PUT /shows/3",
        "DELETE /shows/3"
      ])
    })
  )

  it.effect("D5: fails with the classes of declared errors, and with a problem else", () =>
    Effect.gen(function* () {
      const { call } = yield* calling(kiosk)
      assert.instanceOf(yield* Effect.flip(call("get_show", { params: { id: 9 } })), ShowNotFound)
      assert.instanceOf(yield* Effect.flip(call("get_show", { params: { id: 2 } })), SoldOut)
      const no = yield* Effect.flip(call("say", { params: { what: "no" } }))
      assert.instanceOf(no, RouteProblem)
      assert.deepStrictEqual([no.status, no.detail, no.message], [422, "Not today.", "Not today."])
      const wrong = yield* Effect.flip(call("make_show", { payload: { title: "a", seats: "x" } }))
      assert(wrong instanceof RouteProblem)
      assert.deepStrictEqual([wrong.status, wrong.problems?.length], [400, 1])
    })
  )

  it.effect("sends path arguments in their own part of the path, and those that could not stay there never", () =>
    Effect.gen(function* () {
      const { asked, call } = yield* calling(kiosk)
      for (const what of ["a/b", "../x", "a?b#c", "%2F", "ü x", "a;b", "x".repeat(100)]) {
        assert.strictEqual(yield* call("say", { params: { what } }), `said ${what}`)
      }
      assert.isTrue(asked.every((one) => /^GET \/say\/[^/?#]+$/.test(one)))
      const before = asked.length
      for (const what of ["", ".", "..", "a\0b", "\ud800"]) {
        const error = yield* Effect.flip(call("say", { params: { what } }))
        assert.include(error.message, "path")
      }
      const half = yield* Effect.flip(call("list_shows", { query: { search: "\ud800" } }))
      assert.include(half.message, "holds half of a character, which no query can")
      assert.lengthOf(asked, before)
    })
  )

  it.effect("refuses an argument that makes the path of another operation", () =>
    Effect.gen(function* () {
      const newest = Endpoint.make("newest", { description: "Tested", http: "GET /bills/new" })
      const one = Endpoint.make("one", { description: "Tested", input: { id: Schema.String }, http: "GET /bills/:id" })
      const { call } = yield* calling(
        empty()
          .tool(newest, async () => "newest")
          .tool(one, async ({ id }) => id)
      )
      assert.strictEqual(yield* call("newest"), "newest")
      assert.strictEqual(yield* call("one", { params: { id: "newer" } }), "newer")
      const error = yield* Effect.flip(call("one", { params: { id: "New" } }))
      assert.include(error.message, "this path is that of another operation")
    })
  )

  it.effect("refuses an empty list that a query would not tell from none, and tells one that must be there", () =>
    Effect.gen(function* () {
      const all = Endpoint.make("all", {
        description: "Tested",
        input: { must: Schema.Array(Schema.Int), may: Schema.optionalKey(Schema.Array(Schema.Int)) },
        output: Schema.Json,
        http: "GET /all"
      })
      const { call } = yield* calling(empty().tool(all, async (input) => input as never))
      assert.deepStrictEqual(yield* call("all", { query: { must: [] } }), { must: [] })
      const error = yield* Effect.flip(call("all", { query: { must: [1], may: [] } }))
      assert.include(error.message, "leave it out")
    })
  )
})

describe("HttpRoutes.client", () => {
  const typed = Effect.gen(function* () {
    const handler = yield* handlerOf(HttpRoutes.layer(kiosk, { prefix: "/api" }))
    const settings = { baseUrl: "http://localhost", prefix: "/api" } as const
    const contracts = { listShows, getShow, nameShow, endShow, say: saySomething }
    const fetch = ((input: RequestInfo, init?: RequestInit) =>
      handler(new Request(input, init))) as typeof globalThis.fetch
    const client = yield* Effect.provide(HttpRoutes.client(contracts, settings), FetchHttpClient.layer)
    return { client, run: Effect.provideService(FetchHttpClient.Fetch, fetch) }
  })

  it.effect("takes arguments side by side, and gives what session.call gives", () =>
    Effect.gen(function* () {
      const { client, run } = yield* typed
      assert.strictEqual((yield* run(client.getShow({ id: 1 }))).title, "Early bill")
      assert.deepStrictEqual(yield* run(client.listShows({ limit: 2, halls: [7] })), [{ limit: 2, halls: [7] }])
      assert.deepStrictEqual(yield* run(client.listShows()), [{}])
      assert.strictEqual(yield* run(client.nameShow({ id: 3, title: "Late" })), "3 is Late")
      assert.strictEqual(yield* run(client.endShow({ id: 3 })), "")
      assert.strictEqual(yield* run(client.say({ what: "blocks" })), "one\ntwo")
    })
  )

  it.effect("fails with declared errors by their tags, and with problems", () =>
    Effect.gen(function* () {
      const { client, run } = yield* typed
      const missing = client.getShow({ id: 9 }).pipe(
        Effect.map(({ title }) => title),
        Effect.catchTag("ShowNotFound", ({ id }) => Effect.succeed(`no ${id}`))
      )
      assert.strictEqual(yield* run(missing), "no 9")
      const no = client
        .say({ what: "no" })
        .pipe(Effect.catchTag("RouteProblem", ({ detail }) => Effect.succeed(detail)))
      assert.strictEqual(yield* run(no), "Not today.")
    })
  )

  it.effect("D1: is not made of contracts without a route, or with one that cannot be served", () =>
    Effect.gen(function* () {
      const none = Endpoint.make("none", { description: "Tested" })
      const wrong = Endpoint.make("wrong", { description: "Tested", http: "get /" as string })
      const error = yield* Effect.flip(HttpRoutes.client({ none, wrong }, { baseUrl: "http://localhost" }))
      assert(error._tag === "McpBuildErrors")
      assert.match(error.message, /it has no route; give its contract one: http: "GET \/shows\/:id"/)
      assert.lengthOf(error.errors, 2)
    }).pipe(Effect.provide(FetchHttpClient.layer))
  )
})
