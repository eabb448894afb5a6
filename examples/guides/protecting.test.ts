/** The programs of the page on protecting a server do what it says. */
import { assert, describe, it } from "@effect/vitest"
import { connect } from "@treadle/client/promise"
import { Mcp, ProtectedResource, StaticBearer, type TokenVerifier } from "@treadle/server"
import { McpNode } from "@treadle/server/node"
import { createServer, type RequestListener } from "node:http"
import { openFor } from "./bearer.ts"
import { openMutual } from "./mutual.ts"
import { open } from "./protected.ts"
import { inExpress, inHono } from "./routed.ts"
import { verifierOf } from "./verifier.ts"
import { appFor } from "./vouching.ts"

const issuer = "https://login.example"
const row = (subject: string, scopes: ReadonlyArray<string>, audience = "https://box.example/mcp", expiresAt = 9e15) =>
  [subject, { issuer, subject, scopes, claims: {}, audience, expiresAt }] as const

const verifier: TokenVerifier = verifierOf(
  new Map([
    row("ada", ["box:admin"]),
    row("bob", ["box:read"]),
    row("eve", ["box:admin"], "https://other.example/mcp"),
    row("old", ["box:admin"], "https://box.example/mcp", 1)
  ])
)

const headersOf = (token: string) => ({
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
  authorization: `Bearer ${token}`
})

/** The status that a handshake with a token is answered with. */
const handshake = async (url: string, token: string, send: (request: Request) => Promise<Response> = fetch) => {
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "guide", version: "1" } }
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })
  return send(new Request(url, { method: "POST", headers: headersOf(token), body }))
}

const listening = async (listener: RequestListener) => {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  const close = () => {
    server.closeAllConnections()
    return new Promise<void>((resolve) => server.close(() => resolve()))
  }
  return { base: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: close }
}

describe("a protected server", () => {
  it("takes tokens that are meant for it, and asks for the scopes of its tools", async () => {
    await using server = await open(verifier)
    const called = async (token: string, name: string) => {
      await using client = await connect(server.url, { headers: { authorization: `Bearer ${token}` } })
      return (await client.callTool(name, {})).content
    }
    assert.deepStrictEqual(await called("bob", "shows"), [{ type: "text", text: "Hamlet, Faust" }])
    assert.deepStrictEqual(await called("ada", "cancel_show"), [
      { type: "text", text: "Cancelled by https://login.example#ada" }
    ])
    const lacking = await called("bob", "cancel_show").then(() => "served", String)
    assert.notStrictEqual(lacking, "served")
    for (const token of ["eve", "old", "nobody"]) {
      const response = await handshake(server.url, token)
      assert.deepStrictEqual([response.status, await response.text()], [401, ""], token)
    }
  })

  it("takes agreed secrets", async () => {
    const door = openFor(Mcp.make({ name: "box", version: "1" }), { nightly: "n1ght", monitor: "m0n" })
    const status = async (token: string) => (await handshake("https://box.example/mcp", token, door)).status
    assert.deepStrictEqual([await status("n1ght"), await status("m0n"), await status("other")], [200, 200, 401])
    await door.close()
  })

  it("is not opened with files that are no certificates", async () => {
    const files = { key: "k", cert: "c", clientCa: "a" }
    const said = await openMutual(Mcp.make({ name: "box", version: "1" }), files).then(() => "opened", String)
    assert.include(said, "tls: nothing can be served with these")
  })

  it("takes the word of an application that authenticates by itself", async () => {
    const userOf = (role: string | undefined) => (role === undefined ? undefined : { id: "ada", roles: [role] })
    const app = appFor((request) => userOf(request.headers.authorization?.slice("Bearer ".length)))
    await using server = await listening(app)
    const called = async (role: string) => {
      await using client = await connect(`${server.base}/mcp`, { headers: { authorization: `Bearer ${role}` } })
      return (await client.callTool("close_desk", {})).content
    }
    assert.deepStrictEqual(await called("manager"), [{ type: "text", text: "Closed" }])
    assert.include(await called("clerk").then(() => "served", String), 'a token for "manager"')
  })

  it("tells of itself in frameworks, at both addresses", async () => {
    await using protectedServer = await open(verifier)
    await using own = await McpNode.listen(Mcp.make({ name: "box", version: "1" }), {
      auth: StaticBearer.make({ tokens: { a: "secret" } })
    })
    const mcp = Mcp.make({ name: "box", version: "1" })
    const auth = ProtectedResource.make({
      resource: "https://box.example/mcp",
      authorizationServers: [issuer],
      verifier
    })
    await using express = await listening(inExpress(mcp, auth))
    const hono = inHono(mcp, auth)
    const well = "/.well-known/oauth-protected-resource"
    for (const path of [well, `${well}/mcp`]) {
      const replies = [
        await fetch(new URL(path, protectedServer.url)),
        await fetch(express.base + path),
        await hono.request(`http://localhost${path}`)
      ]
      for (const reply of replies) {
        const document = (await reply.json()) as { readonly resource?: string }
        assert.deepStrictEqual([reply.status, document.resource], [200, "https://box.example/mcp"])
      }
      assert.strictEqual((await fetch(new URL(path, own.url))).status, 404)
    }
    assert.strictEqual((await handshake(`${express.base}/mcp`, "bob")).status, 200)
  })
})
