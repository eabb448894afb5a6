/** A verifier over a table of tokens. */
// #region verifier
import { TokenRefused, TokenVerifier, type VerifiedToken } from "@treadle/server"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

interface Row extends VerifiedToken {
  /** The resource that it was issued for. */
  readonly audience: string
  readonly expiresAt: number
}

export const verifierOf = (rows: ReadonlyMap<string, Row>): TokenVerifier =>
  TokenVerifier.make(({ resource, token }) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const row = rows.get(Redacted.value(token))
      if (row === undefined) return Effect.fail(new TokenRefused({ why: "The token is not known" }))
      if (row.audience !== resource) return Effect.fail(new TokenRefused({ why: "The token is for another server" }))
      if (row.expiresAt <= now) return Effect.fail(new TokenRefused({ why: "The token has expired" }))
      return Effect.succeed(row)
    })
  )
// #endregion
