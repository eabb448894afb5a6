/** The rules of a call hold for routes as they do for tools: who calls, what they may, how much, and for how long. */
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import * as Tracer from "effect/Tracer"
import * as TestClock from "effect/testing/TestClock"
import { heardSpans, rawToolCall } from "@treadle/testing"
import { CurrentCall, Endpoint, Live, Mcp, StaticBearer } from "../../src/index.ts"
import { HttpRoutes } from "../../src/http-api/index.ts"
import { Refusal } from "../../src/http-router/index.ts"
import { empty } from "../fixtures/calling.ts"
import { headersOf } from "../fixtures/rawPeers.ts"
import { asking, handlerOf, routing, told } from "../fixtures/routing.ts"
import { resource, tokens, unreachable } from "../fixtures/tokens.ts"

const at = <const H extends string>(name: string, http: H) =>
  Endpoint.make(name as "name", { description: "Tested", http: http as string })

const who = at("who", "GET /who")
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

const principal = Effect.map(CurrentCall.principal, (caller) => caller?.id ?? "nobody")

describe("the span of a route", () => {
  it.effect("is named after its operation, says nothing of MCP, and is the parent of what the handler does", () =>
    Effect.gen(function* () {
      const { named, spans, tracer } = heardSpans()
      const mcp = empty().tool(who, () => Effect.withSpan(Effect.succeed("ada"), "looking"))
      const routes = Layer.provide(HttpRoutes.layer(mcp), Layer.succeed(Tracer.Tracer, tracer))
      const ask = asking(yield* handlerOf(routes))
      assert.strictEqual((yield* ask("/who")).text, "ada")
      const span = named("who")
      assert.deepStrictEqual([span.kind, Object.fromEntries(span.attributes)], ["internal", {}])
      assert.strictEqual(Option.getOrUndefined(named("looking").parent)?.spanId, span.spanId)
      assert.isUndefined(spans.find(({ name }) => name.startsWith("tools/call")))
    })
  )
})

describe("who calls", () => {
  const mcp = empty().tool(who, () => principal)

  it.effect("is whom the token names where the door authenticates, before anything is read", () =>
    Effect.gen(function* () {
      const ask = yield* routing(mcp, { auth: tokens({ ada: [] }) })
      assert.strictEqual((yield* ask("/who", bearer("ada"))).text, "https://login.example#ADA")
      const stranger = yield* ask("/who")
      assert.deepStrictEqual([stranger.status, stranger.type], [401, "application/problem+json"])
      assert.include(stranger.headers.get("www-authenticate"), "resource_metadata=")
      assert.include((yield* ask("/who", bearer("eve"))).headers.get("www-authenticate"), "invalid_token")
      assert.strictEqual((yield* ask("/who?access_token=ada")).status, 400)
    })
  )

  it.effect("is told where to get a token, also where MCP is not served", () =>
    Effect.gen(function* () {
      const ask = yield* routing(mcp, { auth: tokens({ ada: [] }) })
      assert.strictEqual((yield* ask("/.well-known/oauth-protected-resource/mcp")).json.resource, resource)
    })
  )

  it.effect("is answered 503 where tokens cannot be verified, and whom the application names without auth", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* (yield* routing(mcp, { auth: unreachable }))("/who", bearer("ada"))).status, 503)
      const named = yield* routing(mcp, { principal: ({ headers }) => headers["x-user"] })
      assert.strictEqual((yield* named("/who", { headers: { "x-user": "ada" } })).text, "ada")
      assert.strictEqual((yield* named("/who")).text, "nobody")
      const own = Mcp.make({ name: "own", version: "1", principal: () => "own" }).tool(who, () => principal)
      assert.strictEqual((yield* (yield* routing(own))("/who")).text, "own")
    })
  )

  it.effect("AUTH-22: needs the scopes of the operation, whether it is a tool or not", () =>
    Effect.gen(function* () {
      const scoped = empty()
        .toolWith(who, { scopes: ["shows:read"] }, () => principal)
        .operation(at("end", "DELETE /who"), async () => undefined, { scopes: ["shows:end"] })
      const auth = StaticBearer.make({ tokens: { ada: "a-token-of-ada-0123456789" }, scopes: { ada: ["shows:read"] } })
      const ask = yield* routing(scoped, { auth })
      assert.strictEqual((yield* ask("/who", bearer("a-token-of-ada-0123456789"))).text, "ada")
      const refused = yield* ask("/who", { method: "DELETE", ...bearer("a-token-of-ada-0123456789") })
      assert.strictEqual(refused.status, 403)
      assert.include(refused.json.detail, 'The operation "end" needs the scopes shows:end; ')
      assert.include(refused.headers.get("www-authenticate"), 'scope="shows:end"')
    })
  )

  it.effect("does not find what is not visible, and is told of a defect where that cannot be said", () =>
    Effect.gen(function* () {
      const hidden = empty()
        .toolWith(who, { visible: () => false, scopes: ["a"] }, async () => "seen")
        .operation(at("broken", "GET /broken"), async () => "seen", {
          visible: () => {
            throw new Error("no")
          }
        })
      const ask = yield* routing(hidden)
      const unseen = yield* ask("/who")
      assert.deepStrictEqual(told(unseen), told(yield* ask("/who/else")))
      assert.strictEqual(unseen.status, 404)
      assert.deepStrictEqual((yield* ask("/openapi.json")).json.paths, {})
      const broken = yield* ask("/broken")
      assert.deepStrictEqual([broken.status, broken.json.status], [500, 500])
    })
  )
})

class User extends Context.Service<User, string>()("test/RouteUser") {}
class Seats extends Context.Service<Seats, Ref.Ref<number>>()("test/RouteSeats") {}

describe("services", () => {
  it.effect("of a request are made for it, and a refusal answers it", () =>
    Effect.gen(function* () {
      const mcp = empty().tool(who, () => User.use((user) => Effect.succeed(user)))
      const ask = yield* routing(mcp, {
        request: ({ headers }): Effect.Effect<Context.Context<User>, Refusal> =>
          headers["x-user"] === undefined
            ? Effect.fail(new Refusal({ status: 401, challenge: "Cookie" }))
            : Effect.succeed(Context.make(User, headers["x-user"]))
      })
      assert.strictEqual((yield* ask("/who", { headers: { "x-user": "ada" } })).text, "ada")
      const refused = yield* ask("/who")
      assert.deepStrictEqual(
        [refused.status, refused.json.status, refused.headers.get("www-authenticate")],
        [401, 401, "Cookie"]
      )
    })
  )

  it.effect("that were provided are those of the tools, where both are served as one", () =>
    Effect.gen(function* () {
      const book = at("book", "POST /book")
      const mcp = empty()
        .tool(book, () =>
          Seats.use((seats) =>
            Effect.map(
              Ref.updateAndGet(seats, (n) => n - 1),
              String
            )
          )
        )
        .provide(Layer.effect(Seats, Ref.make(10)))
      const ask = yield* routing(mcp, { mcp: "/mcp" })
      assert.strictEqual((yield* ask("/book", { method: "POST" })).text, "9")
      const message = rawToolCall(1, "book")
      const tool = yield* ask("/mcp", { method: "POST", headers: headersOf(message), body: JSON.stringify(message) })
      assert.strictEqual(tool.json.result.content[0].text, "8")
      assert.strictEqual((yield* ask("/book", { method: "POST" })).text, "7")
    })
  )

  it.effect("see the headers of the request, and its signal", () =>
    Effect.gen(function* () {
      const mcp = empty().tool(who, (_, { signal }) =>
        Effect.map(CurrentCall, (current) => `${current.sentHeaders()["x-trace"]} ${signal.aborted}`)
      )
      const ask = yield* routing(mcp)
      assert.strictEqual((yield* ask("/who", { headers: { "x-trace": "7" } })).text, "7 false")
    })
  )
})

describe("a call that goes on", () => {
  const waiting = Effect.gen(function* () {
    const [began, ended] = [yield* Deferred.make<AbortSignal>(), yield* Deferred.make<void>()]
    const run = (_: unknown, { signal }: { readonly signal: AbortSignal }) =>
      Effect.onInterrupt(Effect.andThen(Deferred.succeed(began, signal), Effect.never), () =>
        Deferred.succeed(ended, undefined)
      )
    return { began, ended, run }
  })

  it.effect("D10: ends when its client goes away, and its signal is aborted", () =>
    Effect.gen(function* () {
      const { began, ended, run } = yield* waiting
      const ask = yield* routing(empty().tool(who, run))
      const abort = new AbortController()
      const asked = yield* Effect.forkChild(Effect.exit(ask("/who", { signal: abort.signal })))
      const signal = yield* Deferred.await(began)
      abort.abort()
      yield* Deferred.await(ended)
      assert.isTrue(signal.aborted)
      yield* Fiber.interrupt(asked)
    })
  )

  it.effect("is given up after its timeout, with 504", () =>
    Effect.gen(function* () {
      const { ended, run } = yield* waiting
      const layer = HttpRoutes.layer(empty().operation(who, run, { timeout: 10_000 }))
      const router = Context.get(yield* Layer.build(Layer.provideMerge(layer, HttpRouter.layer)), HttpRouter.HttpRouter)
      const request = HttpServerRequest.fromWeb(new Request("http://localhost/who"))
      const asked = yield* Effect.forkChild(
        Effect.provideService(router.asHttpEffect(), HttpServerRequest.HttpServerRequest, request),
        { startImmediately: true }
      )
      yield* TestClock.adjust(9_999)
      assert.isUndefined(asked.pollUnsafe())
      yield* TestClock.adjust(251)
      yield* Deferred.await(ended)
      assert.strictEqual((yield* Fiber.join(asked)).status, 504)
    })
  )

  it.effect("D13: counts against the limit of its caller, together with tools", () =>
    Effect.gen(function* () {
      const { began, run } = yield* waiting
      const ask = yield* routing(empty().tool(who, run), {
        limits: { runningCalls: 1 },
        principal: ({ headers }) => headers["x-user"]
      })
      const asAda = ask("/who", { headers: { "x-user": "Ada" } })
      const asked = yield* Effect.forkChild(asAda)
      yield* Deferred.await(began)
      yield* Effect.yieldNow
      const { json, status } = yield* asAda
      assert.strictEqual(status, 429)
      assert.include(json.detail, "Too many requests")
      yield* Fiber.interrupt(asked)
    })
  )

  it.effect("D13: takes no room of others where neither a name nor an address is known", () =>
    Effect.gen(function* () {
      const { began, run } = yield* waiting
      const quick = Endpoint.make("quick", { description: "Tested", http: "GET /quick" })
      const mcp = empty()
        .tool(who, run)
        .tool(quick, () => Effect.as(Effect.yieldNow, "answered"))
      const ask = yield* routing(mcp, { limits: { runningCalls: 1 } })
      const asked = yield* Effect.forkChild(ask("/who"))
      yield* Deferred.await(began)
      yield* Effect.yieldNow
      assert.strictEqual((yield* ask("/quick")).text, "answered")
      yield* Fiber.interrupt(asked)
    })
  )
})

describe("pages and hosts", () => {
  const mcp = empty().tool(who, async () => "me")

  it.effect("HTTP-23: are served where they are named, and refused with a problem else", () =>
    Effect.gen(function* () {
      const ask = yield* routing(mcp, { origins: ["https://app.example"] })
      const page = (origin: string, method = "GET") => ask("/who", { method, headers: { origin } })
      const served = yield* page("https://app.example")
      assert.deepStrictEqual(
        [served.status, served.headers.get("access-control-allow-origin"), served.headers.get("vary")],
        [200, "https://app.example", "origin"]
      )
      assert.strictEqual((yield* page("https://evil.example")).status, 403)
      assert.strictEqual((yield* ask("/who", { headers: { host: "evil.example" } })).json.status, 403)
      assert.strictEqual((yield* page("https://app.example", "PUT")).status, 405)
    })
  )

  it.effect("HTTP-22: may ask first which verbs there are", () =>
    Effect.gen(function* () {
      const ask = yield* routing(mcp, { origins: ["https://app.example"] })
      const headers = { origin: "https://app.example", "access-control-request-method": "GET" }
      const asked = yield* ask("/who", { method: "OPTIONS", headers })
      assert.deepStrictEqual([asked.status, asked.headers.get("access-control-allow-methods")], [204, "GET, HEAD"])
    })
  )
})

describe("live changes", () => {
  it.effect("reach routes: what was replaced runs anew, what was removed is gone, what is new is there", () =>
    Effect.gen(function* () {
      const other = at("other", "GET /other")
      const mcp = empty()
        .tool(who, async () => "old")
        .operation(other, async () => "other")
      let live: Context.Service.Shape<typeof Live> | undefined
      const layer = Layer.effect(
        Live,
        Effect.map(HttpRoutes.scoped(mcp, { docs: "/docs" }), (served) => (live = served.live as never) as never)
      )
      const ask = asking(yield* handlerOf(layer as Layer.Layer<Live, never, HttpRouter.HttpRouter>))
      assert.strictEqual((yield* ask("/who")).text, "old")
      assert.isDefined(live)
      yield* live.replace(empty().tool(who, async () => "new") as never)
      assert.strictEqual((yield* ask("/who")).text, "new")
      yield* live.remove({ operations: ["other"] })
      assert.strictEqual((yield* ask("/other")).status, 404)
      yield* live.add(empty().tool(at("third", "GET /third"), async () => "third") as never)
      assert.strictEqual((yield* ask("/third")).text, "third")
      assert.deepStrictEqual(Object.keys((yield* ask("/openapi.json")).json.paths), ["/who", "/third"])
      assert.include((yield* ask("/docs")).text, "/third")
      assert.strictEqual((yield* ask("/third", { method: "PUT" })).headers.get("allow"), "GET, HEAD")
      const moved = Endpoint.make("who", { description: "Tested", input: { a: Schema.Int }, http: "GET /who/:a" })
      yield* live.replace(empty().tool(moved, async ({ a }) => `moved ${a}`) as never)
      assert.deepStrictEqual(told(yield* ask("/who"))[0], 404)
      assert.strictEqual((yield* ask("/who/7")).text, "moved 7")
      yield* live.remove({ tools: ["third", "who"] })
      for (const path of ["/third", "/who/7"]) assert.strictEqual((yield* ask(path)).status, 404)
      assert.deepStrictEqual((yield* ask("/openapi.json")).json.paths, {})
      assert.notInclude((yield* ask("/docs")).text, "/third")
    })
  )

  it("D1: are refused whole where a route could not be served, or another has it", async () => {
    const serve = HttpRoutes.fetch(empty().tool(who, async () => "old"))
    const bad = empty()
      .tool(at("more", "GET /more/:id"), async () => "more")
      .tool(at("twin", "GET /who"), async () => "twin")
    const told = await serve.live.add(bad).then(() => assert.fail(), String)
    assert.match(told, /cannot be changed, for 2 reasons:/)
    assert.match(told, /tool "more" \(.*\), route "GET \/more\/:id": ":id" is not a field of its input/)
    assert.match(told, /route "GET \/who" is that of "who" \(.*\) and "twin" \(.*\)/)
    await serve.live.remove({ tools: ["who"] })
    await serve.live.add(empty().tool(at("twin", "GET /who"), async () => "twin"))
    assert.strictEqual(await (await serve(new Request("http://localhost/who"))).text(), "twin")
    await serve.close()
  })

  it("HTTP-23: the document and the page are served where routes are, and nowhere else", async () => {
    const serve = HttpRoutes.fetch(
      empty().tool(who, async () => ""),
      { docs: "/docs", origins: ["https://app.example"] }
    )
    for (const path of ["/docs", "/openapi.json"]) {
      const ask = (headers: Record<string, string>) => serve(new Request(`http://localhost${path}`, { headers }))
      assert.strictEqual((await ask({ host: "evil.example" })).status, 403)
      assert.strictEqual((await ask({ origin: "https://evil.example" })).status, 403)
      const page = await ask({ origin: "https://app.example" })
      assert.deepStrictEqual(
        [page.status, page.headers.get("access-control-allow-origin")],
        [200, "https://app.example"]
      )
    }
    await serve.close()
  })
})
