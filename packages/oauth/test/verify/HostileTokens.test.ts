/**
 * Tokens that must not be accepted, each for a reason of its own, and beside each of them its twin: the same token without
 * the one thing that is wrong, which is accepted.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { JwtVerifier, type JwtSettings } from "@treadle/oauth/verify"
import { base64url, exportSPKI, SignJWT } from "jose"
import { claimsOf, judged, makeIssuer, makeKey, resource, senderTo, sign, type Issuer } from "../fixtures/issuer.ts"

const key = await makeKey("k1")
const rsa = await makeKey("r1", "RS256")
const otherKey = await makeKey("k2")
const stranger = await makeKey("k1")
const issuer = makeIssuer("https://login.example")
const other = makeIssuer("https://other.example/tenant")
const trusted = ({ issuer, jwksUri }: Issuer) => ({ issuer, jwksUri })
issuer.publish(key, rsa)
other.publish(otherKey)

const claims = claimsOf(issuer.issuer)
const otherClaims = claimsOf(other.issuer)
const { exp: _exp, ...endless } = claims
const { client_id: _client, sub: _sub, ...aboutNobody } = claims
const { aud: _aud, ...forNobody } = claims
const { jti: _jti, ...unnamed } = claims

const unsecured = `${base64url.encode(JSON.stringify({ alg: "none", typ: "at+jwt" }))}.${base64url.encode(JSON.stringify(claims))}.`
const good = () => sign(key, claims)

/** Signs with HMAC, with a text that everybody may know as the secret. */
const hmac = (secret: string, kid: string) =>
  new SignJWT(claims).setProtectedHeader({ alg: "HS256", kid, typ: "at+jwt" }).sign(new TextEncoder().encode(secret))

const parts = async (change: (header: string, payload: string, signature: string) => string) => {
  const [header = "", payload = "", signature = ""] = (await good()).split(".")
  return change(header, payload, signature)
}

interface Row {
  readonly name: string
  readonly why: string
  readonly token: () => Promise<string> | string
  /** What differs in one thing, and is accepted. */
  readonly twin: () => Promise<string>
  readonly settings?: Partial<JwtSettings>
  readonly resource?: string
}

const signing = "not signed in a way that this server accepts"
const wrongSignature = "the signature of the token is wrong"
const kind = "no access token by what it says"
const type = "no access token by its type"
const audience = "not meant for this server"

const header = (changed: Record<string, unknown>) => () => sign(key, claims, changed)
const saying = (changed: Record<string, unknown>) => () => sign(key, { ...claims, ...changed })

const rows: ReadonlyArray<Row> = [
  { name: "an unsecured token (RFC 8725 2.1)", why: signing, token: () => unsecured, twin: good },
  {
    name: "the public key as the secret of an HMAC (RFC 8725 2.1)",
    why: signing,
    token: async () => hmac(await exportSPKI(rsa.public), "r1"),
    twin: () => sign(rsa, claims)
  },
  {
    name: "the public JWK as the secret of an HMAC",
    why: signing,
    token: () => hmac(JSON.stringify(key.jwk), "k1"),
    twin: good
  },
  {
    name: "an algorithm that the settings leave out",
    why: signing,
    token: good,
    twin: () => sign(rsa, claims),
    settings: { algorithms: ["RS256"] }
  },
  { name: "a stranger's key under a known name", why: wrongSignature, token: () => sign(stranger, claims), twin: good },
  {
    name: "a stranger's key that the token brings along (RFC 8725 3.10)",
    why: wrongSignature,
    token: () => sign(stranger, claims, { jwk: stranger.jwk, jku: "https://evil.example/keys" }),
    twin: header({ jwk: stranger.jwk, jku: "https://evil.example/keys" })
  },
  {
    name: "a key that nobody publishes",
    why: "not signed with a key that its issuer publishes",
    token: header({ kid: "k9" }),
    twin: header({ kid: undefined })
  },
  {
    name: "a key of another trusted issuer",
    why: "not signed with a key that its issuer publishes",
    token: () => sign(otherKey, claims),
    twin: () => sign(otherKey, otherClaims)
  },
  {
    name: "a key of another trusted issuer without its name",
    why: "not signed with a key that its issuer publishes|the signature of the token is wrong",
    token: () => sign(otherKey, claims, { kid: undefined }),
    twin: () => sign(otherKey, otherClaims, { kid: undefined })
  },
  {
    name: "claims that were changed after the signature",
    why: wrongSignature,
    token: () =>
      parts((head, _, tail) => `${head}.${base64url.encode(JSON.stringify({ ...claims, sub: "eve" }))}.${tail}`),
    twin: good
  },
  {
    name: "a signature that is cut",
    why: wrongSignature,
    token: () => parts((a, b, c) => `${a}.${b}.${c.slice(0, -4)}`),
    twin: good
  },
  { name: "no signature", why: wrongSignature, token: () => parts((a, b) => `${a}.${b}.`), twin: good },
  { name: "four parts", why: "no signed JWT", token: async () => `${await good()}.x`, twin: good },
  { name: "an opaque token", why: "no signed JWT", token: () => "8xLOxBtZp8", twin: good },
  { name: "an empty token", why: "no signed JWT", token: () => "", twin: good },
  {
    name: "an issuer that is not trusted",
    why: "not of an issuer that this server trusts",
    token: saying({ iss: "https://evil.example" }),
    twin: good
  },
  {
    name: "an issuer with a slash too many (AUTH-17)",
    why: "not of an issuer that this server trusts",
    token: saying({ iss: `${issuer.issuer}/` }),
    twin: good
  },
  {
    name: "issuers in a list",
    why: "not of an issuer that this server trusts",
    token: saying({ iss: [issuer.issuer] }),
    twin: good
  },
  {
    name: "another audience (AUTH-26, AUTH-28)",
    why: audience,
    token: saying({ aud: "https://mail.example" }),
    twin: good
  },
  { name: "an audience of one more slash", why: audience, token: saying({ aud: `${resource}/` }), twin: good },
  { name: "an audience of the origin only", why: audience, token: saying({ aud: "https://box.example" }), twin: good },
  {
    name: "an audience that begins alike",
    why: audience,
    token: saying({ aud: `${resource}2` }),
    twin: saying({ aud: ["x", resource] })
  },
  {
    name: "a path of the audience in upper case (AUTH-14)",
    why: audience,
    token: saying({ aud: "https://box.example/MCP" }),
    twin: saying({ aud: "HTTPS://Box.Example/mcp" })
  },
  { name: "an audience within an object", why: audience, token: saying({ aud: { [resource]: true } }), twin: good },
  { name: "no audience", why: "does not say in aud", token: () => sign(key, forNobody), twin: good },
  {
    name: "another audience than the one that the settings add",
    why: audience,
    token: saying({ aud: "api://box2" }),
    twin: saying({ aud: "api://box" }),
    settings: { audiences: ["api://box"] }
  },
  {
    name: "an end that is past (RFC 7519 4.1.4)",
    why: "has expired",
    token: saying({ exp: -60 }),
    twin: saying({ exp: -59 })
  },
  {
    name: "an end that is past, where clocks are the same",
    why: "has expired",
    token: saying({ exp: 0 }),
    twin: saying({ exp: 1 }),
    settings: { clockTolerance: 0 }
  },
  { name: "no end", why: "does not say in exp", token: () => sign(key, endless), twin: good },
  { name: "an end that is no number", why: "no number of seconds", token: saying({ exp: "3600" }), twin: good },
  {
    name: "an end beyond all dates",
    why: "no number of seconds",
    token: saying({ exp: 1e300 }),
    twin: saying({ exp: 8e12 })
  },
  { name: "a beginning more than 60 s ahead", why: "nbf", token: saying({ nbf: 61 }), twin: saying({ nbf: 60 }) },
  { name: "an issue more than 60 s ahead", why: "iat", token: saying({ iat: 61 }), twin: saying({ iat: 60 }) },
  {
    name: "an issue too long ago",
    why: "issued too long ago",
    token: saying({ iat: -160 }),
    twin: saying({ iat: -159 }),
    settings: { maxAge: 100_000 }
  },
  {
    name: "no time of issue, where there is an age",
    why: "does not say in iat",
    token: saying({ iat: undefined }),
    twin: good,
    settings: { maxAge: 100_000 }
  },
  {
    name: "no subject and no client",
    why: "does not say in sub",
    token: () => sign(key, aboutNobody),
    twin: saying({ sub: undefined })
  },
  { name: "a subject that is empty", why: "does not say in sub", token: saying({ sub: "" }), twin: good },
  { name: "a subject that is a number", why: "does not say in sub", token: saying({ sub: 7 }), twin: good },
  {
    name: "the type of an ID token of some",
    why: type,
    token: header({ typ: "id_token+jwt" }),
    twin: header({ typ: undefined })
  },
  {
    name: "the type of a logout token",
    why: type,
    token: header({ typ: "logout+jwt" }),
    twin: header({ typ: "application/at+jwt" })
  },
  { name: "the type of a DPoP proof", why: type, token: header({ typ: "dpop+jwt" }), twin: header({ typ: "AT+JWT" }) },
  {
    name: "the type of an ID-JAG (AEXT-06)",
    why: type,
    token: header({ typ: "oauth-id-jag+jwt" }),
    twin: header({ typ: "JWT" })
  },
  { name: "a type that is no text", why: type, token: header({ typ: 1 }), twin: good },
  {
    name: "a bare JWT, where they must be of RFC 9068",
    why: type,
    token: header({ typ: "JWT" }),
    twin: good,
    settings: { strict: true }
  },
  {
    name: "no jti, where they must be of RFC 9068",
    why: "does not say jti",
    token: () => sign(key, unnamed),
    twin: good,
    settings: { strict: true }
  },
  {
    name: "an ID token that names the server (RFC 8725 3.12)",
    why: kind,
    token: () => sign(key, { ...claims, nonce: "n", at_hash: "h" }, { typ: "JWT" }),
    twin: () => sign(key, { ...claims, nonce: "n" }, { typ: "JWT" })
  },
  {
    name: "a logout token without its type",
    why: kind,
    token: () => sign(key, { ...claims, events: {} }, { typ: undefined }),
    twin: () => sign(key, claims, { typ: undefined })
  },
  {
    name: "an extension that must be understood",
    why: "crit",
    token: header({ crit: ["b64"], b64: true }),
    twin: header({ x: 1 })
  },
  { name: "the name of a key that is no text", why: "kid", token: header({ kid: 1 }), twin: good },
  {
    name: "a token that is bound to a key (RFC 9449 7.1)",
    why: "bound to a key",
    token: saying({ cnf: { jkt: "x" } }),
    twin: good
  },
  {
    name: "a token that is too long",
    why: "longer than 16384",
    token: saying({ more: "x".repeat(13_000) }),
    twin: saying({ more: "x".repeat(11_000) })
  }
]

describe("a verifier of JWTs", () => {
  for (const row of rows) {
    it.effect(`refuses ${row.name}, and accepts its twin`, () =>
      Effect.gen(function* () {
        const verifier = JwtVerifier.make({
          issuers: [issuer, other].map(trusted),
          sender: senderTo(issuer, other),
          ...row.settings
        })
        const hostile = yield* judged(verifier, yield* Effect.promise(async () => row.token()), row.resource)
        assert.match(hostile, new RegExp(`^TokenRefused: .*(?:${row.why})`))
        const twin = yield* judged(verifier, yield* Effect.promise(row.twin), row.resource)
        assert.match(twin, /^accepted: (?:ada|desk)$/)
      })
    )
  }

  it.effect("accepts a token that is bound to a key, where something else checks that the caller has it", () =>
    Effect.gen(function* () {
      const verifier = JwtVerifier.make({ ...trusted(issuer), sender: issuer.sender, boundTokens: "accepted" })
      assert.strictEqual(yield* judged(verifier, yield* Effect.promise(saying({ cnf: { jkt: "x" } }))), "accepted: ada")
    })
  )

  it.effect("says nothing that a token says, in words that fit a challenge (RFC 6750 3)", () =>
    Effect.forEach(rows, (row) =>
      Effect.gen(function* () {
        const verifier = JwtVerifier.make({
          issuers: [issuer, other].map(trusted),
          sender: senderTo(issuer, other),
          ...row.settings
        })
        const token = yield* Effect.promise(async () => row.token())
        const told = yield* judged(verifier, token)
        assert.match(told, /^TokenRefused: [ !#-[\]-~]+$/)
        const secrets = [token, "evil", "eve", "api://box2", "mail.example"].filter((secret) => secret !== "")
        for (const secret of secrets) assert.notInclude(told, secret)
      })
    )
  )
})
