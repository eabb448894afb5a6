/**
 * Pages of other origins: which may call from a browser, and what they are told with every reply.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import { rawToolCall } from "@treadle/testing"
import { McpHttp } from "../../src/http.ts"
import { McpRouter, Refusal } from "../../src/http-router/index.ts"
import { McpNode, type HttpSettings } from "../../src/node/index.ts"
import { cellMcp, exchange, httpDoors, listening, type Fault, type Seen } from "../fixtures/cells.ts"
import { headersOf } from "../fixtures/rawPeers.ts"

const origin = "https://app.example"
const settings = { origins: [origin] }
const from = (page: string): Fault => ({ headers: { origin: page } })
const wanted =
  "authorization, content-type, mcp-protocol-version, mcp-session-id, mcp-method, mcp-name, mcp-param-region, last-event-id"
const preflight: Fault = {
  verb: "OPTIONS",
  headers: {
    origin,
    "access-control-request-method": "POST",
    "access-control-request-headers": wanted.replaceAll(" ", ""),
    "content-type": undefined,
    accept: undefined
  }
}

/** What a page is told. */
const told = ({ headers }: Pick<Seen, "headers">) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith("access-control-") || name === "vary"))

const plain = {
  "access-control-allow-origin": origin,
  "access-control-expose-headers": "mcp-session-id, mcp-protocol-version, www-authenticate",
  vary: "origin"
}
const asked = {
  "access-control-allow-origin": origin,
  "access-control-allow-methods": "POST, GET, DELETE",
  "access-control-allow-headers": wanted,
  "access-control-max-age": "7200",
  vary: "origin, access-control-request-method, access-control-request-headers"
}

describe.each(httpDoors)("a page of an origin that is served, over $name", ({ send }) => {
  it.effect("HTTP-22 B027: may ask before it sends, and every header that it names is allowed", () =>
    Effect.gen(function* () {
      const seen = yield* send(preflight, { settings })
      assert.deepStrictEqual([seen.status, seen.text, told(seen)], [204, "", asked])
    })
  )

  it.effect(
    "HTTP-22 B027: reads every reply: results, events, refusals, what is accepted, and the end of a session",
    () =>
      Effect.gen(function* () {
        const replies: ReadonlyArray<readonly [number, ...ReadonlyArray<Fault>]> = [
          [200],
          [200, { settings: { replies: "events" } }],
          [400, { text: () => "{" }],
          [400, { headers: { "mcp-method": "tools/list" } }],
          [
            404,
            {
              text: () => `{"jsonrpc":"2.0","id":1,"method":"ping"}`,
              headers: { "mcp-session-id": "gone", "mcp-protocol-version": "2025-11-25" }
            }
          ],
          [405, { verb: "PUT" }],
          [406, { headers: { accept: "image/png" } }],
          [202, { text: () => `{"jsonrpc":"2.0","method":"notifications/initialized"}`, session: true }],
          [204, { verb: "DELETE", session: true }],
          [503, { closed: true }]
        ]
        for (const [status, ...faults] of replies) {
          const door = Object.assign({}, settings, ...faults.map((fault) => fault.settings))
          const seen = yield* send(...faults, from(origin), { settings: door })
          assert.deepStrictEqual([seen.status, told(seen)], [status, plain])
        }
      })
  )

  it.effect("HTTP-02: that is not among them is refused, before it sends and when it does, and told nothing", () =>
    Effect.gen(function* () {
      for (const fault of [preflight, {}]) {
        const seen = yield* send(fault, from("https://evil.example"), { settings })
        assert.deepStrictEqual([seen.status, told(seen)], [403, {}])
      }
      const rebound = yield* send(preflight, { headers: { ...preflight.headers, host: "evil.example" }, settings })
      assert.deepStrictEqual([rebound.status, told(rebound)], [403, {}])
    })
  )

  it.effect("HTTP-22: is told nothing where no origin was listed, unless the setting says so", () =>
    Effect.gen(function* () {
      const local = "http://localhost:6274"
      const rows: ReadonlyArray<readonly [HttpSettings, string, string | undefined]> = [
        [{}, local, undefined],
        [{ cors: true }, local, local],
        [{ origins: "any" }, origin, undefined],
        [{ origins: "any", cors: true }, origin, origin],
        [{ origins: [origin], cors: false }, origin, undefined]
      ]
      for (const [settings, page, named] of rows) {
        const seen = yield* send(from(page), { settings })
        assert.deepStrictEqual([seen.status, told(seen)["access-control-allow-origin"]], [200, named])
        const before = yield* send(preflight, { headers: { ...preflight.headers, origin: page }, settings })
        assert.strictEqual(before.status, named === undefined ? 405 : 204)
      }
    })
  )

  it.effect("HTTP-22: is needed for any of it: a client that is no page is told nothing", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(told(yield* send({ settings })), {})
      const options = yield* send({ verb: "OPTIONS", settings, headers: { origin } })
      assert.deepStrictEqual([options.status, told(options)], [405, plain])
    })
  )

  it.effect("HTTP-22: cannot put into the reply what is no header's name", () =>
    Effect.gen(function* () {
      const names = "x-user, a b, =?, *, caf\u00e9,,"
      const seen = yield* send(preflight, {
        headers: { ...preflight.headers, "access-control-request-headers": names },
        settings
      })
      assert.strictEqual(told(seen)["access-control-allow-headers"], "x-user, *")
    })
  )

  it.effect("HTTP-19 CHTTP-08: a verb that is not served is answered with those that are", () =>
    Effect.gen(function* () {
      for (const [door, verbs, served] of [
        [{}, ["PUT"], "POST, GET, DELETE"],
        [{ sessions: "off" }, ["PUT", "GET", "DELETE"], "POST"]
      ] as const) {
        for (const verb of verbs) {
          const { headers, status } = yield* send({ verb, settings: door })
          assert.deepStrictEqual([status, headers["allow"]], [405, served])
        }
      }
      const seen = yield* send(preflight, { settings: { ...settings, sessions: "off" } })
      assert.strictEqual(told(seen)["access-control-allow-methods"], "POST")
    })
  )
})

describe("beside an application", () => {
  it.effect("B027: a page reads the refusal of a request, and asks before it is authorized", () =>
    Effect.gen(function* () {
      const layer = McpRouter.layer(cellMcp(), {
        path: "/mcp",
        origins: [origin],
        request: () => Effect.fail(new Refusal({ status: 401, challenge: "Bearer" }))
      })
      const { dispose, handler } = HttpRouter.toWebHandler(Layer.provide(layer, HttpServer.layerServices), {
        disableLogger: true
      })
      const ask = (method: string, headers: Record<string, string>) =>
        Effect.map(
          Effect.promise(() => handler(new Request("http://localhost/mcp", { method, headers }))),
          (response) => ({ status: response.status, headers: Object.fromEntries(response.headers) })
        )
      const before = yield* ask("OPTIONS", {
        origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": wanted
      })
      assert.deepStrictEqual([before.status, told(before)], [204, asked])
      const refused = yield* ask("POST", { origin })
      assert.deepStrictEqual([refused.status, told(refused)], [401, plain])
      assert.strictEqual(refused.headers["www-authenticate"], "Bearer")
      const stranger = yield* ask("POST", { origin: "https://evil.example" })
      assert.deepStrictEqual([stranger.status, told(stranger)], [401, {}])
      yield* Effect.promise(dispose)
    })
  )

  it.effect("HTTP-22: what it said already is kept where it may be, and never said twice", () =>
    Effect.gen(function* () {
      const door = McpNode.handler(cellMcp(), settings)
      const port = yield* listening((req, res) => {
        res.setHeader("vary", "accept-encoding")
        res.setHeader("access-control-allow-origin", origin)
        door(req, res)
      })
      const message = rawToolCall(1, "echo", { text: "x" })
      const headers = Object.entries({ ...headersOf(message), origin })
      const seen = yield* Effect.promise(() => exchange(port, "POST", headers, JSON.stringify(message)))
      assert.deepStrictEqual([seen.status, told(seen)], [200, { ...plain, vary: "accept-encoding, origin" }])
      yield* Effect.promise(() => door.close())
    })
  )

  it.effect("HTTP-22: a page reads the events of a session's stream", () =>
    Effect.gen(function* () {
      const door = McpHttp.fetch(cellMcp(), settings)
      const opened = yield* Effect.promise(() =>
        door(
          new Request("http://localhost/mcp", {
            method: "POST",
            headers: { "content-type": "application/json", accept: "application/json, text/event-stream", origin },
            body: `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"page","version":"1"}}}`
          })
        )
      )
      const session = opened.headers.get("mcp-session-id") ?? ""
      const stream = yield* Effect.promise(() =>
        door(
          new Request("http://localhost/mcp", {
            headers: { accept: "text/event-stream", origin, "mcp-session-id": session }
          })
        )
      )
      assert.deepStrictEqual([stream.status, told({ headers: Object.fromEntries(stream.headers) })], [200, plain])
      yield* Effect.promise(async () => stream.body?.cancel())
      yield* Effect.promise(() => door.close())
    })
  )
})
