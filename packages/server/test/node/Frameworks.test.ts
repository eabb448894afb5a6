/**
 * The Node door inside the frameworks that people have: mounted before and after their body parsers, under a path, with
 * the caller's own context.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import express from "express"
import { fastify, type FastifyInstance } from "fastify"
import { Hono } from "hono"
import * as Schema from "effect/Schema"
import { rawToolCall, type RawMessage } from "@treadle/testing"
import { McpHttp } from "../../src/http.ts"
import { McpNode, type NodeRequest } from "../../src/node/index.ts"
import { empty } from "../fixtures/calling.ts"
import { listening } from "../fixtures/cells.ts"
import { headersOf } from "../fixtures/rawPeers.ts"
import { resource, tokens } from "../fixtures/tokens.ts"

interface Ctx {
  readonly user: string
}

const mcp = empty<Ctx>().tool(
  "whoami",
  { description: "Tested", input: { greeting: Schema.String } },
  async ({ greeting }, { context }) => `${greeting} ${context.user}`
)
const whoami = empty().tool("whoami", { description: "Tested", input: { greeting: Schema.String } }, async () => "")
const message = rawToolCall(1, "whoami", { greeting: "Hé" })
const user = { user: "Ada" }

const send = (url: string, body: RawMessage | string = message) =>
  Effect.promise(async () => {
    const text = typeof body === "string" ? body : JSON.stringify(body)
    const response = await fetch(url, { method: "POST", headers: headersOf(message), body: text })
    return { status: response.status, json: JSON.parse(await response.text()) }
  })

const greets = (url: string) =>
  Effect.map(send(url), ({ json }) => assert.strictEqual(json.result?.content[0].text, "Hé Ada", JSON.stringify(json)))

describe("Express 5", () => {
  it.effect("serves the door before and after express.json(), text and raw, and under a path", () =>
    Effect.gen(function* () {
      const door = McpNode.handler(mcp)
      const app = express()
      const mount = (req: NodeRequest, res: Parameters<typeof door>[1]) => door(req, res, user)
      app.all("/before", mount)
      app.use("/text", express.text({ type: "*/*" }), mount)
      app.use("/raw", express.raw({ type: "*/*" }), mount)
      app.use("/form", express.urlencoded(), mount)
      app.use(express.json())
      app.all("/after", mount)
      app.use("/mounted/here", express.Router().post("/mcp", mount))
      const port = yield* listening(app)
      for (const path of ["before", "text", "raw", "form", "after", "mounted/here/mcp", "after?x=1"]) {
        yield* greets(`http://127.0.0.1:${port}/${path}`)
      }
      assert.strictEqual((yield* send(`http://127.0.0.1:${port}/before`, "{")).json.error.code, -32700)
      assert.strictEqual((yield* send(`http://127.0.0.1:${port}/before`, "")).json.error.code, -32700)
      assert.strictEqual((yield* send(`http://127.0.0.1:${port}/after`, "")).status, 400)
    })
  )

  it.effect("serves the door mounted bare, whose handlers do not get Express's next for a context", () =>
    Effect.gen(function* () {
      const free = empty().tool(
        "whoami",
        { description: "Tested", input: { greeting: Schema.String } },
        async ({ greeting }, { context }) => `${greeting} ${JSON.stringify(context)}`
      )
      const [mounted, scoped] = [McpNode.handler(free), yield* McpNode.scoped(free)]
      const port = yield* listening(express().all("/mcp", mounted).all("/scoped", scoped))
      for (const path of ["mcp", "scoped"]) {
        const { json } = yield* send(`http://127.0.0.1:${port}/${path}`)
        assert.strictEqual(json.result?.content[0].text, "Hé {}", JSON.stringify(json))
      }
    })
  )

  it.effect(
    "B046: refuses a body above 100 kB with a page where its parser comes first, and not where the door does",
    () =>
      Effect.gen(function* () {
        const door = McpNode.handler(mcp)
        const app = express()
        const mount = (req: NodeRequest, res: Parameters<typeof door>[1]) => door(req, res, user)
        app.all("/before", mount)
        app.use(express.json())
        app.all("/after", mount)
        const port = yield* listening(app)
        const greeting = "x".repeat(150_000)
        const body = JSON.stringify(rawToolCall(1, "whoami", { greeting }))
        const post = (path: string) =>
          Effect.promise(async () => {
            const init = { method: "POST", headers: headersOf(message), body }
            const response = await fetch(`http://127.0.0.1:${port}/${path}`, init)
            return { status: response.status, text: await response.text() }
          })
        assert.include((yield* post("before")).text, `${greeting} Ada`)
        const after = yield* post("after")
        assert.strictEqual(after.status, 413)
        assert.match(after.text, /^<!DOCTYPE html>/)
      })
  )
})

describe("Fastify", () => {
  const app = (prepare: (app: FastifyInstance) => void) =>
    Effect.map(
      Effect.acquireRelease(
        Effect.promise(async () => {
          const server = fastify()
          prepare(server)
          await server.listen({ port: 0, host: "127.0.0.1" })
          return server
        }),
        (server) => Effect.promise(() => server.close())
      ),
      (server) => {
        const address = server.server.address()
        return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/mcp`
      }
    )

  it.effect("serves the door raw, without its parser", () =>
    Effect.gen(function* () {
      const door = McpNode.handler(mcp)
      const url = yield* app((server) => {
        server.removeAllContentTypeParsers()
        server.addContentTypeParser("*", (_request, _payload, done) => done(null))
        server.all("/mcp", (request, reply) => {
          reply.hijack()
          door(request.raw, reply.raw, user)
        })
      })
      yield* greets(url)
    })
  )

  it.effect("serves the door with its parser where the body is handed on, and says so where it is not", () =>
    Effect.gen(function* () {
      const door = McpNode.handler(mcp)
      for (const handOn of [true, false]) {
        const url = yield* app((server) => {
          server.all("/mcp", (request, reply) => {
            reply.hijack()
            door(handOn ? Object.assign(request.raw, { body: request.body }) : request.raw, reply.raw, user)
          })
        })
        if (handOn) yield* greets(url)
        else {
          const { json, status } = yield* send(url)
          assert.strictEqual(status, 500)
          assert.include(json.error.message, "pass the parsed body as req.body")
        }
      }
    })
  )
})

const documents = ["/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource"]

describe("a protected resource", () => {
  const auth = tokens({ ada: [] })
  const statuses = (base: string) =>
    Effect.promise(async () => {
      const found = []
      for (const path of documents) {
        const response = await fetch(base + path)
        const document = (await response.json()) as { readonly resource?: unknown }
        found.push([response.status, document.resource])
      }
      const headers = headersOf(message)
      const post = (more: Record<string, string>) =>
        fetch(`${base}/mcp`, { method: "POST", headers: { ...headers, ...more }, body: JSON.stringify(message) })
      found.push((await post({})).status, (await post({ authorization: "Bearer ada" })).status)
      return found
    })
  const expected = [[200, resource], [200, resource], 401, 200]

  it.effect("B018: is served by Express, its metadata by the same handler, mounted at a path or at a prefix", () =>
    Effect.gen(function* () {
      const door = McpNode.handler(empty().add(whoami), { auth })
      const routed = express().all("/mcp", door)
      for (const path of documents) routed.all(path, door)
      const mounted = express().use("/mcp", door).use("/.well-known/oauth-protected-resource", door)
      for (const app of [routed, mounted]) {
        assert.deepStrictEqual(yield* statuses(`http://127.0.0.1:${yield* listening(app)}`), expected)
      }
    })
  )

  it.effect("B018: is served by Fastify", () =>
    Effect.gen(function* () {
      const door = McpNode.handler(empty().add(whoami), { auth })
      const server = fastify()
      for (const path of ["/mcp", ...documents]) {
        server.all(path, (request, reply) => {
          reply.hijack()
          door(Object.assign(request.raw, { body: request.body }), reply.raw)
        })
      }
      yield* Effect.acquireRelease(
        Effect.promise(() => server.listen({ port: 0, host: "127.0.0.1" })),
        () => Effect.promise(() => server.close())
      )
      const address = server.server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      assert.deepStrictEqual(yield* statuses(`http://127.0.0.1:${port}`), expected)
    })
  )

  it.effect("B018: is served by Hono", () =>
    Effect.gen(function* () {
      const door = McpHttp.fetch(empty().add(whoami), { auth })
      const app = new Hono()
      app.all("/mcp", (c) => door(c.req.raw))
      app.get("/.well-known/*", (c) => door(c.req.raw))
      const port = yield* listening((req, res) => {
        const chunks: Array<Buffer> = []
        req.on("data", (chunk: Buffer) => chunks.push(chunk))
        req.on("end", async () => {
          const body = req.method === "POST" ? { body: Buffer.concat(chunks) } : {}
          const headers = new Headers(Object.entries(req.headers).map(([name, value]) => [name, String(value)]))
          const response = await app.request(`http://localhost${req.url}`, {
            method: req.method ?? "GET",
            headers,
            ...body
          })
          res.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text())
        })
      })
      assert.deepStrictEqual(yield* statuses(`http://127.0.0.1:${port}`), expected)
    })
  )
})

describe("Hono", () => {
  it.effect("serves the fetch door, and says so where something read the body", () =>
    Effect.gen(function* () {
      const door = McpHttp.fetch(mcp)
      const app = new Hono()
      app.all("/mcp", (c) => door(c.req.raw, user))
      app.all("/read", async (c) => {
        await c.req.raw.text()
        return door(c.req.raw, user)
      })
      const post = (path: string) =>
        Effect.promise(async () => {
          const response = await app.request(`http://localhost${path}`, {
            method: "POST",
            headers: headersOf(message),
            body: JSON.stringify(message)
          })
          return { status: response.status, json: JSON.parse(await response.text()) }
        })
      assert.strictEqual((yield* post("/mcp")).json.result.content[0].text, "Hé Ada")
      const gone = yield* post("/read")
      assert.deepStrictEqual([gone.status, gone.json.error.code], [500, -32603])
    })
  )
})
