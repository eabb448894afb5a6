/**
 * Public bug reports about tokens: more rights, outages, several refusals at once, another authorization server.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { McpClient } from "@treadle/client"
import { makeMemoryStore, OAuth, type TokenStore } from "@treadle/oauth"
import { htmlPage, makeAuthPerson, oauthError, scriptedAuth, type Canned, type ScriptedAuth } from "@treadle/testing"
import { loggingIn, openWith, redirectUri, use } from "../fixtures/person.ts"

const grants = (auth: ScriptedAuth, at = "as1") => auth.of(at, "POST /token").map(({ form }) => form.get("grant_type"))

const scopes = (auth: ScriptedAuth) => auth.of("as1", "GET /authorize").map(({ query }) => query.get("scope"))

/** A store in memory, and which kinds of records it keeps now. */
const watchedStore = () => {
  const kept = new Set<string>()
  const inner = makeMemoryStore()
  const store: TokenStore = {
    ...inner,
    write: (key, value) => {
      kept.add(key)
      return inner.write(key, value)
    },
    remove: (key, expected) =>
      Effect.tap(inner.remove(key, expected), (removed) => Effect.sync(() => removed && kept.delete(key)))
  }
  const has = (what: string) => [...kept].some((key) => key.includes(what))
  return { store, kept: () => ({ tokens: has('"grant"'), client: has("client http") }) }
}

describe("B062: a tool that demands more rights", () => {
  const demanding = Effect.gen(function* () {
    const auth = yield* scriptedAuth()
    const needs: Record<string, ReadonlyArray<string>> = { a: ["r"], b: ["w"] }
    auth.mcp.script = { needs: ({ json }) => (json?.method === "tools/call" ? (needs[json.params.name] ?? []) : false) }
    const person = makeAuthPerson()
    return { auth, person, session: yield* openWith(auth, loggingIn({}, person)) }
  })
  const calls = (auth: ScriptedAuth, tool: string) => auth.of("mcp").filter(({ json }) => json?.params?.name === tool)

  it.effect(
    "B062 AUTH-23 W156: is authorized anew for what it demands and what was asked for before, and called once more",
    () =>
      Effect.gen(function* () {
        const { auth, session } = yield* demanding
        yield* use(session, "a")
        yield* use(session, "b")
        assert.deepStrictEqual(scopes(auth), ["r", "r w"])
        assert.deepStrictEqual(grants(auth), ["authorization_code", "authorization_code"])
        assert.lengthOf(calls(auth, "b"), 2)
        yield* use(session, "a")
        yield* use(session, "b")
        assert.lengthOf(scopes(auth), 2)
        assert.deepStrictEqual(auth.faults, [])
      })
  )

  it.effect("B062 AUTH-23: ends in a clear error after few logins where it is never satisfied", () =>
    Effect.gen(function* () {
      const { auth, session } = yield* demanding
      yield* use(session, "a")
      auth.mcp.script = {
        ...auth.mcp.script,
        refuse: ({ json }) => (json?.params?.name === "c" ? 403 : undefined),
        challenge: ({ metadata }) => [`Bearer error="insufficient_scope", scope="x", resource_metadata="${metadata}"`]
      }
      const error = yield* Effect.flip(session.callTool("c"))
      assert.match(error.message, /the server demands the scopes x; all that it names was asked for, and not granted/)
      assert.strictEqual(error.reason._tag, "Unauthorized")
      assert.deepStrictEqual(scopes(auth), ["r", "r x"])
      yield* Effect.flip(session.callTool("c"))
      assert.lengthOf(scopes(auth), 2)
      yield* use(session, "a")
    })
  )

  it.effect("B062: asks nobody for long where it demands something else each time", () =>
    Effect.gen(function* () {
      const { auth, session } = yield* demanding
      yield* use(session, "a")
      let asked = 0
      auth.mcp.script = {
        ...auth.mcp.script,
        refuse: ({ json }) => (json?.params?.name === "c" ? 403 : undefined),
        challenge: () => [`Bearer error="insufficient_scope", scope="s${++asked}"`]
      }
      const error = yield* Effect.flip(session.callTool("c"))
      assert.strictEqual(error.reason._tag, "Unauthorized")
      assert.deepStrictEqual(scopes(auth), ["r", "r s1", "r s1 s2", "r s1 s2 s3", "r s1 s2 s3 s4"])
    })
  )
})

describe("B065: a refresh that does not succeed", () => {
  /** A login whose token was refused, and nobody who could log in again. */
  const refused = (answer: () => Canned) =>
    Effect.gen(function* () {
      const auth = yield* scriptedAuth()
      const { kept, store } = watchedStore()
      yield* openWith(auth, loggingIn({ store }))
      const session = yield* openWith(auth, OAuth.browser({ clientName: "Tests", store }))
      auth.as.script = { token: answer }
      auth.revoke()
      return { auth, kept, session, store }
    })

  const outages: ReadonlyArray<readonly [string, Canned, RegExp]> = [
    ["a broken connection", { reset: true }, /gave no answer to go on with/],
    ["503", { status: 503, text: "later" }, /HTTP 503; try again later/],
    [
      "429",
      { status: 429, json: { error: "slow_down" }, headers: { "retry-after": "1" } },
      /HTTP 429; try again later/
    ],
    ["a web page", htmlPage, /HTTP 200, but not what was asked for; try again later/]
  ]
  for (const [name, answer, said] of outages) {
    it.effect(`B065: keeps the login after ${name}, be the token refused or expired`, () =>
      Effect.gen(function* () {
        const { auth, kept, session } = yield* refused(() => answer)
        for (const wait of ["1 minute", "2 hours"] as const) {
          yield* TestClock.adjust(wait)
          const error = yield* Effect.flip(session.callTool("a"))
          assert.match(error.message, said)
          assert.isTrue(error.notRun)
          assert.deepStrictEqual(kept(), { tokens: true, client: true })
        }
        auth.as.script = {}
        yield* use(session)
        assert.deepStrictEqual([scopes(auth).length, auth.faults], [1, []])
      })
    )
  }

  it.effect("B065 W155: drops the tokens only after invalid_grant, and says that a login is needed", () =>
    Effect.gen(function* () {
      const { auth, kept, session } = yield* refused(() => oauthError("invalid_grant"))
      const error = yield* Effect.flip(session.callTool("a"))
      assert.match(error.message, /a person has to log in/)
      assert.deepStrictEqual(kept(), { tokens: false, client: true })
      yield* Effect.flip(session.callTool("a"))
      assert.deepStrictEqual(grants(auth), ["authorization_code", "refresh_token"])
    })
  )

  it.effect("B065: drops the registration, too, after invalid_client", () =>
    Effect.gen(function* () {
      const { kept, session, store, auth } = yield* refused(() => oauthError("invalid_client", 401))
      yield* Effect.flip(session.callTool("a"))
      assert.deepStrictEqual(kept(), { tokens: false, client: false })
      auth.as.script = {}
      yield* use(yield* openWith(auth, loggingIn({ store })))
      assert.lengthOf(auth.of("as1", "POST /register"), 2)
    })
  )

  it.effect("B065: asks for a login after an unknown refusal has come a few times", () =>
    Effect.gen(function* () {
      const { auth, kept, session } = yield* refused(() => oauthError("invalid_request", 400, "no"))
      const told: Array<string> = []
      for (let call = 0; call < 5; call++) told.push((yield* Effect.flip(session.callTool("a"))).message)
      const refusals = told.filter((message) => message.includes('invalid_request, "no"'))
      assert.lengthOf(refusals, 2)
      assert.lengthOf(grants(auth), 1 + 3)
      for (const message of told.slice(2)) assert.match(message, /a person has to log in/)
      assert.deepStrictEqual(kept(), { tokens: false, client: true })
    })
  )
})

describe("B070: several refusals at once", () => {
  it.effect(
    "B070: lead to one login, though the stream and the calls are refused after a session was opened freely",
    () =>
      Effect.gen(function* () {
        const auth = yield* scriptedAuth()
        const guarded = ({ json, verb }: { readonly json: any; readonly verb: string }) =>
          verb === "GET" || json?.method === "tools/call"
        auth.mcp.script = { era: "compat", needs: (seen) => (guarded(seen) ? ["r"] : false) }
        const all = auth.seen.first(
          () => auth.of("mcp").filter((seen) => seen.pathname === "/mcp" && guarded(seen)).length === 4
        )
        const person = makeAuthPerson(async () => void (await all))
        const session = yield* McpClient.http(auth.mcp.url, {
          auth: loggingIn({}, person),
          answers: { roots: () => Effect.succeed([]) }
        })
        yield* session.listTools()
        assert.lengthOf(person.pages, 0)
        yield* Effect.all([use(session, "a"), use(session, "b"), use(session, "c")], { concurrency: 3 })
        assert.deepStrictEqual([person.pages.length, grants(auth)], [1, ["authorization_code"]])
        yield* Effect.promise(() =>
          auth.seen.first(({ headers, verb }) => verb === "GET" && headers.authorization !== undefined)
        )
        assert.deepStrictEqual(auth.faults, [])
      })
  )
})

describe("B107: another authorization server", () => {
  /** A login at the first server; the resource then names the second one. */
  const moved = () =>
    Effect.gen(function* () {
      const auth = yield* scriptedAuth({ issuers: ["", "/b"] })
      const [a, b] = auth.servers
      if (a === undefined || b === undefined) return yield* Effect.die("two servers were asked for")
      const { store } = watchedStore()
      a.script = {
        register: (_, { json }) => ({
          status: 201,
          json: { ...json, client_secret: "the-secret-of-a", token_endpoint_auth_method: "client_secret_post" }
        })
      }
      return { auth, a, store, move: () => (auth.mcp.script = { ...auth.mcp.script, issuers: [b.issuer] }) }
    })
  const sentTo = (auth: ScriptedAuth, at: string) =>
    auth
      .of(at)
      .map(({ headers, path, text }) => `${path} ${JSON.stringify(headers)} ${text}`)
      .join("\n")

  it.effect("B107 AUTH-06 AUTH-11: gets a registration of its own and nothing of the other's", () =>
    Effect.gen(function* () {
      const { a, auth, move, store } = yield* moved()
      const session = yield* openWith(auth, loggingIn({ store }))
      const secrets = [...a.clients.keys(), "the-secret-of-a", ...auth.issued.keys(), ...a.refreshes.keys()]
      assert.lengthOf(secrets, 4)
      const toA = sentTo(auth, "as1")
      assert.isTrue(secrets.slice(0, 2).every((secret) => toA.includes(secret)))
      move()
      const before = auth.of("as1").length
      yield* use(session)
      assert.lengthOf(auth.of("as2", "POST /register"), 1)
      assert.deepStrictEqual(grants(auth, "as2"), ["authorization_code"])
      for (const secret of secrets) assert.notInclude(sentTo(auth, "as2"), secret)
      assert.lengthOf(auth.of("as1"), before, "and the other one is not asked again")
      assert.deepStrictEqual(auth.faults, [])
    })
  )

  it.effect("B107 AUTH-06: gets neither code nor refresh token of the other after a restart", () =>
    Effect.gen(function* () {
      const { a, auth, move, store } = yield* moved()
      yield* Effect.scoped(openWith(auth, loggingIn({ store })))
      const secrets = [...a.clients.keys(), "the-secret-of-a", ...auth.issued.keys(), ...a.refreshes.keys()]
      move()
      yield* TestClock.adjust("2 hours")
      auth.revoke()
      yield* use(yield* openWith(auth, loggingIn({ store })))
      for (const secret of secrets) assert.notInclude(sentTo(auth, "as2"), secret)
    })
  )

  it.effect("B107: is an error where the client was registered beforehand with the other one", () =>
    Effect.gen(function* () {
      const { a, auth, move, store } = yield* moved()
      a.clients.set("mine", { clientId: "mine", method: "none", redirectUris: [redirectUri] })
      const session = yield* openWith(auth, loggingIn({ store, clientId: "mine" }))
      move()
      const error = yield* Effect.flip(session.callTool("a"))
      assert.match(
        error.message,
        /the client mine was used at .*; give the "issuer" and the client that belong together/
      )
      assert.notInclude(sentTo(auth, "as2"), "mine")
    })
  )

  it.effect("B107 AUTH-11: takes the same client where a document describes it", () =>
    Effect.gen(function* () {
      const { auth, move, store } = yield* moved()
      const clientMetadataUrl = "https://client.example/me.json"
      for (const server of auth.servers) {
        server.script = {
          metadata: (form, document) =>
            form === "oauth" ? { json: { ...document, client_id_metadata_document_supported: true } } : undefined
        }
      }
      const session = yield* openWith(auth, loggingIn({ store, clientMetadataUrl }))
      move()
      yield* use(session)
      assert.deepStrictEqual(
        auth.of("as2", "POST /token").map(({ form }) => form.get("client_id")),
        [clientMetadataUrl]
      )
      assert.isEmpty(auth.lines().filter((line) => line.endsWith("/register")))
    })
  )

  it.effect("B107: that does not know the client any more registers it again, once", () =>
    Effect.gen(function* () {
      for (const always of [false, true]) {
        const auth = yield* scriptedAuth()
        let refusals = 0
        auth.as.script = {
          token: () => (always || refusals++ === 0 ? oauthError("invalid_client", 401) : undefined)
        }
        const { kept, store } = watchedStore()
        yield* Effect.exit(openWith(auth, loggingIn({ store })))
        assert.deepStrictEqual(
          [auth.of("as1", "POST /register").length, grants(auth).length, kept().tokens],
          [2, 2, !always]
        )
      }
    })
  )

  it.effect("B107: that fails with 500 leaves the registration as it is", () =>
    Effect.gen(function* () {
      const auth = yield* scriptedAuth()
      auth.as.script = { token: () => ({ status: 500, text: "oops" }) }
      const { kept, store } = watchedStore()
      const error = yield* Effect.flip(openWith(auth, loggingIn({ store })))
      assert.match(error.message, /HTTP 500; try again later/)
      assert.deepStrictEqual(kept(), { tokens: false, client: true })
      auth.as.script = {}
      yield* use(yield* openWith(auth, loggingIn({ store })))
      assert.lengthOf(auth.of("as1", "POST /register"), 1)
    })
  )
})
