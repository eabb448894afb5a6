/**
 * How a login is kept, renewed in time and shared, against scripted servers. The clock is the test's.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Duration from "effect/Duration"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { McpClient } from "@treadle/client"
import { makeMemoryStore, OAuth, type TokenStore } from "@treadle/oauth"
import { htmlPage, makeAuthPerson, oauthError, scriptedAuth, type Canned } from "@treadle/testing"
import { browserOf, loggingIn, openWith, use } from "./fixtures/person.ts"

const tokens = (auth: {
  readonly of: (at: string, what?: string) => ReadonlyArray<{ readonly form: URLSearchParams }>
}) => auth.of("as1", "POST /token").map(({ form }) => form.get("grant_type"))

describe("a login", () => {
  it.effect("W152: is renewed 60 s before it expires, once for all who call, and not before", () =>
    Effect.gen(function* () {
      const auth = yield* scriptedAuth()
      const person = makeAuthPerson()
      const session = yield* openWith(auth, loggingIn({}, person))
      yield* TestClock.adjust("58 minutes")
      yield* use(session)
      assert.deepStrictEqual(tokens(auth), ["authorization_code"])
      yield* TestClock.adjust("70 seconds")
      yield* Effect.all([use(session), use(session), use(session)], { concurrency: 3 })
      assert.deepStrictEqual(tokens(auth), ["authorization_code", "refresh_token"])
      assert.lengthOf(person.pages, 1)
      assert.deepStrictEqual(auth.faults, [])
    })
  )

  it.effect("W152: of a minute or less is renewed once a tenth of it is left, and not at every request", () =>
    Effect.gen(function* () {
      const auth = yield* scriptedAuth()
      auth.as.script = { expiresIn: 60 }
      const session = yield* openWith(auth, loggingIn())
      yield* use(session)
      yield* TestClock.adjust("53 seconds")
      yield* use(session)
      assert.deepStrictEqual(tokens(auth), ["authorization_code"])
      yield* TestClock.adjust("1 second")
      yield* use(session)
      yield* use(session)
      assert.deepStrictEqual(tokens(auth), ["authorization_code", "refresh_token"])
    })
  )

  it.effect("is renewed before it is used where the server says that it is over already", () =>
    Effect.gen(function* () {
      const auth = yield* scriptedAuth()
      auth.as.script = { expiresIn: -1 }
      const session = yield* openWith(auth, loggingIn())
      auth.as.script = {}
      yield* use(session)
      assert.deepStrictEqual(tokens(auth).at(-1), "refresh_token")
    })
  )

  it.effect("W154: keeps its refresh token where no new one comes", () =>
    Effect.gen(function* () {
      const auth = yield* scriptedAuth()
      auth.as.script = { refreshTokens: "kept", expiresIn: 600 }
      const person = makeAuthPerson()
      const session = yield* openWith(auth, loggingIn({}, person))
      auth.as.script = {
        ...auth.as.script,
        token: ({ form }, issue) => {
          const answer = issue(form.get("client_id") ?? "", "")
          const { refresh_token: _, ...json } = answer.json as { readonly refresh_token: string }
          return { ...answer, json: { ...json, expires_in: 600 } }
        }
      }
      for (let round = 0; round < 2; round++) {
        yield* TestClock.adjust("10 minutes")
        yield* use(session)
      }
      const shown = auth.of("as1", "POST /token").map(({ form }) => form.get("refresh_token"))
      assert.lengthOf(shown, 3)
      assert.isString(shown[1])
      assert.strictEqual(shown[1], shown[2])
      assert.lengthOf(person.pages, 1)
    })
  )

  it.effect("is looked for in the store first, and serves several sessions and providers with one store", () =>
    Effect.gen(function* () {
      const auth = yield* scriptedAuth()
      const person = makeAuthPerson()
      const store = makeMemoryStore()
      yield* openWith(auth, loggingIn({ store }, person))
      const session = yield* openWith(auth, loggingIn({ store }, person))
      yield* use(session)
      assert.lengthOf(person.pages, 1)
    })
  )

  it.effect("is not shared by another client, nor by another account", () =>
    Effect.gen(function* () {
      const auth = yield* scriptedAuth()
      const person = makeAuthPerson()
      const store = makeMemoryStore()
      yield* openWith(auth, loggingIn({ store }, person))
      yield* openWith(auth, loggingIn({ store, clientName: "Another" }, person))
      yield* openWith(auth, loggingIn({ store, account: "second" }, person))
      assert.lengthOf(person.pages, 3)
    })
  )

  it.effect("B070: is one attempt for two sessions that come at the same time", () =>
    Effect.gen(function* () {
      const auth = yield* scriptedAuth()
      const person = makeAuthPerson()
      const provider = loggingIn({}, person)
      yield* Effect.all([openWith(auth, provider), openWith(auth, provider)], { concurrency: 2 })
      assert.lengthOf(person.pages, 1)
      assert.deepStrictEqual(tokens(auth), ["authorization_code"])
    })
  )

  it.effect("W158: is forgotten by logout, and made by login ahead of any session", () =>
    Effect.gen(function* () {
      const auth = yield* scriptedAuth()
      const person = makeAuthPerson()
      const provider = loggingIn({}, person)
      assert.isFalse(yield* provider.isLoggedIn(auth.mcp.url))
      yield* provider.login(auth.mcp.url)
      assert.isTrue(yield* provider.isLoggedIn(auth.mcp.url))
      yield* provider.login(auth.mcp.url)
      yield* use(yield* openWith(auth, provider))
      assert.lengthOf(person.pages, 1)
      assert.isTrue(yield* provider.logout(auth.mcp.url))
      assert.isFalse(yield* provider.logout(auth.mcp.url))
      yield* openWith(auth, provider)
      assert.lengthOf(person.pages, 2)
    })
  )

  it.effect(
    "W125: that is missing where nobody can log in is an error at once, with server, metadata and what to do",
    () =>
      Effect.gen(function* () {
        const auth = yield* scriptedAuth()
        const error = yield* Effect.flip(openWith(auth, OAuth.browser({ clientName: "Tests" })))
        assert.strictEqual(error.reason._tag, "Unauthorized")
        assert.include(error.message, auth.mcp.url)
        assert.match(error.message, /a person has to log in.*"browser" setting/)
        assert.isTrue(error.notRun)
        assert.include(
          error.reason._tag === "Unauthorized" ? error.reason.metadata : "",
          "/.well-known/oauth-protected-resource"
        )
      })
  )

  it.effect("that the server refuses at once is not repeated: the error says who refuses it", () =>
    Effect.gen(function* () {
      const auth = yield* scriptedAuth()
      auth.mcp.script = { refuse: () => 401 }
      const person = makeAuthPerson()
      const error = yield* Effect.flip(openWith(auth, loggingIn({}, person)))
      assert.match(error.message, /refuses the token that http:\/\/127\.0\.0\.1:\d+ has just issued/)
      assert.lengthOf(person.pages, 1)
    })
  )

  it.effect("that the server refuses at once is told with the server's words, but not with the token", () =>
    Effect.gen(function* () {
      const auth = yield* scriptedAuth()
      const saying = (words: (token: string) => string): void => {
        let shown = ""
        auth.mcp.script = {
          refuse: ({ headers }) => {
            shown = String(headers.authorization ?? "").replace("Bearer ", "")
            return 401
          },
          challenge: () => [`Bearer error_description="${words(shown)}"`]
        }
      }
      saying(() => "aud must name it")
      const error = yield* Effect.flip(openWith(auth, loggingIn()))
      assert.include(error.message, 'has just issued for it: "aud must name it". Ask whoever runs it')
      saying((token) => `${"no ".repeat(99)}${token}`)
      const silent = yield* Effect.flip(openWith(auth, loggingIn()))
      assert.match(silent.message, /has just issued for it; whoever runs it can tell why$/)
    })
  )

  it.effect("that was revoked is renewed, and made anew where that does not help", () =>
    Effect.gen(function* () {
      const auth = yield* scriptedAuth()
      const person = makeAuthPerson()
      const session = yield* openWith(auth, loggingIn({}, person))
      auth.revoke()
      yield* use(session)
      assert.deepStrictEqual(tokens(auth), ["authorization_code", "refresh_token"])
      auth.revoke()
      auth.as.refreshes.clear()
      yield* use(session)
      assert.deepStrictEqual(tokens(auth), [
        "authorization_code",
        "refresh_token",
        "refresh_token",
        "authorization_code"
      ])
      assert.lengthOf(person.pages, 2)
    })
  )

  it.effect("W154: is not lost where whoever renews it goes away before the answer came", () =>
    Effect.gen(function* () {
      const auth = yield* scriptedAuth()
      const person = makeAuthPerson()
      const session = yield* openWith(auth, loggingIn({}, person))
      yield* TestClock.adjust("3570 seconds")
      const calling = yield* Effect.forkChild(use(session))
      yield* Effect.promise(() => auth.seen.first(({ form }) => form.get("grant_type") === "refresh_token"))
      yield* Fiber.interrupt(calling)
      yield* TestClock.adjust("1 minute")
      yield* use(session)
      assert.deepStrictEqual(tokens(auth), ["authorization_code", "refresh_token"])
      assert.deepStrictEqual(auth.faults, [])
    })
  )

  it.effect("W153: of a resource with several addresses is renewed once for all of them", () =>
    Effect.gen(function* () {
      const auth = yield* scriptedAuth()
      auth.mcp.script = { resource: auth.mcp.origin }
      const store = makeMemoryStore()
      const open = (query: string) =>
        McpClient.http(`${auth.mcp.url}${query}`, { auth: loggingIn({ store }), cache: false, ping: false })
      const addresses = ["", "?also"]
      yield* Effect.scoped(Effect.forEach(addresses, open))
      const sessions = yield* Effect.forEach(addresses, open)
      yield* TestClock.adjust("3570 seconds")
      yield* Effect.forEach(sessions, (session) => use(session), { concurrency: 2 })
      assert.deepStrictEqual(tokens(auth), ["authorization_code", "authorization_code", "refresh_token"])
      assert.deepStrictEqual(auth.faults, [])
    })
  )

  it.effect(
    "W155: that somebody else has renewed meanwhile stays, though a refresh of the earlier one is refused",
    () =>
      Effect.gen(function* () {
        const auth = yield* scriptedAuth()
        const inner = makeMemoryStore()
        const written: Array<readonly [string, Redacted.Redacted]> = []
        const store: TokenStore = {
          ...inner,
          write: (key, value) => {
            written.push([key, value])
            return inner.write(key, value)
          }
        }
        const session = yield* openWith(auth, loggingIn({ store }))
        const [key, value] = written.find(([key]) => key.includes('"grant"')) ?? (yield* Effect.die("nothing was kept"))
        const renewed = Redacted.make(Redacted.value(value).replace(/access-\d+/, "access-of-another"))
        auth.as.script = {
          token: () => {
            Effect.runSync(inner.write(key, renewed))
            return oauthError("invalid_grant")
          }
        }
        yield* TestClock.adjust("3570 seconds")
        yield* use(session)
        assert.lengthOf(tokens(auth), 2)
        assert.strictEqual(yield* inner.read(key), renewed)
      })
  )

  const outages: ReadonlyArray<readonly [string, Canned]> = [
    ["a broken connection", { reset: true }],
    ["503", { status: 503, text: "" }],
    ["429", { status: 429, text: "", headers: { "retry-after": "1" } }],
    ["a web page", htmlPage]
  ]
  for (const [name, answer] of outages) {
    it.effect(`B065: that is about to expire still serves while it cannot be renewed because of ${name}`, () =>
      Effect.gen(function* () {
        const auth = yield* scriptedAuth()
        const person = makeAuthPerson()
        const session = yield* openWith(auth, loggingIn({}, person))
        auth.as.script = { token: () => answer }
        yield* TestClock.adjust(Duration.seconds(3570))
        yield* use(session)
        yield* TestClock.adjust("31 seconds")
        const error = yield* Effect.flip(use(session))
        assert.match(error.message, /try again later/)
        auth.as.script = {}
        yield* use(session)
        assert.lengthOf(person.pages, 1)
      })
    )
  }

  it.effect("W146: is of no use at another address of the server", () =>
    Effect.gen(function* () {
      const auth = yield* scriptedAuth()
      const person = makeAuthPerson()
      const store = makeMemoryStore()
      const provider = loggingIn({ store }, person)
      yield* openWith(auth, provider)
      const elsewhere = { ...auth, mcp: { ...auth.mcp, url: `${auth.mcp.origin}/another` } }
      yield* Effect.exit(openWith(elsewhere, OAuth.browser({ clientName: "Tests", store })))
      const shown = auth.seen.events
        .filter(({ pathname }) => pathname === "/another")
        .map(({ headers }) => headers.authorization)
      assert.isNotEmpty(shown)
      assert.deepStrictEqual([...new Set(shown)], [undefined])
    })
  )

  it.effect("AUTH-25: is shown in every request, and never in an address", () =>
    Effect.gen(function* () {
      const auth = yield* scriptedAuth()
      yield* Effect.scoped(
        Effect.flatMap(
          openWith(auth, OAuth.browser({ clientName: "Tests", browser: browserOf(makeAuthPerson()) })),
          use
        )
      )
      const [first, ...rest] = auth.of("mcp").filter(({ pathname }) => !pathname.startsWith("/.well-known"))
      assert.isUndefined(first?.headers.authorization)
      assert.isAtLeast(rest.length, 2)
      for (const { headers, query } of rest) {
        assert.match(headers.authorization ?? "", /^Bearer access-\d+$/)
        assert.strictEqual(query.size, 0)
      }
    })
  )
})
