/**
 * Which client logs in, and where it is shown.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { McpClient } from "@treadle/client"
import { AuthReason, makeMemoryStore, type AddressPolicy, type Browser, type OAuthSender } from "@treadle/oauth"
import { makeAuthPerson, scriptedAuth } from "@treadle/testing"
import { browserOf, loggingIn, openWith, redirectUri, use } from "./fixtures/person.ts"

describe("a client", () => {
  for (const clientMetadataUrl of [
    "http://client.example/me",
    "https://client.example/",
    "https://client.example",
    "me"
  ]) {
    it.effect(`AUTH-08: is not named by the address ${clientMetadataUrl}`, () =>
      Effect.gen(function* () {
        const auth = yield* scriptedAuth()
        const error = yield* Effect.flip(openWith(auth, loggingIn({ clientMetadataUrl })))
        assert.match(error.message, /"clientMetadataUrl".*names no client; write an https: address with a path/)
        assert.isEmpty(auth.of("as1", "GET /authorize"))
      })
    )
  }

  for (const [offered, prompt] of [
    [["r", "offline_access"], "consent"],
    [["r"], null]
  ] as const) {
    it.effect(
      `AUTH-29: has the page ask for consent: ${prompt}, where the server has the scopes ${offered.join(" ")}`,
      () =>
        Effect.gen(function* () {
          const auth = yield* scriptedAuth()
          auth.as.script = {
            metadata: (form, document) =>
              form === "oauth" ? { json: { ...document, scopes_supported: offered } } : undefined
          }
          const person = makeAuthPerson()
          yield* openWith(auth, loggingIn({ scopes: ["r"] }, person))
          assert.deepStrictEqual(
            person.pages.map((page) => page.searchParams.get("prompt")),
            [prompt]
          )
        })
    )
  }

  it.effect("W139 AUTH-18: shows a verifier and a state of its own in each login", () =>
    Effect.gen(function* () {
      const auth = yield* scriptedAuth()
      const person = makeAuthPerson()
      for (const account of ["first", "second", "third"]) yield* openWith(auth, loggingIn({ account }, person))
      const verifiers = auth.of("as1", "POST /token").map(({ form }) => form.get("code_verifier") ?? "")
      for (const name of ["code_challenge", "state"]) {
        assert.strictEqual(new Set(person.pages.map((page) => page.searchParams.get(name))).size, 3, name)
      }
      assert.strictEqual(new Set(verifiers).size, 3)
      for (const verifier of verifiers) assert.match(verifier, /^[\w.~-]{43,128}$/)
    })
  )

  it.effect("W145: shows no token along a redirect that leaves its resource, and nobody logs in for that", () =>
    Effect.gen(function* () {
      const auth = yield* scriptedAuth()
      const person = makeAuthPerson()
      const url = `${auth.mcp.url}?desk=1`
      auth.mcp.script = { resource: url }
      const session = yield* McpClient.http(url, { auth: loggingIn({}, person), cache: false, ping: false })
      auth.mcp.script = { resource: url, answer: () => ({ status: 307, headers: { location: auth.mcp.url } }) }
      const error = yield* Effect.flip(use(session))
      assert.strictEqual(error.reason._tag, "Unauthorized")
      const elsewhere = auth.of("mcp", "POST /mcp").filter(({ query }) => !query.has("desk"))
      assert.deepStrictEqual(
        elsewhere.map(({ headers }) => headers.authorization),
        [undefined]
      )
      assert.lengthOf(person.pages, 1)
    })
  )

  it.effect("B098: is refreshed as it was registered, although another server of its issuer needed a new address", () =>
    Effect.gen(function* () {
      const auth = yield* scriptedAuth()
      const other = yield* scriptedAuth()
      other.mcp.script = { issuers: [auth.as.issuer] }
      auth.as.script = { accepts: () => true }
      const person = makeAuthPerson()
      const store = makeMemoryStore()
      const at = (port: number): Browser => ({
        visit: () =>
          Effect.map(browserOf(person).visit(), (visit) => ({
            ...visit,
            redirectUri: `http://127.0.0.1:${port}/callback`
          }))
      })
      const session = yield* openWith(auth, loggingIn({ store, browser: at(49152) }))
      yield* Effect.exit(openWith(other, loggingIn({ store, browser: at(49153) })))
      assert.lengthOf(auth.of("as1", "POST /register"), 2)
      assert.lengthOf(person.pages, 2)
      auth.revoke()
      yield* use(session)
      assert.lengthOf(person.pages, 2)
    })
  )

  const registered = { clientId: "beforehand" }

  it.effect(
    "AUTH-11: that was registered beforehand is shown to the authorization server only that it was first used at",
    () =>
      Effect.gen(function* () {
        const auth = yield* scriptedAuth({ issuers: ["", ""] })
        const [first, second] = auth.servers
        if (first === undefined || second === undefined) return yield* Effect.die("two servers were asked for")
        for (const { clients } of auth.servers) {
          clients.set("beforehand", {
            clientId: "beforehand",
            method: "none",
            redirectUris: ["http://127.0.0.1:49152/callback"]
          })
        }
        const store = makeMemoryStore()
        const provider = loggingIn({ store, ...registered })
        yield* openWith(auth, provider)
        auth.mcp.script = { issuers: [second.issuer] }
        const error = yield* Effect.flip(openWith(auth, provider))
        assert.include(error.message, `was used at ${first.issuer}, and the server now names ${second.issuer}`)
        assert.isEmpty([...auth.of("as2", "GET /authorize"), ...auth.of("as2", "POST /token")])
        yield* openWith(auth, loggingIn({ store, ...registered, issuer: second.issuer }))
        assert.lengthOf(auth.of("as2", "POST /token"), 1)
      })
  )

  it.effect("registers itself under its own name, whoever else keeps logins in the same store", () =>
    Effect.gen(function* () {
      const auth = yield* scriptedAuth()
      const store = makeMemoryStore()
      for (const clientName of ["Desk", "Night job", "Desk"]) {
        const provider = loggingIn({ store, clientName })
        yield* openWith(auth, provider)
        yield* provider.logout(auth.mcp.url)
      }
      const named = auth.of("as1", "POST /register").map(({ json }) => json.client_name)
      assert.deepStrictEqual(named, ["Desk", "Night job"])
      const [first, second, third] = auth.of("as1", "GET /authorize").map(({ query }) => query.get("client_id"))
      assert.strictEqual(third, first)
      assert.notStrictEqual(second, first)
    })
  )

  it.effect("registers itself anew after a login from which nobody came back with an earlier registration", () =>
    Effect.gen(function* () {
      const auth = yield* scriptedAuth()
      const store = makeMemoryStore()
      const provider = loggingIn({ store })
      const registrations = () => auth.of("as1", "POST /register").length
      yield* provider.login(auth.mcp.url)
      yield* provider.logout(auth.mcp.url)
      const leaving: Browser = {
        visit: () =>
          Effect.succeed({ redirectUri, open: () => Effect.fail(new AuthReason.LoginNeeded({ why: "nobody came" })) })
      }
      const leave = Effect.flip(loggingIn({ store, browser: leaving }).login(auth.mcp.url))
      assert.include((yield* leave).message, "nobody came")
      assert.strictEqual(registrations(), 1)
      yield* leave
      assert.strictEqual(registrations(), 2)
      yield* provider.login(auth.mcp.url)
      assert.strictEqual(registrations(), 2)
    })
  )

  it.effect("is not shown to an authorization server that the developer did not name", () =>
    Effect.gen(function* () {
      const auth = yield* scriptedAuth()
      const provider = loggingIn({ ...registered, issuer: "https://as.example" })
      const error = yield* Effect.flip(openWith(auth, provider))
      assert.include(error.message, `accepts tokens of ${auth.as.issuer}, not of https://as.example`)
      assert.isEmpty(auth.of("as1"))
    })
  )

  it.effect("W126: logs in by the metadata at the address that the developer gives, which may be nonsense", () =>
    Effect.gen(function* () {
      const auth = yield* scriptedAuth()
      auth.mcp.script = { metadata: (form, json) => (form === "other" ? { json } : undefined) }
      yield* openWith(auth, loggingIn({ metadata: `${auth.mcp.origin}/mine` }))
      assert.notInclude(auth.lines().join(), "/.well-known/oauth-protected-resource")
      const error = yield* Effect.flip(openWith(auth, loggingIn({ metadata: "nonsense" })))
      assert.match(
        error.message,
        /metadata of the protected resource was not found; asked were nonsense \(it is no URL\)/
      )
    })
  )
})

describe("addresses that a server names (SEC-01, W132)", () => {
  const table: ReadonlyArray<readonly [string, string, RegExp]> = [
    ["an endpoint that is not https", "http://as.example/token", /not https \(OAuth 2\.1 section 1\.5\)/],
    ["a private address", "https://10.0.0.1/token", /private network; say network: "private"/],
    ["the address of a cloud's metadata", "https://169.254.169.254/token", /no address of a server/],
    ["an address with a password", "https://user:secret-part@as.example/token", /holds a name or a password/]
  ]
  for (const [name, token_endpoint, expected] of table) {
    it.effect(`are not called: ${name}`, () =>
      Effect.gen(function* () {
        const auth = yield* scriptedAuth()
        auth.as.script = {
          metadata: (form, document) => (form === "oauth" ? { json: { ...document, token_endpoint } } : undefined)
        }
        const error = yield* Effect.flip(openWith(auth, loggingIn()))
        assert.match(error.message, expected)
        assert.notInclude(error.message, "secret-part")
        assert.isEmpty(auth.of("as1", "GET /authorize"))
      })
    )
  }

  it.effect("may lead into other networks at the server's own origin only, which the developer chose", () =>
    Effect.gen(function* () {
      const server = "https://box.example/mcp"
      const document = { resource: server, authorization_servers: ["https://login.example"] }
      const policies = new Map<string, AddressPolicy>()
      const sender: OAuthSender = async ({ url }, policy) => {
        policies.set(url.origin, policy)
        return url.pathname.startsWith("/.well-known/oauth-protected-resource")
          ? Response.json(document)
          : new Response(null, { status: 404 })
      }
      const error = yield* Effect.flip(loggingIn({ sender }).login(server))
      assert.strictEqual(error.reason._tag, "NotDiscovered")
      assert.deepStrictEqual(Object.fromEntries(policies), {
        "https://box.example": { loopback: true, privateNetworks: true },
        "https://login.example": { loopback: false, privateNetworks: false }
      })
    })
  )
})
