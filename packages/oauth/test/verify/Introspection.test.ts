/** What becomes of a token by what an authorization server says of it, and how often it is asked. */
import { assert, describe, it } from "@effect/vitest"
import { Introspection, type IntrospectionSettings } from "@treadle/oauth/verify"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { jwtVerify } from "jose"
import type { OAuthRequest } from "../../src/OAuthSender.ts"
import { json, judged, makeKey, resource, said } from "../fixtures/issuer.ts"

const secret = "the+secret of this server"
const issuer = "https://login.example"
const endpoint = `${issuer}/introspect`
const active = { active: true, sub: "ada", aud: resource, scope: "shows:read", client_id: "desk", exp: 3600 }

const make = (answer: (request: OAuthRequest) => unknown, settings: Partial<IntrospectionSettings> = {}) => {
  const asked: Array<OAuthRequest> = []
  const verifier = Introspection.make({
    issuer,
    endpoint,
    clientId: "box office",
    clientSecret: Redacted.make(secret),
    sender: async (request) => {
      asked.push(request)
      const body = await answer(request)
      return body instanceof Response ? body : json(body)
    },
    ...settings
  })
  return { verifier, asked }
}

interface Row {
  readonly name: string
  readonly answer: { readonly [name: string]: unknown }
  /** What is said of the token; it is accepted where there is nothing. */
  readonly why?: string
  readonly settings?: Partial<IntrospectionSettings>
}

const bound = { ...active, token_type: "DPoP", cnf: { jkt: "x" } }

const rows: ReadonlyArray<Row> = [
  { name: "is active", answer: active },
  { name: "is not active", answer: { ...active, active: false }, why: "not active" },
  {
    name: "is meant for another server (AUTH-28)",
    answer: { ...active, aud: ["https://mail.example"] },
    why: "not meant for this server"
  },
  { name: "is meant for this server among others", answer: { ...active, aud: ["https://mail.example", resource] } },
  {
    name: "is meant for another resource",
    answer: { ...active, aud: undefined, resource: "https://mail.example" },
    why: "not meant for this server"
  },
  { name: "is meant for this resource", answer: { ...active, aud: undefined, resource } },
  { name: "is meant for nobody", answer: { ...active, aud: undefined }, why: "does not say in aud" },
  {
    name: "is meant for nobody, which is trusted",
    answer: { ...active, aud: undefined },
    settings: { audience: "trusted" }
  },
  {
    name: "is meant for another server, though one for nobody were trusted",
    answer: { ...active, aud: "https://mail.example" },
    why: "not meant for this server",
    settings: { audience: "trusted" }
  },
  { name: "is of another issuer", answer: { ...active, iss: `${issuer}/` }, why: "of another issuer" },
  { name: "is of this issuer", answer: { ...active, iss: issuer } },
  { name: "has expired", answer: { ...active, exp: -60 }, why: "has expired" },
  { name: "does not say when it expires", answer: { ...active, exp: undefined } },
  { name: "is not valid yet", answer: { ...active, nbf: 61 }, why: "not valid yet" },
  { name: "is about nobody", answer: { ...active, sub: undefined, client_id: undefined }, why: "does not say in sub" },
  { name: "is a refresh token by its use", answer: { ...active, token_use: "refresh_token" }, why: "no access token" },
  { name: "is an access token by its use", answer: { ...active, token_use: "access_token", token_type: "Bearer" } },
  { name: "is of another type", answer: { ...active, token_type: "N_A" }, why: "no access token" },
  { name: "is of a type that is no text", answer: { ...active, token_type: { toString: 1 } }, why: "no access token" },
  { name: "is bound to a key", answer: { ...bound, token_type: undefined }, why: "bound to a key" },
  { name: "is one for DPoP", answer: { ...bound, cnf: undefined }, why: "no access token" },
  { name: "is bound to a key that something else checks", answer: bound, settings: { boundTokens: "accepted" } }
]

describe("a verifier by introspection", () => {
  for (const { answer, name, settings, why } of rows) {
    it.effect(`${why === undefined ? "accepts" : "refuses"} a token that ${name}`, () =>
      Effect.gen(function* () {
        const told = yield* judged(make(() => answer, settings).verifier, "opaque")
        if (why === undefined) assert.strictEqual(told, "accepted: ada")
        else assert.match(told, new RegExp(`^TokenRefused: [ !#-[\\]-~]*${why}`))
      })
    )
  }

  it.effect("shows its secret in a header, each part as a form says it (RFC 6749 2.3.1)", () =>
    Effect.gen(function* () {
      const { asked, verifier } = make(() => active)
      yield* judged(verifier, "opaque")
      const expected = `Basic ${btoa("box+office:the%2Bsecret+of+this+server")}`
      assert.strictEqual(asked[0]?.headers.get("authorization"), expected)
      assert.strictEqual(asked[0]?.body, "token_type_hint=access_token&token=opaque")
      assert.strictEqual(asked[0]?.headers.get("accept"), "application/json")
    })
  )

  it.effect("shows its secret in the form, or signs with its key at the time of the clock", () =>
    Effect.gen(function* () {
      const posting = make(() => active, { method: "client_secret_post" } as Partial<IntrospectionSettings>)
      yield* judged(posting.verifier, "opaque")
      assert.strictEqual(new URLSearchParams(posting.asked[0]?.body).get("client_secret"), secret)

      const key = yield* Effect.promise(() => makeKey("mine"))
      const asked: Array<OAuthRequest> = []
      const signing = Introspection.make({
        issuer,
        endpoint,
        clientId: "box",
        privateKey: Redacted.make(key.private),
        kid: "mine",
        sender: async (request) => {
          asked.push(request)
          return json(active)
        }
      })
      yield* TestClock.adjust(1_000_000)
      assert.strictEqual(yield* judged(signing, "opaque"), "accepted: ada")
      const assertion = new URLSearchParams(asked[0]?.body).get("client_assertion") ?? ""
      const { payload, protectedHeader } = yield* Effect.promise(() =>
        jwtVerify(assertion, key.public, {
          currentDate: new Date(1_000_000),
          issuer: "box",
          subject: "box",
          audience: issuer
        })
      )
      assert.deepInclude(payload, { iat: 1000, nbf: 1000, exp: 1060 })
      assert.deepInclude(protectedHeader, { alg: "ES256", kid: "mine" })
    })
  )

  it.effect("asks once for 50 requests with one token at the same time, and again for the next", () =>
    Effect.gen(function* () {
      const { asked, verifier } = make(() => active)
      const verify = yield* verifier.open
      const told = yield* Effect.forEach(Array.from({ length: 50 }), () => said(verify, "opaque"), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual([[...new Set(told)], asked.length], [["accepted: ada"], 1])
      yield* said(verify, "opaque")
      assert.strictEqual(asked.length, 2)
    })
  )

  it.effect(
    "uses an answer again for as long as the settings say, never beyond the end of the token, and no refusal",
    () =>
      Effect.gen(function* () {
        let answer: unknown = { ...active, exp: 12 }
        const { asked, verifier } = make(() => answer, { cacheTime: 10_000, clockTolerance: 0 })
        const verify = yield* verifier.open
        yield* said(verify, "opaque")
        yield* TestClock.adjust(9_999)
        yield* said(verify, "opaque")
        assert.strictEqual(asked.length, 1)
        yield* TestClock.adjust(1)
        assert.strictEqual(yield* said(verify, "opaque"), "accepted: ada")
        assert.strictEqual(asked.length, 2)
        answer = { active: false }
        yield* TestClock.adjust(1_999)
        assert.strictEqual(yield* said(verify, "opaque"), "accepted: ada")
        yield* TestClock.adjust(1)
        assert.match(yield* said(verify, "opaque"), /^TokenRefused/)
        answer = active
        assert.strictEqual(yield* said(verify, "opaque"), "accepted: ada")
      })
  )

  it.effect("does not take an answer for one resource for an answer for another", () =>
    Effect.gen(function* () {
      const { verifier } = make(() => active, { cacheTime: 10_000 })
      const verify = yield* verifier.open
      assert.strictEqual(yield* said(verify, "opaque"), "accepted: ada")
      assert.match(yield* said(verify, "opaque", "https://mail.example"), /^TokenRefused: .*not meant/)
    })
  )

  it.effect("finds the endpoint in the metadata of its issuer, once", () =>
    Effect.gen(function* () {
      const paths: Array<string> = []
      const verifier = Introspection.make({
        issuer,
        clientId: "box",
        clientSecret: Redacted.make(secret),
        sender: async ({ url }) => {
          paths.push(url.pathname)
          return json(url.href === endpoint ? active : { issuer, introspection_endpoint: endpoint })
        }
      })
      const verify = yield* verifier.open
      const several = ["a", "b", "c"].map((token) => said(verify, token))
      yield* Effect.all(several, { concurrency: "unbounded" })
      yield* said(verify, "d")
      assert.deepStrictEqual(paths, ["/.well-known/oauth-authorization-server", ...Array(4).fill("/introspect")])
      yield* TestClock.adjust(600_000)
      yield* said(verify, "e")
      assert.deepStrictEqual(paths.slice(5), ["/.well-known/oauth-authorization-server", "/introspect"])
    })
  )

  const html = () => new Response("<html></html>", { headers: { "content-type": "text/html" } })
  const unavailable: Readonly<Record<string, readonly [() => unknown, string]>> = {
    "refuses its credentials": [() => json({ error: "invalid_client" }, 401), "own credentials"],
    fails: [() => json({}, 500), "HTTP 500$"],
    "looks into no such tokens": [
      () => json({ error: "unsupported_token_type" }, 400),
      "HTTP 400, unsupported_token_type$"
    ],
    "repeats the token": [() => json({ error: "no opaque-token" }, 400), "HTTP 400$"],
    "leads elsewhere": [
      () => new Response(null, { status: 307, headers: { location: "https://evil.example" } }),
      "redirects are not followed"
    ],
    "answers with a page": [html, "HTML"],
    "does not say whether it is active": [() => json({ sub: "ada" }), "active is missing"],
    "says so in a text": [() => json({ ...active, active: "true" }), "active is missing"],
    "answers with a list": [() => json([active]), "active is missing"],
    "cannot be reached": [() => Promise.reject(new Error(`no way`)), "no way"],
    "answers with a token": [
      () => new Response("e30.e30.", { headers: { "content-type": "application/token-introspection+jwt" } }),
      "not application/json"
    ]
  }
  for (const [name, [answer, why]] of Object.entries(unavailable)) {
    it.effect(`says nothing of a token where the endpoint ${name}, and tells no secret`, () =>
      Effect.gen(function* () {
        const told = yield* judged(make(answer).verifier, "opaque-token")
        assert.match(told, new RegExp(`^VerifierUnavailable: .*${why}`))
        for (const hidden of ["opaque-token", secret, btoa(secret)]) assert.notInclude(told, hidden)
      })
    )
  }
})

describe("settings of introspection that cannot be", () => {
  const fit = { issuer, clientId: "box office", clientSecret: secret }
  const wrong: ReadonlyArray<readonly [object, string]> = [
    [{ ...fit, issuer: undefined }, "issuer is missing"],
    [{ ...fit, issuer: undefined, endpoint: "https://login.example/introspect" }, "issuer is missing"],
    [{ ...fit, clientId: "" }, "clientId is missing"],
    [{ ...fit, clientSecret: undefined }, "clientSecret must be a text"],
    [{ ...fit, clientSecret: Redacted.make("") }, "clientSecret must be a text"],
    [{ issuer, clientId: "box office", privateKey: secret }, "give privateKey, as Redacted.make(key)"],
    [{ ...fit, method: "post" }, 'method must be "client_secret_basic" or "client_secret_post"'],
    [{ ...fit, audiance: "trusted" }, "audiance: there is no such setting; write audience"],
    [{ ...fit, audience: "trust" }, 'audience must be "required" or "trusted"']
  ]
  for (const [settings, why] of wrong) {
    it(`are told when a verifier is made: ${why}`, () => {
      try {
        // @ts-expect-error some of these are wrong by their types too
        Introspection.make(settings)
        assert.fail("it must not be made")
      } catch (error) {
        assert.instanceOf(error, TypeError)
        assert.include(error.message, why)
        assert.notInclude(error.message, secret)
      }
    })
  }

  it.effect("but a secret may be a plain text", () =>
    Effect.gen(function* () {
      const { asked, verifier } = make(() => active, { clientSecret: secret })
      assert.strictEqual(yield* judged(verifier, "token"), "accepted: ada")
      assert.strictEqual(asked.length, 1)
    })
  )
})
