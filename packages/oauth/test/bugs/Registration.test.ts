/**
 * Public bug reports about registration and the way back from a login.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { makeAuthPerson, oauthError, scriptedAuth, type AuthServer, type ScriptedAuth } from "@treadle/testing"
import { loggingIn, openWith, redirectUri, use } from "../fixtures/person.ts"

/** Metadata of an authorization server with other members; `undefined` leaves one out. */
const saying = (more: object): AuthServer["script"] => ({
  metadata: (form, document) => (form === "oauth" ? { json: { ...document, ...more } } : undefined)
})

describe("B060: a client that was just registered", () => {
  const methods = ["none", "client_secret_post", "client_secret_basic", undefined] as const
  const rows = methods.flatMap((method) => [200, 201].map((status) => ({ method, status })))
  for (const { method, status } of rows) {
    it.effect(`B060: proves itself as the answer ${status} says: ${method ?? "nothing, but with a secret"}`, () =>
      Effect.gen(function* () {
        const auth = yield* scriptedAuth()
        const secret = method === "none" ? {} : { client_secret: "a:b+c d%e&f=g" }
        auth.as.script = {
          register: (_, { json }) => ({ status, json: { ...json, token_endpoint_auth_method: method, ...secret } })
        }
        const person = makeAuthPerson()
        const session = yield* openWith(auth, loggingIn({}, person))
        auth.revoke()
        yield* use(session)
        assert.deepStrictEqual(auth.faults, [])
        const sent = auth.of("as1", "POST /token")
        assert.deepStrictEqual(
          sent.map(({ form }) => form.get("grant_type")),
          ["authorization_code", "refresh_token"]
        )
        for (const { form, headers } of sent) {
          const ways = [headers.authorization, form.get("client_secret")].filter((way) => (way ?? null) !== null)
          assert.lengthOf(ways, method === "none" ? 0 : 1)
        }
        assert.lengthOf(person.pages, 1)
      })
    )
  }

  it.effect("B060: asks for a method that the server lists", () =>
    Effect.gen(function* () {
      for (const listed of ["none", "client_secret_post", "client_secret_basic"]) {
        const auth = yield* scriptedAuth({ secretEnding: ":+ %" })
        auth.as.script = saying({ token_endpoint_auth_methods_supported: [listed] })
        yield* use(yield* openWith(auth, loggingIn()))
        assert.strictEqual(auth.of("as1", "POST /register")[0]?.json.token_endpoint_auth_method, listed)
        assert.deepStrictEqual(auth.faults, [])
      }
    })
  )

  it.effect("B060: is refused, and nobody has to log in, where its method is one that it has no means for", () =>
    Effect.gen(function* () {
      for (const method of ["private_key_jwt", "tls_client_auth", "client_secret_basic", 7]) {
        const auth = yield* scriptedAuth()
        auth.as.script = {
          register: (_, { json }) => ({ status: 201, json: { ...json, token_endpoint_auth_method: method } })
        }
        const person = makeAuthPerson()
        const error = yield* Effect.flip(openWith(auth, loggingIn({}, person)))
        assert.include(error.message, `registered the client with ${JSON.stringify(method)}`)
        assert.deepStrictEqual(person.pages, [])
      }
    })
  )
})

describe("B072: which client logs in", () => {
  const clientMetadataUrl = "https://client.example/oauth/metadata.json"
  const describes = { client_id_metadata_document_supported: true }
  const beforehand = { clientId: "beforehand", method: "none", redirectUris: [redirectUri] } as const

  /** The ids that were shown at each step, and whether there was a registration. */
  const shown = (auth: ScriptedAuth) => ({
    ids: [
      ...auth.of("as1", "GET /authorize").map(({ query }) => query.get("client_id")),
      ...auth.of("as1", "POST /token").map(({ form }) => form.get("client_id"))
    ],
    registrations: auth.of("as1", "POST /register").length
  })

  it.effect(
    "B072 AUTH-07 W135: is one of before, else the one that a document describes, else one that is registered now",
    () =>
      Effect.gen(function* () {
        const table = [
          {
            settings: { clientId: "beforehand", clientMetadataUrl },
            said: describes,
            id: "beforehand",
            registrations: 0
          },
          { settings: { clientMetadataUrl }, said: describes, id: clientMetadataUrl, registrations: 0 },
          { settings: { clientMetadataUrl }, said: {}, id: undefined, registrations: 1 },
          {
            settings: { clientMetadataUrl },
            said: { client_id_metadata_document_supported: "true" },
            id: undefined,
            registrations: 1
          },
          { settings: {}, said: describes, id: undefined, registrations: 1 }
        ]
        for (const { id, registrations, said, settings } of table) {
          const auth = yield* scriptedAuth()
          auth.as.clients.set(beforehand.clientId, beforehand)
          auth.as.script = saying(said)
          yield* use(yield* openWith(auth, loggingIn(settings)))
          const expected = id ?? [...auth.as.clients.keys()].at(-1) ?? null
          assert.deepStrictEqual(shown(auth), { ids: [expected, expected], registrations })
          assert.deepStrictEqual(auth.faults, [])
        }
      })
  )

  it.effect("B072 W136: is asked of the developer where there is none, with every way to give one", () =>
    Effect.gen(function* () {
      const auth = yield* scriptedAuth()
      auth.as.script = saying({ registration_endpoint: undefined, ...describes })
      const person = makeAuthPerson()
      const error = yield* Effect.flip(openWith(auth, loggingIn({}, person)))
      assert.include(error.message, 'give the "clientId" that you registered there, or a "clientMetadataUrl"')
      assert.deepStrictEqual(person.pages, [])
    })
  )
})

describe("B108: a login", () => {
  const methods: ReadonlyArray<readonly [string, unknown]> = [
    ["nothing", undefined],
    ["plain only", ["plain"]],
    ["a text in place of a list", "S256"],
    ["an empty list", []]
  ]
  for (const [name, code_challenge_methods_supported] of methods) {
    it.effect(`B108 AUTH-12 W131: does not begin where the server lists ${name} for PKCE`, () =>
      Effect.gen(function* () {
        const auth = yield* scriptedAuth()
        auth.as.script = saying({ code_challenge_methods_supported })
        const person = makeAuthPerson()
        const error = yield* Effect.flip(openWith(auth, loggingIn({}, person)))
        assert.match(error.message, /does not say in its metadata that it supports PKCE with S256/)
        assert.isEmpty(person.pages)
        assert.isEmpty(auth.of("as1").filter(({ verb }) => verb === "POST"))
      })
    )
  }

  type Way = readonly [string, (right: Record<string, string>) => ReadonlyArray<[string, string]>]
  const ways: ReadonlyArray<Way> = [
    [
      "has another state",
      ({ code = "" }) => [
        ["code", code],
        ["state", "another"]
      ]
    ],
    ["has no state", ({ code = "" }) => [["code", code]]],
    [
      "has the state twice",
      ({ code = "", state = "" }) => [
        ["code", code],
        ["state", state],
        ["state", state]
      ]
    ],
    [
      "has the right state after a wrong one",
      ({ code = "", state = "" }) => [
        ["state", "x"],
        ["state", state],
        ["code", code]
      ]
    ]
  ]
  for (const [name, back] of ways) {
    it.effect(`B108 AUTH-18: asks for no token where what comes back ${name}`, () =>
      Effect.gen(function* () {
        const auth = yield* scriptedAuth()
        auth.as.script = { authorize: (_, right) => new URLSearchParams(back(right).map((pair) => [...pair])) }
        const error = yield* Effect.flip(openWith(auth, loggingIn()))
        assert.match(error.message, /the state of the authorization response/)
        assert.lengthOf(auth.of("as1", "GET /authorize"), 1)
        assert.isEmpty(auth.of("as1", "POST /token"))
        const state = auth.of("as1", "GET /authorize")[0]?.query.get("state") ?? ""
        assert.isAtLeast(state.length, 20)
        assert.notInclude(error.message, state)
      })
    )
  }

  it.effect("B108: does not take what came back from another one, and is no worse for it", () =>
    Effect.gen(function* () {
      const auth = yield* scriptedAuth()
      let first: Record<string, string> | undefined
      auth.as.script = {
        authorize: (_, right) => {
          first ??= right
          return new URLSearchParams(first)
        }
      }
      const provider = loggingIn()
      yield* use(yield* openWith(auth, provider))
      yield* provider.logout(auth.mcp.url)
      const replayed = yield* Effect.flip(openWith(auth, provider))
      assert.match(replayed.message, /the state of the authorization response/)
      assert.lengthOf(auth.of("as1", "POST /token"), 1)
      auth.as.script = {}
      yield* use(yield* openWith(auth, provider))
    })
  )

  it.effect("B108 AUTH-10 W133: registers a native application, for its address on this machine", () =>
    Effect.gen(function* () {
      const auth = yield* scriptedAuth()
      yield* openWith(auth, loggingIn())
      assert.deepStrictEqual(auth.of("as1", "POST /register")[0]?.json, {
        client_name: "Tests",
        redirect_uris: [redirectUri],
        application_type: "native",
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        token_endpoint_auth_method: "none"
      })
    })
  )

  it.effect("B108 AUTH-10: ends with the server's own words where the registration is refused", () =>
    Effect.gen(function* () {
      const auth = yield* scriptedAuth()
      auth.as.script = { register: () => oauthError("invalid_redirect_uri", 400, "localhost is not allowed here") }
      const person = makeAuthPerson()
      const error = yield* Effect.flip(openWith(auth, loggingIn({}, person)))
      assert.include(
        error.message,
        'the registration was refused: invalid_redirect_uri, "localhost is not allowed here"'
      )
      assert.deepStrictEqual([person.pages.length, auth.of("as1", "POST /token").length], [0, 0])
    })
  )
})
