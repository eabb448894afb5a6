/**
 * What a logout ends beside the login in the store: what open sessions hold.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { makeMemoryStore, OAuth } from "@treadle/oauth"
import { makeAuthPerson, scriptedAuth } from "@treadle/testing"
import { until } from "./fixtures/issuer.ts"
import { loggingIn, openWith, use } from "./fixtures/person.ts"

describe("a logout (W158)", () => {
  it.effect("ends it for the open sessions of the provider, whose next request needs a login", () =>
    Effect.gen(function* () {
      const auth = yield* scriptedAuth()
      const person = makeAuthPerson()
      const provider = loggingIn({}, person)
      const session = yield* openWith(auth, provider)
      yield* use(session)
      assert.lengthOf(person.pages, 1)
      assert.isTrue(yield* provider.logout(auth.mcp.url))
      yield* use(session)
      assert.lengthOf(person.pages, 2)
      yield* use(session)
      assert.lengthOf(person.pages, 2)
      assert.isTrue(yield* provider.isLoggedIn(auth.mcp.url))
    })
  )

  it.effect("does not wait for a person who is at the page of a login, which goes on", () =>
    Effect.gen(function* () {
      const auth = yield* scriptedAuth()
      let agree = () => {}
      const agreed = new Promise<void>((resolve) => (agree = resolve))
      const person = makeAuthPerson(() => agreed)
      const store = makeMemoryStore()
      const provider = loggingIn({ store }, person)
      const login = yield* Effect.forkChild(provider.login(auth.mcp.url))
      yield* until(() => person.pages.length === 1)
      assert.isFalse(yield* provider.logout(auth.mcp.url))
      agree()
      yield* Fiber.join(login)
      assert.isTrue(yield* provider.isLoggedIn(auth.mcp.url))
      assert.isTrue(yield* provider.logout(auth.mcp.url))
      assert.isFalse(yield* provider.isLoggedIn(auth.mcp.url))
    })
  )

  it.effect("is not undone by a session of another provider that would renew the login", () =>
    Effect.gen(function* () {
      const auth = yield* scriptedAuth()
      const store = makeMemoryStore()
      const provider = loggingIn({ store })
      yield* provider.login(auth.mcp.url)
      const nobody = OAuth.browser({ clientName: "Tests", store })
      const session = yield* openWith(auth, nobody)
      yield* use(session)
      yield* provider.logout(auth.mcp.url)
      auth.revoke()
      yield* TestClock.adjust("59 minutes")
      const error = yield* Effect.flip(use(session))
      assert.include(error.message, 'there is no "browser" setting')
      const grants = auth.of("as1", "POST /token").map(({ form }) => form.get("grant_type"))
      assert.deepStrictEqual(grants, ["authorization_code"])
      assert.isFalse(yield* nobody.isLoggedIn(auth.mcp.url))
    })
  )
})
