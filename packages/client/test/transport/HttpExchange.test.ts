import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { scriptedHttp, type HttpScriptReply } from "@treadle/testing"
import { McpClient, type HttpSettings } from "../../src/index.ts"
import {
  discoverResult,
  getShow,
  list,
  opened,
  ping,
  reasonOf,
  result,
  rpcError,
  serving,
  textResult
} from "../fixtures.ts"

/** A session whose one call is answered in this way. */
const calling = (answer: (id: number, reply: HttpScriptReply) => void | Promise<void>, settings?: HttpSettings) =>
  Effect.flatMap(
    opened(
      serving((seen, reply) => answer(seen.json.id, reply)),
      settings
    ),
    ({ session }) => session.call(ping)()
  )

const headers = { "content-type": "application/json" }

describe("a request over HTTP", () => {
  it.effect("HTTP-04 HDR-01 HDR-03 HDR-04: says its forms, version, method and name in headers, as in the body", () =>
    Effect.gen(function* () {
      const { server, session } = yield* opened(serving())
      yield* session.call(list)({ limit: 3 })
      const [discover, call] = server.seen.events
      assert.strictEqual(call?.verb, "POST")
      assert.strictEqual(call?.path, "/mcp")
      assert.strictEqual(call?.headers.accept, "application/json, text/event-stream")
      assert.strictEqual(call?.headers["content-type"], "application/json")
      assert.strictEqual(call?.headers["mcp-protocol-version"], "2026-07-28")
      assert.strictEqual(call?.headers["mcp-method"], "tools/call")
      assert.strictEqual(call?.headers["mcp-name"], "list")
      assert.strictEqual(discover?.headers["mcp-method"], "server/discover")
      assert.isUndefined(discover?.headers["mcp-name"])
    })
  )

  it.effect("META-01 META-03 BASE-04: carries its envelope, and an id that no other request has", () =>
    Effect.gen(function* () {
      const { server, session } = yield* opened(serving(), { client: { name: "till", version: "7" } })
      yield* session.callTool("list", { limit: 3 })
      const bodies = server.seen.events.map((seen) => seen.json)
      assert.deepStrictEqual(bodies[1].params, {
        name: "list",
        arguments: { limit: 3 },
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": { extensions: { "io.modelcontextprotocol/tasks": {} } },
          "io.modelcontextprotocol/clientInfo": { name: "till", version: "7" }
        }
      })
      assert.strictEqual(new Set(bodies.map((body) => body.id)).size, 2)
    })
  )

  it.effect("HDR-08 HDR-09: encodes a name that a header cannot carry", () =>
    Effect.gen(function* () {
      const { server, session } = yield* opened(serving())
      yield* session.callTool("größe")
      yield* session.callTool(" lead")
      yield* session.callTool("=?base64?eA==?=")
      assert.deepStrictEqual(
        server.seen.events.slice(1).map((seen) => seen.headers["mcp-name"]),
        ["=?base64?Z3LDtsOfZQ==?=", "=?base64?IGxlYWQ=?=", "=?base64?PT9iYXNlNjQ/ZUE9PT89?="]
      )
    })
  )

  it.effect("sends the caller's own headers with every request, and asks a function for them each time", () =>
    Effect.gen(function* () {
      let asked = 0
      const given = async () => ({ authorization: `Bearer ${++asked}`, "Mcp-Method": "mine", ACCEPT: "text/html" })
      const { server, session } = yield* opened(serving(), { headers: given })
      yield* session.call(ping)()
      const [discover, call] = server.seen.events
      assert.strictEqual(discover?.headers.authorization, "Bearer 1")
      assert.strictEqual(call?.headers.authorization, "Bearer 2")
      assert.strictEqual(call?.headers["mcp-method"], "tools/call")
      assert.strictEqual(call?.headers.accept, "application/json, text/event-stream")
    })
  )

  it.effect("fails with Transport where the headers setting gives none", () =>
    Effect.gen(function* () {
      const server = yield* scriptedHttp(serving())
      const cause = new Error("no token")
      const reason = yield* reasonOf(
        Effect.scoped(McpClient.http(server.url, { headers: () => Promise.reject(cause) }))
      )
      assert.strictEqual(reason._tag === "Transport" && reason.cause, cause)
      assert.include(reason.message, "headers")
      assert.strictEqual(server.seen.events.length, 0)
    })
  )
})

describe("an answer in JSON", () => {
  it.effect("HTTP-08: is the result", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* calling((id, reply) => reply.json(result(id, textResult("pong")))), "pong")
    })
  )

  it.effect("BASE-12 B045: settles the request when it is an error without an id, or with null", () =>
    Effect.gen(function* () {
      for (const id of [undefined, null]) {
        const reason = yield* reasonOf(calling((_, reply) => reply.json(rpcError(id, -32700, "bad JSON"), 400)))
        assert.strictEqual(reason._tag === "Rpc" && reason.code, -32700)
      }
    })
  )

  it.effect("is that JSON-RPC error at any status", () =>
    Effect.gen(function* () {
      for (const status of [200, 400, 404, 500, 503]) {
        const reason = yield* reasonOf(
          calling((id, reply) => reply.json(rpcError(id, -32602, "no such tool", { name: "x" }), status))
        )
        assert.deepInclude(reason, { _tag: "Rpc", code: -32602, data: { name: "x" }, status })
      }
    })
  )

  it.effect("is Transport with the status where the body is no JSON-RPC", () =>
    Effect.gen(function* () {
      for (const status of [400, 403, 404, 413, 429, 500, 503]) {
        const reason = yield* reasonOf(
          calling((_, reply) => reply.raw("<html>sorry</html>", { "content-type": "text/html" }, status))
        )
        assert.strictEqual(reason._tag === "Transport" && reason.status, status)
        assert.include(reason.message, `HTTP ${status}`)
      }
    })
  )

  it.effect("is Unauthorized at 401, whatever the body says", () =>
    Effect.gen(function* () {
      const { server, session } = yield* opened(
        serving((seen, reply) => reply.json(rpcError(seen.json.id, -32000, "x"), 401))
      )
      const reason = yield* reasonOf(session.call(ping)())
      assert.deepInclude(reason, { _tag: "Unauthorized", server: server.url })
    })
  )

  it.effect("names what is wrong with a body that is no answer", () =>
    Effect.gen(function* () {
      const bodies = [
        "nonsense",
        "[]",
        '{"jsonrpc":"2.0","method":"x"}',
        '{"jsonrpc":"2.0","id":"other","result":{"content":[]}}'
      ]
      for (const body of bodies) {
        const reason = yield* reasonOf(calling((_, reply) => reply.raw(body, headers)))
        assert.strictEqual(reason._tag, "Undecodable", body)
      }
      const notUtf8 = yield* reasonOf(calling((_, reply) => reply.raw(new Uint8Array([0x22, 0xff, 0x22]), headers)))
      assert.include(notUtf8.message, "UTF-8")
      const page = yield* reasonOf(calling((_, reply) => reply.raw("<p>", { "content-type": "text/html" })))
      assert.include(page.message, "its type is text/html")
      const nothing = yield* reasonOf(calling((_, reply) => reply.raw("", {}, 202)))
      assert.strictEqual(nothing._tag === "Transport" && nothing.status, 202)
    })
  )

  it.effect("B024: keeps characters that are cut anywhere", () =>
    Effect.gen(function* () {
      const text = "é€漢😀"
      const { session } = yield* opened(
        serving((seen, reply) => {
          const bytes = new TextEncoder().encode(JSON.stringify(result(seen.json.id, textResult(text))))
          reply.raw(bytes, headers)
        }),
        { fetch: inCrumbs }
      )
      assert.strictEqual(yield* session.call(ping)(), text)
    })
  )

  it.effect("is not read beyond the limit", () =>
    Effect.gen(function* () {
      const reason = yield* reasonOf(
        calling((id, reply) => reply.json(result(id, textResult("x".repeat(5000)))), { bodyLimit: 4000 })
      )
      assert.strictEqual(reason._tag, "Transport")
      assert.include(reason.message, "bodyLimit")
    })
  )
})

/** A fetch whose bodies come byte by byte. */
const inCrumbs = async (request: Request): Promise<Response> => {
  const response = await fetch(request)
  const bytes = new Uint8Array(await response.arrayBuffer())
  const crumbs = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const byte of bytes) controller.enqueue(new Uint8Array([byte]))
      controller.close()
    }
  })
  return new Response(crumbs, { status: response.status, headers: response.headers })
}

describe("a request that is given up", () => {
  it.effect("HTTP-17 CANCEL-02: closes its connection and sends no notification", () =>
    Effect.gen(function* () {
      const { server, session } = yield* opened(serving(() => {}))
      const fiber = yield* Effect.forkChild(session.call(ping)(), { startImmediately: true })
      const call = yield* Effect.promise(() => server.seen.first((seen) => seen.json.method === "tools/call"))
      yield* Fiber.interrupt(fiber)
      yield* Effect.promise(() => call.gone)
      assert.deepStrictEqual(
        server.seen.events.map((seen) => seen.json.method),
        ["server/discover", "tools/call"]
      )
    })
  )

  it.effect("closes a stream whose answer has not come, too", () =>
    Effect.gen(function* () {
      const { server, session } = yield* opened(serving((_, reply) => void reply.stream().write(": hello\n\n")))
      const fiber = yield* Effect.forkChild(session.call(ping)(), { startImmediately: true })
      const call = yield* Effect.promise(() => server.seen.first((seen) => seen.json.method === "tools/call"))
      yield* Fiber.interrupt(fiber)
      yield* Effect.promise(() => call.gone)
    })
  )
})

/** Collects garbage until what can be collected is. */
const collectGarbage = async () => {
  setFlagsFromString("--expose-gc")
  const collect: () => void = runInNewContext("gc")
  for (let round = 0; round < 5; round++) {
    collect()
    await new Promise((resolve) => setImmediate(resolve))
  }
}

describe("a request that is given up late", () => {
  it.effect("HTTP-17: closes its connection although garbage was collected in the meantime", () =>
    Effect.gen(function* () {
      for (const begin of [false, true]) {
        const { server, session } = yield* opened(
          serving((_, reply) => (begin ? void reply.stream().write(": hello\n\n") : undefined))
        )
        const fiber = yield* Effect.forkChild(session.call(ping)(), { startImmediately: true })
        const call = yield* Effect.promise(() => server.seen.first((seen) => seen.json.method === "tools/call"))
        yield* Effect.promise(collectGarbage)
        yield* Fiber.interrupt(fiber)
        yield* Effect.promise(() => call.gone)
      }
    })
  )
})

describe("the way to the server", () => {
  it.effect("fails with Transport where nobody listens, and names the address without its query", () =>
    Effect.gen(function* () {
      const url = yield* Effect.scoped(Effect.map(scriptedHttp(serving()), (server) => server.url))
      const error = yield* Effect.flip(Effect.scoped(McpClient.http(`${url}?key=secret`)))
      assert.strictEqual(error.reason._tag, "Transport")
      assert.include(error.message, `server/discover at ${url}: the server cannot be reached`)
      assert.notInclude(error.message, "secret")
    })
  )

  it.effect("fails with Transport where the connection breaks", () =>
    Effect.gen(function* () {
      const reason = yield* reasonOf(calling((_, reply) => reply.destroy()))
      assert.strictEqual(reason._tag, "Transport")
    })
  )

  it.effect("refuses what is no address", () =>
    Effect.gen(function* () {
      for (const url of ["box.example", "ftp://box.example/mcp", ""]) {
        const error = yield* Effect.flip(Effect.scoped(McpClient.http(url)))
        assert.include(error.message, "https://host/mcp")
      }
      const error = yield* Effect.flip(Effect.scoped(McpClient.http("https://ann:secret@box.example/mcp")))
      assert.include(error.message, `send them with the "headers" setting`)
      assert.notInclude(error.message, "secret")
    })
  )

  it.effect("follows a redirect within the origin that keeps method and body, and no other", () =>
    Effect.gen(function* () {
      const elsewhere = yield* scriptedHttp(serving())
      const { server, session } = yield* opened((seen, reply) => {
        if (seen.path === "/mcp") reply.raw("", { location: "/mcp/" }, 307)
        else if (seen.json.method === "server/discover") reply.json(result(seen.json.id, discoverResult))
        else reply.raw("", { location: elsewhere.url }, 308)
      })
      assert.deepStrictEqual(
        server.seen.events.map((seen) => seen.path),
        ["/mcp", "/mcp/"]
      )
      const reason = yield* reasonOf(session.call(getShow)({ id: 1 }))
      assert.include(reason.message, elsewhere.url)
      assert.strictEqual(elsewhere.seen.events.length, 0)
    })
  )

  it.effect("takes any fetch, so that a server is called without a socket", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const session = yield* McpClient.http("http://in-process.test/mcp", {
        fetch: async (request) => {
          const body = JSON.parse(await request.text())
          seen.push(body.method)
          return Response.json(result(body.id, body.method === "tools/call" ? textResult("here") : discoverResult))
        }
      })
      assert.strictEqual(yield* session.call(ping)(), "here")
      assert.deepStrictEqual(seen, ["server/discover", "tools/call"])
    })
  )
})
