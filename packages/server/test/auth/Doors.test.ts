/**
 * Authentication is the same at every HTTP door and in both eras: before a body is read, on every verb, with the
 * metadata of the resource beside it.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { parseChallenges } from "@treadle/protocol/http"
import { rawToolCall, type RawMessage } from "@treadle/testing"
import { StaticBearer } from "../../src/index.ts"
import { cellMcp, ran } from "../fixtures/cells.ts"
import { compatCall, initialize } from "../fixtures/compatDoor.ts"
import { protectedDoors, type Asked } from "../fixtures/protectedDoors.ts"
import { headersOf } from "../fixtures/rawPeers.ts"
import { presented, resource, tokens } from "../fixtures/tokens.ts"

const metadataUrl = "https://Box.example/.well-known/oauth-protected-resource/mcp"
const paths = ["/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource"]

const messages: ReadonlyArray<readonly [era: string, message: RawMessage]> = [
  ["native", rawToolCall(7, "echo", { text: "hi" })],
  ["compat", initialize()],
  ["compat, in a session that it does not have,", compatCall(7, "echo", { text: "hi" })]
]

const sent = (message: RawMessage, headers: { readonly [name: string]: string } = {}): Asked => ({
  headers: { ...headersOf(message), ...headers },
  body: JSON.stringify(message)
})

/** The one challenge of a response. */
const challengeOf = (header: string | undefined): { readonly [name: string]: string | undefined } => {
  const [challenge, ...others] = parseChallenges(header ?? "")
  assert.isEmpty(others)
  return { scheme: challenge?.scheme, ...Object.fromEntries(challenge?.parameters ?? []) }
}

const auth = tokens(
  { all: ["mcp", "read"], little: ["mcp"], none: [] },
  { required: ["mcp"], supported: ["mcp", "read"] }
)

describe.each(Object.entries(protectedDoors))("%s with a protected resource", (name, open) => {
  const isSse = name.endsWith("sse")

  it.effect.each(messages)(
    "AUTH-02 AUTH-21 A85: %s without a token is a bare 401 that says where to get one",
    ([, message]) =>
      Effect.gen(function* () {
        const send = yield* open(cellMcp(), { auth })
        for (const headers of [{}, { authorization: "Basic YTpi" }]) {
          const before = ran.length
          const seen = yield* send(sent(message, headers))
          assert.deepStrictEqual([seen.status, seen.text, seen.headers["content-type"]], [401, "", undefined])
          assert.deepStrictEqual(challengeOf(seen.headers["www-authenticate"]), {
            scheme: "bearer",
            scope: "mcp",
            resource_metadata: metadataUrl
          })
          assert.strictEqual(ran.length, before)
        }
      })
  )

  it.effect.each(messages)("AUTH-26 A85: %s with a token that is refused is a bare 401 that says why", ([, message]) =>
    Effect.gen(function* () {
      const send = yield* open(cellMcp(), { auth })
      const seen = yield* send(sent(message, { authorization: "Bearer old" }))
      assert.deepStrictEqual([seen.status, seen.text], [401, ""])
      assert.deepStrictEqual(challengeOf(seen.headers["www-authenticate"]), {
        scheme: "bearer",
        error: "invalid_token",
        error_description: "The token 'expired' an hour ago",
        scope: "mcp",
        resource_metadata: metadataUrl
      })
      assert.strictEqual(presented.at(-1), `old for ${resource}`, "the audience is the resource, letter by letter")
    })
  )

  it.effect.each(messages)("AUTH-22: %s with a token that lacks what every request needs is a 403", ([, message]) =>
    Effect.gen(function* () {
      const send = yield* open(cellMcp(), { auth })
      const seen = yield* send(sent(message, { authorization: "Bearer none" }))
      assert.deepStrictEqual([seen.status, seen.json.error.code], [403, -32600])
      assert.deepStrictEqual(challengeOf(seen.headers["www-authenticate"]), {
        scheme: "bearer",
        error: "insufficient_scope",
        scope: "mcp",
        resource_metadata: metadataUrl
      })
    })
  )

  it.effect("AUTH-25: every verb needs a token, also where a session is named (SEC-04)", () =>
    Effect.gen(function* () {
      const send = yield* open(cellMcp(), { auth })
      const opened = yield* send(sent(initialize(), { authorization: "Bearer all" }))
      const session = opened.headers["mcp-session-id"] ?? "none"
      for (const verb of isSse ? ["GET", "POST"] : ["GET", "DELETE", "POST"]) {
        const headers = { "mcp-session-id": session, accept: "text/event-stream" }
        const seen = yield* send({ verb, headers, path: "/mcp?sessionId=x" })
        assert.strictEqual(seen.status, 401, verb)
      }
    })
  )

  it.effect("AUTH-25: a token in the address is malformed, also beside one in the header", () =>
    Effect.gen(function* () {
      const send = yield* open(cellMcp(), { auth })
      for (const headers of [{}, { authorization: "Bearer all" }]) {
        const seen = yield* send({ ...sent(initialize(), headers), path: "/mcp?access_token=all" })
        assert.strictEqual(seen.status, 400)
        assert.match(String(seen.headers["www-authenticate"]), /error="invalid_request".*never in the query/)
      }
    })
  )

  it.effect("AUTH-01 B018 B102: serves the metadata at both addresses to anybody, and names what was configured", () =>
    Effect.gen(function* () {
      const send = yield* open(cellMcp(), { auth })
      const expected = {
        resource,
        authorization_servers: ["https://login.example"],
        scopes_supported: ["mcp", "read"],
        bearer_methods_supported: ["header"]
      }
      const headers = {
        host: "evil.example",
        origin: "https://anybody.example",
        "x-forwarded-host": "evil.example",
        "x-forwarded-proto": "http"
      }
      for (const path of paths) {
        const seen = yield* send({ verb: "GET", path, headers })
        assert.deepStrictEqual([seen.status, seen.json], [200, expected])
        assert.include(seen.text, `"resource":"${resource}"`)
        assert.strictEqual(seen.headers["access-control-allow-origin"], "*")
        const head = yield* send({ verb: "HEAD", path })
        assert.deepStrictEqual([head.status, head.text, head.headers["content-type"]], [200, "", "application/json"])
        const preflight = { origin: "https://anybody.example", "access-control-request-method": "GET" }
        const asked = yield* send({ verb: "OPTIONS", path: `${path}?x=1`, headers: preflight })
        assert.deepStrictEqual([asked.status, asked.headers["access-control-allow-headers"]], [204, "*"])
        const posted = yield* send({ ...sent(messages[0]?.[1] ?? {}), path })
        assert.deepStrictEqual([posted.status, posted.headers["allow"]], [405, "GET, HEAD, OPTIONS"])
      }
      const other = yield* send({ verb: "GET", path: `${paths[1]}/other` })
      assert.isTrue(other.status === 401 || other.status === 404, `${other.status}`)
    })
  )

  it.effect("A86 HTTP-22: a foreign origin is refused before its token, and a listed page may read the challenge", () =>
    Effect.gen(function* () {
      const send = yield* open(cellMcp(), { auth, origins: ["https://app.example"] })
      const message = messages[0]?.[1] ?? {}
      const before = presented.length
      for (const origin of ["https://evil.example", "null"]) {
        const seen = yield* send(sent(message, { origin, authorization: "Bearer old" }))
        assert.strictEqual(seen.status, 403)
      }
      assert.strictEqual(presented.length, before)
      const origin = "https://app.example"
      const preflight = { origin, "access-control-request-method": "POST" }
      assert.strictEqual((yield* send({ verb: "OPTIONS", headers: preflight })).status, 204)
      for (const [authorization, status] of [
        ["Bearer old", 401],
        ["Bearer none", 403]
      ] as const) {
        const seen = yield* send(sent(message, { origin, authorization }))
        assert.strictEqual(seen.status, status)
        assert.strictEqual(seen.headers["access-control-allow-origin"], origin)
        assert.include(seen.headers["access-control-expose-headers"], "www-authenticate")
      }
    })
  )

  it.effect("A85: takes agreed secrets as well, and says nothing of metadata then", () =>
    Effect.gen(function* () {
      const send = yield* open(cellMcp(), { auth: StaticBearer.make({ tokens: { ada: "secret-a", bob: "secret-b" } }) })
      const message = messages[0]?.[1] ?? {}
      const none = yield* send(sent(message))
      assert.deepStrictEqual([none.status, none.headers["www-authenticate"], none.text], [401, "Bearer", ""])
      for (const token of ["secret-", "secret-aa", "secret-c", "SECRET-A", "x".repeat(100)]) {
        const seen = yield* send(sent(message, { authorization: `Bearer ${token}` }))
        assert.deepStrictEqual([seen.status, seen.text], [401, ""], token)
        assert.include(seen.headers["www-authenticate"], 'error="invalid_token"')
      }
      const passed = yield* send(sent(message, { authorization: "bearer secret-b" }))
      // Where there is no stream that is meant, the transport of two endpoints says so to whoever may ask.
      assert.strictEqual(passed.status, isSse ? 404 : 200)
      const document = yield* send({ verb: "GET", path: paths[1] ?? "" })
      assert.notStrictEqual(document.status, 200)
    })
  )
})
