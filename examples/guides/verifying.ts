/** Verifiers of access tokens: by the keys of an issuer, by asking it, and by rules of one's own. */
// #region keys
import { JwtVerifier } from "@treadle/oauth/verify"

/** @param issuer such as `https://login.example` */
export const byKeys = (issuer: string) => JwtVerifier.make({ issuer })
// #endregion

// #region several
export const ofTwoIssuers = JwtVerifier.make({
  issuers: [
    { issuer: "https://login.example" },
    { issuer: "https://staff.example", jwksUri: "https://staff.example/keys" }
  ],
  algorithms: ["ES256"],
  maxAge: 8 * 60 * 60_000,
  scopesOf: ({ roles }) => (Array.isArray(roles) && roles.includes("manager") ? ["shows:read", "shows:write"] : [])
})
// #endregion

// #region asking
import { Introspection } from "@treadle/oauth/verify"
import * as Redacted from "effect/Redacted"

export const byAsking = (issuer: string, secret: string) =>
  Introspection.make({ issuer, clientId: "desk", clientSecret: Redacted.make(secret), cacheTime: 5_000 })
// #endregion

// #region own
import { TokenRefused, TokenVerifier } from "@treadle/server"
import * as Effect from "effect/Effect"

const keys = new Map([["k-17", { id: "ada", scopes: ["shows:read"] }]])

export const byTable = TokenVerifier.make(({ token }) => {
  const owner = keys.get(Redacted.value(token))
  if (owner === undefined) return Effect.fail(new TokenRefused({ why: "this key is not known" }))
  return Effect.succeed({ issuer: "box office", subject: owner.id, scopes: owner.scopes, claims: {} })
})
// #endregion
