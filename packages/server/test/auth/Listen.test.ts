/**
 * A server of its own that protects itself: its own address as the resource, https, and client certificates.
 */
import { assert, describe, it } from "@effect/vitest"
import { request as httpsRequest, type RequestOptions } from "node:https"
import type { TLSSocket } from "node:tls"
import { inspect } from "node:util"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { rawToolCall, type RawMessage } from "@treadle/testing"
import { McpBuildErrors, type Mcp, type Principal } from "../../src/index.ts"
import { McpNode, type ListenSettings } from "../../src/node/index.ts"
import { empty } from "../fixtures/calling.ts"
import { exchange } from "../fixtures/cells.ts"
import { certificate, identity } from "../fixtures/certificates.ts"
import { compatRequest, initialize } from "../fixtures/compatDoor.ts"
import { headersOf } from "../fixtures/rawPeers.ts"
import { presented, tokens } from "../fixtures/tokens.ts"

const who = empty()
  .tool("who", { description: "Tested" }, async (_, { principal }) => JSON.stringify(principal))
  .tool("write", { description: "Tested", scopes: ["write"] }, async () => "written")

const opened = (mcp: Mcp<never>, settings: ListenSettings) =>
  Effect.acquireRelease(
    Effect.promise(() => McpNode.listen(mcp, settings)),
    (server) => Effect.promise(() => server.close())
  )

const robot = "CN=robot,O=Example\\, Inc."
const mutual = {
  ...identity("server"),
  key: Redacted.make(identity("server").key),
  clientCa: certificate("authority"),
  scopes: { [robot]: ["write"] }
}

interface Heard {
  readonly status: number | undefined
  readonly headers: { readonly [name: string]: unknown }
  readonly text: string
  readonly reused: boolean
  readonly session: Buffer | undefined
}

/** Sends a message over https, or says why there is no connection. */
const send = (
  port: number,
  message: RawMessage,
  options: RequestOptions & { readonly session?: Buffer | undefined },
  headers: Record<string, string> = {}
) =>
  Effect.promise(
    () =>
      new Promise<Heard | string>((resolve) => {
        const req = httpsRequest({
          port,
          host: "127.0.0.1",
          path: "/mcp",
          method: "POST",
          agent: false,
          ca: certificate("authority"),
          headers: { ...headersOf(message), ...headers },
          ...options
        })
        let session: Buffer | undefined
        req.on("socket", (socket) => socket.on("session", (one: Buffer) => (session = one)))
        req.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
        req.on("response", (res) => {
          let text = ""
          const reused = (res.socket as TLSSocket).isSessionReused()
          res.setEncoding("utf8").on("data", (part: string) => (text += part))
          res.on("end", () => resolve({ status: res.statusCode, headers: res.headers, text, reused, session }))
          res.on("error", (error) => resolve(error.message))
        })
        req.end(JSON.stringify(message))
      })
  )

const heard = (seen: Heard | string): Heard => (typeof seen === "string" ? assert.fail(seen) : seen)
const principalIn = (seen: Heard | string): Principal => JSON.parse(JSON.parse(heard(seen).text).result.content[0].text)

describe("McpNode.listen with a protected resource", () => {
  it.effect("AUTH-01 AUTH-26: takes its own address on loopback, as it is known once the port is", () =>
    Effect.gen(function* () {
      const { settings, ...auth } = tokens()
      const { resource: _, ...own } = settings
      const server = yield* opened(who, { auth: { ...auth, settings: own }, path: "/here/mcp" })
      assert.strictEqual(server.url, `http://127.0.0.1:${server.port}/here/mcp`)
      const well = "/.well-known/oauth-protected-resource"
      for (const path of [well, `${well}/here/mcp`]) {
        const seen = yield* Effect.promise(() => exchange(server.port, "GET", [["host", "evil.example"]], "", path))
        assert.strictEqual(seen.json.resource, server.url, path)
      }
      for (const path of [`${well}/mcp`, `${well}/`, "/mcp"]) {
        const seen = yield* Effect.promise(() => exchange(server.port, "GET", [], "", path))
        assert.strictEqual(seen.status, 404, path)
      }
      const headers = [["authorization", "Bearer all"]] as const
      yield* Effect.promise(() => exchange(server.port, "POST", headers, "", "/here/mcp"))
      assert.strictEqual(presented.at(-1), `all for ${server.url}`)
    })
  )
})

describe("McpNode.listen over https", () => {
  it.effect("says so in its address, and in the metadata of a resource that takes it", () =>
    Effect.gen(function* () {
      const { settings, ...auth } = tokens()
      const { resource: _, ...own } = settings
      const server = yield* opened(who, { tls: identity("server"), auth: { ...auth, settings: own } })
      assert.strictEqual(server.url, `https://127.0.0.1:${server.port}/mcp`)
      const seen = heard(yield* send(server.port, rawToolCall(1, "who"), {}))
      assert.strictEqual(seen.status, 401)
      const metadata = `https://127.0.0.1:${server.port}/.well-known/oauth-protected-resource/mcp`
      assert.strictEqual(seen.headers["www-authenticate"], `Bearer resource_metadata="${metadata}"`)
    })
  )

  it.effect("is not opened with a key that does not fit, of which nothing is told", () =>
    Effect.gen(function* () {
      for (const key of ["s3cr3t", identity("robot").key]) {
        const error = yield* Effect.promise(() =>
          McpNode.listen(who, { tls: { key, cert: certificate("server") } }).then(
            () => "opened",
            (one) => one
          )
        )
        assert.instanceOf(error, McpBuildErrors)
        assert.match(error.message, /1\. tls: nothing can be served with these: .*; give the text of files in PEM form/)
        assert.notInclude(inspect(error, { depth: 9 }), key)
      }
    })
  )
})

describe("McpNode.listen with client certificates", () => {
  it.effect("is not opened with authorities of which no certificate can be read", () =>
    Effect.gen(function* () {
      for (const clientCa of ["authority.pem", new Uint8Array(1)]) {
        const error = yield* Effect.promise(() =>
          McpNode.listen(who, { tls: { ...identity("server"), clientCa } }).then(
            () => "opened",
            (one) => one
          )
        )
        assert.instanceOf(error, McpBuildErrors)
        assert.include(error.message, "1. tls: nothing can be served with these: ")
      }
    })
  )

  it.effect("makes the subject of a certificate the principal, with the scopes that it was given", () =>
    Effect.gen(function* () {
      const server = yield* opened(who, { tls: mutual })
      const seen = principalIn(yield* send(server.port, rawToolCall(1, "who"), identity("robot")))
      assert.match("fingerprint" in seen ? seen.fingerprint : "", /^[0-9a-f]{64}$/)
      assert.deepInclude(seen, { via: "certificate", id: robot, subject: robot, scopes: ["write"] })
      const written = heard(yield* send(server.port, rawToolCall(2, "write"), identity("robot")))
      assert.strictEqual(written.status, 200, written.text)
      const bare = yield* opened(who, { tls: { ...identity("server"), clientCa: certificate("authority") } })
      const refused = heard(yield* send(bare.port, rawToolCall(2, "write"), identity("robot")))
      assert.strictEqual(refused.status, 403)
      assert.include(refused.text, `add them to tls.scopes[${JSON.stringify(JSON.stringify(robot)).slice(1, -1)}]`)
    })
  )

  it.effect("ends a connection without a certificate, or with one that another authority signed", () =>
    Effect.gen(function* () {
      const server = yield* opened(who, { tls: mutual })
      for (const options of [{}, identity("intruder")]) {
        const seen = yield* send(server.port, rawToolCall(1, "who"), options)
        assert.isString(seen, JSON.stringify(seen))
      }
    })
  )

  it.effect("refuses a certificate without a subject, by which nobody could be told apart", () =>
    Effect.gen(function* () {
      const server = yield* opened(who, { tls: mutual })
      const seen = heard(yield* send(server.port, rawToolCall(1, "who"), identity("nameless")))
      assert.strictEqual(seen.status, 403)
      assert.strictEqual(
        JSON.parse(seen.text).error.message,
        "The client certificate has no subject, by which callers are told apart"
      )
    })
  )

  it.effect("SEC-04: keeps a session for who opened it, with a renewed certificate too", () =>
    Effect.gen(function* () {
      const server = yield* opened(who, { tls: mutual })
      const shaken = heard(yield* send(server.port, initialize(), identity("robot")))
      const id = String(shaken.headers["mcp-session-id"])
      const session = { "mcp-session-id": id, "mcp-protocol-version": "2025-11-25" }
      const again = heard(yield* send(server.port, compatRequest(1, "ping"), identity("renewed"), session))
      assert.strictEqual(again.status, 200, again.text)
      const call = rawToolCall(1, "who")
      const [one, other] = [
        principalIn(yield* send(server.port, call, identity("robot"))),
        principalIn(yield* send(server.port, call, identity("renewed")))
      ]
      assert.strictEqual(one.id, other.id)
      assert.notDeepEqual(one, other, "their fingerprints differ")
    })
  )

  it.effect("knows the caller of a TLS session that is resumed", () =>
    Effect.gen(function* () {
      const server = yield* opened(who, { tls: mutual })
      for (const maxVersion of ["TLSv1.2", "TLSv1.3"] as const) {
        const options = { ...identity("robot"), maxVersion }
        const { session } = heard(yield* send(server.port, rawToolCall(1, "who"), options))
        assert.isDefined(session)
        const seen = yield* send(server.port, rawToolCall(1, "who"), { ...options, session })
        assert.isTrue(heard(seen).reused, maxVersion)
        assert.strictEqual(principalIn(seen).id, robot, maxVersion)
      }
    })
  )

  it.effect("has the token say who calls where there is auth too, and demands the certificate all the same", () =>
    Effect.gen(function* () {
      const server = yield* opened(who, { tls: mutual, auth: tokens({ ada: [] }) })
      const ada = { authorization: "Bearer ada" }
      const call = rawToolCall(1, "who")
      assert.strictEqual(principalIn(yield* send(server.port, call, identity("robot"), ada)).via, "token")
      assert.strictEqual(heard(yield* send(server.port, call, identity("robot"))).status, 401)
      assert.isString(yield* send(server.port, call, {}, ada))
    })
  )
})
