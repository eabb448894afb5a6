/** A service with bearer security, over plain HTTP and as tools of the same router. */
import { assert, describe, it } from "@effect/vitest"
import { McpClient } from "@treadle/client"
import { HttpApiTools } from "@treadle/server/http-api"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import { Show, ShowNotFound, SoldOut, Unauthorized } from "./api.ts"
import { title } from "./client.ts"
import { open } from "./plain.ts"
import { App, mcp, tools } from "./server.ts"
import { ApiLive } from "./service.ts"

const web = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => HttpRouter.toWebHandler(Layer.provide(App, HttpServer.layerServices), { disableLogger: true })),
    ({ dispose }) => Effect.promise(dispose)
  ),
  ({ handler }): typeof fetch =>
    (input, init) =>
      handler(new Request(input, init))
)

const ada = { authorization: "Bearer ada-s-token" }

const connected = (headers: Record<string, string>) =>
  Effect.flatMap(web, (fetch) => McpClient.http("http://localhost/mcp", { fetch, headers }))

describe("a service and its tools", () => {
  it.effect("answer a caller alike, with the api's own classes", () =>
    Effect.gen(function* () {
      const session = yield* connected(ada)
      assert.deepStrictEqual(
        yield* session.call(tools.contract.get_show)({ id: 1 }),
        new Show({ id: 1, title: "Early bill", left: 12 })
      )
      const late = yield* session.call(tools.contract.list_shows)({ search: "Late" })
      assert.deepStrictEqual(
        late.map(({ id }) => id),
        [2]
      )
      assert.deepStrictEqual(yield* session.call(tools.contract.book_seats)({ id: 1, guests: ["Grace"] }), {
        bookedBy: "Ada",
        guests: ["Grace"]
      })
      assert.deepStrictEqual(
        yield* Effect.flip(session.call(tools.contract.get_show)({ id: 9 })),
        new ShowNotFound({ id: 9 })
      )
      assert.deepStrictEqual(
        yield* Effect.flip(session.call(tools.contract.book_seats)({ id: 2, guests: ["A", "B", "C"] })),
        new SoldOut({ left: 2 })
      )
    })
  )

  it.effect("refuse a stranger alike, with the error of the middleware", () =>
    Effect.gen(function* () {
      const fetch = yield* web
      const response = yield* Effect.promise(() => fetch("http://localhost/shows/1"))
      assert.strictEqual(response.status, 401)
      const session = yield* McpClient.http("http://localhost/mcp", { fetch })
      assert.deepStrictEqual(yield* Effect.flip(session.call(tools.contract.get_show)({ id: 1 })), new Unauthorized())
    })
  )

  it.live("are also there on a door that knows nothing of the api, with the headers of the caller", () =>
    Effect.gen(function* () {
      const { url } = yield* Effect.acquireRelease(Effect.promise(open), (server) =>
        Effect.promise(() => server.close())
      )
      assert.strictEqual(yield* title(url, 2, "ada-s-token"), "Late bill")
      assert.strictEqual(yield* title(url, 9, "ada-s-token"), "There is no show 9")
      assert.strictEqual(yield* title(url, 2, "eve-s-token"), "Sign in first")
    })
  )

  it.effect("are also there without HTTP, where nobody is signed in", () =>
    Effect.gen(function* () {
      const session = yield* McpClient.direct(mcp.provide(HttpApiTools.layer(ApiLive)))
      assert.deepStrictEqual(yield* Effect.flip(session.call(tools.contract.list_shows)()), new Unauthorized())
    })
  )
})
