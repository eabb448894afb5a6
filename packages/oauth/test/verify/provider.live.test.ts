/** Both verifiers with a real authorization server, by its tokens for itself and for a person. */
import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Introspection, JwtVerifier } from "@treadle/oauth/verify"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { judged, present } from "../fixtures/issuer.ts"
import { account, runProvider, type RunningProvider } from "../fixtures/provider.ts"

const box = "https://box.example/mcp"
const opaqueBox = "https://opaque.example/mcp"
const mail = "https://mail.example/mcp"

const introspect = ({ client, issuer }: RunningProvider) => ({
  issuer,
  clientId: client.id,
  clientSecret: Redacted.make(client.secret)
})

const post = (url: string, body: URLSearchParams | string, headers: Record<string, string> = {}) =>
  Effect.promise(async () => (await fetch(url, { method: "POST", body, headers })).json())

/** Logs in as a public client that registers itself, and gives its tokens. */
const login = Effect.fnUntraced(function* (provider: RunningProvider, resource: string) {
  const redirect = "http://127.0.0.1:1/callback"
  const registration = {
    redirect_uris: [redirect],
    application_type: "native",
    token_endpoint_auth_method: "none",
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"]
  }
  const json = { "content-type": "application/json" }
  const { client_id: id } = yield* post(`${provider.issuer}/reg`, JSON.stringify(registration), json)
  const verifier = "v".repeat(43)
  const challenge = createHash("sha256").update(verifier).digest("base64url")
  const asked = {
    client_id: id,
    response_type: "code",
    redirect_uri: redirect,
    state: "s",
    resource,
    scope: "openid shows:read"
  }
  const query = new URLSearchParams({ ...asked, code_challenge: challenge, code_challenge_method: "S256" })
  const back = yield* provider.visit(new URL(`${provider.issuer}/auth?${query.toString()}`))
  assert.strictEqual(`${back.origin}${back.pathname}`, redirect)
  const code = back.searchParams.get("code") ?? ""
  const grant = { grant_type: "authorization_code", client_id: id, redirect_uri: redirect, code_verifier: verifier }
  return yield* post(`${provider.issuer}/token`, new URLSearchParams({ ...grant, code, resource }))
})

describe("with a real authorization server", () => {
  it.live("a JWT is accepted for the resource it was asked for, and for no other (AUTH-26)", () =>
    Effect.gen(function* () {
      const provider = yield* runProvider()
      const verifier = JwtVerifier.make({ issuer: provider.issuer, strict: true })
      const token = yield* provider.tokenFor(box)
      assert.strictEqual(yield* judged(verifier, token, box), `accepted: ${provider.client.id}`)
      assert.match(yield* judged(verifier, token, mail), /^TokenRefused: the token is not meant for this server/)
      const verified = yield* Effect.flatMap(verifier.open, (verify) => verify(present(token, box)))
      const { issuer } = provider
      assert.deepInclude(verified, { issuer, clientId: "desk", scopes: ["shows:read", "shows:write"] })
    })
  )

  it.live("an opaque token is accepted by introspection for its resource, until it is revoked", () =>
    Effect.gen(function* () {
      const provider = yield* runProvider({ opaque: [opaqueBox] })
      const verifier = Introspection.make(introspect(provider))
      const token = yield* provider.tokenFor(opaqueBox)
      assert.strictEqual(yield* judged(verifier, token, opaqueBox), `accepted: ${provider.client.id}`)
      assert.match(yield* judged(verifier, token, box), /^TokenRefused: the token is not meant for this server/)
      const { id, secret } = provider.client
      const headers = { authorization: `Basic ${btoa(`${id}:${secret}`)}` }
      const body = new URLSearchParams({ token })
      yield* Effect.promise(() => fetch(`${provider.issuer}/token/revocation`, { method: "POST", body, headers }))
      assert.match(yield* judged(verifier, token, opaqueBox), /^TokenRefused: the token is not active/)
    })
  )

  it.live("a secret that is wrong makes a verifier unavailable, and is told to nobody", () =>
    Effect.gen(function* () {
      const provider = yield* runProvider({ opaque: [opaqueBox] })
      const verifier = Introspection.make({ ...introspect(provider), clientSecret: Redacted.make("not it") })
      const told = yield* judged(verifier, yield* provider.tokenFor(opaqueBox), opaqueBox)
      assert.match(told, /^VerifierUnavailable: .*HTTP 401; it does not accept this server's own credentials$/)
      assert.notInclude(told, "not it")
    })
  )

  it.live("a person's access token is accepted, and neither their ID token nor their refresh token is", () =>
    Effect.gen(function* () {
      const provider = yield* runProvider({ opaque: [opaqueBox] })
      const { access_token: access, id_token: identity } = yield* login(provider, box)
      const verifier = JwtVerifier.make({ issuer: provider.issuer })
      assert.strictEqual(yield* judged(verifier, access, box), `accepted: ${account}`)
      assert.match(yield* judged(verifier, identity, box), /^TokenRefused: the token is not meant for this server/)
      const { access_token: opaque, refresh_token: refresh } = yield* login(provider, opaqueBox)
      const asking = Introspection.make(introspect(provider))
      assert.strictEqual(yield* judged(asking, opaque, opaqueBox), `accepted: ${account}`)
      assert.match(yield* judged(asking, refresh, opaqueBox), /^TokenRefused: /)
      assert.match(yield* judged(verifier, refresh, box), /^TokenRefused: /)
    })
  )
})
