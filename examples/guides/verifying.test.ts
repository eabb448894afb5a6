/** The verifiers of the guide, with the tokens of a real authorization server. */
import { assert, describe, it } from "@effect/vitest"
import type { TokenVerifier } from "@treadle/server"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { runProvider } from "../../packages/oauth/test/fixtures/provider.ts"
import { byAsking, byKeys, byTable, ofTwoIssuers } from "./verifying.ts"

const resource = "https://box.example/mcp"

const judged = Effect.fnUntraced(function* (verifier: TokenVerifier, token: string, to = resource) {
  const verify = yield* verifier.open
  return yield* Effect.match(verify({ token: Redacted.make(token), resource: to }), {
    onSuccess: ({ scopes, subject }) => `${subject}: ${scopes.join(" ")}`,
    onFailure: ({ message }) => message
  })
})

describe("the guide of verifiers", () => {
  it.live("accepts what an issuer signed, for its resource only", () =>
    Effect.gen(function* () {
      const provider = yield* runProvider()
      const token = yield* provider.tokenFor(resource)
      assert.strictEqual(yield* judged(byKeys(provider.issuer), token), "desk: shows:read shows:write")
      assert.include(yield* judged(byKeys(provider.issuer), token, "https://mail.example"), "aud must name it")
      assert.include(yield* judged(ofTwoIssuers, token), "not of an issuer that this server trusts")
    })
  )

  it.live("accepts what an issuer says is active", () =>
    Effect.gen(function* () {
      const provider = yield* runProvider({ opaque: [resource] })
      const token = yield* provider.tokenFor(resource, "shows:read")
      assert.strictEqual(yield* judged(byAsking(provider.issuer, provider.client.secret), token), "desk: shows:read")
    })
  )

  it.live("accepts keys of its own", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* judged(byTable, "k-17"), "ada: shows:read")
      assert.strictEqual(yield* judged(byTable, "k-18"), "this key is not known")
    })
  )
})
