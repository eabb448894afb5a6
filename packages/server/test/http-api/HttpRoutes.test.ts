/** What routes answer: values, declared errors, and whatever else there is to say, each with its status. */
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Endpoint } from "../../src/index.ts"
import { HttpRoutes } from "../../src/http-api/index.ts"
import { empty } from "../fixtures/calling.ts"
import { capturedLogs } from "../fixtures/capturedLogs.ts"
import { kiosk } from "../fixtures/kiosk.ts"
import { routing, sending, told } from "../fixtures/routing.ts"

describe("a value", () => {
  it.effect("is the JSON of the declared output, without an object around it", () =>
    Effect.gen(function* () {
      const ask = yield* routing(kiosk)
      const show = yield* ask("/shows/1")
      assert.deepStrictEqual([...told(show), show.type], [200, { id: 1, title: "Early bill" }, "application/json"])
      assert.deepStrictEqual(told(yield* ask("/shows")), [200, [{}]])
    })
  )

  it.effect("has the status that its schema is annotated with", () =>
    Effect.gen(function* () {
      const ask = yield* routing(kiosk)
      assert.deepStrictEqual(told(yield* ask("/shows", sending("POST", { title: "New" }))), [
        201,
        { id: 10, title: "New" }
      ])
    })
  )

  it.effect("is text where no output is declared, 204 where there is nothing, and blocks where there are some", () =>
    Effect.gen(function* () {
      const ask = yield* routing(kiosk)
      const named = yield* ask("/shows/3", sending("PUT", { title: "Late" }))
      assert.deepStrictEqual([named.status, named.type, named.text], [200, "text/plain; charset=utf-8", "3 is Late"])
      const ended = yield* ask("/shows/3", { method: "DELETE" })
      assert.deepStrictEqual([ended.status, ended.type, ended.text], [204, null, ""])
      const block = (text: string) => ({ type: "text", text })
      assert.deepStrictEqual(told(yield* ask("/say/blocks")), [200, { content: [block("one"), block("two")] }])
      assert.deepStrictEqual(told(yield* ask("/say/both")), [200, { content: [block("first"), block("second")] }])
    })
  )

  it.effect("is that of a definition without a shared contract, too", () =>
    Effect.gen(function* () {
      const ask = yield* routing(
        empty().tool(
          "half",
          { description: "Half a number", input: { n: Schema.Int }, http: "GET /half/:n" },
          async ({ n }) => `${n / 2}`
        )
      )
      assert.strictEqual((yield* ask("/half/8")).text, "4")
    })
  )

  it.effect("has no body in answer to HEAD", () =>
    Effect.gen(function* () {
      const ask = yield* routing(kiosk)
      const head = yield* ask("/shows/1", { method: "HEAD" })
      assert.deepStrictEqual([head.status, head.text], [200, ""])
    })
  )
})

describe("arguments", () => {
  it.effect("come from the query as what the schema says they are", () =>
    Effect.gen(function* () {
      const ask = yield* routing(kiosk)
      const query = "search=1&limit=1&open=true&halls=1&halls=2&other=x"
      assert.deepStrictEqual(told(yield* ask(`/shows?${query}`)), [
        200,
        [{ search: "1", limit: 1, open: true, halls: [1, 2] }]
      ])
      assert.deepStrictEqual(told(yield* ask("/shows?halls=7&search=")), [200, [{ search: "", halls: [7] }]])
    })
  )

  it.effect("come from the body beside the path, and the path wins", () =>
    Effect.gen(function* () {
      const ask = yield* routing(kiosk)
      const named = yield* ask("/shows/3?title=query", sending("PUT", { id: 4, title: "Late" }))
      assert.strictEqual(named.text, "3 is Late")
    })
  )

  it.effect("that do not fit are all named, with 400", () =>
    Effect.gen(function* () {
      const ask = yield* routing(kiosk)
      const reply = yield* ask("/shows?limit=x&open=maybe&halls=1&halls=b")
      assert.deepStrictEqual([reply.status, reply.type], [400, "application/problem+json"])
      assert.strictEqual(reply.json.detail, "Invalid arguments for list_shows")
      assert.deepStrictEqual(
        reply.json.problems.map((problem: string) => problem.split(":", 1)[0]),
        ["limit", "open", "halls[1]"]
      )
      const posted = yield* ask("/shows", sending("POST", { seats: "many", at: {} }))
      assert.deepStrictEqual([posted.status, posted.json.problems.length], [400, 3])
      assert.deepStrictEqual((yield* ask("/shows?limit=1&limit=2&limit=3")).json.problems, [
        "limit: stands 3 times in the query, and takes one value; send it once"
      ])
      assert.strictEqual((yield* ask("/shows/one")).status, 400)
    })
  )

  it.effect.each([
    ["JSON that is none", sending("POST", "{"), 400],
    ["JSON that is no object", sending("POST", "[]"), 400],
    ["null", sending("POST", "null"), 400],
    ["B096: JSON that nests too deeply", sending("POST", `{"title":${"[".repeat(9)}${"]".repeat(9)}}`), 400],
    ["no body where arguments are needed", { method: "POST" }, 400],
    ["bytes that are no text", { ...sending("POST", ""), body: new Uint8Array([0xff, 0xfe]) }, 400],
    ["another type", sending("POST", "title=a", { "content-type": "application/x-www-form-urlencoded" }), 415],
    ["no type", { method: "POST", body: new Uint8Array([123, 125]) }, 415],
    ["an encoding", sending("POST", "{}", { "content-encoding": "gzip" }), 415],
    ["too much", sending("POST", { title: "x".repeat(200) }), 413]
  ] as const)("in a body of %s are answered with a problem", ([, init, status]) =>
    Effect.gen(function* () {
      const ask = yield* routing(kiosk, { limits: { bodyBytes: 100, nesting: 9 } })
      const reply = yield* ask("/shows", init)
      assert.deepStrictEqual(
        [reply.status, reply.type, reply.json.status],
        [status, "application/problem+json", status]
      )
    })
  )

  it.effect("need no body where there are none", () =>
    Effect.gen(function* () {
      const ask = yield* routing(kiosk)
      assert.strictEqual((yield* ask("/shows/3", { method: "PUT" })).json.problems.length, 1)
    })
  )
})

describe("an operation that says no", () => {
  it.effect(
    "D5: answers a declared error with its JSON and the status that its class is annotated with, else 422",
    () =>
      Effect.gen(function* () {
        const ask = yield* routing(kiosk)
        const missing = yield* ask("/shows/9")
        assert.deepStrictEqual(
          [...told(missing), missing.type],
          [404, { _tag: "ShowNotFound", id: 9 }, "application/json"]
        )
        assert.deepStrictEqual(told(yield* ask("/shows/2")), [422, { _tag: "SoldOut", left: 0 }])
      })
  )

  it.effect("answers a failure in words with 422", () =>
    Effect.gen(function* () {
      const reply = yield* (yield* routing(kiosk))("/say/no")
      assert.deepStrictEqual(told(reply), [422, { title: "The operation says no", status: 422, detail: "Not today." }])
    })
  )

  it.effect.each(["broken", "undeclared"])("D5: answers a defect with a reference and nothing else: %s", (what) =>
    Effect.gen(function* () {
      const logs = yield* capturedLogs
      const seen: Array<string> = []
      const ask = yield* routing(kiosk, {
        onDefect: (_, { reference, tool }) => void seen.push(`${tool} ${reference}`)
      })
      const { json, status, text } = yield* ask(`/say/${what}`)
      assert.strictEqual(status, 500)
      assert.match(json.reference, /^[0-9a-f]{8}$/)
      assert.strictEqual(json.detail, `Internal error (reference ${json.reference})`)
      assert.notInclude(text, "secret")
      assert.deepStrictEqual(seen, [`say ${json.reference}`])
      assert.include(logs(), json.reference)
    })
  )

  it.effect("D14: answers 501 where it asks its caller, who cannot be asked, unless it goes on without", () =>
    Effect.gen(function* () {
      const ask = yield* routing(kiosk)
      const { json, status } = yield* ask("/say/ask")
      assert.deepStrictEqual(
        [status, json.detail],
        [501, "Call it as a tool over MCP, with a client that answers questions"]
      )
      assert.strictEqual((yield* ask("/say/asked")).text, "went on without: no-capability")
    })
  )

  it.effect("D16: drops progress and log messages", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(told(yield* (yield* routing(kiosk))("/say/loud")), [200, "quiet"])
    })
  )
})

describe("a path", () => {
  it.effect("with another verb is answered 405 and those that there are", () =>
    Effect.gen(function* () {
      const ask = yield* routing(kiosk)
      const reply = yield* ask("/shows/1", { method: "PATCH" })
      assert.deepStrictEqual([reply.status, reply.type], [405, "application/problem+json"])
      assert.strictEqual(reply.headers.get("allow"), "GET, HEAD, PUT, DELETE")
      assert.strictEqual((yield* ask("/shows", { method: "DELETE" })).headers.get("allow"), "GET, HEAD, POST")
    })
  )

  it.effect("that is not there is answered 404 with a problem where it begins as a route, and below a prefix", () =>
    Effect.gen(function* () {
      const ask = yield* routing(kiosk)
      assert.strictEqual((yield* ask("/shows/1/seats")).type, "application/problem+json")
      assert.deepStrictEqual(told(yield* ask("/elsewhere")), [404, undefined])
      const prefixed = yield* routing(kiosk, { prefix: "/api" })
      assert.strictEqual((yield* prefixed("/api/shows/1")).status, 200)
      assert.strictEqual((yield* prefixed("/api/elsewhere")).json.status, 404)
      assert.deepStrictEqual(told(yield* prefixed("/shows/1")), [404, undefined])
      assert.deepStrictEqual(told(yield* prefixed("/apiary")), [404, undefined])
    })
  )
})

describe("HttpRoutes.fetch", () => {
  it("serves routes and MCP to plain code, and answers 503 once it is closed", async () => {
    const serve = HttpRoutes.fetch(kiosk, { mcp: "/mcp" })
    assert.strictEqual((await serve(new Request("http://localhost/shows/1"))).status, 200)
    assert.strictEqual((await serve(new Request("http://localhost/mcp", { method: "PUT" }))).status, 405)
    await serve.close()
    const late = await serve(new Request("http://localhost/shows/1"))
    assert.deepStrictEqual([late.status, late.headers.get("content-type")], [503, "application/problem+json"])
    const lateMcp = await serve(new Request("http://localhost/mcp", { method: "POST" }))
    assert.deepStrictEqual(
      [lateMcp.status, await lateMcp.json()],
      [503, { jsonrpc: "2.0", error: { code: -32_603, message: "The server is not serving" } }]
    )
    await serve.close()
  })

  it("answers 503 while the server cannot start, says nothing of the reason, and tries again", async () => {
    let attempts = 0
    const start = Effect.suspend(() => (++attempts === 1 ? Effect.die(new Error("db is down")) : Effect.void))
    const serve = HttpRoutes.fetch(kiosk.provide(Layer.effectDiscard(start)))
    const first = await serve(new Request("http://localhost/shows/1"))
    assert.deepStrictEqual(
      [first.status, await first.json()],
      [503, { title: "The server is not available", status: 503, detail: "The server is not serving" }]
    )
    assert.strictEqual((await serve(new Request("http://localhost/shows/1"))).status, 200)
    await serve.close()
  })

  it("has live changes and counters, as every plain door", async () => {
    const serve = HttpRoutes.fetch(kiosk)
    assert.strictEqual(serve.counters().calls, 0)
    await serve.live.remove({ tools: ["get_show"] })
    // Another verb is served there still.
    assert.strictEqual((await serve(new Request("http://localhost/shows/1"))).status, 405)
    await serve.close()
  })

  it("answers 503 while what is served cannot be built, and tries again for the next request", async () => {
    let left = 1
    const starting = Layer.effectDiscard(
      Effect.suspend(() => (left-- > 0 ? Effect.die(new Error("the database is away")) : Effect.void))
    )
    const hello = Endpoint.make("hello", { description: "Tested", http: "GET /hello" })
    await using serve = HttpRoutes.fetch(
      empty()
        .tool(hello, async () => "hello")
        .provide(starting)
    )
    const ask = () => serve(new Request("http://localhost/hello"))
    assert.strictEqual((await ask()).status, 503)
    assert.strictEqual((await ask()).status, 200)
  })

  it("D17: tells a call that outlasts the grace that the server is stopping, with 503", async () => {
    const began = Deferred.makeUnsafe<void>()
    const wait = Endpoint.make("wait", { description: "Tested", http: "GET /wait" })
    const waiting = empty().tool(wait, () => Effect.andThen(Deferred.succeed(began, undefined), Effect.never))
    const serve = HttpRoutes.fetch(waiting, { limits: { grace: 20 } })
    const asked = serve(new Request("http://localhost/wait"))
    await Effect.runPromise(Deferred.await(began))
    await serve.close()
    const response = await asked
    assert.deepInclude(await response.json(), { status: 503, detail: "The server is stopping" })
  })

  it("D1: throws every reason before anything is served", () => {
    const wrong = Endpoint.make("wrong", { description: "Tested", http: "get /" as string })
    const mcp = empty().tool(wrong, async () => undefined)
    assert.throws(() => HttpRoutes.fetch(mcp, { prefix: "/api", hosts: ["*"] }), /for 2 reasons/)
  })
})
