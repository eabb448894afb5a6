/** Tokens that were verified are not verified again for a while; and no text that is shown as a token does any harm. */
import { assert, describe, it } from "@effect/vitest"
import { Introspection, JwtVerifier, type JwtVerifierSettings } from "@treadle/oauth/verify"
import { anyText, hostileJson } from "@treadle/testing"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { base64url } from "jose"
import { inspect } from "node:util"
import { claimsOf, json, makeIssuer, makeKey, present, said, sign } from "../fixtures/issuer.ts"

const [one, two] = await Promise.all([makeKey("one"), makeKey("two")])

const opened = Effect.fnUntraced(function* (settings: Partial<JwtVerifierSettings> = {}) {
  const issuer = makeIssuer()
  issuer.publish(one)
  const { jwksUri, sender } = issuer
  const verify = yield* JwtVerifier.make({
    issuer: issuer.issuer,
    jwksUri,
    sender,
    keyTime: 0,
    cooldown: 0,
    ...settings
  }).open
  return { issuer, verify }
})

/** Signs a token that ends after some seconds. */
const ending = (exp: number, changed: { readonly [name: string]: unknown } = {}) =>
  Effect.promise(() => sign(one, { ...claimsOf("https://login.example"), exp, ...changed }))

describe("a token that was verified", () => {
  it.effect("is accepted for a minute without its keys, and then with them only", () =>
    Effect.gen(function* () {
      const { issuer, verify } = yield* opened()
      const token = yield* ending(3600)
      assert.strictEqual(yield* said(verify, token), "accepted: ada")
      issuer.publish(two)
      yield* TestClock.adjust(59_999)
      assert.strictEqual(yield* said(verify, token), "accepted: ada")
      assert.strictEqual(issuer.asked.length, 1)
      yield* TestClock.adjust(1)
      assert.match(yield* said(verify, token), /^TokenRefused: the token is not signed/)
    })
  )

  it.effect("is accepted no longer than it lasts", () =>
    Effect.gen(function* () {
      const { verify } = yield* opened({ clockTolerance: 0, cacheTime: 3_600_000, maxAge: 20_000 })
      const short = yield* ending(10)
      const old = yield* ending(3600)
      for (const token of [short, old]) assert.strictEqual(yield* said(verify, token), "accepted: ada")
      yield* TestClock.adjust(10_000)
      assert.match(yield* said(verify, short), /^TokenRefused: the token has expired/)
      assert.strictEqual(yield* said(verify, old), "accepted: ada")
      yield* TestClock.adjust(10_000)
      assert.match(yield* said(verify, old), /^TokenRefused: the token was issued too long ago/)
    })
  )

  it.effect("is accepted for its resource only, and each resource has its own", () =>
    Effect.gen(function* () {
      const { verify } = yield* opened()
      const token = yield* ending(3600)
      assert.strictEqual(yield* said(verify, token), "accepted: ada")
      assert.match(yield* said(verify, token, "https://mail.example"), /^TokenRefused: the token is not meant/)
      assert.strictEqual(yield* said(verify, token), "accepted: ada")
    })
  )

  it.effect("is forgotten when 1,000 others came after it", () =>
    Effect.gen(function* () {
      let asked = 0
      const verifier = Introspection.make({
        issuer: "https://login.example",
        endpoint: "https://login.example/introspect",
        clientId: "box",
        clientSecret: Redacted.make("secret"),
        cacheTime: 60_000,
        sender: async () => {
          asked++
          return json({ active: true, ...claimsOf("https://login.example") })
        }
      })
      const verify = yield* verifier.open
      yield* Effect.forEach(Array.from({ length: 1_000 }), (_, i) => said(verify, `t${i}`))
      yield* said(verify, "t0")
      assert.strictEqual(asked, 1_000)
      yield* said(verify, "new")
      yield* said(verify, "t1")
      assert.strictEqual(asked, 1_001)
      yield* said(verify, "t0")
      assert.strictEqual(asked, 1_002)
    })
  )

  it.effect("is in nothing that a verifier shows of itself", () =>
    Effect.gen(function* () {
      const { verify } = yield* opened()
      const token = yield* ending(3600)
      const verified = yield* verify(present(token))
      const refused = yield* Effect.flip(verify(present(`${token}x`)))
      const shown = [verify, verified, refused, refused.stack].map((value) =>
        inspect(value, { depth: 9, showHidden: true })
      )
      for (const part of token.split(".")) assert.notInclude(shown.join(), part)
    })
  )

  it.effect("gives its scopes from scope or scp, a text or a list, or as the settings say", () =>
    Effect.gen(function* () {
      const { verify } = yield* opened()
      const cases: ReadonlyArray<readonly [object, ReadonlyArray<string>]> = [
        [{ scope: "a b  a" }, ["a", "b"]],
        [{ scope: undefined, scp: "a b" }, ["a", "b"]],
        [{ scope: undefined, scp: ["a", 1, "b c"] }, ["a", "b c"]],
        [{ scope: "a", scp: "b" }, ["a"]],
        [{ scope: undefined }, []],
        [{ scope: 1 }, []]
      ]
      for (const [changed, scopes] of cases) {
        const { scopes: given } = yield* verify(present(yield* ending(3600, { ...changed })))
        assert.deepStrictEqual(given, scopes)
      }
      const roles = yield* opened({ scopesOf: ({ roles }) => (Array.isArray(roles) ? roles.map(String) : []) })
      const { scopes } = yield* roles.verify(present(yield* ending(3600, { roles: ["boss"] })))
      assert.deepStrictEqual(scopes, ["boss"])
    })
  )
})

describe("any text", () => {
  /** Nothing that is generated is signed, so that all of it must be refused. */
  const refuses = (token: string) =>
    Effect.gen(function* () {
      const { verify } = yield* opened()
      assert.match(yield* said(verify, token), /^TokenRefused: [ !#-[\]-~]+$/)
    })
  const part = (json: unknown) => base64url.encode(JSON.stringify(json))

  it.effect.prop("as a token is refused, and nothing dies of it", [anyText], ([text]) => refuses(text))

  it.effect.prop(
    "in three parts is refused, whatever they say",
    [hostileJson, hostileJson, anyText],
    ([header, claims, text]) => refuses(`${part(header)}.${part(claims)}.${base64url.encode(text)}`)
  )

  it.effect.prop("as a member of a header or of claims is refused", [hostileJson, hostileJson], ([one, other]) => {
    const issuer = "https://login.example"
    const header = part({ alg: "ES256", kid: "one", typ: "at+jwt", ...Object(one) })
    const claims = part({ ...claimsOf(issuer), ...Object(other), iss: issuer })
    return refuses(`${header}.${claims}.${base64url.encode("x".repeat(64))}`)
  })
})

describe("settings that cannot be", () => {
  const issuer = "https://login.example"
  const wrong: ReadonlyArray<readonly [object, string]> = [
    [{ issuer: "login.example" }, "issuer must be an https address"],
    [{ issuer: "http://login.example" }, "issuer must be an https address"],
    [{ issuer, jwksUri: "http://login.example/keys" }, "jwksUri must be an https address"],
    [{ issuer, jwksUri: "https://ada:pw@login.example/keys" }, "without password"],
    [{ issuers: [] }, "at least one issuer"],
    [{ issuers: [{ issuer }, { issuer }] }, "each of them once"],
    [{}, "issuer is missing"],
    [{ jwksUri: "https://login.example/keys" }, "issuer is missing"],
    [{ issuer: "", keys: { keys: [] } }, "issuer is missing"],
    [{ issuers: [{ issuer: 7, keys: { keys: [] } }] }, "issuer is missing"],
    [{ issuer: "https://login.example#1", keys: { keys: [] } }, "issuer must be without a fragment"],
    [{ issuers: { issuer } }, "issuers must be an array"],
    [{ issuers: [issuer] }, "each of issuers must be an object"],
    [{ issuer, audiences: "https://api.example" }, "audiences must be an array"],
    [{ issuer, audiences: [""] }, "audiences must be an array"],
    [{ issuer, algorithms: "ES256" }, "algorithms must be an array"],
    [{ issuer, strict: "yes" }, "strict must be true or false"],
    [{ issuer, boundTokens: true }, 'boundTokens must be "refused" or "accepted"'],
    [{ issuer, network: "any" }, 'network must be "public" or "loopback" or "private"'],
    [{ issuer, scopesOf: "roles" }, "scopesOf must be a function"],
    [{ issuer, keys: "key" }, "keys must be a JSON Web Key Set"],
    [{ issuer, algorithms: ["HS256"] }, "algorithms names HS256"],
    [{ issuer, algorithms: ["none"] }, "algorithms names none"],
    [{ issuer, algorithms: [] }, "algorithms names no"],
    [{ issuer, clockTolerance: 60_001 }, "at most 60000"],
    [{ issuer, maxAge: -1 }, "maxAge must be"],
    [{ issuer, cacheTime: Number.NaN }, "cacheTime must be"],
    [{ issuer, timeout: Infinity }, "timeout must be"],
    [{ issuer, keys: { keys: [1] } }, "JSON Web Key Set"]
  ]
  for (const [settings, why] of wrong) {
    it(`are told when a verifier is made: ${why}`, () => {
      // @ts-expect-error some of these are wrong by their types too
      assert.throws(() => JwtVerifier.make(settings), why)
    })
  }
})
