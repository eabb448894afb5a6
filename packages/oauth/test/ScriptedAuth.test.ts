/**
 * The scripted servers do all right where a test tells them nothing, and see what a client does wrong: shown with a client
 * that is not ours.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as oauth from "oauth4webapi"
import { makeAuthPerson, rawRequest, rawToolCall, scriptedAuth, type ScriptedAuth } from "@treadle/testing"

const loopback = { [oauth.allowInsecureRequests]: true }
const redirectUri = "http://127.0.0.1:5000/back"

/** Logs in, in the way of another library. */
const login = async ({ as: { issuer }, mcp }: ScriptedAuth, more: { scope?: string; DPoP?: oauth.DPoPHandle } = {}) => {
  const at = new URL(issuer)
  const algorithm = { algorithm: "oauth2", ...loopback } as const
  const as = await oauth.processDiscoveryResponse(at, await oauth.discoveryRequest(at, algorithm))
  const metadata = { redirect_uris: [redirectUri], token_endpoint_auth_method: "client_secret_basic" }
  const client = await oauth.processDynamicClientRegistrationResponse(
    await oauth.dynamicClientRegistrationRequest(as, metadata, loopback)
  )
  const { client_secret } = client
  assert.isString(client_secret)
  const verifier = oauth.generateRandomCodeVerifier()
  const page = new URL(as.authorization_endpoint ?? "")
  page.search = new URLSearchParams({
    response_type: "code",
    client_id: client.client_id,
    redirect_uri: redirectUri,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    state: "state",
    resource: mcp.url,
    scope: more.scope ?? "r"
  }).toString()
  const back = oauth.validateAuthResponse(as, client, await makeAuthPerson().open(page), "state")
  const auth = oauth.ClientSecretBasic(String(client_secret))
  const options = { ...loopback, additionalParameters: { resource: mcp.url } }
  const ask = (): Promise<Response> =>
    oauth.authorizationCodeGrantRequest(as, client, auth, back, redirectUri, verifier, { ...options, ...more })
  const read = async () => oauth.processAuthorizationCodeResponse(as, client, await ask())
  const tokens = await read().catch((error) => (oauth.isDPoPNonceError(error) ? read() : Promise.reject(error)))
  const refresh = async (token: string) =>
    oauth.processRefreshTokenResponse(
      as,
      client,
      await oauth.refreshTokenGrantRequest(as, client, auth, token, { ...options, ...more })
    )
  return { tokens, refresh }
}

const call = ({ mcp }: ScriptedAuth, authorization?: string) =>
  fetch(mcp.url, {
    method: "POST",
    body: JSON.stringify(rawToolCall(1, "a")),
    headers: {
      "content-type": "application/json",
      "mcp-protocol-version": "2026-07-28",
      ...(authorization === undefined ? {} : { authorization })
    }
  })

describe("the scripted authorization server", () => {
  it.effect("serves a client of another library that does all right", () =>
    Effect.gen(function* () {
      const auth = yield* scriptedAuth({ issuers: ["/tenant1"], secretEnding: ":+ %" })
      yield* Effect.promise(async () => {
        const { refresh, tokens } = await login(auth)
        assert.strictEqual((await call(auth, `Bearer ${tokens.access_token}`)).status, 200)
        const renewed = await refresh(tokens.refresh_token ?? "")
        assert.strictEqual((await call(auth, `Bearer ${renewed.access_token}`)).status, 200)
        assert.deepStrictEqual(auth.faults, [])
        const reused = await refresh(tokens.refresh_token ?? "").catch((error) => error.error)
        assert.strictEqual(reused, "invalid_grant", "a refresh token is good once")
      })
      assert.deepStrictEqual(auth.lines(), [
        "as1 GET /.well-known/oauth-authorization-server/tenant1",
        "as1 POST /register",
        "as1 GET /authorize",
        "as1 POST /token",
        "as1 POST /token",
        "as1 POST /token"
      ])
    })
  )

  it.effect("binds tokens to the key of a proof, and wants a nonce where it is told to", () =>
    Effect.gen(function* () {
      const auth = yield* scriptedAuth()
      auth.as.script = { nonce: "n1" }
      yield* Effect.promise(async () => {
        const DPoP = oauth.DPoP({}, await oauth.generateKeyPair("ES256"))
        const { tokens } = await login(auth, { DPoP })
        assert.strictEqual(tokens.token_type, "dpop")
        assert.strictEqual((await call(auth, `Bearer ${tokens.access_token}`)).status, 401)
        assert.strictEqual((await call(auth, `DPoP ${tokens.access_token}`)).status, 401)
        const options = { ...loopback, DPoP }
        const body = JSON.stringify(rawRequest(1, "tools/list"))
        const url = new URL(auth.mcp.url)
        const shown = await oauth.protectedResourceRequest(
          tokens.access_token,
          "POST",
          url,
          new Headers({ "mcp-protocol-version": "2026-07-28" }),
          body,
          options
        )
        assert.strictEqual(shown.status, 200)
      })
      assert.strictEqual(auth.of("as1", "POST /token").length, 2)
    })
  )

  it.effect("writes down what is wrong", () =>
    Effect.gen(function* () {
      const auth = yield* scriptedAuth()
      yield* Effect.promise(async () => {
        const page = new URL(`${auth.as.origin}/authorize?response_type=code&client_id=nobody&resource=x`)
        const said = await makeAuthPerson().open(page).catch(String)
        assert.include(said, "the page answered 400: client_id is not known here")
        const form = new URLSearchParams({ grant_type: "authorization_code", client_id: "https://x/y", code: "1" })
        await fetch(`${auth.as.origin}/token`, { method: "POST", body: form })
        form.set("resource", auth.mcp.url)
        await fetch(`${auth.as.origin}/token`, { method: "POST", body: form })
        form.set("client_secret", "s")
        await fetch(`${auth.as.origin}/token`, { method: "POST", body: form })
      })
      assert.deepStrictEqual(auth.faults, [
        "as1 /authorize: client_id is not known here",
        "as1 /authorize: code_challenge_method is not S256",
        "as1 /authorize: code_challenge is no hash",
        "as1 /authorize: there is no state",
        'as1 /authorize: resource is "x"',
        "as1 /token: resource is null",
        "as1 /token: the code is not known, or was used before",
        "as1 /token: the client is authenticated by client_secret_post, but registered for none"
      ])
    })
  )
})

describe("the protected MCP server", () => {
  it.effect("challenges in the words of the specification, and lets in what has the scopes", () =>
    Effect.gen(function* () {
      const auth = yield* scriptedAuth()
      auth.mcp.script = { needs: ({ json }) => (json?.params?.name === "a" ? ["r"] : ["r", "w"]) }
      const at = `${auth.mcp.origin}/.well-known/oauth-protected-resource/mcp`
      yield* Effect.promise(async () => {
        const first = await call(auth)
        assert.strictEqual(first.status, 401)
        assert.strictEqual(first.headers.get("www-authenticate"), `Bearer scope="r", resource_metadata="${at}"`)
        const metadata = await (await fetch(at)).json()
        assert.deepStrictEqual(metadata, { resource: auth.mcp.url, authorization_servers: [auth.as.issuer] })
        const { tokens } = await login(auth, { scope: "w" })
        const second = await call(auth, `Bearer ${tokens.access_token}`)
        assert.strictEqual(second.status, 403)
        assert.strictEqual(
          second.headers.get("www-authenticate"),
          `Bearer error="insufficient_scope", scope="r", resource_metadata="${at}"`
        )
        auth.revoke()
        const third = await call(auth, `Bearer ${tokens.access_token}`)
        assert.include(third.headers.get("www-authenticate"), 'error="invalid_token"')
      })
    })
  )
})
