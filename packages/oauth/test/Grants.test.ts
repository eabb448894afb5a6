/**
 * The grants of machines, and tokens that are bound to a key, against scripted servers.
 */
import { assert, describe, it } from "@effect/vitest"
import { decodeJwt, exportPKCS8, generateKeyPair, jwtVerify } from "jose"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { makeMemoryStore, OAuth, type TokenStore } from "@treadle/oauth"
import { makeAuthPerson, oauthError, scriptedAuth, type ScriptedAuth } from "@treadle/testing"
import { loggingIn, openWith, use } from "./fixtures/person.ts"

const clientId = "robot"
const secret = "rob:ot+%s3cret"

/** A client that the first authorization server knows. */
const knowRobot = (
  { as }: ScriptedAuth,
  method: "client_secret_basic" | "client_secret_post" = "client_secret_basic"
) => as.clients.set(clientId, { clientId, secret, method, redirectUris: [] })

/** Everything that comes to a store, as text. */
const listening = (store: TokenStore, kept: Array<string>): TokenStore => ({
  ...store,
  write: (key, value) => {
    kept.push(Redacted.value(value))
    return store.write(key, value)
  }
})

const forms = (auth: ScriptedAuth) => auth.of("as1", "POST /token").map(({ form }) => form)

const jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer"

describe("the client on its own behalf (AEXT-01)", () => {
  for (const method of ["client_secret_basic", "client_secret_post"] as const) {
    it.effect(`shows its secret by ${method}, as the server lists it`, () =>
      Effect.gen(function* () {
        const auth = yield* scriptedAuth()
        knowRobot(auth, method)
        auth.as.script = {
          metadata: (form, document) =>
            form === "oauth" ? { json: { ...document, token_endpoint_auth_methods_supported: [method] } } : undefined
        }
        const session = yield* openWith(
          auth,
          OAuth.clientCredentials({ clientId, clientSecret: secret, issuer: auth.as.issuer, scopes: ["read"] })
        )
        yield* use(session)
        assert.deepStrictEqual(auth.faults, [])
        const [form, ...others] = forms(auth)
        assert.isEmpty(others)
        assert.strictEqual(form?.get("grant_type"), "client_credentials")
        assert.strictEqual(form?.get("resource"), auth.mcp.url)
        assert.strictEqual(form?.get("scope"), "read")
      })
    )
  }

  it.effect("signs an assertion for the authorization server with its key", () =>
    Effect.gen(function* () {
      const auth = yield* scriptedAuth()
      const pair = yield* Effect.promise(() => generateKeyPair("ES256", { extractable: true }))
      const privateKey = Redacted.make(yield* Effect.promise(() => exportPKCS8(pair.privateKey)))
      auth.as.script = { token: (_, issue) => issue(clientId, "") }
      yield* openWith(auth, OAuth.clientCredentials({ clientId, privateKey, keyId: "k1" }))
      const [form] = forms(auth)
      const assertion = form?.get("client_assertion") ?? ""
      assert.strictEqual(form?.get("client_assertion_type"), "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
      const { payload, protectedHeader } = yield* Effect.promise(() =>
        jwtVerify(assertion, pair.publicKey, { audience: auth.as.issuer, issuer: clientId, subject: clientId })
      )
      assert.strictEqual(protectedHeader.kid, "k1")
      assert.isString(payload.jti)
    })
  )

  it.effect("fails without a request to the token endpoint where its key is none, and does not quote it", () =>
    Effect.gen(function* () {
      const auth = yield* scriptedAuth()
      const error = yield* Effect.flip(
        openWith(auth, OAuth.clientCredentials({ clientId, privateKey: "not-a-key-at-all" }))
      )
      assert.match(error.message, /"privateKey" setting is no private key/)
      assert.notInclude(error.message, "not-a-key-at-all")
      assert.isEmpty(forms(auth))
    })
  )

  it.effect("asks again when its token has expired, without a refresh", () =>
    Effect.gen(function* () {
      const auth = yield* scriptedAuth()
      knowRobot(auth)
      auth.as.script = { refreshTokens: "none", expiresIn: 300 }
      const session = yield* openWith(
        auth,
        OAuth.clientCredentials({ clientId, clientSecret: secret, issuer: auth.as.issuer })
      )
      yield* TestClock.adjust("6 minutes")
      auth.revoke()
      yield* use(session)
      assert.deepStrictEqual(
        forms(auth).map((form) => form.get("grant_type")),
        ["client_credentials", "client_credentials"]
      )
    })
  )
})

describe("an employer's identity provider (AEXT-03, AEXT-04)", () => {
  it.effect("gives an assertion for the authorization server, which is exchanged for a token", () =>
    Effect.gen(function* () {
      const auth = yield* scriptedAuth({ issuers: ["", "/idp"] })
      knowRobot(auth)
      const [as, idp] = auth.servers
      if (as === undefined || idp === undefined) return yield* Effect.die("two servers were asked for")
      idp.script = {
        token: () => ({
          json: {
            access_token: "the-id-jag",
            token_type: "N_A",
            issued_token_type: "urn:ietf:params:oauth:token-type:id-jag"
          }
        })
      }
      as.script = { token: (_, issue) => issue(clientId, "read") }
      const provider = OAuth.enterprise({
        clientId,
        clientSecret: secret,
        issuer: as.issuer,
        identityProvider: { clientId: "at-idp", issuer: idp.issuer, tokenEndpoint: `${idp.origin}/token` },
        idToken: () => Effect.succeed(Redacted.make("the-id-token"))
      })
      yield* use(yield* openWith(auth, provider))
      const [exchange] = auth.of("as2", "POST /token")
      assert.deepStrictEqual(Object.fromEntries(exchange?.form ?? []), {
        grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
        requested_token_type: "urn:ietf:params:oauth:token-type:id-jag",
        audience: as.issuer,
        resource: auth.mcp.url,
        subject_token: "the-id-token",
        subject_token_type: "urn:ietf:params:oauth:token-type:id_token",
        client_id: "at-idp"
      })
      const [bearer] = auth.of("as1", "POST /token")
      assert.strictEqual(bearer?.form.get("grant_type"), jwtBearer)
      assert.strictEqual(bearer?.form.get("assertion"), "the-id-jag")
      assert.match(bearer?.headers.authorization ?? "", /^Basic /)
      const sentToServer = auth.of("mcp").map(({ headers, text }) => `${JSON.stringify(headers)}${text}`)
      assert.notMatch(sentToServer.join(), /the-id-token|the-id-jag|s3cret/)
    })
  )
})

describe("an authorization server that lists its profiles of grants (AEXT-05)", () => {
  const profile = "urn:ietf:params:oauth:grant-profile:id-jag"
  for (const [profiles, asks] of [
    [[profile], true],
    [["another"], false]
  ] as const) {
    it.effect(`is ${asks ? "" : "not "}shown an assertion where they are ${profiles.join()}`, () =>
      Effect.gen(function* () {
        const auth = yield* scriptedAuth({ issuers: ["", "/idp"] })
        knowRobot(auth)
        const [as, idp] = auth.servers
        if (as === undefined || idp === undefined) return yield* Effect.die("two servers were asked for")
        idp.script = { token: () => ({ json: { access_token: "the-id-jag", token_type: "N_A" } }) }
        as.script = {
          token: (_, issue) => issue(clientId, "read"),
          metadata: (form, document) =>
            form === "oauth" ? { json: { ...document, authorization_grant_profiles_supported: profiles } } : undefined
        }
        const provider = OAuth.enterprise({
          clientId,
          clientSecret: secret,
          issuer: as.issuer,
          identityProvider: { clientId: "at-idp", issuer: idp.issuer, tokenEndpoint: `${idp.origin}/token` },
          idToken: () => "the-id-token"
        })
        const opened = yield* Effect.result(openWith(auth, provider))
        assert.strictEqual(opened._tag, asks ? "Success" : "Failure")
        assert.lengthOf(auth.of("as2", "POST /token"), asks ? 1 : 0)
      })
    )
  }
})

describe("the platform of a workload (AEXT-08)", () => {
  const provider = (give: () => string | Promise<string>) => OAuth.workload({ clientId, assertion: give })

  it.effect("vouches for it with a token of its own, asked for each time", () =>
    Effect.gen(function* () {
      const auth = yield* scriptedAuth()
      auth.as.script = { token: (_, issue) => issue(clientId, "") }
      let count = 0
      const session = yield* openWith(
        auth,
        provider(() => `assertion-number-${++count}`)
      )
      auth.revoke()
      yield* use(session)
      assert.deepStrictEqual(
        forms(auth).map((form) => [form.get("grant_type"), form.get("assertion"), form.get("client_id")]),
        [
          [jwtBearer, "assertion-number-1", clientId],
          [jwtBearer, "assertion-number-2", clientId]
        ]
      )
    })
  )

  it.effect("is refused once, and nothing else is tried", () =>
    Effect.gen(function* () {
      const auth = yield* scriptedAuth()
      auth.as.script = { token: () => oauthError("invalid_grant", 400, "wrong audience") }
      const error = yield* Effect.flip(
        openWith(
          auth,
          provider(async () => "the-assertion")
        )
      )
      assert.match(error.message, /invalid_grant, "wrong audience"/)
      assert.notInclude(error.message, "the-assertion")
      assert.lengthOf(forms(auth), 1)
      assert.isEmpty(auth.of("as1", "POST /register"))
    })
  )

  it.effect("that fails itself is an error which does not quote it", () =>
    Effect.gen(function* () {
      const auth = yield* scriptedAuth()
      const broken = provider(() => {
        throw new Error("with-a-secret-in-it")
      })
      const error = yield* Effect.flip(openWith(auth, broken))
      assert.match(error.message, /"assertion" setting gave no token/)
      assert.notInclude(error.message, "with-a-secret-in-it")
    })
  )
})

describe("tokens that are bound to a key (RFC 9449, AEXT-07)", () => {
  const bound = { dpop: true }
  const binds = (auth: ScriptedAuth, nonce?: string) => {
    auth.as.script = {
      ...(nonce === undefined ? {} : { nonce }),
      metadata: (form, document) =>
        form === "oauth" ? { json: { ...document, dpop_signing_alg_values_supported: ["ES256"] } } : undefined
    }
  }

  it.effect("are shown with a proof for each request, with the digest of its body", () =>
    Effect.gen(function* () {
      const auth = yield* scriptedAuth()
      binds(auth)
      const session = yield* openWith(auth, loggingIn(bound))
      yield* use(session)
      assert.deepStrictEqual(auth.faults, [])
      const shown = auth.of("mcp").filter(({ headers }) => headers.authorization !== undefined)
      const proofs = shown.map(({ headers }) => decodeJwt(String(headers["dpop"])))
      assert.isAtLeast(shown.length, 2)
      assert.strictEqual(new Set(proofs.map(({ jti }) => jti)).size, shown.length)
      const digest = yield* Effect.promise(() =>
        crypto.subtle.digest("SHA-256", new TextEncoder().encode(shown.at(-1)?.text ?? ""))
      )
      assert.strictEqual(proofs.at(-1)?.["content_digest"], `sha-256=:${Buffer.from(digest).toString("base64")}:`)
    })
  )

  it.effect("carry the nonce that each server demands, after one refusal", () =>
    Effect.gen(function* () {
      const auth = yield* scriptedAuth()
      binds(auth, "nonce-of-the-as")
      yield* use(yield* openWith(auth, loggingIn(bound)))
      const nonces = auth.of("as1", "POST /token").map(({ headers }) => decodeJwt(String(headers["dpop"]))["nonce"])
      assert.deepStrictEqual(nonces, [undefined, "nonce-of-the-as"])
    })
  )

  it.effect("stay bound to the same key when they are kept and refreshed", () =>
    Effect.gen(function* () {
      const auth = yield* scriptedAuth()
      binds(auth)
      const store = makeMemoryStore()
      yield* openWith(auth, loggingIn({ ...bound, store }))
      yield* TestClock.adjust("2 hours")
      yield* use(yield* openWith(auth, loggingIn({ ...bound, store })))
      const keys = new Set([...auth.issued.values()].map(({ key }) => key))
      assert.strictEqual(keys.size, 1)
      assert.strictEqual(auth.issued.size, 2)
    })
  )

  it.effect("are demanded: a login that is kept without a key is of no use", () =>
    Effect.gen(function* () {
      const auth = yield* scriptedAuth()
      binds(auth)
      const store = makeMemoryStore()
      yield* openWith(auth, loggingIn({ store }))
      yield* openWith(auth, loggingIn({ ...bound, store }))
      assert.deepStrictEqual(
        [...auth.issued.values()].map(({ key }) => key !== undefined),
        [false, true]
      )
    })
  )

  it.effect("are demanded: a server that binds none is refused before anybody logs in", () =>
    Effect.gen(function* () {
      const auth = yield* scriptedAuth()
      const person = makeAuthPerson()
      const error = yield* Effect.flip(openWith(auth, loggingIn(bound, person)))
      assert.match(error.message, /"dpop" setting demands \(RFC 9449 section 5\.1\)/)
      assert.isEmpty(person.pages)
    })
  )

  it.effect("are demanded: a token of another kind is not shown to anybody", () =>
    Effect.gen(function* () {
      const auth = yield* scriptedAuth()
      binds(auth)
      auth.as.script = { ...auth.as.script, token: (_, issue) => issue("x", "") }
      const error = yield* Effect.flip(openWith(auth, loggingIn(bound)))
      assert.match(error.message, /type "bearer", where one of the type dpop was asked for/)
      assert.isTrue(auth.of("mcp").every(({ headers }) => headers.authorization === undefined))
    })
  )
})

describe("what is kept", () => {
  it.effect("is text that only the store sees: no error, log or printed value has it", () =>
    Effect.gen(function* () {
      const auth = yield* scriptedAuth()
      const kept: Array<string> = []
      const store = listening(makeMemoryStore(), kept)
      yield* openWith(auth, loggingIn({ store }))
      const [token] = auth.issued.keys()
      assert.isTrue(kept.some((text) => text.includes(token ?? "no token")))
      assert.notInclude(JSON.stringify(store), token ?? "no token")
    })
  )
})
