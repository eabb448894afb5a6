/**
 * Tokens that were verified lately, so that a caller who sends the same one again waits for nothing. They are found by
 * the token itself, without a digest, which on some platforms takes longer than all the rest of a request.
 */
import {
  TokenRefused,
  type PresentedToken,
  type VerifiedToken,
  type VerifierUnavailable,
  type Verify
} from "@treadle/server"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { keepNewest } from "../Newest.ts"
import { Flights } from "./Flights.ts"

/** A token that was verified, and until when that holds, in milliseconds since 1970. */
export interface Verified {
  readonly token: VerifiedToken
  readonly until: number
}

/** Verifies a token anew. @param token the text of the one that is presented */
export type Verification = (
  token: string,
  presented: PresentedToken
) => Effect.Effect<Verified, TokenRefused | VerifierUnavailable>

/** How many tokens are remembered; the oldest is forgotten first. */
const capacity = 1_000

/** How long a token may be, in characters; those of every authorization server that we know are far shorter. */
const maxLength = 16 * 1024

/** An address has no space in it. */
const keyOf = (token: string, resource: string): string => `${resource} ${token}`

/**
 * Gives a verification its memory. Verifications of one token that overlap are one.
 *
 * @param cacheTime how long a token is remembered at most, in milliseconds
 */
export const remembering = (scope: Scope.Scope, cacheTime: number, verify: Verification): Verify => {
  const kept = new Map<string, Verified>()
  const flights = new Flights<VerifiedToken, TokenRefused | VerifierUnavailable>(scope)

  const verifyAnew = (key: string, token: string, presented: PresentedToken) =>
    Effect.flatMap(verify(token, presented), (verified) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const until = Math.min(verified.until, now + cacheTime)
        if (until > now) keepNewest(kept, key, { token: verified.token, until }, capacity)
        return verified.token
      })
    )

  return (presented) => {
    const token = Redacted.value(presented.token)
    if (token.length > maxLength) {
      return Effect.fail(new TokenRefused({ why: `the token is longer than ${maxLength} characters` }))
    }
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const key = keyOf(token, presented.resource)
      const found = kept.get(key)
      if (found !== undefined && now < found.until) return Effect.succeed(found.token)
      kept.delete(key)
      return flights.join(key, verifyAnew(key, token, presented))
    })
  }
}
