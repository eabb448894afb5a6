/** Routes as a `(req, res)` handler, on plain Node and in the frameworks that people have. */
import { assert, describe, it } from "@effect/vitest"
import { request as requestOf } from "node:http"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import express from "express"
import { fastify } from "fastify"
import { rawToolCall } from "@treadle/testing"
import { Endpoint, ProtectedResource } from "../../src/index.ts"
import { HttpRoutes } from "../../src/http-api/index.ts"
import { McpNode, type NodeRequest } from "../../src/node/index.ts"
import { empty } from "../fixtures/calling.ts"
import { capturedLogs } from "../fixtures/capturedLogs.ts"
import { listening } from "../fixtures/cells.ts"
import { headersOf } from "../fixtures/rawPeers.ts"
import { tokens } from "../fixtures/tokens.ts"

interface Ctx {
  readonly user: string
}

const greet = Endpoint.make("greet", { description: "Tested", input: { name: Schema.String }, http: "POST /api/greet" })
const secret = Endpoint.make("secret", { description: "Tested", http: "GET /api/secret" })
const mcp = empty<Ctx>()
  .tool(greet, async ({ name }, { context }) => `${context.user} greets ${name}`)
  .toolWith(secret, { visible: ({ user }) => user === "Ada" }, async () => "open")
const ada = { user: "Ada" }

const send = (url: string, init?: RequestInit) =>
  Effect.promise(async () => {
    const headers = { "content-type": "application/json" }
    const response = await fetch(url, { method: "POST", headers, body: JSON.stringify({ name: "Hé" }), ...init })
    return { status: response.status, text: await response.text() }
  })

const door = () => McpNode.fetched(HttpRoutes.fetch(mcp, { mcp: "/mcp" }))

describe("routes at a (req, res) handler", () => {
  it.effect("are served with MCP in Express, before and after its parsers, with the context of the request", () =>
    Effect.gen(function* () {
      const handler = door()
      const mount = (req: NodeRequest, res: Parameters<typeof handler>[1]) => handler(req, res, ada)
      const app = express()
      app.use("/before", mount)
      app.use("/text", express.text({ type: "*/*" }), mount)
      app.use("/raw", express.raw({ type: "*/*" }), mount)
      app.use("/form", express.urlencoded(), mount)
      app.use("/after", express.json(), mount)
      const port = yield* listening(app)
      for (const path of ["before", "text", "raw", "form", "after"]) {
        const url = `http://127.0.0.1:${port}/${path}`
        assert.deepStrictEqual(yield* send(`${url}/api/greet`), { status: 200, text: "Ada greets Hé" }, path)
        const message = rawToolCall(1, "greet", { name: "Eve" })
        const called = yield* send(`${url}/mcp`, { headers: headersOf(message), body: JSON.stringify(message) })
        assert.strictEqual(JSON.parse(called.text).result?.content[0].text, "Ada greets Eve", path)
        assert.strictEqual((yield* send(`${url}/api/greet`, { body: "" })).status, 400, path)
        assert.strictEqual((yield* send(`${url}/api/greet`, { method: "PUT" })).status, 405, path)
      }
    })
  )

  it.effect("AUTH-02: are protected below a mount, and their metadata has an address of its own", () =>
    Effect.gen(function* () {
      const url = "https://box.example/shop/mcp"
      const auth = ProtectedResource.make({ ...tokens().settings, resource: url })
      const handler = McpNode.fetched(
        HttpRoutes.fetch(
          empty().tool(greet, async () => ""),
          { mcp: "/mcp", auth }
        )
      )
      const bare = (req: NodeRequest, res: Parameters<typeof handler>[1]) => handler(req, res)
      const app = express().use("/shop", bare).use("/.well-known/oauth-protected-resource", bare)
      const port = yield* listening(app)
      const get = (path: string) => send(`http://127.0.0.1:${port}${path}`, { method: "GET", body: null })
      for (const path of ["/shop/mcp?x=1", ""]) {
        const { status, text } = yield* get(`/.well-known/oauth-protected-resource${path}`)
        assert.deepStrictEqual([path, status], [path, 200])
        assert.strictEqual(JSON.parse(text).resource, url)
      }
      assert.strictEqual((yield* send(`http://127.0.0.1:${port}/shop/api/greet`)).status, 401)
    })
  )

  it.effect("have a document that leads to them below a mount", () =>
    Effect.gen(function* () {
      const handler = door()
      const app = express().use("/shop", (req, res) => handler(req, res, ada))
      const at = `http://127.0.0.1:${yield* listening(app)}/shop/openapi.json`
      const { text } = yield* send(at, { method: "GET", body: null })
      const { paths, servers } = JSON.parse(text)
      const [path = ""] = Object.keys(paths)
      const base = new URL(servers[0].url, at).href.replace(/\/$/, "")
      assert.deepStrictEqual(yield* send(`${base}${path}`), { status: 200, text: "Ada greets Hé" })
    })
  )

  it.effect("are served in Fastify, whose parser has the body already", () =>
    Effect.gen(function* () {
      const handler = door()
      const app = fastify()
      app.all("/*", (request, reply) => {
        reply.hijack()
        handler(Object.assign(request.raw, { body: request.body }), reply.raw, ada)
      })
      const url = yield* Effect.acquireRelease(
        Effect.promise(() => app.listen({ port: 0, host: "127.0.0.1" })),
        () => Effect.promise(() => app.close())
      )
      assert.deepStrictEqual(yield* send(`${url}/api/greet`), { status: 200, text: "Ada greets Hé" })
    })
  )

  it.effect("are there for those whose context shows them", () =>
    Effect.gen(function* () {
      const handler = door()
      const port = yield* listening((req, res) => handler(req, res, { user: req.headers.cookie ?? "" }))
      const ask = (cookie: string) =>
        send(`http://127.0.0.1:${port}/api/secret`, { method: "GET", body: null, headers: { cookie } })
      assert.deepStrictEqual(yield* ask("Ada"), { status: 200, text: "open" })
      assert.strictEqual((yield* ask("Eve")).status, 404)
    })
  )

  it.live("end with the client that goes away", () =>
    Effect.gen(function* () {
      const [began, ended] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()]
      const wait = Endpoint.make("wait", { description: "Tested", http: "GET /wait" })
      const waiting = Effect.andThen(Deferred.succeed(began, undefined), Effect.never)
      const serve = HttpRoutes.fetch(
        empty().tool(wait, () => Effect.onInterrupt(waiting, () => Deferred.succeed(ended, undefined)))
      )
      const port = yield* listening(McpNode.fetched(serve))
      const gone = new AbortController()
      void fetch(`http://127.0.0.1:${port}/wait`, { signal: gone.signal }).catch(() => {})
      yield* Deferred.await(began)
      gone.abort()
      yield* Deferred.await(ended)
    })
  )

  it.effect.each([
    ["a verb that is none of the web", { method: "TRACE" }, 400],
    ["a Host that is none", { headers: { host: "a b" } }, 400],
    ["a strange Host", { headers: { host: "evil.example" } }, 403]
  ] as const)("answer %s", ([, options, status]) =>
    Effect.gen(function* () {
      const handler = door()
      const port = yield* listening((req, res) => handler(req, res, ada))
      const answered = yield* Effect.promise(
        () =>
          new Promise((resolve) => {
            const asked = requestOf({ port, host: "127.0.0.1", path: "/api/secret", ...options }, (response) => {
              response.resume()
              resolve(response.statusCode)
            })
            asked.end()
          })
      )
      assert.strictEqual(answered, status)
    })
  )

  it.effect.each([
    ["rejects", () => Promise.reject(new Error("the disk is full"))],
    [
      "throws at once",
      () => {
        throw new Error("the disk is full")
      }
    ],
    ["gives no response", async () => undefined as never]
  ] as const)("answer 500 with the reference of the log, where the function %s", ([, broken]) =>
    Effect.gen(function* () {
      const text = yield* capturedLogs
      const port = yield* listening(McpNode.fetched(broken))
      const answered = yield* send(`http://127.0.0.1:${port}/api/greet`)
      assert.strictEqual(answered.status, 500)
      const [, reference = ""] = /^Internal error \(reference (\w{8})\)$/.exec(answered.text) ?? []
      assert.match(text(), new RegExp(`ERROR .*McpNode\\.fetched died; .*reference ${reference}\\.`))
      assert.match(text(), /the disk is full|TypeError/)
    })
  )

  it.live("tell the log of a body that breaks off by itself, and of no caller that goes away", () =>
    Effect.gen(function* () {
      const text = yield* capturedLogs
      const left = Deferred.makeUnsafe<void>()
      const bytes = new TextEncoder().encode("half")
      const serve = async ({ signal, url }: Request) => {
        const ends = url.endsWith("/breaks")
        signal.addEventListener("abort", () => Deferred.doneUnsafe(left, Effect.void))
        return new Response(
          new ReadableStream({
            start: (stream) => stream.enqueue(bytes),
            pull: (stream) => (ends ? stream.error(new Error("the tape is torn")) : new Promise(() => {}))
          })
        )
      }
      const port = yield* listening(McpNode.fetched(serve))
      const gone = new AbortController()
      const response = yield* Effect.promise(() => fetch(`http://127.0.0.1:${port}/waits`, { signal: gone.signal }))
      assert.strictEqual(response.status, 200)
      gone.abort()
      yield* Deferred.await(left)
      assert.strictEqual(text(), "")
      const torn = yield* Effect.promise(() => fetch(`http://127.0.0.1:${port}/breaks`))
      yield* Effect.promise(() =>
        torn.text().then(
          () => assert.fail("it must not end well"),
          () => {}
        )
      )
      assert.match(text(), /McpNode\.fetched died;[^]*the tape is torn/)
    })
  )

  it("are refused where there is no function to make one of", () => {
    const given: any = mcp
    assert.throws(() => McpNode.fetched(given), TypeError, /of a function, such as HttpRoutes\.fetch\(mcp\) gives/)
  })
})
